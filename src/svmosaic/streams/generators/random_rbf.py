"""Spheres of samples round random centroids (RBF: radial basis function)."""

from __future__ import annotations

import numpy as np

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK, BlockStream
from svmosaic.streams.checks import check_count, check_number
from svmosaic.streams.stream_protocol import DoubleArray, Samples

__all__ = ["RandomRBF"]


class RandomRBF(BlockStream):
    """Normally distributed spheres round centroids, each with a class of its own.

    A centroid has a centre uniform in the unit cube, a class, a width and a weight uniform in
    [0, 1]. A sample belongs to a centroid, drawn by weight; it lies at a distance ``width *
    N(0, 1)`` from its centre in a direction that is uniform in the cube [-1, 1] and scaled to
    length one. The class is the centroid's. The definition is that of MOA.

    With a `speed`, the first `n_drift_centroids` centres move that far per sample along straight
    lines and are reflected at the walls of the unit cube. So the centre at sample t is known in
    closed form: ``fold(c + speed (t + 1) v)``, with ``fold(u) = 1 - |1 - (u mod 2)|``. Unlike
    MOA, which puts a centre that has left the cube onto the wall, this reflects exactly; they
    differ by less than one step.

    Parameters
    ----------
    n_centroids : int, default=50
        Number of centroids. More of them make the classes harder to tell apart.
    n_features : int, default=10
        Number of features.
    n_classes : int, default=2
        Number of classes.
    speed : float, default=0.0
        How far a centre moves per sample.
    n_drift_centroids : int, default=None
        How many centres move; None means all.
    seed : int, default=0
        Seed of the samples.
    model_seed : int, default=None
        Seed of the centroids; None means `seed`.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    Examples
    --------
    >>> from svmosaic.streams import RandomRBF
    >>> X, y = RandomRBF(n_classes=4, n_features=5, seed=7).read(0, 100)
    >>> X.shape, len(set(y.tolist()))
    ((100, 5), 4)
    """

    def __init__(
        self,
        *,
        n_centroids: int = 50,
        n_features: int = 10,
        n_classes: int = 2,
        speed: float = 0.0,
        n_drift_centroids: int | None = None,
        seed: int = 0,
        model_seed: int | None = None,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        n_features = check_count("RandomRBF", "n_features", n_features, 1)
        n_classes = check_count("RandomRBF", "n_classes", n_classes, 1)
        super().__init__(
            n_features=n_features,
            classes=np.arange(n_classes),
            seed=seed,
            n_samples=n_samples,
            name=name,
        )
        self.n_centroids = check_count("RandomRBF", "n_centroids", n_centroids, 1)
        self.speed = check_number("RandomRBF", "speed", speed, 0.0)
        self.n_drift_centroids = (
            self.n_centroids
            if n_drift_centroids is None
            else check_count(
                "RandomRBF", "n_drift_centroids", n_drift_centroids, 0, self.n_centroids
            )
        )
        self.model_seed = (
            self.seed
            if model_seed is None
            else check_count("RandomRBF", "model_seed", model_seed, 0)
        )
        self._make_model()

    def _make_model(self) -> None:
        rng = block_rng(self.model_seed, Purpose.MODEL)
        shape = (self.n_centroids, self.n_features)
        self._centres = rng.random(shape)
        self._labels = rng.integers(0, self.classes.size, self.n_centroids)
        self._widths = rng.random(self.n_centroids)
        self._cumulated = np.cumsum(rng.random(self.n_centroids))
        directions = rng.random(shape)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        self._velocities = self.speed * directions
        self._velocities[self.n_drift_centroids :] = 0.0

    def centres(self, position: int) -> DoubleArray:
        """Return where the centroids are at one sample.

        Parameters
        ----------
        position : int
            Number of the sample.

        Returns
        -------
        ndarray of shape (n_centroids, n_features)
            The positions of the centroids.
        """
        position = check_count("RandomRBF", "position", position, 0)
        return _fold(self._centres + (position + 1.0) * self._velocities)

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        drawn = rng.random(BLOCK) * self._cumulated[-1]
        # The minimum guards against a product that rounds up to the sum itself.
        chosen = np.minimum(
            np.searchsorted(self._cumulated, drawn, side="right"), self.n_centroids - 1
        )
        centres = self._centres[chosen]
        if self.speed > 0.0 and self.n_drift_centroids > 0:
            times = number * BLOCK + np.arange(1.0, BLOCK + 1.0)
            centres = _fold(centres + times[:, np.newaxis] * self._velocities[chosen])
        X = 2.0 * rng.random((BLOCK, self.n_features)) - 1.0
        lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
        X *= (rng.standard_normal(BLOCK) * self._widths[chosen] / lengths)[:, np.newaxis]
        X += centres
        return X, self._labels[chosen]


def _fold(u: DoubleArray) -> DoubleArray:
    """Reflect numbers at 0 and at 1 until they are between."""
    folded: DoubleArray = 1.0 - np.abs(1.0 - np.mod(u, 2.0))
    return folded
