"""SEA concepts (streaming ensemble algorithm): the sum of two features and a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_stream import FunctionStream, as_points, flip
from svmosaic.streams.checks import check_fraction
from svmosaic.streams.stream_protocol import DoubleArray, Samples

__all__ = ["SEA"]

_THRESHOLDS = (8.0, 9.0, 7.0, 9.5)


class SEA(FunctionStream):
    """SEA concepts: three features, uniform in [0, 10], of which two matter.

    The class is 0 where ``x1 + x2 <= theta`` and 1 elsewhere. Functions 1 to 4 have the
    thresholds theta = 8, 9, 7 and 9.5. The definition is that of MOA.

    Parameters
    ----------
    function : {1, 2, 3, 4}, default=1
        Which threshold.
    noise : float, default=0.1
        Probability that a label is turned over.
    balance : bool, default=False
        Whether the classes alternate, before the noise.
    seed : int, default=0
        Seed of the samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Street and Kim, A streaming ensemble algorithm (SEA) for large-scale classification, KDD
    2001, doi:10.1145/502512.502568.

    Examples
    --------
    >>> from svmosaic.streams import SEA
    >>> SEA(noise=0.0).label([[3, 4, 9], [5, 4, 0]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        function: int = 1,
        *,
        noise: float = 0.1,
        balance: bool = False,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            n_features=3,
            function=function,
            n_functions=len(_THRESHOLDS),
            balance=balance,
            seed=seed,
            n_samples=n_samples,
            name=name,
        )
        self.noise = check_fraction("SEA", "noise", noise)

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's function, without noise.

        Parameters
        ----------
        X : array-like of shape (n_points, 3)
            The points.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        points = as_points("SEA", X, 2)
        above = points[:, 0] + points[:, 1] > _THRESHOLDS[self.function - 1]
        return above.astype(np.int64)

    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        return 10.0 * rng.random((count, 3))

    def _finish(self, rng: np.random.Generator, X: DoubleArray, y: NDArray[np.int64]) -> Samples:
        return X, flip(rng, y, self.noise)
