"""Orders of the targets in a chain: by correlation, at random, or as the caller says."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.correlations import target_correlations

__all__ = ["check_order", "correlation_order", "orders_by_error", "random_orders"]


def correlation_order(Y: DoubleArray, *, absolute: bool = False) -> IndexArray:
    """Return the targets by descending row sums of their correlation matrix (Algorithm 3.4).

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_targets)
        Targets of the training rows.
    absolute : bool, default=False
        Whether a negative correlation counts as much as a positive one.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.regression.chain_orders import correlation_order
    >>> Y = np.array([[1.0, 5.0, 1.1], [2.0, 1.0, 2.3], [3.0, 4.0, 2.9], [4.0, 2.0, 4.2]])
    >>> correlation_order(Y).tolist()
    [0, 2, 1]
    """
    P = target_correlations(Y)
    sums = (np.abs(P) if absolute else P).sum(axis=1)
    # Rounded, so that the order of a sum does not decide; equal sums keep the order of the data.
    return np.argsort(-sums.round(12), kind="stable")


def random_orders(n_targets: int, n_chains: int, random_state: Any) -> IndexArray:
    """Return min(n_chains, n_targets!) different orders at random, one per row.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.regression.chain_orders import random_orders
    >>> random_orders(3, 10, np.random.RandomState(0)).shape
    (6, 3)
    """
    # Beyond 12 the factorial only has to be large.
    if n_targets <= 12 and math.factorial(n_targets) <= n_chains:
        return np.array(list(permutations(range(n_targets))), dtype=np.int64)
    orders: dict[tuple[int, ...], None] = {}
    while len(orders) < n_chains:
        orders[tuple(random_state.permutation(n_targets).tolist())] = None
    return np.array(list(orders), dtype=np.int64)


def orders_by_error(order: Any) -> bool:
    """Whether the order of a chain comes from the errors of its links over the inner folds."""
    return isinstance(order, str) and order == "cv"


def check_order(order: Any, n_targets: int, who: str) -> IndexArray:
    """Return an explicit order, which must name every target once."""
    given = np.asarray(order)
    if (
        given.shape != (n_targets,)
        or given.dtype.kind not in "iu"
        or sorted(given.tolist()) != list(range(n_targets))
    ):
        raise ValueError(
            f"The 'order' parameter of {who} must name each of the {n_targets} targets once, by "
            f"numbers from 0. Got {order!r} instead."
        )
    return given.astype(np.int64)
