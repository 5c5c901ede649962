"""The estimate of what is left: by method, and by the size of the data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmosaic.bags import check_bags
from svmosaic.experiments.description import count_numbers
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.order import in_order
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
    cells = _cells((10, "slow"), (10, "fast"), (10, "slow"), (100, "slow"), (100, "fast"))
    counter = Counter(cells, 1, seen.append)
    counter.count(_entry("0", 5.0))
    # Nothing is known of the fast one yet, an average method, nor of growth: the power 1.5.
    growth = 10.0**1.5
    assert seen[-1].remaining_seconds == pytest.approx(5.0 * (2 + 2 * growth))
    counter.count(_entry("1", 0.1))
    assert seen[-1].remaining_seconds == pytest.approx(5.0 + 5.1 * growth)
    counter.count(_entry("2", 7.0))
    # Folds of the same data cost what they have cost on average.
    assert seen[-1].remaining_seconds == pytest.approx((6.0 + 0.1) * growth)
    counter.count(_entry("3", 60.0, "failed"))
    # The slow one grew linearly, and the fast one is like it.
    assert 1.0 < seen[-1].remaining_seconds < 2.0
    counter.count(_entry("4", 1.0))

    assert [(one.done, one.failed, one.total) for one in seen] == [
        *((1, 0, 5), (2, 0, 5), (3, 0, 5)),
        *((4, 1, 5), (5, 1, 5)),
    ]
    assert seen[-1].remaining_seconds == 0.0


def test_far_larger_data_are_not_estimated():
    seen = []
    counter = Counter(_cells((10, "a"), (10, "b"), (1000, "a"), (1000, "b")), 1, seen.append)
    for key in "0123":
        counter.count(_entry(key, 1.0))

    assert [one.remaining_seconds for one in seen[:2]] == [np.inf, np.inf]
    assert 0.5 < seen[2].remaining_seconds < 2.0
    assert seen[3].remaining_seconds == 0.0


def _run(rng, n_folds, n_workers=1):
    """Return the estimates of a run of synthetic durations, and what was really left."""
    exponents = {"online": 1.0, "svm": 1.8, "primal": 2.2, "tree": 1.1}
    levels = {name: 10.0 ** rng.uniform(-8, -6) * 1e5 ** (1.6 - b) for name, b in exponents.items()}
    plan, seconds = {}, {}
    for d, size in enumerate(10.0 ** rng.uniform(3, 6, 12)):
        for method, exponent in exponents.items():
            # A data set may suit a method more or less.
            usual = 0.02 + levels[method] * size**exponent * np.exp(rng.normal(0, 0.3))
            for fold in range(n_folds):
                key = f"{d}-{method}-{fold}"
                plan.setdefault(str(d), []).append(PlannedCell(key, "", "", method, int(size)))
                seconds[key] = usual * np.exp(rng.normal(0, 0.15))
    seen = []
    counter = Counter([cell for cells in plan.values() for cell in cells], n_workers, seen.append)
    rest, left = sum(seconds.values()), []
    for _, cells in in_order(plan):
        for cell in cells:
            counter.count(_entry(cell.key, seconds[cell.key]))
            rest -= seconds[cell.key]
            left.append(rest / n_workers)
    return [one.remaining_seconds for one in seen], left


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_folds", [5, 10])
def test_after_a_tenth_of_the_cells_the_estimate_is_within_a_factor_of_two(n_folds, seed):
    estimates, left = _run(np.random.default_rng(seed), n_folds)

    n = len(left)
    for done in range(n // 10, 9 * n // 10):
        assert left[done] / 2 < estimates[done] < left[done] * 2, done / n


def test_one_cell_of_each_method_and_data_set_comes_first():
    plan = {
        name: _cells(*[(size, method) for method in "ab" for _ in range(3)])
        for name, size in (("large", 100), ("small", 1), ("middle", 10))
    }
    plan = {n: [cell._replace(key=f"{n}{cell.key}") for cell in cs] for n, cs in plan.items()}

    order = [(name, [cell.key for cell in cells]) for name, cells in in_order(plan)]

    assert order[:3] == [
        ("small", ["small0", "small3"]),
        ("large", ["large0", "large3"]),
        ("middle", ["middle0", "middle3"]),
    ]
    assert [name for name, _ in order[3:]] == ["large", "small", "middle"]
    assert sorted(key for _, keys in order for key in keys) == sorted(
        cell.key for cells in plan.values() for cell in cells
    )
    alone = {"large": plan["large"], "small": []}
    assert list(in_order(alone)) == [("large", plan["large"])]


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
