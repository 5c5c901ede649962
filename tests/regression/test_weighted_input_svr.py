"""SVRs of weighted inputs, whose weights differ between the inner folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import KFold
from sklearn.svm import SVR

from svmosaic.regression.weighted_input_svr import WeightedInputSVR, input_weights

CS, EPSILON = (1.0, 10.0), 0.1


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    Y = np.column_stack([5.0 * np.sin(X[:, 0]) + 2.0, X[:, 1] * X[:, 2]])
    splits = list(KFold(3, shuffle=True, random_state=0).split(X))
    weights = np.array([input_weights(rng.uniform(size=4)) for _ in range(4)])
    return X, Y + 0.1 * rng.normal(size=Y.shape), splits, weights


def _fit(problem, form=np.asarray, n_jobs=1):
    X, Y, splits, weights = problem
    model = WeightedInputSVR(Cs=CS, epsilons=(EPSILON,), tol=1e-6, n_jobs=n_jobs)
    return model, model.fit_held_out(form(X), Y, splits, weights).values


def _left_out(problem, target, share, C):
    """Return what scikit-learn's SVR predicts for rows left out, each fold by its weights."""
    X, Y, splits, weights = problem
    y = (Y[:, target] - Y[:, target].mean()) / Y[:, target].std()
    values = np.empty_like(y)
    for (train, test), w in zip(splits, weights, strict=False):
        inputs = X[train] * w
        # The width of a fold knows its training rows only.
        gamma = share / (inputs.shape[1] * inputs.var())
        svr = SVR(gamma=gamma, C=C, epsilon=EPSILON, tol=1e-6).fit(inputs, y[train])
        values[test] = svr.predict(X[test] * w)
    return y, values


def test_each_fold_has_its_weights_and_the_best_candidate_is_chosen(problem):
    model, held_out = _fit(problem)
    candidates = [(share, C) for C in CS for share in (0.125, 0.5, 2.0)]

    for target in range(2):
        errors = []
        for share, C in candidates:
            y, values = _left_out(problem, target, share, C)
            errors.append(np.sqrt(np.mean((values - y) ** 2)))
        np.testing.assert_allclose(model.cv_errors_[target], errors, rtol=1e-4)
        best = int(np.argmin(errors))
        chosen = (model.gamma_[target], model.C_[target], model.epsilon_[target])
        assert chosen == tuple(model.candidates_[best])
        expected = _left_out(problem, target, *candidates[best])[1]
        np.testing.assert_allclose(held_out[:, target], expected, atol=1e-4)


def test_the_final_fit_has_the_last_weights(problem):
    X, Y, _, weights = problem
    model, _ = _fit(problem)
    new = np.random.default_rng(1).normal(size=(20, 4))

    found = model.predict(new)

    for target in range(2):
        y = Y[:, target]
        svr = SVR(gamma=model.gamma_[target], C=model.C_[target], epsilon=EPSILON, tol=1e-6)
        svr.fit(X * weights[-1], (y - y.mean()) / y.std())
        expected = svr.predict(new * weights[-1]) * y.std() + y.mean()
        np.testing.assert_allclose(found[:, target], expected, atol=1e-3)


def test_sparse_rows_and_threads_change_nothing(problem):
    X = problem[0]
    model, held_out = _fit(problem)

    for other, values in (_fit(problem, csr_array), _fit(problem, n_jobs=2)):
        np.testing.assert_allclose(values, held_out, atol=1e-10)
        np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-10)


def test_without_importances_all_inputs_count_the_same():
    np.testing.assert_allclose(input_weights(np.zeros(4)), 0.5)
    np.testing.assert_allclose(input_weights(np.array([3.0, 0.0, 4.0])), [0.6, 0.0, 0.8])
