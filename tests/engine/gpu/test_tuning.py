"""The search of OLLAWV on PyTorch finds what the compiled one does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from svmosaic import OLLAWVClassifierCV
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, PairwiseRows
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import OllawvSettings, RefineSettings
from svmosaic.engine.tasks import TuneSettings
from twins.kernels import gram

torch_engine = pytest.importorskip("torch_engine")

from svmosaic.engine.gpu.memory_plan import Sizes  # noqa: E402

torch = torch_engine.torch
STORED = torch_engine.engine(Sizes())
COMPUTED = torch_engine.engine(Sizes(stored=8))
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
LABELS = np.arange(90) % 3
X[LABELS == 1] += 1.0
# Copies, in one fold and in several.
X[60:66] = X[0:6]
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 3.0], 90)
WEIGHTS[:9] = 1.0
FOLD = np.arange(90) // 3 % 3
SPLITS = [(np.flatnonzero(f != FOLD), np.flatnonzero(f == FOLD)) for f in range(3)]
KERNEL = KernelSpec("rbf", degree=2, coef0=1.0)


def grid(refine, multi_class="ovo", **solver):
    is_plain = refine == "none"
    return TuneSettings(
        gammas=np.array([1.0, 0.1]),
        margins=np.array([0.1]) if refine == "full" else np.array([0.5, 0.05]),
        Cs=np.ones(1) if is_plain else np.array([3.0, 0.2]),
        multi_class=multi_class,
        solver=OllawvSettings(refine=RefineSettings(refinement=refine, tol=1e-6), **solver),
    )


@pytest.fixture(params=[STORED, COMPUTED], ids=["stored", "computed"])
def engine(request):
    return request.param


@pytest.mark.parametrize("labels", [LABELS, np.minimum(LABELS, 1)], ids=["three", "two"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("refine", ["none", "full"])
def test_scores_are_those_of_the_compiled_search(engine, refine, multi_class, labels):
    settings = grid(refine, multi_class)
    expected = cpu.tune_ollawv(DenseRows(X), KERNEL, labels, WEIGHTS, SPLITS, settings)

    found = engine.tune_ollawv(engine.read_table(X), KERNEL, labels, WEIGHTS, SPLITS, settings)

    np.testing.assert_allclose(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("kind", ["linear", "poly", "laplacian"])
def test_other_kernels(engine, kind):
    kernel = KernelSpec(kind, degree=2, coef0=1.0)
    # Updates of pairs are slow on these kernels.
    settings = replace(grid("full"), Cs=np.array([0.1, 0.01]), gammas=np.array([0.5]))
    expected = cpu.tune_ollawv(DenseRows(X), kernel, LABELS, WEIGHTS, SPLITS, settings)

    found = engine.tune_ollawv(engine.read_table(X), kernel, LABELS, WEIGHTS, SPLITS, settings)

    np.testing.assert_allclose(found[0], expected[0])


@pytest.mark.parametrize("refine", ["none", "full"])
def test_other_forms_of_rows(engine, refine):
    settings = grid(refine)
    sparse = rows_of_samples(sp.csr_array(X))
    expected = cpu.tune_ollawv(sparse, KERNEL, LABELS, WEIGHTS, SPLITS, settings)
    found = engine.tune_ollawv(sparse, KERNEL, LABELS, WEIGHTS, SPLITS, settings)
    np.testing.assert_allclose(found[0], expected[0])

    given, kernel = PairwiseRows(gram(X, X, KERNEL)), KernelSpec("precomputed")
    expected = cpu.tune_ollawv(given, kernel, LABELS, WEIGHTS, SPLITS, settings)
    found = engine.tune_ollawv(given, kernel, LABELS, WEIGHTS, SPLITS, settings)
    np.testing.assert_allclose(found[0], expected[0])


def test_large_problems_are_solved_by_sweeps():
    engine = torch_engine.engine(torch_engine.SWEEPS)
    settings = replace(grid("full"), Cs=np.array([1.0]), gammas=np.array([0.5]))
    expected = cpu.tune_ollawv(DenseRows(X), KERNEL, LABELS, WEIGHTS, SPLITS, settings)

    found = engine.tune_ollawv(engine.read_table(X), KERNEL, LABELS, WEIGHTS, SPLITS, settings)

    np.testing.assert_allclose(found[0], expected[0])


def test_cells_that_the_time_cuts_off_are_nan(engine):
    rows = engine.read_table(X)

    for refine in ("none", "full"):
        confusion, n_support = engine.tune_ollawv(
            rows, KERNEL, LABELS, WEIGHTS, SPLITS, grid(refine), max_time=1e-9
        )

        assert np.isnan(confusion).all()
        assert np.isnan(n_support).all()


def test_a_fold_with_one_class_is_refused_as_on_the_cpu():
    splits = [(np.flatnonzero(LABELS == 0), np.flatnonzero(LABELS == 1))]

    for tune in (cpu.tune_ollawv, STORED.tune_ollawv):
        with pytest.raises(ValueError, match="There is a training fold with one class only"):
            tune(DenseRows(X), KERNEL, LABELS, np.ones(90), splits, grid("full"))


def test_progress_counts_the_problems(monkeypatch):
    monkeypatch.setattr("svmosaic.engine.gpu.monitor._INTERVAL", 0.0)
    seen = []

    STORED.tune_ollawv(
        STORED.read_table(X),
        KERNEL,
        LABELS,
        WEIGHTS,
        SPLITS,
        grid("none"),
        progress=lambda *args: seen.append(args),
    )

    # Two gammas, three folds, three pairs of classes.
    assert {total for _, total, _ in seen} == {18}
    assert max(done for done, _, _ in seen) <= 18


@pytest.mark.parametrize("refine", ["full", None])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_estimator_chooses_what_it_does_on_the_cpu(load, refine):
    samples, labels = load(return_X_y=True)
    samples = minmax_scale(samples)
    params = {"refine": refine, "cv": 3, "tol": 1e-5, "gammas": [0.1, 1.0], "Cs": [0.1, 1, 10]}
    expected = OLLAWVClassifierCV(**params).fit(samples, labels)

    found = OLLAWVClassifierCV(**params, device="torch:cpu").fit(samples, labels)

    for name in ("mean_test_score", "mean_n_support"):
        np.testing.assert_allclose(found.cv_results_[name], expected.cv_results_[name])
    assert found.best_params_ == expected.best_params_
    assert found.best_estimator_.device == "torch:cpu"
    np.testing.assert_array_equal(found.predict(samples), expected.predict(samples))


def test_the_estimator_takes_tensors():
    samples, labels = load_iris(return_X_y=True)
    params = {"cv": 3, "gammas": [0.1, 1.0], "Cs": [1, 10]}
    expected = OLLAWVClassifierCV(**params).fit(samples, labels)

    for device in (None, "torch:cpu"):
        search = OLLAWVClassifierCV(**params, device=device)
        search.fit(torch.tensor(samples), torch.tensor(labels))

        assert search.best_params_ == expected.best_params_
        assert isinstance(search.predict(torch.tensor(samples)), torch.Tensor)
        assert search.score(torch.tensor(samples), torch.tensor(labels)) == expected.score(
            samples, labels
        )
        assert type(search.best_estimator_.support_vectors_) is np.ndarray
