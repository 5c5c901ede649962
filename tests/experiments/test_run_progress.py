"""The estimate of what is left: by method, and by the size of the data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmosaic.bags import check_bags
from svmosaic.experiments.description import count_numbers
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.planned import PlannedCell
from svmosaic.experiments.run_progress import Counter
from svmosaic.streams import SEA


def _entry(key, seconds, status="done"):
    return Entry(key, "d", "m", 0, 0, status, {"cell_seconds": seconds}, "now")


def _cells(*sizes_and_methods):
    return [
        PlannedCell(str(i), "", "", method, size)
        for i, (size, method) in enumerate(sizes_and_methods)
    ]


def test_the_rest_is_estimated_by_method_and_size():
    seen = []
    cells = _cells((10, "slow"), (10, "fast"), (1000, "slow"), (1000, "fast"))
    counter = Counter(cells, 1, seen.append)
    counter.count(_entry("0", 5.0))
    # Nothing is known of the fast one yet: an average method.
    assert seen[-1].remaining_seconds == pytest.approx(0.5 * (1000 + 10 + 1000))
    counter.count(_entry("1", 0.1))
    assert seen[-1].remaining_seconds == pytest.approx(500.0 + 10.0)
    counter.count(_entry("2", 400.0, "failed"))
    assert seen[-1].remaining_seconds == pytest.approx(10.0)
    counter.count(_entry("3", 10.0))

    assert [(one.done, one.failed, one.total) for one in seen] == [
        *((1, 0, 4), (2, 0, 4)),
        *((3, 1, 4), (4, 1, 4)),
    ]
    assert seen[-1].remaining_seconds == 0.0


def test_workers_share_the_rest_while_there_is_enough():
    seen = []
    counter = Counter(_cells(*[(1, "m")] * 4), 3, seen.append)
    for key in "0123":
        counter.count(_entry(key, 6.0))

    assert [one.remaining_seconds for one in seen] == pytest.approx([6.0, 6.0, 6.0, 0.0])


def test_numbers_in_data():
    X = np.ones((4, 3))

    assert count_numbers(X, np.zeros(4)) == 12
    assert count_numbers(X, np.zeros((4, 2))) == 24
    assert count_numbers(sp.csr_array(np.eye(5)), np.zeros(5)) == 5
    assert count_numbers(sp.csr_array((5, 5)), np.zeros(5)) == 1
    assert count_numbers(check_bags([X, X]), np.zeros(2)) == 24
    assert count_numbers(SEA(n_samples=100), None) == 300
