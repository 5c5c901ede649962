"""OLLAWV on PyTorch: the same samples in the same order as its NumPy twin and the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from svmosaic import OLLAWVClassifier
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, PairwiseRows, Problem
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import OllawvSettings, RefineSettings
from twins import ollawv as twin
from twins.kernels import gram

torch_engine = pytest.importorskip("torch_engine")

from svmosaic.engine.gpu import selection  # noqa: E402
from svmosaic.engine.gpu.central_sample import central_sample  # noqa: E402
from svmosaic.engine.gpu.memory_plan import Sizes  # noqa: E402

STORED = torch_engine.engine(Sizes())
COMPUTED = torch_engine.engine(Sizes(stored=8))
RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3))
TARGETS = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=N) > 0, 1.0, -1.0)
WEIGHTS = RNG.choice([0.5, 1.0, 2.0, 3.7], N)
KERNEL = KernelSpec("rbf", gamma=0.7, degree=2, coef0=0.5)
NONE = RefineSettings(refinement="none")
SETTINGS = {
    "plain": {},
    "margin": {"margin": 1.0, "max_iter_share": 5.0},
    "no intercept": {"fit_intercept": False},
    "slower": {"learning_rate": "1/sqrt(t)", "margin": 0.5},
    "slowest": {"learning_rate": "1/t", "margin": 0.5},
    "limit": {"max_iter": 7},
    "budget": {"max_support": 11, "margin": 1.0},
    "exhausted": {"margin": 1e6, "max_iter": 10_000},
}


@pytest.fixture(params=[STORED, COMPUTED], ids=["stored", "computed"])
def engine(request):
    return request.param


def problem(weights=WEIGHTS, first=3):
    return Problem(np.arange(N), TARGETS, weights, first=first)


@pytest.mark.parametrize("weights", [np.ones(N), WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_selection_is_that_of_the_twin(engine, settings, weights):
    settings = OllawvSettings(refine=NONE, C=2.0, **settings)

    (found,) = engine.solve(DenseRows(X), KERNEL, [problem(weights)], settings)

    expected = twin.solve(gram(X, X, KERNEL), problem(weights), settings)
    np.testing.assert_array_equal(found.path_rows, expected.path_rows)
    np.testing.assert_array_equal(found.path_steps, expected.path_steps)
    np.testing.assert_allclose(found.path_violations, expected.path_violations, atol=1e-10)
    np.testing.assert_array_equal(found.support, expected.support)
    np.testing.assert_allclose(found.coef, expected.coef, rtol=1e-12)
    assert found.intercept == pytest.approx(expected.intercept, rel=1e-10)
    assert (found.status, found.n_iter) == (expected.status, expected.n_iter)
    assert found.counters.n_selections == found.n_iter


@pytest.mark.parametrize("kind", ["linear", "poly", "sigmoid", "laplacian"])
def test_other_kernels(engine, kind):
    kernel = KernelSpec(kind, gamma=0.3, degree=2, coef0=0.5)
    settings = OllawvSettings(refine=NONE)

    (found,) = engine.solve(DenseRows(X), kernel, [problem()], settings)

    expected = twin.solve(gram(X, X, kernel), problem(), settings)
    np.testing.assert_array_equal(found.path_rows, expected.path_rows)


def test_a_kernel_that_was_given_and_sparse_samples(engine, monkeypatch):
    settings = OllawvSettings(refine=NONE)
    expected = twin.solve(gram(X, X, KERNEL), problem(), settings)

    given = PairwiseRows(gram(X, X, KERNEL))
    (found,) = engine.solve(given, KernelSpec("precomputed"), [problem()], settings)
    np.testing.assert_array_equal(found.path_rows, expected.path_rows)

    import scipy.sparse as sp

    for share in (1.0, 0.0):
        monkeypatch.setattr("svmosaic.engine.gpu.features._DENSE_SHARE", share)
        rows = rows_of_samples(sp.csr_array(X))
        (found,) = engine.solve(rows, KERNEL, [problem()], settings)
        np.testing.assert_array_equal(found.path_rows, expected.path_rows)


def test_problems_of_different_sizes_go_together():
    parts = [np.arange(0, 150, 3), np.arange(20), np.arange(40, 150)]
    problems = [Problem(p, TARGETS[p], WEIGHTS[p], first=1) for p in parts]
    settings = OllawvSettings(refine=NONE)

    found = STORED.solve(DenseRows(X), KERNEL, problems, settings)

    for solution, one in zip(found, problems, strict=True):
        K = gram(X[one.samples], X[one.samples], KERNEL)
        expected = twin.solve(K, one, settings)
        np.testing.assert_array_equal(solution.path_rows, expected.path_rows)
        assert solution.status == expected.status


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_models_and_their_margin_paths_are_those_of_the_cpu(multi_class):
    samples, labels = load_iris(return_X_y=True)
    params = {"multi_class": multi_class, "refine": None, "margin": 0.5}
    expected = OLLAWVClassifier(**params).fit(samples, labels)

    found = OLLAWVClassifier(**params, device="torch:cpu").fit(samples, labels)

    for left, right in zip(found.path_, expected.path_, strict=True):
        np.testing.assert_array_equal(left.rows, right.rows)
    for one, other in (
        (found, expected),
        (found.at_margin(0.2), expected.at_margin(0.2)),
        (found.at_budget(10), expected.at_budget(10)),
    ):
        np.testing.assert_allclose(
            one.decision_function(samples), other.decision_function(samples), atol=1e-5
        )
        np.testing.assert_array_equal(one.stop_reason_, other.stop_reason_)
        np.testing.assert_array_equal(one.n_iter_, other.n_iter_)


def test_time_and_progress(monkeypatch):
    monkeypatch.setattr("svmosaic.engine.gpu.monitor._INTERVAL", 0.0)
    seen = []
    settings = OllawvSettings(refine=NONE, margin=1e6, max_iter=10_000)

    (found,) = STORED.solve(
        DenseRows(X), KERNEL, [problem()], settings, progress=lambda *args: seen.append(args)
    )
    assert [done for done, _, _ in seen] == [0] * len(seen)
    assert seen[0][2] == selection._STEPS
    assert found.status == "exhausted"

    (late,) = STORED.solve(DenseRows(X), KERNEL, [problem()], settings, max_time=1e-9)
    assert late.status == "max_time"
    assert late.n_iter == selection._STEPS
    np.testing.assert_array_equal(late.path_rows, found.path_rows[: selection._STEPS])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_central_sample_is_that_of_the_cpu(dtype):
    values = X.astype(dtype)
    table = STORED.read_table(values)
    for signs in (TARGETS, -TARGETS, np.where(np.arange(N) % 2, 1.0, -1.0)):
        one = Problem(np.arange(N)[::-1].copy(), signs, np.ones(N))

        expected = cpu.central_sample(DenseRows(values), one)
        assert central_sample(table, one) == expected
        assert central_sample(DenseRows(values), one) == expected
    K = gram(X, X, KERNEL)
    one = Problem(np.arange(N), TARGETS, np.ones(N))
    given = PairwiseRows(torch_engine.torch.from_numpy(K))
    assert central_sample(given, one) == cpu.central_sample(PairwiseRows(K), one)
