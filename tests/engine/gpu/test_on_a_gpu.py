"""What only a GPU can show; the other tests of this folder run on it through `device="cuda"`."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic import OLLAWVClassifier, SMORegressor
from svmosaic.engine.expansion import KernelExpansion

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu

N = 30_000
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(N, 4)).astype(np.float32)
SIGNAL = np.sin(4 * X[:, 0]) * np.sin(4 * X[:, 1]) + 0.3 * X[:, 2]
Y = ((SIGNAL > 0) ^ (RNG.random(N) < 0.1)).astype(int)


def test_a_large_classifier_is_that_of_the_cpu():
    params = {"C": 5.0, "gamma": 4.0}
    expected = OLLAWVClassifier(**params, n_jobs=-1).fit(X, Y)

    found = OLLAWVClassifier(**params, device="cuda").fit(X, Y)

    assert found.fit_report_.counters.n_sweeps > 0
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)
    assert np.mean(found.predict(X) == expected.predict(X)) >= 0.999


def test_a_large_regressor_is_that_of_the_cpu():
    params = {"C": 1.0, "gamma": 1.0, "epsilon": 0.1}
    target = SIGNAL + 0.2 * RNG.normal(size=N)
    expected = SMORegressor(**params, n_jobs=-1).fit(X, target)

    found = SMORegressor(**params, device="cuda").fit(X, target)

    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)
    np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=5e-3)


def test_decision_values_in_float32_are_those_in_float64():
    model = OLLAWVClassifier(C=5.0, gamma=4.0, device="cuda").fit(X, Y)
    exact = model.expansion_
    exact = KernelExpansion(
        exact.kernel, exact.vectors.astype(np.float64), exact.coefficients, exact.intercepts
    )

    found = model.decision_function(X[:5000])

    expected = exact.decide(X[:5000].astype(np.float64), n_threads=-1)[:, 0]
    size = np.abs(exact.coefficients.values).sum()
    assert np.abs(found - expected).max() < 1e-6 * size


def test_the_same_device_gives_the_same_bits():
    models = [OLLAWVClassifier(C=5.0, gamma=4.0, device="cuda").fit(X, Y) for _ in range(2)]

    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)


def test_fits_leave_no_memory_behind():
    model = OLLAWVClassifier(C=5.0, gamma=4.0, device="cuda")
    model.fit(X, Y)
    before = torch.cuda.memory_allocated()

    for _ in range(3):
        model.fit(X, Y)

    assert torch.cuda.memory_allocated() <= before
