"""The folds of Weka and Mulan, for replays of results that were made with them.

Written from the public definitions of ``java.util.Random``, of ``Instances.randomize`` and of
``Instances.trainCV`` and ``testCV``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["JavaRandom", "WekaFolds", "weka_blocks", "weka_order"]

IndexArray = npt.NDArray[np.int64]

# java.util.Random: a linear congruential generator of 48 bits.
_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


class JavaRandom:
    """The random numbers of ``java.util.Random``.

    Parameters
    ----------
    seed : int
        The seed.

    Examples
    --------
    >>> from svmosaic.model_selection.weka_folds import JavaRandom
    >>> random = JavaRandom(42)
    >>> [random.next_int(10) for _ in range(5)]
    [0, 3, 8, 4, 0]
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def _next(self, bits: int) -> int:
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> (48 - bits)

    def next_int(self, bound: int) -> int:
        """Return a number from 0 to bound - 1."""
        if bound & (bound - 1) == 0:
            return (bound * self._next(31)) >> 31
        while True:
            bits = self._next(31)
            value = bits % bound
            # The last part of the range is not a whole multiple of the bound: draw again.
            if bits - value + (bound - 1) < 1 << 31:
                return value


def weka_order(n_rows: int, seed: int) -> IndexArray:
    """Return the rows in the order in which Weka shuffles them.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    seed : int
        Seed of Java's generator.

    Examples
    --------
    >>> from svmosaic.model_selection.weka_folds import weka_order
    >>> sorted(weka_order(5, 1).tolist())
    [0, 1, 2, 3, 4]
    """
    random = JavaRandom(seed)
    order = np.arange(n_rows)
    for j in range(n_rows - 1, 0, -1):
        other = random.next_int(j + 1)
        order[j], order[other] = order[other], order[j]
    return order


def weka_blocks(order: IndexArray, n_splits: int) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Yield (training rows, test rows): consecutive blocks, the first n mod n_splits one longer."""
    for test in np.array_split(order, n_splits):
        yield order[~np.isin(order, test)], test


class WekaFolds:
    """Folds as Weka and Mulan make them, as a splitter.

    Rows are shuffled by Java's generator and cut into consecutive blocks.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds.
    seed : int, default=1
        Seed of the shuffle.
    seeds_before : tuple of int, default=()
        Seeds of shuffles that come first, one after the other.
    shuffle_links : bool, default=False
        Whether each link of a chain shuffles the rows once more, before all else; see `for_link`.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.model_selection.weka_folds import WekaFolds
    >>> [len(test) for _, test in WekaFolds(3).split(np.zeros((10, 2)))]
    [4, 3, 3]
    """

    def __init__(
        self,
        n_splits: int = 10,
        seed: int = 1,
        seeds_before: tuple[int, ...] = (),
        shuffle_links: bool = False,
    ) -> None:
        self.n_splits = n_splits
        self.seed = seed
        self.seeds_before = seeds_before
        self.shuffle_links = shuffle_links

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield the (training rows, test rows) of each fold, in their shuffled order."""
        n_rows = X.shape[0]
        order = np.arange(n_rows)
        for seed in (*self.seeds_before, self.seed):
            order = order[weka_order(n_rows, seed)]
        yield from weka_blocks(order, self.n_splits)

    def for_link(self, chain: int, position: int, n_targets: int) -> WekaFolds:
        """Return the folds of one link: the rows first shuffled by chain * n_targets + position."""
        if not self.shuffle_links:
            return self
        return WekaFolds(self.n_splits, self.seed, (chain * n_targets + position,))

    def __repr__(self) -> str:
        return f"WekaFolds(n_splits={self.n_splits}, seed={self.seed})"
