"""What is true of SMOClassifier only."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifier, SMOClassifier, load, save


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_it_is_the_model_of_svc(wine, kernel, C):
    X, y = wine
    common = {"kernel": kernel, "C": C, "gamma": 0.1, "coef0": 0.5, "tol": 1e-6}
    ours = SMOClassifier(decision_function_shape="ovo", **common).fit(X, y)
    theirs = SVC(decision_function_shape="ovo", **common).fit(X, y)

    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=1e-3, atol=1e-3
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.n_support_.sum() <= theirs.n_support_.sum() + 2


def test_it_is_the_model_of_a_full_refinement(moons):
    X, y = moons
    direct = SMOClassifier(tol=1e-8, gamma=1.0).fit(X, y)
    refined = OLLAWVClassifier(tol=1e-8, gamma=1.0).fit(X, y)

    np.testing.assert_allclose(direct.decision_function(X), refined.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(direct.objective_, refined.objective_)


@pytest.mark.parametrize("shrinking", [True, False])
def test_shrinking_changes_the_way_and_not_the_model(shrinking):
    X, y = make_classification(3000, 10, flip_y=0.2, random_state=0)
    model = SMOClassifier(gamma=0.1, tol=1e-7, shrinking=shrinking).fit(X, y)
    other = SMOClassifier(gamma=0.1, tol=1e-7, shrinking=not shrinking).fit(X, y)

    np.testing.assert_allclose(model.objective_, other.objective_, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-4)


def test_a_warm_start_needs_fewer_updates_and_ends_at_the_same_model(wine):
    X, y = wine
    cold = SMOClassifier(C=12.0, tol=1e-6).fit(X, y)
    warm = SMOClassifier(C=10.0, tol=1e-6, warm_start=True).fit(X, y)
    warm.set_params(C=12.0).fit(X, y)

    assert warm.n_iter_.sum() < cold.n_iter_.sum()
    np.testing.assert_allclose(warm.objective_, cold.objective_, rtol=1e-6)
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-4)


def test_a_warm_start_of_many_samples_begins_with_its_support_vectors():
    X, y = make_classification(4000, 8, flip_y=0.1, random_state=1)
    cold = SMOClassifier(C=1.2, gamma=0.1, tol=1e-5).fit(X, y)
    warm = SMOClassifier(C=1.0, gamma=0.1, tol=1e-5, warm_start=True).fit(X, y)
    warm.set_params(C=1.2).fit(X, y)

    assert warm.n_iter_[0] < cold.n_iter_[0]
    np.testing.assert_allclose(warm.objective_, cold.objective_, rtol=1e-6)
    assert 0 <= warm.dual_gap_[0] <= 1e-3 * warm.objective_[0]


@pytest.mark.parametrize("max_iter", [7, 300])
def test_a_limit_counts_the_updates_of_all_rounds(max_iter):
    X, y = make_classification(4000, 8, flip_y=0.1, random_state=1)
    with pytest.warns(ConvergenceWarning, match=f"after {max_iter} updates"):
        model = SMOClassifier(gamma=0.1, max_iter=max_iter).fit(X, y)

    assert model.n_iter_.tolist() == [max_iter]
    assert model.dual_gap_[0] > 0


def test_a_warm_start_on_other_rows_is_harmless(wine):
    X, y = wine
    model = SMOClassifier(warm_start=True, tol=1e-6).fit(X, y)
    model.fit(X[::-1][:100], y[::-1][:100])
    fresh = SMOClassifier(tol=1e-6).fit(X[::-1][:100], y[::-1][:100])

    np.testing.assert_allclose(model.decision_function(X), fresh.decision_function(X), atol=1e-4)


def test_wide_bounds_and_few_dimensions_do_not_crawl():
    """Pairs alone need more than ten million updates here."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(194, 5))
    y = (X[:, 0] + 3 * rng.normal(size=194) > 0).astype(int)

    model = SMOClassifier(kernel="linear", C=6000.0, tol=1e-6).fit(X, y)

    assert model.stop_reason_.tolist() == ["converged"]
    assert model.dual_gap_[0] <= 1e-5 * model.objective_[0]


def test_a_limit_warns_with_the_measurement(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match=r"with violation .* after 5 updates. Scale"):
        model = SMOClassifier(max_iter=5).fit(X, y)

    assert model.stop_reason_.tolist() == ["max_iter"]
    assert model.dual_gap_[0] > 0


def test_a_saved_model_predicts_the_same(wine, tmp_path):
    X, y = wine
    model = SMOClassifier().fit(X, y)
    save(model, tmp_path / "model")

    np.testing.assert_array_equal(
        load(tmp_path / "model").decision_function(X), model.decision_function(X)
    )


def test_the_simple_variant_is_seeded_and_near_the_optimum(moons):
    X, y = moons
    simple = {"variant": "simple", "gamma": 1.0}
    one, same, other = (SMOClassifier(random_state=seed, **simple).fit(X, y) for seed in (1, 1, 2))
    exact = SMOClassifier(gamma=1.0).fit(X, y)

    np.testing.assert_array_equal(one.decision_function(X), same.decision_function(X))
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))
    assert np.mean(one.predict(X) == exact.predict(X)) > 0.95
    assert one.n_iter_[0] >= 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_largest_gamma_is_taken_and_a_larger_one_refused(dtype, kernel):
    """Samples with themselves have a kernel value of 1, however narrow the kernel is."""
    X, y = np.arange(6, dtype=dtype)[:, np.newaxis], np.arange(6) % 2
    largest = 0.69 * float(np.finfo(dtype).max)
    model = SMOClassifier(kernel=kernel, gamma=largest).fit(X, y)

    np.testing.assert_allclose(np.abs(model.decision_function(X)), 1.0, atol=1e-2)
    with pytest.raises(ValueError, match=f"which {np.dtype(dtype)} cannot hold"):
        SMOClassifier(kernel=kernel, gamma=largest * 1.1).fit(X, y)


def test_equal_weights_are_no_weights_to_the_last_bit(wine):
    X, y = wine
    plain = SMOClassifier(C=2.0).fit(X, y)
    weighted = SMOClassifier(C=200.0).fit(X, y, sample_weight=np.full(len(y), 0.01))

    assert weighted.expansion_.kernel.gamma == plain.expansion_.kernel.gamma
    np.testing.assert_array_equal(weighted.dual_coef_, plain.dual_coef_)


def test_feature_weights_are_read_only(wine):
    model = SMOClassifier(kernel="linear").fit(*wine)

    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0


def test_features_near_the_largest_number_are_refused_in_one_sentence():
    X = np.finfo(np.float64).max * np.random.default_rng(0).uniform(size=(10, 2))

    with pytest.raises(ValueError, match="squared features overflow float64"):
        SMOClassifier().fit(X, np.arange(10) % 2)
