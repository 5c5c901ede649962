"""Instances of bags in blocks, so that tables of pairs of instances never exist as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine.problem import IndexArray

__all__ = ["BLOCK_ROWS", "Block", "iter_blocks"]

# 1024 x 1024 doubles are 8 MB: large enough for BLAS, small enough for a processor's cache.
BLOCK_ROWS = 1024


class Block(NamedTuple):
    """Consecutive instances, which may begin and end within a bag.

    Attributes
    ----------
    rows : slice
        The instances.
    bags : slice
        The bags that have an instance among them.
    begins : ndarray of int64
        Where each of these bags begins, counted from the first row; what `reduceat` wants.
    """

    rows: slice
    bags: slice
    begins: IndexArray


def iter_blocks(bags: Bags, n_rows: int = BLOCK_ROWS) -> Iterator[Block]:
    """Cut all instances into blocks of `n_rows` rows."""
    for begin in range(0, bags.n_instances, n_rows):
        end = min(begin + n_rows, bags.n_instances)
        first = int(np.searchsorted(bags.offsets, begin, side="right")) - 1
        last = int(np.searchsorted(bags.offsets, end, side="left"))
        begins = np.maximum(bags.offsets[first:last], begin) - begin
        yield Block(slice(begin, end), slice(first, last), begins)
