"""CalibratedClassifier: probabilities from decision values of rows left out."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from multi_instance.toy_bags import needle_bags
from svmosaic import (
    CalibratedClassifier,
    MIRSVMClassifier,
    OGEClassifier,
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    SMOClassifier,
    SMORegressor,
    StreamOLLAWV,
    load,
    save,
)
from svmosaic.classification.calibrated import with_probabilities
from svmosaic.classification.pair_coupling import couple_pairs
from svmosaic.classification.sigmoid import (
    fit_sigmoid,
    fit_steps,
    fit_temperature,
    smoothed_targets,
    step_log_odds,
)
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence.model_file import decode, encode

IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def noisy():
    """Two classes that overlap, for training and for a test."""
    X, y = make_classification(
        n_samples=900, n_features=5, n_informative=3, flip_y=0.2, random_state=0
    )
    return X[:500], y[:500], X[500:], y[500:]


@pytest.fixture(scope="module")
def many():
    """Four classes that overlap."""
    X, y = make_classification(
        n_samples=900, n_features=6, n_informative=4, n_classes=4, flip_y=0.1, random_state=1
    )
    return X[:500], y[:500], X[500:], y[500:]


# The sigmoid --------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_sigmoid_has_the_largest_likelihood(scale, weighted):
    rng = np.random.default_rng(0)
    values = scale * rng.standard_normal(200)
    positive = rng.random(200) < expit(2.0 * values / scale - 0.5)
    weights = rng.integers(1, 4, 200).astype(float) if weighted else np.ones(200)
    targets = smoothed_targets(positive, weights)

    def loss(ab):
        z = ab[0] * values / scale + ab[1]
        return weights @ (np.logaddexp(0.0, z) - targets * z)

    slope, offset = fit_sigmoid(values, positive, weights)

    best = minimize(loss, [0.0, 0.0], tol=1e-12)
    assert slope * scale == pytest.approx(best.x[0], rel=1e-4)
    assert offset == pytest.approx(best.x[1], rel=1e-4)


def test_weights_are_repetitions():
    rng = np.random.default_rng(1)
    values, positive = rng.standard_normal(40), rng.random(40) < 0.4
    counts = rng.integers(0, 4, 40)

    weighted = fit_sigmoid(values, positive, counts.astype(float))
    repeated = fit_sigmoid(
        np.repeat(values, counts), np.repeat(positive, counts), np.ones(counts.sum())
    )

    assert weighted == pytest.approx(repeated, rel=1e-8)


@pytest.mark.parametrize(
    "values",
    [np.arange(-5.0, 5.0), np.arange(-5.0, 5.0) * 1e300, np.zeros(10), np.ones(10) * 7.0],
    ids=["apart", "huge", "zero", "equal"],
)
def test_classes_apart_and_equal_values_have_a_finite_sigmoid(values):
    slope, offset = fit_sigmoid(values, np.arange(10) >= 5, np.ones(10))

    assert np.isfinite([slope, offset]).all()
    p = expit(slope * values + offset)
    assert (p > 0.0).all()
    assert (p < 1.0).all()
    if np.ptp(values) == 0.0:
        np.testing.assert_allclose(p, 0.5, atol=1e-6)


def test_steps_rise_and_are_never_certain():
    rng = np.random.default_rng(2)
    values = rng.standard_normal(300)
    positive = rng.random(300) < expit(3.0 * values)

    knots, levels = fit_steps(values, positive, np.ones(300))
    p = expit(step_log_odds(np.linspace(-9.0, 9.0, 50), knots, levels))

    assert (np.diff(p) >= -1e-15).all()
    assert 0.0 < p[0] < p[-1] < 1.0


def test_the_temperature_has_the_least_log_loss():
    rng = np.random.default_rng(3)
    scores = rng.standard_normal((500, 4))
    labels = np.array([rng.choice(4, p=p) for p in softmax(scores, axis=1)])

    found = fit_temperature(2.5 * scores, labels, np.ones(500))

    assert found == pytest.approx(2.5, rel=0.3)
    around = [
        log_loss(labels, softmax(2.5 * scores / (found * factor), axis=1))
        for factor in (0.8, 1.0, 1.25)
    ]
    # Platt's targets move it a little.
    assert around[1] == min(around)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_classes_without_an_error_are_not_certain(method):
    X, y = make_blobs(300, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)

    p = CalibratedClassifier(SMOClassifier(), method=method).fit(X, y).predict_proba(X)

    assert p.min() > 1e-4
    assert p.max() < 0.9999


def test_rows_without_weight_take_no_part():
    X, y = load_iris(return_X_y=True)
    other = np.where(np.arange(150) < 10, 3, y)
    weights = (other != 3).astype(float)

    model = CalibratedClassifier(OLLAWVClassifier()).fit(X, other, weights)
    without = CalibratedClassifier(OLLAWVClassifier()).fit(X[10:], y[10:])

    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))
    # One row of a class is left: it is never left out.
    lonely = np.ones(150)
    lonely[51:100] = 0.0
    p = CalibratedClassifier(OLLAWVClassifier()).fit(X, y, lonely).predict_proba(X)
    assert p.shape == (150, 3)


@pytest.mark.parametrize("k", [3, 4, 9])
def test_coupling_gives_back_consistent_probabilities(k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), size=20)
    i, j = np.triu_indices(k, 1)

    found = np.exp(couple_pairs(np.log(p[:, i] / p[:, j]), k))

    np.testing.assert_allclose(found, p, rtol=1e-10)


def test_coupling_does_not_overflow():
    found = couple_pairs(np.array([[1e6, -1e6, 3e5]]), 3)

    assert np.isfinite(found).all()


# Probabilities ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_two_classes_are_as_good_as_scikit_learns(noisy, method):
    X, y, X_test, y_test = noisy
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    theirs = CalibratedClassifierCV(SVC(gamma=0.2), cv=folds, method=method, ensemble=False)

    ours = CalibratedClassifier(SMOClassifier(gamma=0.2), method=method).fit(X, y)

    reference = log_loss(y_test, theirs.fit(X, y).predict_proba(X_test))
    assert log_loss(y_test, ours.predict_proba(X_test)) < reference + 0.01


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_many_classes_are_as_good_as_scikit_learns(many, method, multi_class):
    X, y, X_test, y_test = many
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    theirs = CalibratedClassifierCV(SVC(gamma=0.2), cv=folds, ensemble=False).fit(X, y)
    model = CalibratedClassifier(SMOClassifier(gamma=0.2, multi_class=multi_class), method=method)

    p = model.fit(X, y).predict_proba(X_test)

    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert log_loss(y_test, p) < log_loss(y_test, theirs.predict_proba(X_test)) + 0.01
    assert (model.predict(X_test) == model.classes_[p.argmax(axis=1)]).all()
    assert model.score(X_test, y_test) > model.estimator_.score(X_test, y_test) - 0.03


def test_the_model_of_all_rows_is_the_plain_one(noisy):
    X, y, X_test, _ = noisy
    plain = OLLAWVClassifier().fit(X, y)

    model = CalibratedClassifier(OLLAWVClassifier()).fit(X, y)

    decisions = plain.decision_function(X_test)
    assert (model.estimator_.decision_function(X_test) == decisions).all()
    p = model.predict_proba(X_test)[:, 1]
    np.testing.assert_array_equal(p, expit(decisions * model.slopes_[0] + model.offsets_[0]))


def test_logarithms_are_those_of_probabilities(noisy):
    X, y, X_test, _ = noisy
    model = CalibratedClassifier(SMOClassifier()).fit(X, y)

    np.testing.assert_array_equal(
        model.predict_log_proba(X_test), np.log(model.predict_proba(X_test))
    )


@pytest.fixture
def small_blocks(monkeypatch):
    """Values of six pairs in blocks of 37 rows, and no table of all rows."""
    monkeypatch.setattr("svmosaic.classification.held_out._BLOCK_BYTES", 8 * 6 * 37)
    monkeypatch.setattr("svmosaic.classification.held_out._TABLE_BYTES", 0)


def test_many_rows_are_predicted_some_at_a_time(many, small_blocks):
    X, y, X_test, _ = many
    model = CalibratedClassifier(SMOClassifier()).fit(X, y)
    expected = np.concatenate([model.predict_proba(X_test[i : i + 1]) for i in range(400)])

    np.testing.assert_array_equal(model.predict_proba(X_test), expected)
    np.testing.assert_array_equal(model.predict_proba(sp.coo_array(X_test)), expected)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_many_classes_are_calibrated_some_rows_at_a_time(
    many, method, kernel, multi_class, request
):
    X, y, _, _ = many
    # One row of a class of its own is in no fold.
    y = np.where(np.arange(500) == 77, 9, y)
    X = X @ X.T if kernel == "precomputed" else X
    weights = np.random.default_rng(0).uniform(0.0, 2.0, 500)
    weights[::50] = 0.0
    model = CalibratedClassifier(
        SMOClassifier(kernel=kernel, multi_class=multi_class), method=method
    )
    whole = clone(model).fit(X, y, weights)
    request.getfixturevalue("small_blocks")

    in_blocks = model.fit(X, y, weights)

    names = ["slopes_", "offsets_"] if method == "sigmoid" else ["knots_", "levels_", "n_knots_"]
    for name in [*names, "temperature_"]:
        np.testing.assert_array_equal(getattr(in_blocks, name), getattr(whole, name))


class NearestCentres(ClassifierMixin, BaseEstimator):
    """A decision per pair of classes in no time: which of their centres is nearer."""

    decision_function_shape = "ovo"

    def fit(self, X, y):
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        sums = np.zeros((self.classes_.size, X.shape[1]))
        np.add.at(sums, labels, X)
        self.centres_ = sums / np.bincount(labels)[:, np.newaxis]
        return self

    def decision_function(self, X):
        apart = ((X[:, np.newaxis, :] - self.centres_) ** 2).sum(axis=2)
        first, second = np.triu_indices(self.classes_.size, 1)
        return apart[:, second] - apart[:, first]


def test_calibration_of_200_classes_needs_little_memory(monkeypatch):
    # All values are 1000 x 19,900, or 159 MB. A sigmoid sees those of ten rows: the memory is
    # the same without 19,900 searches for the best one, which take a minute.
    monkeypatch.setattr("svmosaic.classification.calibrated.fit_sigmoid", lambda *a: (1.0, 0.0))
    X, y = make_blobs(1000, n_features=3, centers=200, random_state=0)
    model = CalibratedClassifier(NearestCentres(), cv=2)
    tracemalloc.start()

    try:
        model.fit(X, y)
        model.predict_proba(X[:300])
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert model.slopes_.size == 19_900
    assert peak - kept < 80e6


# Which classifiers --------------------------------------------------------------------------

INSIDE = [
    None,
    SMOClassifier(kernel="linear", multi_class="ovr"),
    OLLAWVClassifier(decision_function_shape="ovo"),
    OGEClassifier(),
    StreamOLLAWV(),
    make_pipeline(StandardScaler(), SMOClassifier()),
    OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=3),
    make_pipeline("passthrough", OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0], cv=3)),
    GridSearchCV(SMOClassifier(), {"C": [1.0, 10.0]}, cv=3),
    SVC(),
    SVC(decision_function_shape="ovo"),
    LogisticRegression(max_iter=1000),
]


@pytest.mark.parametrize("inside", INSIDE, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("names", [["a", "b", "c"], ["a", "b", "b"]])
def test_any_classifier_with_decision_values(inside, names):
    y = np.array(names)[SPECIES]

    model = CalibratedClassifier(inside).fit(IRIS, y)

    p = model.predict_proba(IRIS)
    assert p.shape == (150, len(set(names)))
    assert model.score(IRIS, y) > 0.9
    assert log_loss(y, p) < 0.35


def test_a_search_searches_once(monkeypatch):
    searches = []
    fit = OLLAWVClassifierCV.fit
    monkeypatch.setattr(
        OLLAWVClassifierCV, "fit", lambda *args, **more: searches.append(1) or fit(*args, **more)
    )

    search = OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0], cv=3)
    model = CalibratedClassifier(search).fit(IRIS, SPECIES)

    assert len(searches) == 1
    assert type(model.estimator_) is OLLAWVClassifier


def test_precomputed_kernels():
    K = IRIS @ IRIS.T
    linear = CalibratedClassifier(SMOClassifier(kernel="linear")).fit(IRIS, SPECIES)

    model = CalibratedClassifier(SMOClassifier(kernel="precomputed")).fit(K, SPECIES)

    np.testing.assert_allclose(model.predict_proba(K), linear.predict_proba(IRIS), atol=2e-3)


def test_sparse_samples_and_frames_and_lists():
    pandas = pytest.importorskip("pandas")
    expected = CalibratedClassifier(SMOClassifier()).fit(IRIS, SPECIES).predict_proba(IRIS)
    frame = pandas.DataFrame(IRIS, columns=list("abcd"))

    for X in (sp.coo_array(IRIS), IRIS.tolist(), frame):
        model = CalibratedClassifier(SMOClassifier()).fit(X, SPECIES)
        np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-3)
    assert model.feature_names_in_.tolist() == list("abcd")


def test_bags():
    bags, y = needle_bags()

    model = CalibratedClassifier(MIRSVMClassifier(random_state=0)).fit(list(bags), y)

    assert model.predict_proba(list(bags)).shape == (len(y), 2)


# Folds and weights --------------------------------------------------------------------------


def test_folds_are_seeded_and_shuffled(noisy):
    X, y, _, _ = noisy
    slopes = [
        CalibratedClassifier(SMOClassifier(), random_state=seed).fit(X, y).slopes_[0]
        for seed in (0, 0, 1)
    ]

    assert slopes[0] == slopes[1] != slopes[2]


@pytest.mark.parametrize(
    ("n_rows", "cv", "n_folds"), [(100, None, 2), (99, None, 5), (3, None, 3), (100, 4, 4)]
)
def test_few_rows_are_left_out_of_small_classes(monkeypatch, n_rows, cv, n_folds):
    sizes = []
    fit = SMOClassifier.fit
    monkeypatch.setattr(
        SMOClassifier, "fit", lambda self, X, y: sizes.append(len(y)) or fit(self, X, y)
    )
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [150, n_rows])

    CalibratedClassifier(SMOClassifier(), cv=cv).fit(rng.standard_normal((y.size, 2)), y)

    assert sizes[0] == y.size
    assert len(sizes) == n_folds + 1
    assert sum(y.size - size for size in sizes) == y.size


def test_sorted_labels_are_no_trouble():
    # Without shuffling and stratification a fold would miss a class.
    model = CalibratedClassifier(SMOClassifier()).fit(IRIS, SPECIES)

    assert log_loss(SPECIES, model.predict_proba(IRIS)) < 0.2


def test_weights_reach_the_classifier_and_the_calibration(noisy):
    X, y, X_test, _ = noisy
    heavy = np.where(y == 1, 5.0, 1.0)
    plain = CalibratedClassifier(SMOClassifier()).fit(X, y)

    for inside in (SMOClassifier(), make_pipeline(StandardScaler(), SMOClassifier())):
        model = CalibratedClassifier(inside).fit(X, y, sample_weight=heavy)
        mean = model.predict_proba(X_test)[:, 1].mean()
        assert mean > plain.predict_proba(X_test)[:, 1].mean() + 0.1


def test_a_rare_class_means_fewer_folds():
    kept = np.concatenate([np.arange(100), [100, 101]])
    model = CalibratedClassifier(SMOClassifier(), cv=5).fit(IRIS[kept], SPECIES[kept])

    assert model.predict_proba(IRIS).shape == (150, 3)


def test_the_only_row_of_a_class_is_never_left_out():
    model = CalibratedClassifier(SMOClassifier()).fit(IRIS[:101], SPECIES[:101])

    p = model.predict_proba(IRIS[:101])
    assert p.shape == (101, 3)
    assert np.isfinite(p).all()


def test_folds_of_the_caller(noisy):
    X, y, _, _ = noisy
    folds = KFold(4, shuffle=True, random_state=0)

    by_splitter = CalibratedClassifier(SMOClassifier(), cv=folds).fit(X, y)
    by_list = CalibratedClassifier(SMOClassifier(), cv=list(folds.split(X))).fit(X, y)

    assert by_splitter.slopes_ == by_list.slopes_


@pytest.mark.parametrize(
    ("model", "y", "weights", "message"),
    [
        (CalibratedClassifier(cv=[(range(100), range(100, 150))]), SPECIES, None, "every row once"),
        (CalibratedClassifier(cv=KFold(3)), SPECIES, None, "every class in the training part"),
        (CalibratedClassifier(), np.arange(150), None, "150 rows of as many classes"),
        (CalibratedClassifier(cv=1), SPECIES, None, "'cv' parameter of CalibratedClassifier"),
        (CalibratedClassifier(method="beta"), SPECIES, None, "'method' parameter"),
        (CalibratedClassifier(estimator="svc"), SPECIES, None, "'estimator' parameter"),
        (CalibratedClassifier(StreamOLLAWV()), SPECIES, np.ones(150), "takes no sample_weight"),
    ],
)
def test_bad_input_is_refused(model, y, weights, message):
    X = np.arange(600.0).reshape(150, 4) if y.max() > 2 else IRIS

    with warnings.catch_warnings():
        # scikit-learn's of as many classes as rows.
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(X, y, weights)


def test_a_refit_with_another_method_leaves_nothing_of_the_first():
    model = CalibratedClassifier(SMOClassifier()).fit(IRIS, SPECIES)

    model.set_params(method="isotonic").fit(IRIS, SPECIES)

    assert not {"slopes_", "offsets_"} & set(vars(model))
    assert model.n_knots_.sum() == model.knots_.size == model.levels_.size


# Files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("names", [["a", "b", "c"], ["a", "b", "b"]])
def test_a_saved_model_has_the_same_probabilities(method, names, tmp_path):
    y = np.array(names)[SPECIES]
    model = make_pipeline(StandardScaler(), CalibratedClassifier(method=method)).fit(IRIS, y)
    save(model, tmp_path / "model")

    other = load(tmp_path / "model")

    np.testing.assert_array_equal(other.predict_proba(IRIS), model.predict_proba(IRIS))
    assert other.fit(IRIS, y).score(IRIS, y) > 0.9


def test_a_pipeline_inside_cannot_be_saved():
    model = CalibratedClassifier(make_pipeline(StandardScaler(), SMOClassifier()))
    model.fit(IRIS, SPECIES)

    with pytest.raises(TypeError, match="make the steps before it a pipeline around it"):
        encode(model)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("slopes_", np.ones(2), "offsets|n_columns|slopes"),
        ("temperature_", -1.0, "temperature"),
        ("classes_", np.array([0, 1, 7]), "other classes"),
        ("n_features_in_", 5, "features"),
    ],
)
def test_a_damaged_model_is_not_written(attribute, value, message):
    model = CalibratedClassifier(SMOClassifier()).fit(IRIS, SPECIES)
    setattr(model, attribute, value)

    with pytest.raises((ValueError, ModelFileError), match=message):
        encode(model)


@pytest.mark.parametrize(
    ("attribute", "change"),
    [
        ("knots_", lambda knots: knots[::-1].copy()),
        ("levels_", lambda levels: levels + 1.0),
        ("levels_", lambda levels: 0.0 * levels),
        ("n_knots_", lambda counts: counts + 1),
    ],
)
def test_damaged_steps_are_not_written(attribute, change):
    model = CalibratedClassifier(SMOClassifier(), method="isotonic").fit(IRIS, SPECIES)
    assert decode(encode(model)).n_knots_.tolist() == model.n_knots_.tolist()
    setattr(model, attribute, change(getattr(model, attribute)))

    with pytest.raises((ValueError, ModelFileError), match="cannot be saved"):
        encode(model)


@pytest.mark.parametrize(
    ("inside", "more", "message"),
    [
        (SMORegressor().fit(IRIS, SPECIES), {}, "implementing 'fit' and 'decision_function'"),
        (None, {"knots_": np.ones(3)}, "'knots' does not fit the method 'sigmoid'|n_knots"),
        (None, {"method": "isotonic"}, "'slopes' does not fit the method 'isotonic'"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(inside, more, message):
    model = CalibratedClassifier(SMOClassifier()).fit(IRIS, SPECIES)
    model.estimator_ = inside or model.estimator_
    vars(model).update(more)

    with pytest.raises(ValueError, match=message):
        encode(model)


# For commands -------------------------------------------------------------------------------


def test_probabilities_are_added_to_the_last_step():
    model = with_probabilities(make_pipeline(StandardScaler(), SMOClassifier()), cv=4)

    assert isinstance(model, Pipeline)
    assert [name for name, _ in model.steps] == ["standardscaler", "smoclassifier"]
    assert model.steps[-1][1].cv == 4
    assert model.fit(IRIS, SPECIES).predict_proba(IRIS).shape == (150, 3)
    assert type(with_probabilities(SMOClassifier())) is CalibratedClassifier
