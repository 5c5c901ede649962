"""Data larger than the memory of the workers train. This takes minutes and writes gigabytes."""

from __future__ import annotations

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

import dask  # noqa: E402
from clusters import cluster_of, wide_rows  # noqa: E402
from svmosaic.dask import DaskOLLAWVClassifier  # noqa: E402

pytestmark = pytest.mark.dask

LIMIT = 500 * 2**20
N_FEATURES, ROWS = 100, 40_000


def test_data_five_times_the_memory_of_a_worker(tmp_path):
    n_blocks = -(-5 * LIMIT // (4 * N_FEATURES * ROWS))
    blocks = [dask.delayed(wide_rows)(number, ROWS, N_FEATURES) for number in range(n_blocks)]
    X = da.concatenate([da.from_delayed(b[0], (ROWS, N_FEATURES), np.float32) for b in blocks])
    y = da.concatenate([da.from_delayed(b[1], (ROWS,), int) for b in blocks])
    assert X.nbytes >= 5 * LIMIT

    with (
        dask.config.set({"temporary-directory": str(tmp_path)}),
        cluster_of(2, memory_limit=LIMIT),
    ):
        model = DaskOLLAWVClassifier(C=1.0, gamma=0.005, tol=1e-2).fit(X, y)

    assert model.fit_report_.n_lost == 0
    assert model.fit_report_.violation <= 1e-2
    test, labels = wide_rows(n_blocks, 2000, N_FEATURES)
    assert model.to_local().score(test, labels) > 0.99
