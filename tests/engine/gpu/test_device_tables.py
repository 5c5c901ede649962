"""Tables on a device: one upload serves checks, identical rows, gamma and the solver."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor
from svmosaic.engine import cpu
from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.problem import DenseRows, PairwiseRows
from svmosaic.engine.protocol import engine_for

torch_engine = pytest.importorskip("torch_engine")

from svmosaic.engine.gpu import distinct_rows, features  # noqa: E402
from svmosaic.engine.gpu.distinct_rows import sum_weights  # noqa: E402

torch = torch_engine.torch
ENGINE = torch_engine.engine(torch_engine.BATCHES)
RNG = np.random.default_rng(0)
X, Y = load_iris(return_X_y=True)


@pytest.fixture(
    params=["torch:cpu", pytest.param("cuda", marks=pytest.mark.gpu)], ids=["cpu", "cuda"]
)
def device(request):
    return request.param


def test_a_table_is_indexed_as_an_array():
    table = ENGINE.read_table(X)

    assert table.shape == X.shape
    assert table.dtype == X.dtype
    assert len(table) == 150
    assert table.device == "torch:cpu"
    np.testing.assert_array_equal(table[np.array([3, 1])], X[[3, 1]])
    np.testing.assert_array_equal(table[10:20].to_numpy(), X[10:20])
    np.testing.assert_array_equal(np.asarray(table), X)
    assert (table.lowest, table.highest) == (X.min(), X.max())


def test_a_table_without_an_array_behind_it():
    table = ENGINE.read_table(torch.tensor(X, dtype=torch.float32))

    assert table.host is None
    assert table.dtype == np.float32
    np.testing.assert_array_equal(table[np.array([3, 1])], X[[3, 1]].astype(np.float32))
    assert type(table[np.array([0])]) is np.ndarray
    # Other types become float64, as everywhere.
    assert ENGINE.read_table(torch.arange(6).reshape(2, 3)).dtype == np.float64
    assert ENGINE.read_table(torch.zeros((2, 3), dtype=torch.float16)).dtype == np.float64


def test_an_engine_takes_the_tables_of_its_device():
    table = ENGINE.read_table(X)

    assert ENGINE.takes(table)
    assert ENGINE.takes(PairwiseRows(table.values))
    assert not ENGINE.takes(DenseRows(X))
    assert not cpu.takes(table)
    assert engine_for(table) is engine_for(table, device="torch:cpu")
    assert engine_for(PairwiseRows(table.values)) is engine_for(table)


@pytest.mark.parametrize("estimator", [SMOClassifier, OLLAWVClassifier, SMORegressor])
def test_a_fit_uploads_the_table_once_and_leaves_the_rest_to_the_device(
    estimator, device, monkeypatch
):
    uploads, read = [], features.read_table

    def count(values, *args, **kwargs):
        uploads.append(values)
        return read(values, *args, **kwargs)

    monkeypatch.setattr("svmosaic.engine.gpu.engine.read_table", count)
    monkeypatch.setattr("svmosaic.engine.gpu.features.read_table", count)
    monkeypatch.setattr(cpu, "distinct_rows", None)
    monkeypatch.setattr("svmosaic.utils.validation._is_ready", lambda X: X.shape[1] == 1)
    monkeypatch.setattr("svmosaic.classification.kernel_estimator.automatic_cache_mb", None)

    estimator(device=device).fit(X, Y.astype(float) if estimator is SMORegressor else Y)

    assert len(uploads) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("estimator", [SMOClassifier, SMORegressor])
def test_values_that_are_not_finite_are_refused_as_on_the_cpu(estimator, bad, device):
    broken = X.copy()
    broken[7, 2] = bad
    with pytest.raises(ValueError) as expected:
        estimator().fit(broken, Y)

    with pytest.raises(ValueError) as found:
        estimator(device=device).fit(broken, Y)
    assert str(found.value) == str(expected.value)

    model = estimator(device=device).fit(X, Y)
    with pytest.raises(ValueError, match=r"infinity|NaN"):
        model.predict(broken)


def test_features_out_of_range_are_refused_as_on_the_cpu(device):
    with pytest.raises(ValueError) as expected:
        SMOClassifier(gamma=1.0).fit(X.astype(np.float32) * 1e20, Y)

    with pytest.raises(ValueError) as found:
        SMOClassifier(gamma=1.0, device=device).fit(X.astype(np.float32) * 1e20, Y)

    assert str(found.value) == str(expected.value)


def test_another_number_of_features_is_refused_as_on_the_cpu(device):
    model = SMOClassifier(device=device).fit(X, Y)

    with pytest.raises(ValueError, match="X has 3 features, but SMOClassifier is expecting 4"):
        model.predict(X[:, :3].copy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_width_by_the_variance_is_that_of_the_cpu(dtype, monkeypatch):
    monkeypatch.setattr("svmosaic.engine.gpu.device_table._MOST_COPIED", 100)
    values = X.astype(dtype)
    samples, weights = np.arange(0, 150, 2), RNG.random(75)

    found = resolve_gamma("scale", ENGINE.read_table(values), samples, weights)

    expected = resolve_gamma("scale", values, samples, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_width_of_equal_and_of_huge_values_is_that_of_the_cpu():
    everyone, weights = np.arange(4), np.ones(4)
    equal, large = np.full((4, 2), 3.0), 1e200 * np.arange(8.0).reshape(4, 2)

    assert resolve_gamma("scale", ENGINE.read_table(equal), everyone, weights) == 1.0
    with pytest.raises(ValueError, match="squared features overflow float64"):
        resolve_gamma("scale", ENGINE.read_table(large), everyone, weights)
    assert resolve_gamma("auto", ENGINE.read_table(X), np.arange(3), np.ones(3)) == 0.25


# Identical rows -----------------------------------------------------------------------------


def test_patterns_that_share_a_hash_are_compared_on_the_cpu(monkeypatch):
    values = RNG.integers(0, 3, size=(60, 2)).astype(float)
    labels, weights = RNG.integers(0, 2, 60), np.ones(60)
    expected = cpu.distinct_rows(DenseRows(values), labels, weights)
    monkeypatch.setattr(distinct_rows, "_mix", lambda bits: bits & 1)

    assert distinct_rows.distinct_rows(ENGINE.read_table(values), labels, weights) is None
    found = ENGINE.distinct_rows(ENGINE.read_table(values), labels, weights)

    for left, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(left, right)


def test_hashes_of_rows_that_differ_a_little_differ():
    # Few bits are set in such values, and only those of one column differ.
    values = np.zeros((4096, 3), dtype=np.float32)
    values[:, 1] = np.arange(4096) % 64
    values[:, 2] = 2.0 ** (np.arange(4096) // 64)
    table = ENGINE.read_table(values)

    samples, weights = distinct_rows.distinct_rows(
        table, np.zeros(4096, dtype=np.int64), np.ones(4096)
    )

    assert samples.size == 4096
    np.testing.assert_array_equal(weights, 1.0)


def test_rows_are_compared_some_at_a_time(monkeypatch):
    values = RNG.integers(0, 2, size=(200, 3)).astype(np.float32)
    labels, weights = np.zeros(200, dtype=np.int64), RNG.integers(0, 2, 200).astype(float)
    expected = ENGINE.distinct_rows(ENGINE.read_table(values), labels, weights)
    monkeypatch.setattr(distinct_rows, "_MOST_AT_ONCE", 20)

    found = ENGINE.distinct_rows(ENGINE.read_table(values), labels, weights)

    for left, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("scale", [1.0, 1e-310, 1e300])
def test_sums_of_weights_do_not_depend_on_their_order(scale):
    weights = RNG.random(1000) * 10.0 ** RNG.integers(-6, 6, 1000) * scale
    begins = np.array([0, 1, 500])
    order = RNG.permutation(1000)
    again = np.concatenate([order[:1], order[499:0:-1], RNG.permutation(order[500:])])

    found = sum_weights(weights, order, begins)

    np.testing.assert_array_equal(sum_weights(weights, again, begins), found)
    assert found[0] == weights[order[0]]
    np.testing.assert_allclose(found[1], weights[order[1:500]].sum(), rtol=1e-13)


def test_repeated_rows_and_weights_give_one_model(device):
    order = RNG.permutation(300)
    twice = np.concatenate([X, X])[order]

    # Matrix products of another size are rounded differently, so the last bits may differ.
    expected = SMOClassifier(tol=1e-8, device=device).fit(X, Y, np.full(150, 2.0))
    found = SMOClassifier(tol=1e-8, device=device).fit(twice, np.concatenate([Y, Y])[order])

    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-6)
    assert found.n_support_.tolist() == expected.n_support_.tolist()
