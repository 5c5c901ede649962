"""OGE, SVM-CBP and the on-line SVMs as estimators; widths from boundary points."""

from __future__ import annotations

import pickle
import signal
import threading

import numpy as np
import pytest
import skops.io
from scipy import sparse
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from same_state import assert_same_state
from svmosaic import (
    KernelPrimalSVC,
    NLSGDClassifier,
    OGEClassifier,
    OLLAWVClassifier,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
    SMOClassifier,
    SMORegressor,
    SVMCBPClassifier,
    SVMCBPClassifierCV,
    characteristic_boundary_points,
    load,
    peak_sigma,
    radius_sigma,
    save,
)
from svmosaic.boundary import width_path
from svmosaic.boundary.kernel_widths import choose_peak, default_sigmas, smooth
from svmosaic.classification.oge import _fewest_errors, _gcv
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Problem
from svmosaic.engine.settings import OnlineSvmSettings
from svmosaic.engine.tasks import OnlineSvmTask
from svmosaic.persistence import trusted_types
from svmosaic.utils.clock import Deadline
from twins import boundary as boundary_twin
from twins import online_svm as online_twin
from twins.kernels import gram

# Three widths or short searches do not bring out a peak on every set.
pytestmark = pytest.mark.filterwarnings(r"ignore:The norm of \w+ has no peak")

CLASSIFIERS = [
    KernelPrimalSVC(),
    OGEClassifier(),
    SVMCBPClassifier(sigmas=[0.3, 1.0, 3.0]),
    OnlineSVMClassifier(max_iter=300),
    OnlineSVMCBPClassifier(max_iter=300),
]
every_classifier = pytest.mark.parametrize(
    "classifier", CLASSIFIERS, ids=lambda m: type(m).__name__
)


@pytest.fixture(scope="module")
def moons():
    return make_moons(80, noise=0.2, random_state=0)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


# Boundary points ----------------------------------------------------------------------------


def test_points_lie_midway_between_their_pair(iris):
    X, y = iris

    found = characteristic_boundary_points(X, y)

    first, second = X[found.pairs[:, 0]], X[found.pairs[:, 1]]
    np.testing.assert_allclose(found.points, (first + second) / 2)
    np.testing.assert_allclose(found.radii, np.linalg.norm(first - second, axis=1) / 2)
    np.testing.assert_array_equal(y[found.pairs], found.classes)
    assert {tuple(pair) for pair in found.classes.tolist()} <= {(0, 1), (0, 2), (1, 2)}


def test_copies_count_once_and_are_named_by_the_first():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    y = np.array(["b", "a", "a", "b", "b"])

    found = characteristic_boundary_points(X, y)

    assert found.pairs.tolist() == [[0, 1], [4, 1]]
    assert found.radii.tolist() == [0.5, 0.0]


def test_a_sample_on_the_sphere_does_not_count():
    """A right angle: exact in whole numbers, and a tie up to rounding in thirds."""
    for unit in (1.0, 1.0 / 3.0):
        X = unit * np.array([[0.0, 0.0], [7.0, 7.0], [7.0, 0.0]])

        pairs = characteristic_boundary_points(X, [0, 1, 0]).pairs

        assert pairs.tolist() == [[1, 0], [1, 2]]


def test_each_pair_of_classes_is_a_problem_of_its_own(iris):
    X, y = iris
    two = characteristic_boundary_points(X[y != 2], y[y != 2])
    all_three = characteristic_boundary_points(X, y)

    between = (all_three.classes == [0, 1]).all(axis=1)
    assert {tuple(sorted(p)) for p in two.pairs.tolist()} == {
        tuple(sorted(p)) for p in all_three.pairs[between].tolist()
    }


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        (sparse.csr_array(np.eye(3)), [0, 1, 1], TypeError, "takes dense arrays only"),
        (np.eye(3), [1, 1, 1], ValueError, "at least 2 classes"),
    ],
)
def test_what_has_no_boundary_points_is_refused(X, y, error, message):
    for function in (characteristic_boundary_points, peak_sigma, radius_sigma):
        with pytest.raises(error, match=message):
            function(X, y)


# Widths -------------------------------------------------------------------------------------


