"""Sine concepts: points below and above a sine curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_stream import FunctionStream, as_points
from svmosaic.streams.checks import check_count
from svmosaic.streams.stream_protocol import DoubleArray, Samples

__all__ = ["Sine"]


class Sine(FunctionStream):
    """Sine concepts: two features, uniform in [0, 1], without noise.

    The class is 1 where

    1. ``x1 < sin(x2)``,
    2. the reverse of function 1,
    3. ``x1 < 0.5 + 0.3 sin(3 pi x2)``,
    4. the reverse of function 3.

    The definition is that of MOA.

    Parameters
    ----------
    function : {1, 2, 3, 4}, default=1
        Which curve and side.
    balance : bool, default=False
        Whether the classes alternate.
    n_irrelevant : int, default=0
        More features, uniform in [0, 1], that say nothing about the class. MOA has none or two.
    seed : int, default=0
        Seed of the samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Gama, Medas, Castillo and Rodrigues, Learning with drift detection, SBIA 2004,
    doi:10.1007/978-3-540-28645-5_29.

    Examples
    --------
    >>> from svmosaic.streams import Sine
    >>> Sine(function=1).label([[0.2, 0.5], [0.6, 0.5]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        function: int = 1,
        *,
        balance: bool = False,
        n_irrelevant: int = 0,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        self.n_irrelevant = check_count("Sine", "n_irrelevant", n_irrelevant, 0)
        super().__init__(
            n_features=2 + self.n_irrelevant,
            function=function,
            n_functions=4,
            balance=balance,
            seed=seed,
            n_samples=n_samples,
            name=name,
        )

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's function.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            The points.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        points = as_points("Sine", X, 2)
        if self.function <= 2:
            below = points[:, 0] < np.sin(points[:, 1])
        else:
            below = points[:, 0] < 0.5 + 0.3 * np.sin(3.0 * np.pi * points[:, 1])
        is_reversed = self.function % 2 == 0
        return (below ^ is_reversed).astype(np.int64)

    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        return rng.random((count, 2))

    def _finish(self, rng: np.random.Generator, X: DoubleArray, y: NDArray[np.int64]) -> Samples:
        if self.n_irrelevant:
            X = np.hstack([X, rng.random((X.shape[0], self.n_irrelevant))])
        return X, y
