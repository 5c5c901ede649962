"""Streams that are generated in blocks, each from random numbers of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.checks import check_count, check_samples
from svmosaic.streams.stream_protocol import DoubleArray, Samples, Stream

__all__ = ["BLOCK", "BlockStream", "FunctionStream", "as_points", "flip", "pick_balanced"]

# Samples in a block. Even, so that balanced classes alternate across blocks too.
BLOCK = 1000


class BlockStream(Stream):
    """A generator with random access.

    Block b holds the samples ``1000 b, ..., 1000 b + 999`` and depends on the seed and on b only.
    The block read last is kept. A subclass implements ``_make_block(number, rng)``.

    Parameters
    ----------
    n_features : int
        Number of features.
    classes : array-like of shape (n_classes,)
        All labels.
    seed : int
        Seed of the samples, not negative.
    n_samples : int or None
        Where the stream ends; None means never.
    name : str or None
        Name of the stream; None means the name of the class.
    """

    _caches: ClassVar[tuple[str, ...]] = ("_block",)

    def __init__(
        self, *, n_features: int, classes: Any, seed: int, n_samples: int | None, name: str | None
    ) -> None:
        owner = type(self).__name__
        super().__init__(
            n_features=n_features,
            classes=classes,
            length=check_samples(owner, n_samples),
            name=owner if name is None else name,
        )
        self.seed = check_count(owner, "seed", seed, 0)
        self._block: tuple[int, Samples] | None = None

    @abstractmethod
    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        """Return the samples of a block, drawn from its own random numbers."""

    def _read(self, begin: int, count: int) -> Samples:
        X = np.empty((count, self.n_features))
        y = np.empty(count, dtype=self.classes.dtype)
        done = 0
        while done < count:
            number, offset = divmod(begin + done, BLOCK)
            n_rows = min(BLOCK - offset, count - done)
            block_X, block_y = self._get_block(number)
            X[done : done + n_rows] = block_X[offset : offset + n_rows]
            y[done : done + n_rows] = block_y[offset : offset + n_rows]
            done += n_rows
        return X, y

    def _get_block(self, number: int) -> Samples:
        # The pair is replaced as a whole, so that threads never see half of a change.
        kept = self._block
        if kept is None or kept[0] != number:
            rng = block_rng(self.seed, Purpose.SAMPLES, number)
            kept = number, self._make_block(number, rng)
            self._block = kept
        return kept[1]


class FunctionStream(BlockStream):
    """A generator of points that one of several functions sorts into the classes 0 and 1.

    A subclass implements ``_draw(rng, count)``, which returns points, and `label`; it may
    implement ``_finish(rng, X, y)``, which adds noise.

    Parameters
    ----------
    n_features : int
        Number of features.
    function, n_functions : int
        Number of the function, from 1, and how many there are.
    balance : bool
        Whether the classes alternate: 1, 0, 1, 0, ...
    seed, n_samples, name
        See `BlockStream`.
    """

    def __init__(
        self,
        *,
        n_features: int,
        function: int,
        n_functions: int,
        balance: bool,
        seed: int,
        n_samples: int | None,
        name: str | None,
    ) -> None:
        super().__init__(
            n_features=n_features, classes=[0, 1], seed=seed, n_samples=n_samples, name=name
        )
        self.function = check_count(type(self).__name__, "function", function, 1, n_functions)
        self.balance = bool(balance)

    @abstractmethod
    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's function, without noise."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        """Return points."""

    def _finish(self, rng: np.random.Generator, X: DoubleArray, y: NDArray[np.int64]) -> Samples:
        """Return the samples of a block with noise and irrelevant features."""
        return X, y

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        if self.balance:
            X, y = pick_balanced(rng, self._draw, self.label)
        else:
            X = self._draw(rng, BLOCK)
            y = self.label(X)
        return self._finish(rng, X, y)


def pick_balanced(
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator, int], DoubleArray],
    label: Callable[[DoubleArray], NDArray[np.int64]],
) -> tuple[DoubleArray, NDArray[np.int64]]:
    """Return a block whose classes are 1, 0, 1, 0, ...

    MOA (Massive Online Analysis) draws points until one has the class whose turn it is. Here
    points are drawn until there are enough of both classes, and those of each class are taken in
    the order in which they came. Within a class the distribution is the same, and a block still
    depends on its own random numbers only.

    Parameters
    ----------
    rng : Generator
        The random numbers of the block.
    draw : callable
        Returns this many points.
    label : callable
        Returns the classes of points, 0 or 1.
    """
    half = BLOCK // 2
    parts: tuple[list[DoubleArray], list[DoubleArray]] = ([], [])
    found = [0, 0]
    # One draw is nearly always enough when the classes are equally likely.
    size = BLOCK + BLOCK // 6
    while True:
        X = draw(rng, size)
        y = label(X)
        for code in (0, 1):
            parts[code].append(X[y == code])
            found[code] += parts[code][-1].shape[0]
        rare = min(found)
        if rare >= half:
            break
        share = max(rare, 1) / sum(found)
        size = min(int(1.2 * (half - rare) / share) + 50, 100 * BLOCK)
    block = np.empty((BLOCK, X.shape[1]))
    block[0::2] = np.concatenate(parts[1])[:half]
    block[1::2] = np.concatenate(parts[0])[:half]
    return block, np.tile(np.array([1, 0]), half)


def flip(rng: np.random.Generator, y: NDArray[np.int64], noise: float) -> NDArray[np.int64]:
    """Return labels 0 and 1 of which each is turned over with probability `noise`.

    Parameters
    ----------
    rng : Generator
        The random numbers of the block.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    noise : float
        The probability.
    """
    if noise == 0.0:
        return y
    return y ^ (rng.random(y.size) < noise)


def as_points(owner: str, X: Any, n_features: int) -> DoubleArray:
    """Return points as a float64 array with at least this many columns, or raise.

    Parameters
    ----------
    owner : str
        Who labels them.
    X : array-like of shape (n_points, n_columns)
        The points.
    n_features : int
        The columns that decide about the class; more may follow.
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < n_features:
        raise ValueError(
            f"{owner} labels points with {n_features} features. Got shape {points.shape} instead."
        )
    return points