def test_the_highest_interior_peak_is_chosen():
    assert choose_peak(np.array([0.0, 2.0, 1.0, 3.0, 0.0])) == (3, True)
    assert choose_peak(np.array([0.0, 2.0, 1.0, 3.0, 0.0]), after=True) == (4, True)
    assert choose_peak(np.array([0.0, 1.0, 2.0, np.nan])) == (2, True)
    assert choose_peak(np.array([3.0, 2.0, 1.0])) == (0, False)
    np.testing.assert_allclose(smooth(np.array([1.0, 2.0, 0.5])), [1.9, 2.9, 2.3])


def test_a_falling_norm_has_no_peak():
    assert choose_peak(smooth(np.array([5.0, 4.0, 3.0, 1.0]))) == (0, False)


def test_a_norm_without_a_peak_warns_and_takes_the_largest(moons):
    with pytest.warns(ConvergenceWarning, match="has no peak between sigma=100 and 50"):
        assert peak_sigma(*moons, sigmas=[50.0, 80.0, 100.0]) in (50.0, 80.0, 100.0)


def test_widths_that_reach_no_point_are_left_out(moons):
    path = width_path(*moons, sigmas=[0.3, 1.0, 3.0, 1e-4])

    assert np.isnan(path.norms[-1])
    assert np.isfinite(path.norms[:-1]).all()


def test_the_default_widths_scale_with_the_data(moons):
    X, y = moons
    assert peak_sigma(10 * X, y) == pytest.approx(10 * peak_sigma(X, y))
    assert radius_sigma(10 * X, y) == pytest.approx(10 * radius_sigma(X, y))


@pytest.mark.parametrize(("rule", "width"), [("cbp", peak_sigma), ("cbp-radius", radius_sigma)])
@pytest.mark.parametrize("kind", [OLLAWVClassifier, SMOClassifier, NLSGDClassifier])
def test_gamma_by_name_is_that_of_the_function(moons, kind, rule, width):
    X, y = moons

    named = kind(gamma=rule).fit(X, y)

    given = kind(gamma=0.5 / width(X, y) ** 2).fit(X, y)
    np.testing.assert_allclose(
        named.decision_function(X), given.decision_function(X), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("rule", ["cbp", "cbp-radius"])
def test_what_a_rule_cannot_do_is_said_in_a_sentence(moons, rule):
    X, y = moons
    with pytest.raises(ValueError, match="is a width of the rbf kernel"):
        SMOClassifier(kernel="laplacian", gamma=rule).fit(X, y)
    with pytest.raises(TypeError, match="takes dense arrays only"):
        SMOClassifier(gamma=rule).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="needs samples of two classes"):
        SMORegressor(gamma=rule).fit(X, X[:, 0])


def test_a_precomputed_kernel_does_not_ask_for_a_width(moons):
    X, y = moons
    assert SMOClassifier(kernel="linear", gamma="cbp").fit(X, y).score(X, y) > 0.7


# OGE ----------------------------------------------------------------------------------------


def planes_of(X, y):
    first, second = boundary_twin.pairs(X, np.flatnonzero(y == 1), np.flatnonzero(y == 0))
    normals = X[first] - X[second]
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return normals, ((X[first] + X[second]) / 2 * normals).sum(axis=1)


@pytest.mark.parametrize("lam", [0.3, 5.0])
def test_weights_solve_the_regularised_system(moons, lam):
    X, y = moons
    weights = np.random.default_rng(0).choice([1.0, 2.0, 0.5], y.size)

    model = OGEClassifier(lam=lam, threshold=0.0).fit(X, y, weights)

    normals, offsets = planes_of(X, y)
    A = np.sign(X @ normals.T - offsets)
    n = offsets.size
    start = np.full(n, 1.0 / n)
    t = np.where(y == 1, 1.0, -1.0)
    W = np.diag(weights)
    exact = start + np.linalg.solve(A.T @ W @ A + lam**2 * np.eye(n), A.T @ W @ (t - A @ start))
    np.testing.assert_allclose(model.decision_function(X), A @ exact, atol=1e-8)
    assert model.n_planes_.tolist() == [n]


def test_gcv_is_its_definition(moons):
    X, y = moons
    normals, offsets = planes_of(X, y)
    A, t = np.sign(X @ normals.T - offsets), np.where(y == 1, 1.0, -1.0)
    residual = t - A.mean(axis=1)
    squares, U = np.linalg.eigh(A @ A.T)

    chosen = _gcv(np.maximum(squares, 0), U.T @ residual, float(y.size))

    def score(lam):
        influence = A @ np.linalg.solve(A.T @ A + lam**2 * np.eye(A.shape[1]), A.T)
        left = residual - influence @ residual
        return left @ left / np.trace(np.eye(y.size) - influence) ** 2

    assert score(chosen) <= min(score(chosen * 1.5), score(chosen / 1.5)) * (1 + 1e-6)
    assert OGEClassifier().fit(X, y).lam_[0] == pytest.approx(chosen, rel=1e-9)


