"""SVC and SVR: scikit-learn's signature, numbers, attributes and errors."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from svmosaic import SMOClassifier, load, save
from svmosaic.svm import SVC, SVR, NuSVR

X, Y = load_iris(return_X_y=True)
# Measurements of iris are repeated, and identical rows are one sample with us.
X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
TWO = Y < 2
T = load_diabetes().target[:150] / 100.0
PAIRS = [(SVC, sklearn.svm.SVC), (SVR, sklearn.svm.SVR)]


def target(kind):
    return T if kind is SVR else Y


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_the_constructor_is_scikit_learns(ours, theirs):
    mine, other = inspect.signature(ours).parameters, inspect.signature(theirs).parameters

    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in other.values()
    ]
    assert repr(ours(C=2.0)) == repr(theirs(C=2.0))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "linear"},
        {"kernel": "poly", "coef0": 1.0, "degree": 2},
        {"C": 10.0, "gamma": "auto"},
        {"gamma": 0.3, "shrinking": False},
    ],
    ids=str,
)
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_numbers_and_attributes_are_scikit_learns(ours, theirs, options, weighted, form):
    # Weights change gamma="scale" with us, as repeated rows would.
    weights = np.random.default_rng(1).uniform(-0.2, 2.0, len(X)) if weighted else None
    options = {"gamma": 0.2, **options} if weighted else options
    one = ours(tol=1e-7, **options).fit(form(X), target(ours), sample_weight=weights)
    two = theirs(tol=1e-7, **options).fit(form(X), target(ours), sample_weight=weights)

    # LIBSVM keeps kernel values in single precision.
    np.testing.assert_allclose(one.predict(X), two.predict(X), atol=1e-3)
    if ours is SVC:
        np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-3)
        np.testing.assert_array_equal(one.classes_, two.classes_)
        np.testing.assert_allclose(one.class_weight_, two.class_weight_)
    np.testing.assert_allclose(one.intercept_, two.intercept_, atol=1e-3)
    assert one._gamma == pytest.approx(two._gamma if options.get("kernel") != "linear" else 1.0)
    # Not their n_support_: that of SVR on sparse rows is not set, and any number in threads.
    assert abs(int(one.n_support_.sum()) - len(two.support_)) <= 3
    for name in ("shape_fit_", "fit_status_", "n_features_in_"):
        assert getattr(one, name) == getattr(two, name), name
    for name in ("dual_coef_", "intercept_", "n_support_", "support_vectors_"):
        assert getattr(one, name).ndim == getattr(two, name).ndim, name
        assert sparse.issparse(getattr(one, name)) == sparse.issparse(getattr(two, name)), name
    assert type(one.n_iter_) is type(two.n_iter_)
    if options.get("kernel") == "linear":
        dense = [m.coef_.toarray() if sparse.issparse(m.coef_) else m.coef_ for m in (one, two)]
        np.testing.assert_allclose(*dense, atol=1e-3)
        assert sparse.issparse(one.coef_) == sparse.issparse(two.coef_)
        with pytest.raises((ValueError, TypeError)):
            one.coef_[0, 0] = 1.0


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5}])
def test_class_weights_change_the_penalty_and_not_gamma(class_weight):
    kept = np.r_[0:50, 50:70, 100:130]
    one, two = (
        kind(class_weight=class_weight, tol=1e-7).fit(X[kept], Y[kept])
        for kind in (SVC, sklearn.svm.SVC)
    )

    np.testing.assert_allclose(one.class_weight_, two.class_weight_)
    assert one._gamma == pytest.approx(two._gamma, rel=1e-12)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_decisions_of_two_and_three_classes(shape):
    for rows in (TWO, slice(None)):
        one, two = (
            kind(decision_function_shape=shape, tol=1e-7).fit(X[rows], Y[rows])
            for kind in (SVC, sklearn.svm.SVC)
        )
        np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-4)


def test_ties_are_broken_as_scikit_learn_breaks_them():
    # Far from all samples every decision is the intercept, and the votes are a circle.
    angles = np.arange(3) * 2 * np.pi / 3
    points = np.c_[np.cos(angles), np.sin(angles)]
    far = 100.0 * points
    for break_ties in (False, True):
        one, two = (
            kind(gamma=1e3, break_ties=break_ties).fit(points, [0, 1, 2])
            for kind in (SVC, sklearn.svm.SVC)
        )
        np.testing.assert_array_equal(one.predict(far), two.predict(far))
        np.testing.assert_allclose(
            one.decision_function(far), two.decision_function(far), atol=1e-12
        )


def test_breaking_ties_needs_the_decisions_of_classes():
    model = SVC(break_ties=True, decision_function_shape="ovo").fit(X, Y)

    with pytest.raises(ValueError, match="break_ties must be False"):
        model.predict(X)


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_a_kernel_function_gets_whatever_was_given(kind):
    seen = []

    def kernel(one, other):
        seen.append((one, other))
        return rbf_kernel([[v["x"]] for v in one], [[v["x"]] for v in other], gamma=0.5)

    records = [{"x": float(v)} for v in X[:, 2]]
    model = kind(kernel=kernel).fit(records, target(kind))
    plain = kind(kernel="rbf", gamma=0.5).fit(X[:, [2]], target(kind))

    np.testing.assert_allclose(model.predict(records[:9]), plain.predict(X[:9, [2]]), atol=1e-2)
    assert seen[0] == (records, records)
    assert seen[-1] == (records[:9], records)
    assert model.shape_fit_ == (150,)
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(AttributeError, match="linear"):
        _ = model.coef_
    # A named kernel afterwards forgets the records.
    refitted = model.set_params(kernel="linear").fit(X, target(kind))
    assert refitted.shape_fit_ == X.shape
    assert "_X_fit" not in vars(refitted)


def test_a_kernel_function_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match=r"must return an array of shape \(150, 150\)"):
        SVC(kernel=lambda one, other: one).fit(X, Y)


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_weights_that_leave_nothing_are_refused(kind):
    for weight in (0.0, -1.0):
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            kind().fit(X, target(kind), sample_weight=np.full(len(X), weight))


def test_weights_that_leave_one_class_are_refused():
    with pytest.raises(ValueError, match="positive weights belong to the same class"):
        SVC().fit(X, Y, sample_weight=np.where(Y == 0, 1.0, -1.0))


@pytest.mark.parametrize(
    "weights", [np.ones(3), np.full(150, np.nan), np.ones((150, 2))], ids=["short", "nan", "table"]
)
@pytest.mark.parametrize("kind", [SVC, SVR])
def test_impossible_weights_are_refused(kind, weights):
    with pytest.raises(ValueError, match=r"[Ss]ample.weight"):
        kind().fit(X, target(kind), sample_weight=weights)


@pytest.mark.parametrize(("kind", "make"), [(SVC, 0), (SVR, 1)])
def test_infinite_c_is_a_hard_margin(kind, make):
    data, labels = make_classification(n_samples=60, class_sep=2.0, random_state=0)
    labels = labels if make == 0 else data[:, 0]

    hard = kind(C=np.inf).fit(data, labels)
    large = kind(C=1e10).fit(data, labels)

    np.testing.assert_array_equal(hard.predict(data), large.predict(data))
    assert np.isfinite(hard.dual_gap_).all()


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_the_limit_of_updates_warns_with_scikit_learns_sentence(kind):
    words = r"Solver terminated early \(max_iter=3\)\.  Consider pre-processing"
    with pytest.warns(ConvergenceWarning, match=words):
        model = kind(max_iter=3).fit(X, target(kind))

    assert model.fit_status_ == 1
    assert np.max(model.n_iter_) == 3


@pytest.mark.parametrize("kind", [SVC, SVR])
@pytest.mark.parametrize(
    ("name", "value"), [("C", 0.0), ("max_iter", 0), ("gamma", 0.0), ("cache_size", 0)]
)
def test_parameters_out_of_range_are_refused(kind, name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {kind.__name__} must be"):
        kind(**{name: value}).fit(X, target(kind))


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_models_that_are_not_fitted_say_so(kind):
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted"):
        kind().predict("foo!")
    for name in ("support_", "n_support_", "dual_coef_", "coef_", "shape_fit_", "fit_status_"):
        assert not hasattr(kind(kernel="linear"), name), name


def test_a_model_that_was_altered_does_not_predict():
    model = SVC().fit(X, Y)
    model._n_support[0] += 1

    with pytest.raises(ValueError, match="internal representation of SVC was altered"):
        model.predict(X)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
class TestProbabilities:
    def test_they_sum_to_one_and_agree_with_the_classes(self):
        model = SVC(probability=True).fit(X, Y)

        found = model.predict_proba(X)

        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert np.mean(found.argmax(axis=1) == model.predict(X)) > 0.95
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), found)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(X), found)

    @pytest.mark.filterwarnings("ignore:Attribute `prob")
    def test_their_sigmoids_are_attributes(self):
        model = SVC(probability=True).fit(X[TWO], Y[TWO])
        values = model.decision_function(X[TWO])

        expected = 1.0 / (1.0 + np.exp(model.probA_ * values + model.probB_))

        np.testing.assert_allclose(model.predict_proba(X[TWO])[:, 1], expected)
        assert SVC().fit(X, Y).probA_.size == 0

    def test_they_are_there_only_when_asked_for(self):
        assert not hasattr(SVC(), "predict_proba")
        model = SVC(probability=True).fit(X, Y).set_params(probability=False).fit(X, Y)
        assert not hasattr(model, "predict_proba")

        model.probability = True
        with pytest.raises(NotFittedError, match="fitted with probability=False"):
            model.predict_proba(X)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_a_class_may_have_one_sample(self, weighted):
        y, weights = Y.copy(), np.ones(150)
        if weighted:
            weights[Y == 0] = 0.0
            weights[0] = 1.0
        else:
            y[0] = 7

        model = SVC(probability=True).fit(X, y, weights)

        found = model.predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        others = Y != 0
        chosen = model.classes_[found.argmax(axis=1)]
        assert np.mean(chosen[others] == Y[others]) > 0.9

    def test_two_samples_have_probabilities_too(self):
        found = SVC(probability=True).fit([[0.0], [1.0]], [3, 5]).predict_proba([[0.0], [1.0]])

        # Platt's targets of one sample each: 2/3.
        np.testing.assert_allclose(found, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]], atol=1e-3)

    def test_a_precomputed_kernel_keeps_columns_of_rows_without_weight(self):
        weights = (np.arange(150) % 10 > 0).astype(float)
        K = X @ X.T

        found = SVC(probability=True, kernel="precomputed").fit(K, Y, weights).predict_proba(K)

        expected = SVC(probability=True, kernel="linear").fit(X, Y, weights).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-2)

    def test_model_files_do_not_hold_them(self, tmp_path):
        model = SVC(probability=True).fit(X, Y)

        with pytest.raises(TypeError, match="pickle this one"):
            save(model, tmp_path / "model")


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_models_are_saved_cloned_and_pickled(kind, tmp_path):
    model = kind(kernel="linear", C=np.inf if kind is SVC else 2.0)
    # Iris cannot be separated by a line; two of its classes can.
    model.fit(X[TWO], target(kind)[TWO])
    save(model, tmp_path / "model")

    for other in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert type(other) is kind
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.shape_fit_ == model.shape_fit_
        assert other.n_iter_ == model.n_iter_
    assert clone(model).get_params() == model.get_params()


def test_the_solver_is_that_of_smo_classifier():
    one = SVC(C=3.0, gamma=0.4).fit(X, Y)
    two = SMOClassifier(C=3.0, gamma=0.4).fit(X, Y)

    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    assert one.fit_report_.n_samples == two.fit_report_.n_samples


def test_dense_models_predict_sparse_samples():
    model = SVC().fit(X, Y)

    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


def test_parameters_that_are_set_after_the_fit_change_no_prediction():
    rows = np.random.default_rng(1).normal(size=(6, 12))
    model = SVC(kernel=lambda a, b: a @ b.T).fit(rows, [0, 1, 0, 1, 0, 1])
    before = model.decision_function(rows)

    np.testing.assert_array_equal(model.set_params(kernel="rbf").decision_function(rows), before)
    other = SVC().fit(rows, [0, 1, 0, 1, 0, 1])
    before = other.decision_function(rows)
    other.set_params(kernel="linear")
    np.testing.assert_array_equal(other.decision_function(rows), before)
    assert not hasattr(other, "coef_")


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_probabilities_leave_rows_without_weight_out():
    weights = (Y != 2).astype(float)

    p = SVC(probability=True).fit(X, Y, weights).predict_proba(X)

    assert p.shape == (150, 2)


@pytest.mark.parametrize(
    ("make", "seed"), [(SVR, seed) for seed in (8, 21, 144)] + [(NuSVR, 12), (NuSVR, 47)]
)
def test_targets_far_from_zero_only_move_the_intercept(make, seed):
    # Seeds 144 and 47 once lost the sum of the coefficients, and with it the model.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=120)
    model = make(kernel="linear").fit(X, y)

    for offset in (900.0, 3e4):
        moved = make(kernel="linear").fit(X, y + offset)
        assert abs(moved.dual_coef_.sum()) < 1e-10
        np.testing.assert_allclose(moved.predict(X) - offset, model.predict(X), atol=5e-3)


@pytest.mark.parametrize("weight", [1.0, 2e6])
@pytest.mark.parametrize("C", [1e10, 1e14, 1e16])
def test_a_very_large_c_is_a_hard_margin(C, weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    targets, labels = np.sin(X[:, 0]) + X[:, 1], np.where(X[:, 0] > 0, 1, -1)
    weights = np.full(100, weight)

    for hard, large in (
        (SVR(C=np.inf).fit(X, targets), SVR(C=C).fit(X, targets, weights)),
        (SVC(C=np.inf, gamma=1).fit(X, labels), SVC(C=C, gamma=1).fit(X, labels, weights)),
    ):
        scale = np.abs(hard.dual_coef_).max()
        assert abs(large.dual_coef_.sum()) < 1e-12 * scale
        decide = "predict" if isinstance(hard, SVR) else "decision_function"
        np.testing.assert_allclose(getattr(large, decide)(X), getattr(hard, decide)(X), atol=2e-2)
