"""Estimators on a cluster of real processes."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor, load, save

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

from svmosaic.dask import (  # noqa: E402
    DaskOLLAWVClassifier,
    DaskSMOClassifier,
    DaskSMORegressor,
    workers,
)
from svmosaic.dask.cluster_fit import join_classes  # noqa: E402

RNG = np.random.default_rng(0)
N = 900
X = RNG.uniform(-1, 1, size=(N, 3))
Y = np.array(["no", "yes"])[
    (np.sin(4 * X[:, 0]) * X[:, 1] + 0.2 * RNG.normal(size=N) > 0).astype(int)
]
THREE = (Y == "yes").astype(int) + (X[:, 2] > 0.4)
TARGET = np.sin(3 * X[:, 0]) + 0.1 * RNG.normal(size=N)
WEIGHTS = RNG.choice([0.5, 1.0, 2.0], N)
EXACT = {"C": 5.0, "tol": 1e-8}


def spread(values, rows=200):
    return da.from_array(values, chunks=(rows, -1) if values.ndim == 2 else rows)


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("rows", [200, 450, 899])
def test_the_model_is_the_local_one_for_any_partitions(rows):
    model = DaskSMOClassifier(**EXACT).fit(
        spread(X, rows), spread(THREE, rows), spread(WEIGHTS, rows)
    )

    local = SMOClassifier(**EXACT).fit(X, THREE, WEIGHTS)
    np.testing.assert_allclose(
        model.decision_function(spread(X)).compute(), local.decision_function(X), atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(spread(X)).compute(), local.predict(X))
    np.testing.assert_array_equal(model.classes_, local.classes_)
    np.testing.assert_array_equal(model.support_, local.support_)
    np.testing.assert_allclose(model.objective_, local.objective_, rtol=1e-9)
    assert model.score(spread(X), spread(THREE)) == pytest.approx(local.score(X, THREE))


def test_four_workers_give_the_bits_of_two(client, four):
    models = []
    for each in (client, four):
        model = DaskOLLAWVClassifier(C=5.0)
        model.client = each
        models.append(model.fit(spread(X), spread(Y)))

    np.testing.assert_array_equal(models[0].dual_coef_, models[1].dual_coef_)
    np.testing.assert_array_equal(models[0].intercept_, models[1].intercept_)
    assert models[1].fit_report_.n_workers == 4


@pytest.mark.usefixtures("client")
def test_compressed_rows_balanced_classes_and_one_vs_rest():
    blocks = [sparse.csr_array(np.where(part > 0, part, 0)) for part in np.array_split(X, 3)]
    lazy = da.concatenate(
        [da.from_array(b, chunks=b.shape, asarray=False, name=False) for b in blocks]
    )
    params = {**EXACT, "class_weight": "balanced", "multi_class": "ovr", "kernel": "poly"}

    model = DaskOLLAWVClassifier(**params).fit(lazy, spread(THREE, 300))

    whole = sparse.vstack(blocks).tocsr()
    local = OLLAWVClassifier(**params).fit(whole, THREE)
    np.testing.assert_allclose(model.objective_, local.objective_, rtol=1e-7)
    assert sparse.issparse(model.support_vectors_)
    # Not the predictions: a support vector at the margins of two classes is a tie.
    decisions = model.decision_function(lazy).compute()
    np.testing.assert_allclose(decisions, local.decision_function(whole), atol=1e-6)


@pytest.mark.usefixtures("client")
def test_dataframes_keep_names_and_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(N) * 10)
    frame["target"] = TARGET
    lazy = dd.from_pandas(frame, npartitions=4)

    model = DaskSMORegressor(C=2.0, tol=1e-8).fit(lazy[["a", "b", "c"]], lazy["target"])

    local = SMORegressor(C=2.0, tol=1e-8).fit(frame[["a", "b", "c"]], TARGET)
    found = model.predict(lazy[["a", "b", "c"]]).compute()
    np.testing.assert_allclose(found, local.predict(frame[["a", "b", "c"]]), atol=1e-6)
    assert found.index.equals(frame.index)
    assert model.to_local().feature_names_in_.tolist() == ["a", "b", "c"]
    expected = local.score(frame[["a", "b", "c"]], TARGET)
    assert model.score(lazy[["a", "b", "c"]], lazy["target"]) == pytest.approx(expected)


@pytest.mark.usefixtures("client")
def test_the_local_model_is_an_ordinary_one(tmp_path):
    model = DaskOLLAWVClassifier(C=5.0).fit(spread(X), spread(Y))

    local = model.to_local()

    assert type(local) is OLLAWVClassifier
    save(local, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), local.predict(X))
    restored = pickle.loads(pickle.dumps(model))
    assert restored.client is None
    np.testing.assert_array_equal(restored.predict(spread(X)).compute(), local.predict(X))
    assert "rounds" in str(model.fit_report_)
    with pytest.raises(NotFittedError):
        clone(model).predict(spread(X))


@pytest.mark.usefixtures("client")
def test_predictions_are_lazy_and_know_their_form():
    model = DaskSMOClassifier().fit(spread(X), spread(THREE))

    lazy = model.decision_function(spread(X))

    assert lazy.shape == (N, 3)
    assert lazy.chunks[0] == spread(X).chunks[0]
    assert model.predict(spread(X)).dtype == THREE.dtype
    with pytest.raises(ValueError, match="X has 2 features, but DaskSMOClassifier is expecting 3"):
        model.predict(spread(X[:, :2]))


@pytest.mark.usefixtures("client")
def test_time_is_limited_and_progress_is_told(caplog):
    with (
        caplog.at_level(logging.INFO, logger="svmosaic"),
        pytest.warns(ConvergenceWarning, match="max_time"),
    ):
        model = DaskSMOClassifier(C=1e4, tol=1e-9, max_time=1e-3, verbose=1).fit(
            spread(X), spread(Y)
        )

    assert "DaskSMOClassifier: round 1" in caplog.text
    assert model.stop_reason_.tolist() == ["max_time"]
    assert np.isnan(model.dual_gap_).all()


@pytest.mark.usefixtures("client")
def test_a_class_without_weight_is_left_out():
    params = {**EXACT, "class_weight": {2: 0.0}}
    model = DaskSMOClassifier(**params).fit(spread(X, 300), spread(THREE, 300))

    local = SMOClassifier(**params).fit(X, THREE)
    np.testing.assert_array_equal(model.classes_, local.classes_)
    np.testing.assert_allclose(model.objective_, local.objective_, rtol=1e-9)


@pytest.mark.usefixtures("client")
def test_a_tube_that_holds_all_targets_needs_no_support_vectors():
    model = DaskSMORegressor(epsilon=10.0).fit(spread(X, 300), spread(TARGET + 1e9, 300))

    local = SMORegressor(epsilon=10.0).fit(X, TARGET + 1e9)
    assert model.support_vectors_.shape == (0, 3)
    np.testing.assert_allclose(model.to_local().predict(X), local.predict(X))
    expected = local.score(X, TARGET + 1e9)
    assert model.score(spread(X), spread(TARGET + 1e9)) == pytest.approx(expected, abs=1e-6)


# Bad input ----------------------------------------------------------------------------------


def bad_column(number):
    table = X.copy()
    table[number * 100 + 5, 1] = np.nan
    return table


BAD = {
    "numpy": (lambda: (X, Y), TypeError, "takes arrays and dataframes of Dask. Got ndarray"),
    "columns": (
        lambda: (da.from_array(X, chunks=(200, 1)), spread(Y)),
        ValueError,
        r"X.rechunk\({1: -1}\)",
    ),
    "one dimension": (lambda: (spread(Y), spread(Y)), ValueError, "2 dimensions"),
    "partitions": (lambda: (spread(X), spread(Y, 300)), ValueError, "Got 5 and 3"),
    "rows": (
        lambda: (spread(X, 450), da.from_array(Y, chunks=((400, 500),))),
        ValueError,
        r"y.rechunk\(X.chunks\[0\]\)",
    ),
    "nan": (lambda: (spread(bad_column(7), 100), spread(Y, 100)), ValueError, "partition 7"),
    "one class": (
        lambda: (spread(X), spread(np.full(N, "yes"))),
        ValueError,
        "at least 2 classes",
    ),
    "target": (lambda: (spread(X), Y), TypeError, "takes y as an array"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(client, name):
    make, kind, words = BAD[name]
    data = make()

    with pytest.raises(kind, match=words):
        DaskSMOClassifier().fit(*data)

    del data
    deadline = time.monotonic() + 10
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        assert time.monotonic() < deadline, "tasks are left on the cluster"
        time.sleep(0.05)


@pytest.mark.usefixtures("client")
def test_rows_of_unknown_number_are_welcome_if_they_match():
    kept = X[:, 0] > -0.5
    lazy, labels = spread(X), spread(Y)
    mask = lazy[:, 0] > -0.5

    model = DaskSMOClassifier(**EXACT).fit(lazy[mask], labels[mask])

    local = SMOClassifier(**EXACT).fit(X[kept], Y[kept])
    np.testing.assert_allclose(model.objective_, local.objective_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"partition 0.*one target per row"):
        DaskSMOClassifier().fit(lazy[mask], labels)


def test_a_label_that_only_one_worker_has(client):
    order = np.argsort(THREE, kind="stable")
    model = DaskSMOClassifier(**EXACT).fit(spread(X[order], 300), spread(THREE[order], 300))

    local = SMOClassifier(**EXACT).fit(X[order], THREE[order])
    np.testing.assert_allclose(model.objective_, local.objective_, rtol=1e-9)


def test_labels_of_two_types_get_one_sentence():
    with pytest.raises(ValueError, match="labels of one type"):
        join_classes([np.array([0, 1]), np.array(["no", "yes"])], "Test")
    with pytest.raises(ValueError, match="labels of one type"):
        join_classes([np.array([0, "a"], dtype=object)], "Test")


def test_workers_of_another_version_are_refused(client, monkeypatch):
    monkeypatch.setattr(workers, "__version__", "9.9")

    with pytest.raises(RuntimeError, match=r"needs svmosaic 9.9 on all workers. Some have"):
        DaskSMOClassifier().fit(spread(X), spread(Y))


def test_without_a_client_the_sentence_says_what_to_do(monkeypatch):
    def no_client():
        raise ValueError("No global client found")

    monkeypatch.setattr(distributed, "get_client", no_client)

    with pytest.raises(ValueError, match="needs a Dask cluster, and there is no current client"):
        DaskSMOClassifier().fit(spread(X), spread(Y))


# Interruptions ------------------------------------------------------------------------------


@pytest.mark.usefixtures("client")
def test_ctrl_c_is_answered_at_once_and_leaves_the_old_model():
    model = DaskSMOClassifier(C=5.0).fit(spread(X), spread(Y))
    before = model.dual_coef_
    hard = RNG.normal(size=(6000, 20))
    data = spread(hard, 1500), spread(RNG.integers(0, 3, 6000), 1500)
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(1.0, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(C=1e5, tol=1e-9).fit(*data)

    assert time.perf_counter() - pressed[0] < 1.0
    np.testing.assert_array_equal(model.dual_coef_, before)
    assert model.classes_.tolist() == ["no", "yes"]


@pytest.mark.usefixtures("client")
def test_a_check_point_goes_on_and_is_removed(tmp_path, monkeypatch):
    path = tmp_path / "fit.checkpoint"
    model = DaskSMOClassifier(C=5.0, tol=1e-8, checkpoint=path)
    from svmosaic.dask import cluster_fit

    write, n_written = cluster_fit.write_checkpoint, []

    def write_twice(*args):
        write(*args)
        n_written.append(1)
        if len(n_written) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(cluster_fit, "write_checkpoint", write_twice)
    with pytest.raises(KeyboardInterrupt):
        model.fit(spread(X), spread(Y))
    monkeypatch.undo()
    assert path.exists()

    with pytest.raises(ValueError, match="belongs to another fit: parameters differ"):
        clone(model).set_params(C=6.0).fit(spread(X), spread(Y))
    with pytest.raises(ValueError, match="belongs to another fit: rows differ"):
        clone(model).fit(spread(X[::-1]), spread(Y[::-1]))
    model.fit(spread(X), spread(Y))

    assert not path.exists()
    local = SMOClassifier(C=5.0, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(
        model.to_local().decision_function(X), local.decision_function(X), atol=1e-6
    )
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="another or a damaged file"):
        model.fit(spread(X), spread(Y))
