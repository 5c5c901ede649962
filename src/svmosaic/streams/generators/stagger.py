"""STAGGER concepts: Boolean functions of size, colour and shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_stream import FunctionStream, as_points
from svmosaic.streams.stream_protocol import DoubleArray

__all__ = ["STAGGER"]


class STAGGER(FunctionStream):
    """STAGGER concepts: three features with three values each, all equally likely.

    The columns are size (0 small, 1 medium, 2 large), colour (0 red, 1 blue, 2 green) and shape
    (0 circle, 1 square, 2 triangle). The class is 1 where

    1. the size is small and the colour red (1/9 of the samples),
    2. the colour is green or the shape a circle (5/9),
    3. the size is medium or large (2/3).

    Without noise. The definition is that of MOA.

    Parameters
    ----------
    function : {1, 2, 3}, default=1
        Which concept.
    balance : bool, default=False
        Whether the classes alternate.
    seed : int, default=0
        Seed of the samples.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Schlimmer and Granger, Incremental learning from noisy data, Machine Learning 1, 1986,
    doi:10.1007/BF00116895.

    Examples
    --------
    >>> from svmosaic.streams import STAGGER
    >>> STAGGER(function=1).label([[0, 0, 2], [0, 1, 2]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        function: int = 1,
        *,
        balance: bool = False,
        seed: int = 0,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            n_features=3,
            function=function,
            n_functions=3,
            balance=balance,
            seed=seed,
            n_samples=n_samples,
            name=name,
        )

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's function.

        Parameters
        ----------
        X : array-like of shape (n_points, 3)
            Size, colour and shape.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        points = as_points("STAGGER", X, 3)
        size, colour, shape = points[:, 0], points[:, 1], points[:, 2]
        positive: NDArray[np.bool_]
        if self.function == 1:
            positive = (size == 0) & (colour == 0)
        elif self.function == 2:
            positive = (colour == 2) | (shape == 0)
        else:
            positive = (size == 1) | (size == 2)
        return positive.astype(np.int64)

    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        return rng.integers(0, 3, (count, 3), dtype=np.uint8).astype(np.float64)