def test_the_threshold_makes_fewest_errors():
    rng = np.random.default_rng(1)
    for _ in range(50):
        votes, y = rng.integers(-3, 4, 12) / 2.0, rng.choice([-1.0, 1.0], 12)
        w = rng.choice([0.5, 1.0, 3.0], 12)

        threshold = _fewest_errors(votes, y, w)

        def errors(at, votes=votes, y=y, w=w):
            return w @ ((votes > at) != (y > 0))

        best = min(errors(at) for at in np.linspace(-3, 3, 121) + 0.013)
        assert errors(threshold) <= best + 1e-12


def test_planes_alone_tell_moons_apart(moons):
    X, y = moons
    assert OGEClassifier().fit(X, y).score(X, y) > 0.95


# The baseline -------------------------------------------------------------------------------


def test_the_baseline_is_svc_without_an_intercept(moons):
    """A copy of every sample at the other side of a kernel's sign leaves SVC no intercept."""
    X, y = moons
    K = gram(X, X, KernelSpec("rbf", 1.0))
    both = np.block([[K, -K], [-K, K]])
    exact = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(both, np.concatenate([y, 1 - y]))

    ours = KernelPrimalSVC(gamma=1.0, lam=4.0, tol=1e-6).fit(X, y)

    np.testing.assert_allclose(
        ours.decision_function(X), exact.decision_function(both)[: y.size], atol=1e-3
    )
    assert (ours.intercept_ == 0.0).all()


# SVM-CBP ------------------------------------------------------------------------------------


def test_the_model_takes_the_peak_of_its_own_norms(moons):
    X, y = moons
    model = SVMCBPClassifier().fit(X, y)

    chosen, _ = choose_peak(smooth(model.norms_))
    assert model.sigma_ == model.sigmas_[chosen]
    np.testing.assert_allclose(model.sigmas_, default_sigmas(X, np.ones(y.size)))
    again = SVMCBPClassifier(sigma=model.sigma_).fit(X, y)
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X))
    assert again.norm_[0] == pytest.approx(model.norms_[chosen])
    assert again.sigmas_.size == 0


def test_the_norm_is_that_of_the_decisions_at_the_boundary_points(moons):
    X, y = moons
    model = SVMCBPClassifier(sigma=0.5).fit(X, y)

    points = characteristic_boundary_points(X, y).points

    assert model.n_boundary_.tolist() == [len(points)]
    decisions = model.decision_function(points)
    assert np.linalg.norm(decisions) == pytest.approx(model.norm_[0], rel=1e-6)


def test_a_larger_lambda_follows_the_data_more_closely(moons):
    losses = [SVMCBPClassifier(sigma=0.5, lam=lam).fit(*moons).loss_[0] for lam in (0.1, 1, 10)]
    assert losses[0] > losses[1] > losses[2]


def test_a_limit_on_updates_warns(moons):
    with pytest.warns(ConvergenceWarning, match="SVMCBPClassifier stopped at max_iter=3 with 1"):
        SVMCBPClassifier(sigma=0.5, max_iter=3).fit(*moons)


