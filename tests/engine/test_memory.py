"""A limit on memory is kept, or refused before anything is allocated."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor
from svmosaic.engine.memory import cache_within, working_bytes
from svmosaic.engine.problem import Problem
from svmosaic.engine.rows import make_rows


def _problem(n):
    return Problem(np.arange(n), np.ones(n), np.ones(n))


def test_the_copy_of_the_rows_counts():
    rows = make_rows(np.zeros((10_000, 100), dtype=np.float32), "rbf")

    size, name = working_bytes(rows, [_problem(10_000)], 2)

    block = 4 * 2048**2  # of the exact solver
    assert 4e6 + block < size < 4e6 + block + 10_000 * 400
    assert name == "the interleaved copy of X (10000 x 100 float32)"


def test_small_problems_side_by_side_count_together():
    rows = make_rows(np.zeros((1000, 50)), "rbf")

    one, _ = working_bytes(rows, [_problem(1000)] * 3, 1)
    two, _ = working_bytes(rows, [_problem(1000)] * 3, 2)

    assert two - one >= 1000 * 50 * 8


def test_sparse_rows_count_by_their_values():
    X = sparse.random_array((5000, 300), density=0.04, format="csr", rng=0)
    rows = make_rows(sparse.csr_matrix(X), "rbf")

    size, name = working_bytes(rows, [_problem(5000)], 1)

    assert size > X.nnz * 12
    assert "sparse rows" in name


def test_a_limit_that_is_too_low_gets_one_sentence():
    X = np.random.default_rng(0).normal(size=(500, 40))
    y = (X[:, 0] > 0).astype(int)
    message = (
        r"OLLAWVClassifier expected memory_limit_mb of at least \d+ for the interleaved copy of X "
        r"\(500 x 40 float64\) and 64 kernel columns. Got 0.1 instead; raise it"
    )
    with pytest.raises(MemoryError, match=message):
        OLLAWVClassifier(memory_limit_mb=0.1).fit(X, y)


def test_exact_solvers_know_the_limit():
    X = np.random.default_rng(0).normal(size=(500, 40))
    with pytest.raises(MemoryError, match="SMOClassifier expected memory_limit_mb of at least"):
        SMOClassifier(memory_limit_mb=0.1).fit(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(MemoryError, match="SMORegressor expected memory_limit_mb of at least"):
        SMORegressor(memory_limit_mb=0.1).fit(X, X[:, 0])


def test_what_the_limit_leaves_goes_to_columns():
    rows = make_rows(np.zeros((10_000, 10)), "rbf")
    fixed, _ = working_bytes(rows, [_problem(10_000)], 1)

    cache = cache_within(100.0, rows, [_problem(10_000)], 1, "it")

    assert cache == pytest.approx(100.0 - fixed / 2**20)


_RUN = """
import resource, numpy as np
from svmosaic import OLLAWVClassifier, SMOClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 20)).astype(np.float32)
y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=60_000) > 0).astype(int)
OLLAWVClassifier().fit(X[:500], y[:500])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{machine}.set_params(C=1.0, gamma=0.1, memory_limit_mb={limit}, n_jobs=2).fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in kilobytes on Linux only")
@pytest.mark.parametrize(
    "machine",
    [
        "OLLAWVClassifier(refine=None, margin=0.0)",
        "OLLAWVClassifier(refine='selected', margin=0.0)",
        "OLLAWVClassifier(refine='full')",
        "SMOClassifier()",
    ],
)
@pytest.mark.parametrize("limit", [150, 400])
def test_a_fit_stays_within_its_limit(limit, machine):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _RUN.format(limit=limit, machine=machine)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert float(done.stdout) <= 1.1 * limit


_SEARCH = """
import re
from pathlib import Path

import numpy as np

from svmosaic import OLLAWVClassifierCV

def resident(name):
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{{name}}:\\s+(\\d+) kB", status)[1]) / 1024

rng = np.random.default_rng(0)
y = rng.integers({n_classes}, size={n_samples})
X = rng.normal(size=({n_classes}, 8))[y] + rng.normal(size=({n_samples}, 8))
grid = dict(gammas=[0.05], margins=[0.1, 0.3, 0.5], Cs=[0.5, 1.0, 10.0])
search = OLLAWVClassifierCV(refine={refine!r}, n_jobs=2, cv=5, **grid)
search.fit(X[:300], y[:300] % 3)
search.set_params(memory_limit_mb={limit})
Path("/proc/self/clear_refs").write_text("5")
before = resident("VmRSS")
search.fit(X, y)
print(resident("VmHWM") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets the highest memory")
@pytest.mark.parametrize(
    ("n_classes", "n_samples", "refine", "limit"),
    [
        # The outcomes of 5 folds of 325 binary problems take as much as the kernel values.
        (26, 1400, "selected", 45),
        # Two threads solve large problems side by side.
        (2, 2400, "full", 40),
    ],
)
def test_a_search_stays_within_its_limit(n_classes, n_samples, refine, limit):
    program = _SEARCH.format(n_classes=n_classes, n_samples=n_samples, refine=refine, limit=limit)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )

    assert float(done.stdout) <= 1.1 * limit
