"""Clusters of real processes on this computer."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager

import distributed
import numpy as np


@contextmanager
def cluster_of(n_workers, memory_limit="1GiB"):
    """Start workers of one thread each."""
    before = dict(os.environ)
    with warnings.catch_warnings():
        # Sockets that the event loop of a cluster closes a moment later.
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address=":0",
                memory_limit=memory_limit,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
    # Dask tells libraries by variables of this process how many threads workers may use.
    for name in set(os.environ) - set(before):
        del os.environ[name]


def noisy_rows(seed, n):
    """Return rows of two classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 4))
    y = (np.sin(5 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)
    return X, y


def wide_rows(seed, n, n_features):
    """Return rows of two classes that touch."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    X[:, :5] += 4.0 * (y[:, np.newaxis] - 0.5)
    return X, y
