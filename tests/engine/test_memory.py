"""A limit on memory is kept, or refused before anything is allocated."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor
from svmosaic.engine import memory
from svmosaic.engine.memory import automatic_cache_mb, cache_within, working_bytes
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


# Memory that nobody asked for -------------------------------------------------------------------


@pytest.fixture
def free(monkeypatch):
    """Return a function that sets the free memory, in MB, and this worker's share of it."""

    def make(free_mb, share=1.0):
        monkeypatch.setattr(memory, "free_memory", lambda: int(free_mb * 2**20))
        monkeypatch.setattr(memory, "share_of_computer", lambda: share)

    return make


def _table(n, dtype=np.float32):
    return make_rows(np.zeros((n, 2), dtype=dtype), "rbf")


def test_a_quarter_of_the_free_memory_is_for_kernel_columns(free):
    rows, problems = _table(100_000), [_problem(100_000)]

    free(8000)
    assert automatic_cache_mb(rows, problems, 2) == 2000
    free(8000, share=0.25)
    assert automatic_cache_mb(rows, problems, 2) == 500


def test_no_more_is_allowed_than_all_columns_need(free):
    free(1e6)

    for dtype, item in ((np.float32, 4), (np.float64, 8)):
        allowed = automatic_cache_mb(_table(9000, dtype), [_problem(9000)], 2)
        assert 9000**2 * item / 2**20 < allowed < 1.05 * 9000**2 * item / 2**20


def test_small_problems_side_by_side_need_room_each(free):
    free(1e6)
    problems = [_problem(5000)] * 3

    one, two, four = (automatic_cache_mb(_table(5000), problems, n) for n in (1, 2, 4))

    assert two == pytest.approx(2 * one)
    assert four == pytest.approx(3 * one, rel=0.02)  # there are three


def test_little_is_allowed_without_a_look_at_the_memory(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: pytest.fail("it took the time to look"))

    assert 0.0 < automatic_cache_mb(_table(1000), [_problem(1000)], 2) < 64
    assert automatic_cache_mb(_table(1000), [], 2) < 64


def test_a_full_computer_leaves_a_few_columns(free):
    free(0)

    allowed = automatic_cache_mb(_table(100_000), [_problem(100_000)], 2)

    assert allowed == 64 * 100_000 * 4 / 2**20


@pytest.mark.parametrize("kind", [OLLAWVClassifier, SMOClassifier, SMORegressor])
def test_the_report_tells_how_much_was_allowed(free, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 2)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    free(400)

    report = kind(max_time=60).fit(X, y).fit_report_

    assert report.cache_mb == 100
    assert 0 < report.counters.cache_bytes <= 100 * 2**20
    assert "100 MB allowed" in str(report)


def test_a_number_and_a_limit_are_kept(free):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    free(1)

    assert SMOClassifier(cache_mb=7).fit(X, y).fit_report_.cache_mb == 7
    assert 5 < SMOClassifier(memory_limit_mb=10).fit(X, y).fit_report_.cache_mb < 10
    assert SMOClassifier(cache_mb=np.float32(7)).fit(X, y).fit_report_.cache_mb == 7


@pytest.mark.parametrize("value", ["all", -1.0, None])
def test_other_words_are_refused(value):
    with pytest.raises(ValueError, match="The 'cache_mb' parameter of SMOClassifier must be"):
        SMOClassifier(cache_mb=value).fit([[0.0], [1.0]], [0, 1])


# A limit --------------------------------------------------------------------------------------


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
grid = dict(gammas=[0.05], margins=np.linspace(0.1, 0.5, 9), Cs=[0.5, 1.0, 10.0])
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
        # The outcomes of 9 margins and 5 folds of 325 binary problems take as much as the kernel
        # values.
        (26, 1400, None, 45),
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