def test_the_search_over_lam_is_a_grid_search(iris):
    X, y = iris
    y = np.array(["a", "b", "c"])[y]
    lams = [0.1, 1.0, 10.0]

    ours = SVMCBPClassifierCV(lams=lams, sigmas=[0.3, 1.0, 3.0], cv=3).fit(X, y)

    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = SVMCBPClassifier(sigmas=[0.3, 1.0, 3.0])
    theirs = GridSearchCV(model, {"lam": lams}, cv=folds).fit(X, y)
    for name in ("split0_test_score", "mean_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name])
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


def test_the_search_over_lam_needs_positive_numbers(moons):
    with pytest.raises(ValueError, match=r"'lams' parameter .* must be a list of positive numbers"):
        SVMCBPClassifierCV(lams=[0.0, 1.0]).fit(*moons)


def test_matrices_that_do_not_fit_are_refused_in_a_sentence(moons):
    message = (
        r"SVMCBPClassifier expected memory_limit_mb of at least \d+ for matrices of 80 x 80 "
        "samples. Got 0.1 instead; raise it, fit to fewer samples, or use OnlineSVMCBPClassifier."
    )
    with pytest.raises(MemoryError, match=message):
        SVMCBPClassifier(memory_limit_mb=0.1).fit(*moons)
    X = np.zeros((20_000, 1))
    with pytest.raises(MemoryError, match=r"of at least 18\d\d\d "):
        SVMCBPClassifier().fit(X + np.arange(20_000)[:, None], np.arange(20_000) % 2)


def test_the_baseline_keeps_a_limit_on_memory(moons):
    with pytest.raises(MemoryError, match="KernelPrimalSVC expected memory_limit_mb of at least"):
        KernelPrimalSVC(memory_limit_mb=0.1).fit(*moons)
    X, y = moons
    free, limited = KernelPrimalSVC().fit(X, y), KernelPrimalSVC(memory_limit_mb=5).fit(X, y)
    np.testing.assert_array_equal(free.decision_function(X), limited.decision_function(X))


# On-line SVMs -------------------------------------------------------------------------------


def algorithm_3(X, y, Z, sigmas, period, n_steps, lam, seed):
    """Run the box of the thesis: its norms, its rule of the peak, its widths in falling order."""
    task = OnlineSvmTask(Problem(np.arange(y.size), y, np.ones(y.size)), boundary=np.arange(len(Z)))
    norms, peak = [], None
    for step, sigma in enumerate(sigmas):
        settings = OnlineSvmSettings(lam=lam, max_iter=period, update="printed", seed=seed)
        after = online_twin.solve(X, Z, 0.5 / sigma**2, task, settings)
        task = OnlineSvmTask(task.problem, after.support, after.coef, after.t, task.boundary)
        norms.append(after.norm)
        if step < len(sigmas) - 1 and step >= 2 and norms[-1] < norms[-2] > norms[-3]:
            peak = sigma
    rest = OnlineSvmSettings(
        lam=lam, max_iter=n_steps - len(sigmas) * period, update="printed", seed=seed
    )
    return peak, norms, online_twin.solve(X, Z, 0.5 / peak**2, task, rest)


def test_algorithm_3_equals_its_transcription(moons):
    X, labels = moons
    sigmas = 2.0 ** -np.arange(0.0, 5.0, 0.5)
    model = OnlineSVMCBPClassifier(
        sigma="printed", update="printed", sigmas=sigmas, period=20, max_iter=260, lam=0.3
    ).fit(X, labels)

    order = np.lexsort(X.T[::-1])  # canonical: by the first feature, then the next
    X, y = X[order], np.where(labels[order] == 1, 1.0, -1.0)
    first, second = boundary_twin.pairs(X, np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    Z = (X[first] + X[second]) / 2
    peak, norms, theirs = algorithm_3(X, y, Z, sigmas, 20, 260, 0.3, 0)

    np.testing.assert_allclose(model.norms_, norms, rtol=1e-8)
    assert model.sigma_ == pytest.approx(peak)
    assert model.n_iter_.tolist() == [260]
    values = gram(X, X[theirs.support], KernelSpec("rbf", 0.5 / peak**2)) @ theirs.coef
    np.testing.assert_allclose(model.decision_function(X), values, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        OnlineSVMClassifier(sigma=0.5, lam=0.1),
        OnlineSVMCBPClassifier(sigma=0.5, lam=0.1, boundary_points=[[0.5, 0.25], [0.0, 0.5]]),
    ],
)
def test_chunks_are_one_pass_over_all_rows(moons, model):
    X, y = moons
    weights = np.random.default_rng(3).choice([0.5, 1.0, 2.0], y.size)
    whole = type(model)(**model.get_params()).partial_fit(X, y, [0, 1], weights)
    parts = type(model)(**model.get_params())
    for chunk in np.array_split(np.arange(y.size), 7):
        parts.partial_fit(X[chunk], y[chunk], [0, 1], weights[chunk])

    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9)
    assert parts.t_ == pytest.approx(whole.t_)


