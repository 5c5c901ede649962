"""Streams whose concept changes: from one to the next, or for a short while."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK
from svmosaic.streams.checks import check_count, check_number
from svmosaic.streams.stream_protocol import DoubleArray, Samples, Stream

__all__ = ["Blips", "ConceptDrift"]

# Nearer to 0 or 1 than this, a probability counts as 0 or 1: no stray samples far from a change.
_NEGLIGIBLE = 1e-12
# An endless stream of blips marks this many of them.
_MOST_MARKS = 1000


class ConceptDrift(Stream):
    """Streams one after the other, with sudden or gradual changes between them.

    Round position p with width w, sample t comes from the later stream with the probability
    ``1 / (1 + exp(-4 (t - p) / w))``, each sample by its own draw. So about 88 % of the samples
    are new at ``p + w / 2``. A width of 1 or less is a sudden change: old before p, new from p
    on. A concept that comes back is the same stream several times in the list.

    Sample t is always sample t of one of the streams. Unlike MOA, where every stream counts its
    own samples, this needs no memory of earlier draws.

    Parameters
    ----------
    concepts : sequence of Stream
        The streams, at least two, with the same number of features.
    positions : sequence of int
        Where each change has its middle, ascending; one less than `concepts`.
    width : float or sequence of float, default=1
        Length of the changes, of all or of each. A larger value mixes the concepts for longer.
    seed : int, default=0
        Seed of the draws between concepts.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Bifet, Holmes, Pfahringer, Kirkby and Gavalda, New ensemble methods for evolving data streams,
    KDD 2009, section 2.1, doi:10.1145/1557019.1557041.

    Examples
    --------
    >>> from svmosaic.streams import SEA, ConceptDrift
    >>> stream = ConceptDrift([SEA(1, noise=0.0), SEA(3, noise=0.0)], positions=[2000])
    >>> stream.concept_numbers(1998, 4).tolist(), stream.drifts
    ([0, 0, 1, 1], (2000,))
    """

    def __init__(
        self,
        concepts: Sequence[Stream],
        positions: Sequence[int],
        width: float | Sequence[float] = 1.0,
        *,
        seed: int = 0,
        name: str | None = None,
    ) -> None:
        self.concepts = tuple(concepts)
        self.positions = tuple(
            check_count("ConceptDrift", "positions", position, 0) for position in positions
        )
        _check_concepts(self.concepts, self.positions)
        self.widths = _widths(width, len(self.positions))
        self.seed = check_count("ConceptDrift", "seed", seed, 0)
        # The first place of each concept in the list: one that comes back is read once.
        self._first_places = np.array([self.concepts.index(stream) for stream in self.concepts])
        super().__init__(
            n_features=self.concepts[0].n_features,
            classes=_all_classes(self.concepts),
            length=_shortest(self.concepts),
            name="ConceptDrift" if name is None else name,
            drifts=self.positions,
        )

    def concept_numbers(self, begin: int, count: int) -> NDArray[np.int64]:
        """Return which concept, from 0, each of some samples comes from.

        Parameters
        ----------
        begin : int
            Number of the first sample.
        count : int
            How many samples.

        Returns
        -------
        ndarray of shape (count,)
            The numbers of the concepts.
        """
        times = np.arange(begin, begin + count, dtype=np.float64)
        shares = np.stack(
            [_share_of_new(times, p, w) for p, w in zip(self.positions, self.widths, strict=True)],
            axis=1,
        )
        if ((shares > 0.0) & (shares < 1.0)).any():
            changed = self._draws(begin, count) < shares
        else:
            changed = shares == 1.0
        # One continues from concept to concept until a change has not happened yet.
        passed: NDArray[np.int64] = np.logical_and.accumulate(changed, axis=1).sum(axis=1)
        return passed

    def _draws(self, begin: int, count: int) -> DoubleArray:
        """Return the uniform numbers of some samples, one for each change."""
        blocks = range(begin // BLOCK, (begin + count - 1) // BLOCK + 1)
        drawn = [
            block_rng(self.seed, Purpose.MIXING, block).random((BLOCK, len(self.positions)))
            for block in blocks
        ]
        first = begin - blocks[0] * BLOCK
        return np.concatenate(drawn)[first : first + count]

    def _read(self, begin: int, count: int) -> Samples:
        numbers = self._first_places[self.concept_numbers(begin, count)]
        present = np.unique(numbers)
        if present.size == 1:
            X, y = self.concepts[present[0]].read(begin, count)
            return X, y.astype(self.classes.dtype, copy=False)
        X = np.empty((count, self.n_features))
        y = np.empty(count, dtype=self.classes.dtype)
        for number in present:
            part_X, part_y = self.concepts[number].read(begin, count)
            chosen = numbers == number
            X[chosen] = part_X[chosen]
            y[chosen] = part_y[chosen]
        return X, y


class Blips(Stream):
    """A stream that another one interrupts for a short while, at equal distances.

    The samples ``k every, ..., k every + length - 1`` for k = 1, 2, ... come from the other
    stream. A learner should not adapt to a blip. Nothing here is random.

    Parameters
    ----------
    stream : Stream
        What is interrupted.
    other : Stream
        Where the samples of the blips come from; with the same number of features.
    every : int
        Distance from the beginning of a blip to that of the next.
    length : int
        Samples in a blip; less than `every`.
    name : str, default=None
        Name of the stream.

    Examples
    --------
    >>> from svmosaic.streams import SEA, Blips
    >>> Blips(SEA(1, n_samples=10_000), SEA(3), every=4000, length=100).drifts
    (4000, 8000)
    """

    def __init__(
        self, stream: Stream, other: Stream, every: int, length: int, *, name: str | None = None
    ) -> None:
        self.every = check_count("Blips", "every", every, 2)
        self.blip_length = check_count("Blips", "length", length, 1, self.every - 1)
        _check_features("Blips", (stream, other))
        self.stream = stream
        self.other = other
        whole = _shortest((stream, other))
        end = (_MOST_MARKS + 1) * self.every if whole is None else whole
        blips = range(self.every, end, self.every)
        super().__init__(
            n_features=stream.n_features,
            classes=_all_classes((stream, other)),
            length=whole,
            name="Blips" if name is None else name,
            drifts=sorted({*blips, *stream.drifts}),
        )

    def _read(self, begin: int, count: int) -> Samples:
        times = np.arange(begin, begin + count)
        in_blip = (times >= self.every) & (times % self.every < self.blip_length)
        X, y = self.stream.read(begin, count)
        y = y.astype(self.classes.dtype, copy=False)
        if in_blip.any():
            other_X, other_y = self.other.read(begin, count)
            X[in_blip] = other_X[in_blip]
            y[in_blip] = other_y[in_blip]
        return X, y


def _share_of_new(times: DoubleArray, position: int, width: float) -> DoubleArray:
    """Return the probability that a sample comes from behind the change."""
    if width <= 1.0:
        return (times >= position).astype(np.float64)
    # The tails are cut before the exponential could overflow.
    exponent = np.clip(-4.0 * (times - position) / width, -40.0, 40.0)
    share: DoubleArray = 1.0 / (1.0 + np.exp(exponent))
    share[share < _NEGLIGIBLE] = 0.0
    share[share > 1.0 - _NEGLIGIBLE] = 1.0
    return share


def _check_features(owner: str, streams: Sequence[Stream]) -> None:
    for number, stream in enumerate(streams):
        if not isinstance(stream, Stream):
            raise TypeError(f"{owner} joins streams. Got {type(stream).__name__} instead.")
        if stream.n_features != streams[0].n_features:
            raise ValueError(
                f"Stream {number} has {stream.n_features} features; stream 0 has "
                f"{streams[0].n_features}. {owner} needs streams with the same features."
            )


def _check_concepts(concepts: Sequence[Stream], positions: Sequence[int]) -> None:
    if len(concepts) < 2 or len(positions) != len(concepts) - 1:
        raise ValueError(
            "ConceptDrift needs at least two concepts and one position less than concepts. Got "
            f"{len(concepts)} concepts and {len(positions)} positions."
        )
    if any(b <= a for a, b in itertools.pairwise(positions)):
        raise ValueError(
            f"The 'positions' parameter of ConceptDrift must ascend. Got {list(positions)} instead."
        )
    _check_features("ConceptDrift", concepts)


def _widths(width: float | Sequence[float], n_changes: int) -> tuple[float, ...]:
    given: list[Any] = list(np.atleast_1d(np.asarray(width, dtype=object)))
    if len(given) == 1:
        given *= n_changes
    if len(given) != n_changes:
        raise ValueError(
            f"The 'width' parameter of ConceptDrift must be one number or {n_changes}. "
            f"Got {len(given)} instead."
        )
    return tuple(check_number("ConceptDrift", "width", value, 0.0) for value in given)


def _all_classes(streams: Sequence[Stream]) -> NDArray[Any]:
    return np.unique(np.concatenate([stream.classes for stream in streams]))


def _shortest(streams: Sequence[Stream]) -> int | None:
    return min((s.length for s in streams if s.length is not None), default=None)
