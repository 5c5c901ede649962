"""Every SIMD level of this computer gives the same models and the same decisions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV, _core

# The sigmoid kernel is indefinite, and fit says so.
pytestmark = pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")

NAMES = ["baseline", "avx2", "avx512"]
LEVELS = NAMES[: NAMES.index(_core.best_simd_level()) + 1]
KERNELS = ["rbf", "linear", "poly", "sigmoid", "laplacian"]


@pytest.fixture(autouse=True)
def _restored_level():
    before = _core.simd_level()
    yield
    _core.force_simd_level(before)


@pytest.fixture
def moons():
    """Samples whose number is a multiple of no vector length, with a few features of noise."""
    X, y = make_moons(333, noise=0.25, random_state=0)
    noise = np.random.default_rng(0).normal(scale=0.3, size=(333, 5))
    return np.hstack([X, noise]), y


def _at_each_level(work):
    results = []
    for level in LEVELS:
        _core.force_simd_level(level)
        assert _core.simd_level() == level
        results.append(work())
    return results


def _assert_agree(results, scale=1.0):
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=0, atol=1e-6 * scale)


def _model(kernel, **parameters):
    return OLLAWVClassifier(kernel=kernel, gamma=0.3, coef0=0.5, degree=2, **parameters)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("refine", [None, "full"])
def test_models_fitted_at_any_level_decide_the_same(moons, kernel, refine):
    X, y = moons

    # The tolerance is far below 1e-6, so that only rounding is left to differ.
    decisions = _at_each_level(
        lambda: _model(kernel, refine=refine, tol=1e-9).fit(X, y).decision_function(X)
    )

    _assert_agree(decisions)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_single_precision_decisions_agree(moons, kernel, form):
    X, y = moons
    X = form(X.astype(np.float32))
    model = _model(kernel).fit(X, y)

    decisions = _at_each_level(lambda: model.decision_function(X))

    # Each kernel value is rounded to about 1e-7; the coefficients add these errors up.
    _assert_agree(decisions, scale=max(1.0, np.abs(model.dual_coef_).sum()))


@pytest.mark.parametrize("level", NAMES[len(LEVELS) :] or [None])
def test_a_level_the_computer_lacks_is_refused(level):
    with pytest.raises(ValueError):
        _core.force_simd_level(level or "mmx")

    assert _core.simd_level() == _core.best_simd_level()


@pytest.mark.parametrize("refine", [None, "full"])
def test_tuning_at_any_level_scores_the_same(moons, refine):
    X, y = moons
    search = OLLAWVClassifierCV(refine=refine, gammas=[0.1, 1.0], Cs=[1.0, 30.0], tol=1e-9, cv=3)

    scores = _at_each_level(lambda: search.fit(X, y).cv_results_["mean_test_score"])

    _assert_agree(scores)