def test_boundary_points_come_from_the_first_chunk_with_both_classes(iris):
    X, y = iris
    model = OnlineSVMCBPClassifier(sigma=1.0)

    model.partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    first = model.n_boundary_.copy(), model.boundary_points_.copy()
    model.partial_fit(X, y)

    assert first[0][0] > 0
    assert first[0][1:].tolist() == [0, 0]
    assert (model.n_boundary_ > 0).all()
    np.testing.assert_array_equal(model.boundary_points_[: first[0][0]], first[1])


def test_a_stream_can_find_its_width_on_the_first_chunk(moons):
    X, y = moons
    model = OnlineSVMCBPClassifier(max_iter=600).partial_fit(X[:50], y[:50], classes=[0, 1])
    sigma = model.sigma_

    model.partial_fit(X[50:], y[50:])

    assert model.sigma_ == sigma
    assert model.sigmas_.size == 15
    assert model.t_.tolist() == [80.0]


def test_uneven_weights_are_what_clipping_mends():
    """Many light rows first: |k_z|^2 is then far above t."""
    rng = np.random.default_rng(0)
    X = 0.1 * rng.normal(size=(200, 2))
    y = rng.integers(0, 2, 200)
    weights = np.where(np.arange(200) < 150, 0.01, 1.0)
    size = {}
    for update in ("printed", "clipped"):
        model = OnlineSVMCBPClassifier(sigma=1.0, update=update)
        model.partial_fit(X, y, [0, 1], weights)
        size[update] = np.abs(model.dual_coef_).max()

    assert size["clipped"] <= 10.0
    assert size["printed"] > 1e6


def test_a_step_of_the_gradient_shrinks_the_output_at_its_boundary_point():
    """One violator with a weight of nothing: what is left is the part of the norm."""
    X, z = np.array([[0.0], [1.0], [2.0]]), np.array([[0.4]])
    coef = np.array([1.0, -3.0, 0.5])
    problem = Problem(np.array([0]), np.array([-1.0]), np.ones(1))
    k_z = gram(X, z, KernelSpec("rbf", 0.5))[:, 0]
    outputs = {}
    for t in (0.0, 9.0):
        task = OnlineSvmTask(problem, np.arange(3), coef, t, np.array([0]))
        settings = OnlineSvmSettings(lam=1e12, max_iter=1)
        outputs[t] = online_twin.solve(X, z, 0.5, task, settings).coef @ k_z

    # The first step would be longer than 1 / |k_z|^2, and ends there.
    assert outputs[0.0] == pytest.approx(0.0, abs=1e-9)
    assert outputs[9.0] == pytest.approx((1 - k_z @ k_z / 10) * (coef @ k_z), rel=1e-6)


def test_given_boundary_points_need_the_features_of_the_samples(moons):
    with pytest.raises(ValueError, match="have 3 features; the samples have 2"):
        OnlineSVMCBPClassifier(sigma=1.0, boundary_points=[[0.0, 0.0, 0.0]]).fit(*moons)


def test_a_search_longer_than_the_run_is_refused(moons):
    with pytest.raises(ValueError, match="takes 15 widths of 1000 visits each"):
        OnlineSVMCBPClassifier(max_iter=5000, period=1000).fit(*moons)


def test_a_second_fit_forgets_the_search_of_the_first(moons):
    model = OnlineSVMCBPClassifier(max_iter=600).fit(*moons)

    model.set_params(sigma=0.7).fit(*moons)

    assert model.sigmas_.size == 0
    assert model.sigma_ == pytest.approx(0.7)


# What all owe -------------------------------------------------------------------------------


@every_classifier
def test_threads_do_not_matter(iris, classifier):
    X, y = iris
    one = type(classifier)(**classifier.get_params()).fit(X, y)
    two = type(classifier)(**{**classifier.get_params(), "n_jobs": 2}).fit(X, y)

    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@every_classifier
def test_sparse_samples_are_taken_or_refused_in_a_sentence(moons, classifier):
    X, y = sparse.csr_array(moons[0]), moons[1]
    classifier = type(classifier)(**classifier.get_params())
    if type(classifier) is KernelPrimalSVC:
        classifier.fit(X, y)
        return
    with pytest.raises(TypeError, match="takes dense arrays only"):
        classifier.fit(X, y)
    if hasattr(classifier, "partial_fit"):
        with pytest.raises(TypeError, match="takes dense arrays only"):
            classifier.partial_fit(X, y, classes=[0, 1])


