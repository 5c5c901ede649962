"""A Dask cluster of two processes on this computer."""

from __future__ import annotations

import contextlib
import gc
import warnings

import pytest


@contextlib.contextmanager
def two_workers():
    """Give a cluster of two workers with one thread each; its dashboard takes any free port."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        # Of sockets that are closed a moment later, and of Dask's own future changes.
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster:
            yield cluster
        gc.collect()
