"""Mixed concepts: two Boolean and two real features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_stream import FunctionStream, as_points
from svmosaic.streams.stream_protocol import DoubleArray

__all__ = ["Mixed"]


class Mixed(FunctionStream):
    """Mixed concepts: Boolean features v and w, real features x and y uniform in [0, 1].

    Let z be ``y < 0.5 + 0.3 sin(3 pi x)``. By function 1 the class is 0 where at least two of v,
    w and z are true, and 1 elsewhere; function 2 is the reverse. Without noise. The columns are
    v, w, x, y; v and w are 0 or 1. The definition is that of MOA.

    Parameters
    ----------
    function : {1, 2}, default=1
        Which side is class 0.
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
    Gama, Medas, Castillo and Rodrigues, Learning with drift detection, SBIA 2004,
    doi:10.1007/978-3-540-28645-5_29.

    Examples
    --------
    >>> from svmosaic.streams import Mixed
    >>> Mixed(function=1).label([[1, 1, 0.5, 0.9], [0, 0, 0.5, 0.9]]).tolist()
    [0, 1]
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
            n_features=4,
            function=function,
            n_functions=2,
            balance=balance,
            seed=seed,
            n_samples=n_samples,
            name=name,
        )

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's function.

        Parameters
        ----------
        X : array-like of shape (n_points, 4)
            The points.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        points = as_points("Mixed", X, 4)
        v, w, x, y = points[:, 0], points[:, 1], points[:, 2], points[:, 3]
        z = y < 0.5 + 0.3 * np.sin(3.0 * np.pi * x)
        at_least_two = v + w + z >= 2.0
        return (at_least_two ^ (self.function == 1)).astype(np.int64)

    def _draw(self, rng: np.random.Generator, count: int) -> DoubleArray:
        X = rng.random((count, 4))
        X[:, :2] = X[:, :2] >= 0.5
        return X
