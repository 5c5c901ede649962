"""A hyperplane that turns slowly."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK, BlockStream, flip
from svmosaic.streams.checks import check_count, check_fraction, check_number
from svmosaic.streams.stream_protocol import DoubleArray, Samples

__all__ = ["Hyperplane"]

IndexArray = NDArray[np.int64]


class Hyperplane(BlockStream):
    """Points in a cube, divided by a hyperplane whose weights walk at random.

    Features are uniform in [0, 1]. The class is 1 where ``sum w_i x_i >= 0.5 sum w_i``. The
    weights begin uniform in [0, 1]. After every sample each of the first `n_drift_features`
    weights takes a step of `magnitude` in its direction, and then the direction turns round with
    probability `sigma`. The definition is that of MOA: weights have no bounds.

    The weight at sample t is ``w_i(0) + magnitude * s_i(t)`` with a whole number of steps
    ``s_i(t)``. Steps are kept at the beginning of every block seen so far: reading on or back
    costs nothing, and a jump ahead draws the turns in between.

    Parameters
    ----------
    n_features : int, default=10
        Number of features.
    n_drift_features : int, default=2
        Number of weights that move.
    magnitude : float, default=0.0
        Size of a step. A larger value turns the hyperplane faster.
    sigma : float, default=0.1
        Probability that a direction turns round. A larger value makes the walk less far.
    noise : float, default=0.05
        Probability that a label is turned over.
    seed : int, default=0
        Seed of weights and samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Hulten, Spencer and Domingos, Mining time-changing data streams, KDD 2001,
    doi:10.1145/502512.502529.

    Examples
    --------
    >>> from svmosaic.streams import Hyperplane
    >>> stream = Hyperplane(n_features=3, n_drift_features=1, magnitude=0.1, sigma=0.0)
    >>> (stream.weights(20) - stream.weights(0)).round(9).tolist()
    [2.0, 0.0, 0.0]
    """

    _caches: ClassVar[tuple[str, ...]] = ("_block", "_starts")

    def __init__(
        self,
        *,
        n_features: int = 10,
        n_drift_features: int = 2,
        magnitude: float = 0.0,
        sigma: float = 0.1,
        noise: float = 0.05,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        n_features = check_count("Hyperplane", "n_features", n_features, 1)
        super().__init__(
            n_features=n_features, classes=[0, 1], seed=seed, n_samples=n_samples, name=name
        )
        self.n_drift_features = check_count(
            "Hyperplane", "n_drift_features", n_drift_features, 0, n_features
        )
        self.magnitude = check_number("Hyperplane", "magnitude", magnitude, 0.0)
        self.sigma = check_fraction("Hyperplane", "sigma", sigma)
        self.noise = check_fraction("Hyperplane", "noise", noise)
        self._first = block_rng(self.seed, Purpose.MODEL).random(n_features)
        # Steps and directions at the beginning of each block, as far as they are known. A table
        # and not a list: two threads that find the same entry write the same.
        self._starts: dict[int, tuple[IndexArray, IndexArray]] | None = None

    @property
    def _moves(self) -> bool:
        return self.magnitude > 0.0 and self.n_drift_features > 0

    def weights(self, position: int) -> DoubleArray:
        """Return the weights that decide about one sample.

        Parameters
        ----------
        position : int
            Number of the sample.

        Returns
        -------
        ndarray of shape (n_features,)
            The weights.
        """
        number, offset = divmod(check_count("Hyperplane", "position", position, 0), BLOCK)
        return np.array(self._block_weights(number)[offset])

    def _block_weights(self, number: int) -> DoubleArray:
        """Return the weights at the samples of a block; one row for all when nothing moves."""
        if not self._moves:
            return np.broadcast_to(self._first, (BLOCK, self.n_features))
        steps, direction = self._start(number)
        directions, _ = self._directions(number, direction)
        weights = np.empty((BLOCK, self.n_features))
        weights[:] = self._first
        k = self.n_drift_features
        weights[0, :k] += self.magnitude * steps
        weights[1:, :k] += self.magnitude * (steps + np.cumsum(directions[:-1], axis=0))
        return weights

    def _directions(self, number: int, first: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the directions at the samples of a block, and that of the next block."""
        rng = block_rng(self.seed, Purpose.DRIFT, number)
        turns = rng.random((BLOCK, self.n_drift_features)) < self.sigma
        # Sample t's step comes before its turn, so turns act from t + 1 on.
        is_turned = np.logical_xor.accumulate(turns, axis=0)
        directions = np.empty((BLOCK, self.n_drift_features), dtype=np.int64)
        directions[0] = first
        directions[1:] = np.where(is_turned[:-1], -first, first)
        return directions, np.where(is_turned[-1], -first, first)

    def _start(self, number: int) -> tuple[IndexArray, IndexArray]:
        """Return steps and directions at the beginning of a block."""
        starts = self._starts
        if starts is None:
            k = self.n_drift_features
            starts = {0: (np.zeros(k, dtype=np.int64), np.ones(k, dtype=np.int64))}
            self._starts = starts
        while number not in starts:
            last = len(starts) - 1
            steps, direction = starts[last]
            directions, following = self._directions(last, direction)
            starts[last + 1] = steps + directions.sum(axis=0), following
        return starts[number]

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        X = rng.random((BLOCK, self.n_features))
        y = _side(self._block_weights(number), X)
        return X, flip(rng, y, self.noise)


def _side(weights: DoubleArray, X: DoubleArray) -> NDArray[np.int64]:
    sums: DoubleArray = np.einsum("ij,ij->i", weights, X)
    is_above: NDArray[np.bool_] = sums >= 0.5 * weights.sum(axis=1)
    return is_above.astype(np.int64)
