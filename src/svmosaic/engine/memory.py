"""How much memory a fit needs, known before it begins."""

from __future__ import annotations

from collections.abc import Sequence

import svmosaic._core as _core
from svmosaic.engine.problem import CsrRows, DenseRows, Problem, Rows
from svmosaic.utils.free_memory import free_memory
from svmosaic.utils.threads import share_of_computer

__all__ = ["automatic_cache_mb", "cache_within", "working_bytes"]

# Per sample of a problem: its number, target, weight, score, gradient, bounds and coefficients,
# the place of its column in the cache, and the order of the rows.
_BYTES_PER_SAMPLE = 240
# With fewer columns than this in the cache the solvers crawl.
_LEAST_COLUMNS = 64
_MB = 1024 * 1024
# Kernel columns may take so much without a look at the memory that is free.
_LITTLE_MB = 64.0
_SHARE_OF_FREE_MEMORY = 0.25
# A column is as long as there are samples, rounded up to an odd number of cache lines.
_ROUNDING = 32


def _copy_bytes(rows: Rows, n_samples: int) -> tuple[float, str]:
    """Return the size and the name of the copy of the rows that one problem is solved on."""
    if isinstance(rows, DenseRows):
        d, item = rows.values.shape[1], rows.values.itemsize
        name = f"the interleaved copy of X ({n_samples} x {d} {rows.values.dtype})"
        return float(n_samples) * d * item, name
    if isinstance(rows, CsrRows):
        n_rows = max(1, rows.offsets.size - 1)
        # Every row is filled up to groups of four.
        per_row = rows.values.size / n_rows + 3
        name = f"the packed copy of X ({n_samples} sparse rows)"
        return n_samples * (per_row * (rows.values.itemsize + 4) + 24), name
    return 0.0, "the samples"


def _item_size(rows: Rows) -> int:
    return 4 if isinstance(rows, DenseRows | CsrRows) and rows.values.itemsize == 4 else 8


def working_bytes(rows: Rows, problems: Sequence[Problem], n_threads: int) -> tuple[float, str]:
    """Return what a fit needs besides its kernel columns, and the largest part by name.

    Parameters
    ----------
    rows : Rows
        The table.
    problems : sequence of Problem
        The binary problems.
    n_threads : int
        How many small problems run side by side.

    Returns
    -------
    size : float
        Bytes, without the data themselves.
    name : str
        The array that takes most of it.
    """
    sizes = sorted((p.samples.size for p in problems), reverse=True)
    # Large problems run one after the other.
    at_once = sizes[:1] if sizes[0] >= _core.LARGE_PROBLEM else sizes[:n_threads]
    copies = [_copy_bytes(rows, n) for n in at_once]
    listed = 24.0 * sum(sizes)
    blocks = float(_core.values_in_blocks(sizes[0], n_threads) * _item_size(rows))
    fixed = _BYTES_PER_SAMPLE * sum(at_once) + listed + blocks
    return sum(c[0] for c in copies) + fixed, copies[0][1]


def automatic_cache_mb(rows: Rows, problems: Sequence[Problem], n_threads: int) -> float:
    """Return the megabytes that kernel columns may take if nobody says.

    A quarter of the memory that is free, or of the share of it that a worker beside others has; no
    more than all columns need, and no less than a few of them. The solution does not depend on it.
    """
    sizes = [problem.samples.size for problem in problems] or [0]
    large = [n for n in sizes if n >= _core.LARGE_PROBLEM]
    small = [n for n in sizes if n < _core.LARGE_PROBLEM]
    # Large problems run one after the other, small ones side by side with a share each.
    side_by_side = n_threads if large else min(n_threads, len(small))
    longest = max([n**2 for n in large] + [side_by_side * n**2 for n in small])
    needed = _item_size(rows) * float(longest + 2 * _ROUNDING * max(sizes) * n_threads) / _MB
    if needed <= _LITTLE_MB:
        return needed
    least = _LEAST_COLUMNS * float(max(sizes)) * _item_size(rows) / _MB
    free = _SHARE_OF_FREE_MEMORY * share_of_computer() * free_memory() / _MB
    return min(needed, max(least, free))


def cache_within(
    limit_mb: float,
    rows: Rows,
    problems: Sequence[Problem],
    n_threads: int,
    who: str,
    *,
    more_bytes: float = 0.0,
) -> float:
    """Return the megabytes that kernel columns may take under a limit on all memory.

    `more_bytes` is what the solver needs besides what all solvers do.

    Raises
    ------
    MemoryError
        If the limit leaves no room for a few columns; the message names the largest array.
    """
    fixed, name = working_bytes(rows, problems, n_threads)
    fixed += more_bytes
    largest = max(p.samples.size for p in problems)
    columns = _LEAST_COLUMNS * float(largest) * _item_size(rows)
    left = limit_mb * _MB - fixed
    if left < columns:
        least = (fixed + columns) / _MB
        raise MemoryError(
            f"{who} expected memory_limit_mb of at least {least:.0f} for {name} and "
            f"{_LEAST_COLUMNS} kernel columns. Got {limit_mb:g} instead; raise it, or pass "
            "float32 data."
        )
    return left / _MB
