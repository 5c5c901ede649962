"""Clusters that are started once for all tests of a file."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from clusters import cluster_of


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as client:
        yield client


@pytest.fixture(scope="module")
def four():
    with cluster_of(4) as client:
        yield client
