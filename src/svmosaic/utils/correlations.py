"""Correlations of several targets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["target_correlations"]


def target_correlations(Y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the matrix of correlation coefficients of the columns of `Y`.

    A constant target has no correlation with others, so its coefficients are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.utils.correlations import target_correlations
    >>> target_correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])).round(3).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    centred = Y - Y.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    # What only rounding moves is constant.
    steady = norms <= 1e-13 * np.sqrt(len(Y)) * np.abs(Y).max(axis=0)
    centred = np.where(steady, 0.0, centred) / np.where(steady, 1.0, norms)
    P: npt.NDArray[np.float64] = centred.T @ centred
    np.fill_diagonal(P, 1.0)
    return P