@every_classifier
@pytest.mark.parametrize("n_classes", [2, 3])
def test_models_come_back_from_every_store(iris, tmp_path, classifier, n_classes):
    X, y = iris
    X, y = X[y < n_classes], y[y < n_classes]
    model = type(classifier)(**classifier.get_params()).fit(X, y)
    save(model, tmp_path / "model")

    for loaded in (
        load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
        skops.io.loads(skops.io.dumps(model), trusted=trusted_types()),
    ):
        assert_same_state(loaded, model)
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("classifier", "change", "message"),
    [
        (CLASSIFIERS[2], {"sigma_": 77.0}, "'sigma' and 'gamma' are widths of different kernels"),
        (CLASSIFIERS[2], {"n_boundary_": np.array([3])}, "sum of n_boundary: 3 where"),
        (CLASSIFIERS[1], {"n_planes_": np.array([3])}, "sum of n_planes: 3 where"),
        (CLASSIFIERS[4], {"boundary_points_": np.ones((1, 2))}, "sum of n_boundary"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused(moons, tmp_path, classifier, change, message):
    model = type(classifier)(**classifier.get_params()).fit(*moons)
    for name, value in change.items():
        setattr(model, name, value)

    with pytest.raises(ValueError, match=message):
        save(model, tmp_path / "model")


def test_a_loaded_stream_goes_on(moons, tmp_path):
    X, y = moons
    model = OnlineSVMCBPClassifier(sigma=0.5).partial_fit(X[:40], y[:40], classes=[0, 1])
    save(model, tmp_path / "model")

    loaded = load(tmp_path / "model").partial_fit(X[40:], y[40:])

    model.partial_fit(X[40:], y[40:])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


# Interruption -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [
        lambda X, y: OnlineSVMClassifier(max_iter=10**8).fit(X, y),
        lambda X, y: OnlineSVMCBPClassifier(max_iter=10**8).fit(X[:2000], y[:2000]),
        lambda X, y: characteristic_boundary_points(X, y),
        lambda X, y: KernelPrimalSVC(gamma=5.0, lam=1e4, tol=1e-9).fit(X[:20_000], y[:20_000]),
    ],
    ids=["online", "online-cbp", "points", "baseline"],
)
def test_ctrl_c_ends_every_loop(action):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 20)), rng.integers(0, 2, 60_000)
    timer = threading.Timer(0.6, signal.raise_signal, [signal.SIGINT])
    timer.start()

    with pytest.raises(KeyboardInterrupt):
        action(X, y)

    timer.cancel()


def test_a_limit_on_time_is_kept(moons):
    with pytest.warns(ConvergenceWarning, match="stopped at max_time=0.2 s"):
        OnlineSVMClassifier(max_iter=10**8, max_time=0.2).fit(*moons)


@pytest.mark.parametrize("classifier", [SVMCBPClassifier, OnlineSVMCBPClassifier])
def test_a_limit_on_time_covers_the_search_for_points(classifier):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)
    model = classifier(sigma=1.0, max_time=1e-6)

    with pytest.warns(ConvergenceWarning, match="stopped at max_time=1e-06 s"):
        model.fit(X, y)

    # The whole search has hundreds of thousands.
    assert 1 <= model.n_boundary_[0] < 100_000


def test_a_search_for_a_width_that_time_cut_short_says_so(moons, monkeypatch):
    left = iter([0.0] * 7)
    monkeypatch.setattr(Deadline, "seconds_left", lambda self: next(left, 1e-9))

    with pytest.warns(ConvergenceWarning, match="stopped at max_time=5 s"):
        model = SVMCBPClassifier(max_time=5.0).fit(*moons)

    assert model.stop_reason_.tolist() == ["max_time"]
    assert np.isfinite(model.norms_).sum() == 6
    assert model.score(*moons) > 0.8


@pytest.mark.parametrize("n_classes", [2, 4])
def test_oge_is_the_same_to_the_last_bit_whatever_the_threads(n_classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 10))
    y = np.digitize(X[:, 0], np.linspace(-1, 1, n_classes + 1)[1:-1])
    seen = set()

    for n_threads in (1, 2, 4, 1):
        with threadpool_limits(n_threads):
            model = OGEClassifier(n_jobs=n_threads).fit(X, y)
            values = model.decision_function(X)
        state = (model.normals_, model.offsets_, model.weights_, model.threshold_, values)
        seen.add(b"".join(array.tobytes() for array in state))

    assert len(seen) == 1
