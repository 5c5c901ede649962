"""Newton's method with shortened steps, for losses whose active samples change on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from svmosaic.engine.problem import DoubleArray

__all__ = ["Stopping", "minimise"]


@dataclass(frozen=True)
class Stopping:
    """When to stop.

    Attributes
    ----------
    gain : float
        Stop when a step lowers the loss by less than this share of it.
    max_steps : int
        At most this many steps.
    shortest : float
        Steps are halved until the loss does not grow, down to this share of Newton's step.
    """

    gain: float
    max_steps: int
    shortest: float


def minimise(
    evaluate: Callable[[DoubleArray], tuple[float, Any]],
    solve: Callable[[Any], DoubleArray],
    start: DoubleArray,
    stopping: Stopping,
) -> DoubleArray:
    """Return weights that minimise a loss which is quadratic while its active samples stay.

    Parameters
    ----------
    evaluate : callable
        Returns the loss of weights and the active samples there.
    solve : callable
        Returns the minimum of the quadratic function of given active samples.
    start : ndarray of shape (n_weights,)
        Weights to begin with.
    stopping : Stopping
        When to stop.

    Returns
    -------
    weights : ndarray of shape (n_weights,)

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.damped_newton import Stopping, minimise
    >>> def evaluate(w):
    ...     return float((w[0] - 3.0) ** 2), None
    >>> minimise(evaluate, lambda _: np.array([3.0]), np.zeros(1), Stopping(1e-4, 20, 1e-3))
    array([3.])
    """
    weights = start
    loss, active = evaluate(weights)
    for _ in range(stopping.max_steps):
        step = solve(active) - weights
        length = 1.0
        while True:
            candidate = weights + length * step
            new_loss, new_active = evaluate(candidate)
            if new_loss <= loss or length < stopping.shortest:
                break
            length /= 2
        if new_loss > loss:
            break
        gain, weights, loss, active = loss - new_loss, candidate, new_loss, new_active
        if gain <= stopping.gain * loss:
            break
    return weights
