"""Noise on the features of a stream."""

from __future__ import annotations

from functools import cached_property

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK
from svmosaic.streams.checks import check_count, check_number
from svmosaic.streams.stream_protocol import DoubleArray, Samples, Stream

__all__ = ["AttributeNoise"]


class AttributeNoise(Stream):
    """A stream with normal noise added to its features; the labels stay.

    Feature j of a sample becomes ``x_j + fraction * s_j * N(0, 1)``, where ``s_j`` is the
    standard deviation of the feature over the first 1000 samples. MOA's filter estimates it as
    the stream continues, which would make a sample depend on all before it.

    Parameters
    ----------
    stream : Stream
        The stream.
    fraction : float
        Size of the noise, as a part of each feature's standard deviation.
    seed : int, default=0
        Seed of the noise.
    name : str, default=None
        Name of the stream; None means that of `stream`.

    Examples
    --------
    >>> from svmosaic.streams import SEA, AttributeNoise
    >>> clean = SEA()
    >>> noisy = AttributeNoise(clean, 0.05)
    >>> X, y = noisy.read(0, 1000)
    >>> round(float((X - clean.read(0, 1000)[0]).std()), 2)
    0.14
    """

    def __init__(
        self, stream: Stream, fraction: float, *, seed: int = 0, name: str | None = None
    ) -> None:
        self.stream = stream
        self.fraction = check_number("AttributeNoise", "fraction", fraction, 0.0)
        self.seed = check_count("AttributeNoise", "seed", seed, 0)
        super().__init__(
            n_features=stream.n_features,
            classes=stream.classes,
            length=stream.length,
            name=stream.name if name is None else name,
            drifts=stream.drifts,
        )

    @cached_property
    def _scales(self) -> DoubleArray:
        scales: DoubleArray = self.fraction * self.stream.read(0, BLOCK)[0].std(axis=0)
        return scales

    def _read(self, begin: int, count: int) -> Samples:
        X, y = self.stream.read(begin, count)
        done = 0
        while done < len(y):
            number, offset = divmod(begin + done, BLOCK)
            n_rows = min(BLOCK - offset, len(y) - done)
            rng = block_rng(self.seed, Purpose.ATTRIBUTE_NOISE, number)
            noise = rng.standard_normal((BLOCK, self.n_features))
            X[done : done + n_rows] += self._scales * noise[offset : offset + n_rows]
            done += n_rows
        return X, y
