"""The digit on a display of seven light-emitting diodes (LED) that sometimes fail."""

from __future__ import annotations

import numpy as np

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK, BlockStream
from svmosaic.streams.checks import check_count, check_fraction
from svmosaic.streams.stream_protocol import Samples

__all__ = ["LED"]

# The segments top, upper left, upper right, middle, lower left, lower right, bottom of 0 to 9.
_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=bool,
)
_N_SEGMENTS = 7


class LED(BlockStream):
    """Seven segments that show a digit, and features that say nothing.

    All digits are equally likely. Each segment is turned over with probability `noise`; at 10 %
    the best possible accuracy is 74 %. The irrelevant features are 0 or 1 with equal
    probability. With `n_drift_features` > 0 that many segments change places with irrelevant
    features, as in MOA's generator with drift: segment ``(a + i) mod 7`` with irrelevant feature
    ``(b + i) mod n_irrelevant``, where a and b come from the seed. To let the concept change
    within a stream, join two of these with `ConceptDrift`.

    Parameters
    ----------
    noise : float, default=0.1
        Probability that a segment is turned over.
    n_irrelevant : int, default=17
        Number of irrelevant features. MOA has 17 or none.
    n_drift_features : int, default=0
        How many segments change places with irrelevant features; at most 7.
    seed : int, default=0
        Seed of the samples and of the places.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    Attributes
    ----------
    places : ndarray of shape (n_features,)
        The column of each feature: first the segments, then the irrelevant ones.

    References
    ----------
    Breiman, Friedman, Olshen and Stone, Classification and regression trees, 1984, section 2.6.1.

    Examples
    --------
    >>> from svmosaic.streams import LED
    >>> X, y = LED(noise=0.0, n_irrelevant=0).read(0, 500)
    >>> X[y == 1][0].tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    """

    def __init__(
        self,
        *,
        noise: float = 0.1,
        n_irrelevant: int = 17,
        n_drift_features: int = 0,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        self.noise = check_fraction("LED", "noise", noise)
        self.n_irrelevant = check_count("LED", "n_irrelevant", n_irrelevant, 0)
        self.n_drift_features = check_count(
            "LED", "n_drift_features", n_drift_features, 0, min(_N_SEGMENTS, self.n_irrelevant)
        )
        super().__init__(
            n_features=_N_SEGMENTS + self.n_irrelevant,
            classes=np.arange(10),
            seed=seed,
            n_samples=n_samples,
            name=name,
        )
        self.places = np.arange(self.n_features)
        if self.n_drift_features:
            rng = block_rng(self.seed, Purpose.MODEL)
            first = int(rng.integers(_N_SEGMENTS))
            offset = int(rng.integers(self.n_irrelevant))
            for i in range(self.n_drift_features):
                segment = (first + i) % _N_SEGMENTS
                other = _N_SEGMENTS + (offset + i) % self.n_irrelevant
                self.places[[segment, other]] = other, segment

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        y = rng.integers(0, 10, BLOCK)
        features = np.empty((BLOCK, self.n_features), dtype=bool)
        features[:, :_N_SEGMENTS] = _SEGMENTS[y] ^ (rng.random((BLOCK, _N_SEGMENTS)) < self.noise)
        if self.n_irrelevant:
            features[:, _N_SEGMENTS:] = rng.integers(0, 2, (BLOCK, self.n_irrelevant), dtype=bool)
        X = np.empty((BLOCK, self.n_features))
        if self.n_drift_features:
            X[:, self.places] = features
        else:
            X[:] = features
        return X, y
