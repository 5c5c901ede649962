"""Breiman's waveforms: noisy curves made of two of three waves."""

from __future__ import annotations

import numpy as np

from svmosaic.streams.block_stream import BLOCK, BlockStream
from svmosaic.streams.checks import check_count
from svmosaic.streams.stream_protocol import Samples

__all__ = ["Waveform"]

_N_POINTS = 21
# Triangles of height 6 round the points 6, 14 and 10, counted from 0.
_WAVES = np.maximum(
    0.0, 6.0 - np.abs(np.arange(_N_POINTS) - np.array([6.0, 14.0, 10.0])[:, np.newaxis])
)
# The two waves that each class mixes.
_FIRST = np.array([0, 0, 1])
_SECOND = np.array([1, 2, 2])


class Waveform(BlockStream):
    """Mixtures of two triangular waves under noise; three equally likely classes.

    Feature i is ``u h_a(i) + (1 - u) h_b(i) + N(0, 1)`` with u uniform in [0, 1], for 21 points
    i. Class 0 mixes the waves 1 and 2, class 1 the waves 1 and 3, class 2 the waves 2 and 3. The
    best possible accuracy is about 86 %. The definition is that of MOA.

    Parameters
    ----------
    n_irrelevant : int, default=0
        More features that are N(0, 1) and say nothing. The stream with 40 features has 19.
    seed : int, default=0
        Seed of the samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Breiman, Friedman, Olshen and Stone, Classification and regression trees, 1984, section 2.6.2.

    Examples
    --------
    >>> from svmosaic.streams import Waveform
    >>> Waveform(n_irrelevant=19).n_features
    40
    """

    def __init__(
        self,
        *,
        n_irrelevant: int = 0,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        self.n_irrelevant = check_count("Waveform", "n_irrelevant", n_irrelevant, 0)
        super().__init__(
            n_features=_N_POINTS + self.n_irrelevant,
            classes=np.arange(3),
            seed=seed,
            n_samples=n_samples,
            name=name,
        )

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        y = rng.integers(0, 3, BLOCK)
        u = rng.random(BLOCK)
        shares = np.zeros((BLOCK, 3))
        rows = np.arange(BLOCK)
        shares[rows, _FIRST[y]] = u
        shares[rows, _SECOND[y]] = 1.0 - u
        X = rng.standard_normal((BLOCK, self.n_features))
        X[:, :_N_POINTS] += shares @ _WAVES
        return X, y
