"""Workers and schedulers are killed, and the model is the same. This takes minutes."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from svmosaic import OLLAWVClassifier

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from clusters import cluster_of, noisy_rows  # noqa: E402
from dask import delayed  # noqa: E402
from svmosaic.dask import DaskOLLAWVClassifier, workers  # noqa: E402

pytestmark = pytest.mark.dask

N_PARTITIONS, ROWS = 4, 1500
PARAMS = {"C": 4.0, "gamma": 2.0}


def lazy_data():
    """Rows that are made on the workers, and again when they are lost."""
    parts = [delayed(noisy_rows)(number, ROWS) for number in range(N_PARTITIONS)]
    X = [da.from_delayed(p[0], (ROWS, 4), float) for p in parts]
    y = [da.from_delayed(p[1], (ROWS,), int) for p in parts]
    return da.concatenate(X), da.concatenate(y)


def kill_one(client, rng):
    pids = list(client.run(os.getpid).values())
    os.kill(rng.choice(pids), signal.SIGKILL)


def test_twenty_killed_workers_change_nothing(monkeypatch):
    lines = []
    monkeypatch.setattr(workers._log, "warning", lambda text, *args: lines.append(text % args))
    with cluster_of(3) as client:
        expected = DaskOLLAWVClassifier(**PARAMS).fit(*lazy_data())
        seconds = expected.fit_report_.seconds
        rng = random.Random(0)
        n_lost = 0
        for number in range(20):
            client.wait_for_workers(3)
            timer = threading.Timer(rng.uniform(0.05, 0.9) * seconds, kill_one, (client, rng))
            timer.start()
            model = DaskOLLAWVClassifier(**PARAMS).fit(*lazy_data())
            timer.join()

            np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_, str(number))
            np.testing.assert_array_equal(model.support_, expected.support_)
            n_lost += model.fit_report_.n_lost
    assert n_lost > 0
    assert "of 3 workers are gone; what they had is computed again." in lines[0]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*words):
    # Unlike those of a LocalCluster, these processes do not know where tests are.
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def start_cluster(port):
    address = f"tcp://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    processes = [start("dask_scheduler", *options)]
    options = ["--nthreads", "1", "--no-dashboard", "--memory-limit", "1GiB"]
    processes += [start("dask_worker", address, *options) for _ in range(2)]
    client = distributed.Client(address, timeout=30)
    client.wait_for_workers(2)
    return client, processes


@pytest.mark.filterwarnings("ignore")
def test_a_killed_scheduler_is_told_and_the_check_point_goes_on(tmp_path):
    params = {**PARAMS, "checkpoint": tmp_path / "fit", "tol": 1e-7}
    client, processes = start_cluster(free_port())
    model = DaskOLLAWVClassifier(**params)
    model.client = client

    ended = threading.Event()

    def kill_when_written():
        while not params["checkpoint"].exists() and not ended.wait(0.005):
            pass
        processes[0].kill()

    killer = threading.Thread(target=kill_when_written)
    killer.start()
    try:
        with pytest.raises(RuntimeError, match=r"the scheduler at .* is gone"):
            model.fit(*lazy_data())
    finally:
        ended.set()
        killer.join()
        client.close(timeout=1)
        for process in processes:
            process.kill()
            process.wait()
    assert params["checkpoint"].exists()

    with cluster_of(2) as client:
        model.client = client
        model.fit(*lazy_data())

    parts = [noisy_rows(number, ROWS) for number in range(N_PARTITIONS)]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    local = OLLAWVClassifier(**PARAMS, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(
        model.to_local().decision_function(X), local.decision_function(X), atol=1e-6
    )
    assert not params["checkpoint"].exists()


def test_covertype_in_eight_partitions_is_the_local_fit(load_real):
    from sklearn.preprocessing import MinMaxScaler

    data = load_real("covertype")
    n = 100_000
    X = data.X[:n].toarray() if sparse.issparse(data.X) else data.X[:n]
    X = MinMaxScaler().fit_transform(X).astype(np.float32)
    y = (np.asarray(data.y)[:n] == 2).astype(int)
    with cluster_of(2):
        lazy = da.from_array(X, chunks=(n // 8, -1)), da.from_array(y, chunks=n // 8)
        model = DaskOLLAWVClassifier(C=4.0, gamma=8.0).fit(*lazy)

    local = OLLAWVClassifier(C=4.0, gamma=8.0, n_jobs=-1).fit(X, y)
    assert model.objective_[0] == pytest.approx(local.objective_[0], rel=1e-6)
    same = np.mean(model.to_local().predict(X) == local.predict(X))
    assert same > 0.9999
