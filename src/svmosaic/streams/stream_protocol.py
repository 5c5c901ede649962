"""The role that every data stream plays: samples by their number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.checks import check_count

__all__ = ["DoubleArray", "Samples", "Stream"]

DoubleArray = NDArray[np.float64]
Samples = tuple[DoubleArray, NDArray[Any]]


class Stream(ABC):
    """Samples in a fixed order, read by their number.

    Reading is a pure function of the position: however a stream is cut into chunks, sample t is
    the same. So a run can stop anywhere and continue from there.

    A subclass implements ``_read(begin, count)``; `read` has already checked the numbers and cut
    off what lies behind the end.

    Parameters
    ----------
    n_features : int
        Number of features.
    classes : array-like of shape (n_classes,)
        All labels that may occur.
    length : int or None
        Number of samples. None: endless, or not known beforehand.
    name : str
        What to call the stream in tables and figures.
    drifts : sequence of int, default=()
        Sample numbers where the concept changes, for marks in figures.

    Attributes
    ----------
    n_features : int
        Number of features.
    classes : ndarray of shape (n_classes,)
        All labels that may occur.
    length : int or None
        Number of samples. None: endless, or not known beforehand.
    name : str
        The name.
    drifts : tuple of int
        Sample numbers where the concept changes. Slow, steady change has no marks.

    Examples
    --------
    >>> from svmosaic.streams import SEA
    >>> stream = SEA(seed=1, n_samples=2500)
    >>> [y.size for X, y in stream.chunks(1000)]
    [1000, 1000, 500]
    """

    # Attributes that only save time; a pickle leaves them out.
    _caches: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        n_features: int,
        classes: Any,
        length: int | None,
        name: str,
        drifts: Sequence[int] = (),
    ) -> None:
        self.n_features = n_features
        self.classes: NDArray[Any] = np.asarray(classes)
        self.length = length
        self.name = name
        self.drifts = tuple(int(t) for t in drifts if length is None or t < length)

    def read(self, begin: int, count: int) -> Samples:
        """Return some consecutive samples.

        Parameters
        ----------
        begin : int
            Number of the first sample, from 0.
        count : int
            How many samples; fewer come back at the end of the stream, none behind it.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Features, float64 in C order.
        y : ndarray of shape (n_samples,)
            Labels.
        """
        owner = type(self).__name__
        begin = check_count(owner, "begin", begin, 0)
        count = check_count(owner, "count", count, 0)
        if self.length is not None:
            count = max(0, min(count, self.length - begin))
        if count == 0:
            return np.empty((0, self.n_features)), np.empty(0, dtype=self.classes.dtype)
        return self._read(begin, count)

    @abstractmethod
    def _read(self, begin: int, count: int) -> Samples:
        """Return `count` > 0 samples that the stream has, from number `begin` on."""

    def chunks(self, size: int, begin: int = 0, end: int | None = None) -> Iterator[Samples]:
        """Yield the samples in chunks; without an `end`, an endless stream never stops.

        Parameters
        ----------
        size : int
            Samples in each chunk; the last one may be smaller.
        begin : int, default=0
            Number of the first sample.
        end : int, default=None
            Stop before this sample; None means the end of the stream.

        Yields
        ------
        X : ndarray of shape (n_samples, n_features)
            Features.
        y : ndarray of shape (n_samples,)
            Labels.
        """
        size = check_count(type(self).__name__, "size", size, 1)
        while True:
            count = size if end is None else min(size, end - begin)
            if count <= 0:
                return
            X, y = self.read(begin, count)
            if y.size:
                yield X, y
            if y.size < count:
                return
            begin += count

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | dict.fromkeys(self._caches)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name={self.name!r}, n_features={self.n_features}, "
            f"n_classes={self.classes.size}, length={self.length})"
        )
