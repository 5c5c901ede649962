"""What is true of OLLAWVClassifier only."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return MinMaxScaler().fit_transform(X), y


def assert_same_model(one, other, X):
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.n_support_, other.n_support_)
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    np.testing.assert_array_equal(one.n_iter_, other.n_iter_)
    np.testing.assert_array_equal(one.stop_reason_, other.stop_reason_)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


# The algorithm ------------------------------------------------------------------------------


def test_three_points_by_hand():
    """x = 0 (+), 1 (+), 3 (-), linear kernel, no intercept, the paper's start and order.

    t = 1: row 0, step 2; k = 0 everywhere, all scores stay 0. Ties go to row 1.
    t = 2: row 1, step 2/sqrt(2) = 1.4142; score of row 2: -1 * 1.4142 * 3 = -4.2426.
    t = 3: row 2, step -2/sqrt(3) = -1.1547; no sample is left.
    """
    model = OLLAWVClassifier(
        kernel="linear", refine=None, start="first", fit_intercept=False, max_iter=10
    ).fit([[0.0], [1.0], [3.0]], [1, 1, 0])

    path = model.path_[0]
    assert path.rows.tolist() == [0, 1, 2]
    np.testing.assert_allclose(path.steps, [2.0, 2 / 2**0.5, -2 / 3**0.5])
    np.testing.assert_allclose(path.violations, [0.0, -3 * 2 / 2**0.5, np.inf])
    assert model.stop_reason_.tolist() == ["exhausted"]
    np.testing.assert_allclose(model.coef_, [[2 / 2**0.5 - 3 * 2 / 3**0.5]])


def test_the_intercept_is_the_mean_step():
    model = OLLAWVClassifier(refine=None, max_iter=7, gamma=1.0).fit(
        *make_moons(50, random_state=1)
    )

    np.testing.assert_allclose(model.intercept_[0], model.path_[0].steps.sum() / 50)


def test_labels_do_not_depend_on_C(moons):
    X, y = moons
    one, other = (OLLAWVClassifier(refine=None, C=C, gamma=2.0).fit(X, y) for C in (0.01, 100.0))

    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_allclose(one.decision_function(X) * 1e4, other.decision_function(X))


def test_it_stops_when_every_remaining_sample_meets_the_margin(moons):
    X, y = moons
    model = OLLAWVClassifier(refine=None, margin=0.3, gamma=5.0, C=2.0).fit(X, y)
    rest = np.setdiff1d(np.arange(y.size), model.support_)

    assert model.stop_reason_.tolist() == ["converged"]
    signed = np.where(y == 1, 1, -1) * model.decision_function(X) / model.C
    assert signed[rest].min() >= 0.3


def test_the_default_limit_is_half_the_samples(moons):
    X, y = moons
    model = OLLAWVClassifier(refine=None, gamma=1e-6, margin=10.0).fit(X, y)

    assert model.n_iter_.tolist() == [150]
    assert model.stop_reason_.tolist() == ["max_iter"]


def test_learning_rates_set_the_steps(moons):
    X, y = moons
    t = np.arange(1, 6)
    for name, expected in [
        ("2/sqrt(t)", 2 / np.sqrt(t)),
        ("1/sqrt(t)", 1 / np.sqrt(t)),
        ("1/t", 1 / t),
    ]:
        model = OLLAWVClassifier(refine=None, learning_rate=name, max_iter=5, margin=5.0).fit(X, y)
        np.testing.assert_allclose(np.abs(model.path_[0].steps), expected)


# The margin path ----------------------------------------------------------------------------


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("form", ["dense", "csr", "precomputed", "callable"])
def test_a_smaller_margin_is_a_prefix_of_the_same_run(wine, multi_class, form):
    X, y = wine
    kernel = {"precomputed": "precomputed", "callable": rbf_kernel}.get(form, "rbf")
    data = {"csr": sparse.csr_array(X), "precomputed": rbf_kernel(X, gamma=1.0)}.get(form, X)
    settings = {"refine": None, "multi_class": multi_class, "gamma": 1.0, "kernel": kernel}
    model = OLLAWVClassifier(margin=1.0, **settings).fit(data, y)

    for margin in (0.01, 0.1, 0.5, 1.0):
        separate = OLLAWVClassifier(margin=margin, **settings).fit(data, y)
        assert_same_model(model.at_margin(margin), separate, data)
        assert model.at_margin(margin).margin == margin


def test_a_budget_is_a_prefix_of_the_same_run(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(1, 4, y.size)
    model = OLLAWVClassifier(margin=1.0, refine=None, gamma=1.0).fit(X, y, weights)

    for budget in (1, 2, 5, 1000):
        separate = OLLAWVClassifier(margin=1.0, refine=None, gamma=1.0, max_support=budget).fit(
            X, y, weights
        )
        assert_same_model(model.at_budget(budget), separate, X)


def test_a_path_of_a_path_is_the_same(wine):
    X, y = wine
    model = OLLAWVClassifier(margin=1.0, refine=None, gamma=1.0).fit(X, y)

    assert_same_model(model.at_margin(0.5).at_margin(0.1), model.at_margin(0.1), X)


def test_the_path_refuses_what_it_cannot_give(moons):
    X, y = moons
    model = OLLAWVClassifier(refine=None).fit(X, y)

    with pytest.raises(ValueError, match=r"expected a margin in \[0, 0.1\].*Got 0.5"):
        model.at_margin(0.5)
    with pytest.raises(ValueError, match="at least 1 support vector"):
        model.at_budget(0)
    full = OLLAWVClassifier().fit(X, y)
    with pytest.raises(ValueError, match="need a model that was fitted with refine=None"):
        full.at_margin(0.05)
    with pytest.raises(ValueError, match="need a model that was fitted with refine=None"):
        full.set_params(refine=None).at_budget(5)


# Refinement ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_full_refinement_is_the_l1_svm(moons, kernel, C):
    X, y = moons
    ours = OLLAWVClassifier(kernel=kernel, C=C, gamma=1.0, coef0=1.0, tol=1e-7).fit(X, y)
    gram = laplacian_kernel(X, gamma=1.0) if kernel == "laplacian" else X
    kind = "precomputed" if kernel == "laplacian" else kernel
    theirs = SVC(kernel=kind, C=C, gamma=1.0, coef0=1.0, tol=1e-7).fit(gram, y)

    # LIBSVM keeps kernel columns in single precision.
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(gram), rtol=1e-3, atol=1e-3
    )
    assert 0 <= ours.dual_gap_[0] <= 1e-4 * abs(ours.objective_[0])


def test_full_refinement_does_not_depend_on_the_selection(moons):
    X, y = moons
    decisions = [
        OLLAWVClassifier(margin=margin, tol=1e-8, gamma=1.0).fit(X, y).decision_function(X)
        for margin in (0.0, 0.1, 2.0)
    ]

    np.testing.assert_allclose(decisions[0], decisions[1], atol=1e-6)
    np.testing.assert_allclose(decisions[0], decisions[2], atol=1e-6)


@pytest.mark.parametrize("n_rows", [6000, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "gamma", "C"), [
    ("satimage", 4.0, 4.0),
    ("usps", 1 / 32, 4.0),
    ("letter", 8.0, 4.0),
    ("w3a", 1 / 16, 4.0),
])  # fmt: skip
def test_full_refinement_agrees_with_svc_on_real_data(load_real, name, gamma, C, n_rows):
    """Half of the rows to train on, labels compared on the others; thinned out where not slow."""
    data = load_real(name)
    X, y = data.X, data.y
    if not sparse.issparse(X):
        X = MinMaxScaler().fit_transform(X)
    rows = np.random.default_rng(0).permutation(y.size)[:n_rows]
    train, test = rows[::2], rows[1::2]
    ours = OLLAWVClassifier(gamma=gamma, C=C, n_jobs=2).fit(X[train], y[train])
    # By default SVC gives a tie of votes to the first class; we look at the decisions.
    theirs = SVC(gamma=gamma, C=C, break_ties=True, cache_size=1000).fit(X[train], y[train])

    agreement = np.mean(ours.predict(X[test]) == theirs.predict(X[test]))

    assert agreement >= 0.999
    np.testing.assert_allclose(ours.objective_, dual_objectives(theirs), rtol=1e-4)


def dual_objectives(svc):
    """Return the dual objective of each pair of a fitted SVC."""
    coef = svc.dual_coef_
    coef = coef.toarray() if sparse.issparse(coef) else coef
    vectors = svc.support_vectors_
    K = rbf_kernel(vectors, gamma=svc.gamma)
    of_class = np.repeat(np.arange(svc.classes_.size), svc.n_support_)
    objectives = []
    for i in range(svc.classes_.size):
        for j in range(i + 1, svc.classes_.size):
            beta = np.where(of_class == i, coef[j - 1], 0) + np.where(of_class == j, coef[i], 0)
            objectives.append(np.abs(beta).sum() - 0.5 * beta @ K @ beta)
    return objectives


# Numbers, weights, classes ------------------------------------------------------------------


@pytest.mark.parametrize("refine", [None, "full"])
def test_single_precision_stays_single_and_agrees(moons, refine):
    X, y = moons
    double = OLLAWVClassifier(refine=refine, gamma=1.0).fit(X, y)
    single = OLLAWVClassifier(refine=refine, gamma=1.0).fit(X.astype(np.float32), y)

    assert single.support_vectors_.dtype == np.float32
    assert np.mean(single.predict(X) == double.predict(X)) >= 0.995


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_indices_of_both_sizes(wine, index_type, container):
    X, y = wine
    matrix = container(X)
    matrix.indices = matrix.indices.astype(index_type)
    matrix.indptr = matrix.indptr.astype(index_type)

    model = OLLAWVClassifier().fit(matrix, y)

    assert sparse.issparse(model.support_vectors_)
    np.testing.assert_array_equal(model.predict(matrix), model.predict(X))


def test_unsorted_and_repeated_sparse_entries_are_read_right(moons):
    X, y = moons
    tidy = sparse.csr_array(X)
    messy = sparse.csr_array(
        (
            np.repeat(X[:, ::-1].ravel() / 2, 2),
            np.tile([1, 1, 0, 0], y.size),
            np.arange(0, 4 * y.size + 1, 4),
        ),
        shape=X.shape,
    )

    a, b = (OLLAWVClassifier(gamma=1.0).fit(M, y) for M in (tidy, messy))

    np.testing.assert_array_equal(a.decision_function(tidy), b.decision_function(messy))
    assert messy.nnz == 4 * y.size  # the caller's matrix is left as it was


def test_zero_weight_leaves_a_row_and_even_a_class_out(wine):
    X, y = wine
    weights = (y != 2).astype(float)

    model = OLLAWVClassifier().fit(X, y, weights)
    without = OLLAWVClassifier().fit(X[y != 2], y[y != 2])

    assert model.classes_.tolist() == [0, 1]
    assert np.all(weights[model.support_] == 1)
    np.testing.assert_array_equal(model.decision_function(X), without.decision_function(X))


def test_balanced_class_weight_is_the_same_as_repeating_the_small_class():
    X, y = make_classification(120, weights=[0.75], flip_y=0, random_state=3)
    few = np.flatnonzero(y == 1)[:30]
    X = np.vstack([X[y == 0][:60], X[few][:30]])
    y = np.repeat([0, 1], [60, 30])
    repeated = np.r_[np.arange(60), np.repeat(np.arange(60, 90), 2)]

    balanced = OLLAWVClassifier(class_weight="balanced", gamma=0.1, C=1.0).fit(X, y)
    copies = OLLAWVClassifier(gamma=0.1, C=0.75).fit(X[repeated], y[repeated])

    np.testing.assert_allclose(
        balanced.decision_function(X), copies.decision_function(X), atol=5e-3
    )


def test_shared_support_vectors_are_stored_once(wine):
    X, y = wine
    model = OLLAWVClassifier().fit(X, y)

    assert np.unique(model.support_).size == model.support_.size
    assert model.support_vectors_.shape[0] == model.n_support_.sum() == model.dual_coef_.shape[1]
    assert model.dual_coef_.shape[0] == 2
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_decision_shapes_follow_scikit_learn(wine):
    X, y = wine
    theirs = SVC(gamma=1.0, decision_function_shape="ovo", tol=1e-8).fit(X, y)
    ours = OLLAWVClassifier(gamma=1.0, decision_function_shape="ovo", tol=1e-8).fit(X, y)

    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_ties_of_votes_go_to_the_larger_sum_of_decisions():
    from svmosaic.engine.class_pairs import combine_votes

    # Pairs (0,1), (0,2), (1,2): every class wins once; the sums are 1-3=-2, -1+2=1, 3-2=1 ...
    decisions = np.array([[1.0, -3.0, 2.0], [3.0, -1.0, 1.0]])

    combined = combine_votes(decisions, 3)

    # sums of row 0: (-2, 1, 1); of row 1: (2, -2, 0)
    assert combined[0].argmax() in (1, 2)
    assert combined[0, 1] == combined[0, 2]
    assert combined[1].argmax() == 0


# Citizenship --------------------------------------------------------------------------------


def test_grid_search_and_pipelines_work():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(MinMaxScaler(), OLLAWVClassifier()),
        {"ollawvclassifier__gamma": [0.1, 1.0], "ollawvclassifier__margin": [0.1, 0.5]},
        cv=3,
    ).fit(X, y)

    assert search.best_score_ > 0.9
    assert cross_val_score(OLLAWVClassifier(n_jobs=2), X, y, cv=3).mean() > 0.9


def test_pickle_gives_the_same_model(wine):
    X, y = wine
    model = OLLAWVClassifier(refine=None, margin=0.5).fit(X, y)

    again = pickle.loads(pickle.dumps(model))

    assert_same_model(model, again, X)
    assert_same_model(model.at_margin(0.1), again.at_margin(0.1), X)
    assert clone(model).get_params() == model.get_params()


def test_pandas_names_are_kept():
    pandas = pytest.importorskip("pandas", reason="pandas is a test extra")
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert isinstance(X, pandas.DataFrame)

    model = OLLAWVClassifier().fit(X, y)

    assert model.feature_names_in_.tolist() == X.columns.tolist()


# Messages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"margin": -1.0},
            r"The 'margin' parameter of OLLAWVClassifier must be a float .* Got -1.0",
        ),
        ({"kernel": "gauss"}, r"The 'kernel' parameter .* Got 'gauss' instead"),
        ({"gamma": 0.0}, r"The 'gamma' parameter .* Got 0.0 instead"),
        ({"refine": "all"}, r"The 'refine' parameter .* Got 'all' instead"),
        ({"max_iter": 0}, r"The 'max_iter' parameter .* Got 0 instead"),
        ({"learning_rate": "fast"}, r"The 'learning_rate' parameter .* Got 'fast' instead"),
    ],
)
def test_bad_parameters_get_one_sentence(moons, parameters, message):
    with pytest.raises(ValueError, match=message):
        OLLAWVClassifier(**parameters).fit(*moons)


def test_bad_data_get_one_sentence(moons):
    X, y = moons
    with pytest.raises(ValueError, match="at least 2 classes; the data contain only one class"):
        OLLAWVClassifier().fit(X, np.zeros(y.size))
    with pytest.raises(ValueError, match="zero"):
        OLLAWVClassifier().fit(X, y, np.zeros(y.size))
    with pytest.raises(ValueError, match="NaN"):
        OLLAWVClassifier().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="must be a square matrix"):
        OLLAWVClassifier(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match=r"must return an array of shape \(300, 1\)"):
        OLLAWVClassifier(kernel=lambda A, B: np.ones((3, 3)) if len(B) == 1 else A @ B.T).fit(X, y)


@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize(
    ("scale", "parameters"),
    [(1e200, {"kernel": "linear"}), (1.0, {"kernel": "poly", "degree": 1000, "gamma": 1e3})],
)
def test_kernel_values_that_overflow_get_one_sentence(moons, refine, scale, parameters):
    X, y = moons
    with pytest.raises(ValueError, match=r"A kernel value of sample \d+ is not finite. Scale"):
        OLLAWVClassifier(refine=refine, **parameters).fit(X * scale, y)


def test_predicting_leaves_the_coefficients_alone(wine):
    X, y = wine
    model = OLLAWVClassifier().fit(X, y)
    before = model.dual_coef_

    first, second = model.decision_function(X), model.decision_function(X)

    np.testing.assert_array_equal(model.dual_coef_, before)
    np.testing.assert_array_equal(first, second)


def test_an_error_in_a_kernel_function_reaches_the_caller(moons):
    X, y = moons
    calls = []

    def broken(A, B):
        calls.append(len(B))
        if len(calls) > 20:
            raise RuntimeError("no more kernels")
        return A @ B.T

    with pytest.raises(RuntimeError, match="no more kernels"):
        OLLAWVClassifier(kernel=broken, n_jobs=2).fit(X, y)


def test_a_time_limit_gives_a_usable_model_and_a_warning():
    X, y = make_classification(30_000, 30, flip_y=0.3, random_state=0)

    with pytest.warns(ConvergenceWarning, match="max_time=0.2 s with 1 of 1 binary problems"):
        model = OLLAWVClassifier(gamma=1.0, max_time=0.2).fit(X, y)

    assert model.stop_reason_.tolist() == ["max_time"]
    assert model.predict(X[:10]).shape == (10,)


@pytest.mark.parametrize("estimator", [OLLAWVClassifier, OLLAWVClassifierCV])
def test_refinement_of_the_selected_is_refused(estimator):
    message = (
        f"The 'refine' parameter of {estimator.__name__} must be a str among {{'full'}} or None"
    )
    with pytest.raises(ValueError, match=f"{message}. Got 'selected' instead"):
        estimator(refine="selected").fit(*load_iris(return_X_y=True))


def test_a_plain_search_may_take_all_samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + 2.0 * rng.normal(size=80) > 0

    search = OLLAWVClassifierCV(refine=None, margins=[1.0], gammas=[1.0]).fit(X, y)

    assert search.best_estimator_.max_iter == 1.0
    assert search.n_iter_ > 40
