"""The target point of Diverse Density and EM-DD: near all positive bags, far from negative ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = [
    "Standard",
    "TargetPoint",
    "density",
    "find_target",
    "log_noisy_or",
    "standardise",
    "starting_rows",
    "target_distances",
]

# An instance of a negative bag at the target would make the likelihood zero.
_LEAST_DISTANCE = 1e-10
# Above this log-probability that all instances miss, the noisy-or is a plain sum to rounding.
_NEARLY_CERTAIN = -1e-8
_ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class TargetPoint:
    """A point, the scale of each feature, and the negative log-likelihood there."""

    point: DoubleArray
    scales: DoubleArray
    loss: float = float("inf")


@dataclass(frozen=True)
class Standard:
    """Features of mean 0 (if dense) and variance 1, and the way back."""

    instances: Any
    means: DoubleArray
    deviations: DoubleArray

    def in_units_of_the_data(self, target: TargetPoint) -> TargetPoint:
        """Return the same target for the instances as they were."""
        point = target.point * self.deviations + self.means
        return TargetPoint(point, np.abs(target.scales) / self.deviations, target.loss)


def standardise(X: Any) -> Standard:
    """Return standardised instances; sparse ones are not centred."""
    means = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    if sp.issparse(X):
        squares = np.asarray(X.multiply(X).mean(axis=0), dtype=np.float64).ravel()
        deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
    else:
        deviations = np.asarray(X, dtype=np.float64).std(axis=0)
    deviations[deviations == 0.0] = 1.0
    if sp.issparse(X):
        scaled = sp.csr_array(X.astype(np.float64) @ sp.diags_array(1.0 / deviations))
        return Standard(scaled, np.zeros_like(means), deviations)
    return Standard((X - means) / deviations, means, deviations)


def target_distances(X: Any, target: TargetPoint) -> DoubleArray:
    """Return the scaled squared distances sum_k s_k^2 (x_k - t_k)^2 of instances to a target."""
    if sp.issparse(X):
        squares = target.scales**2
        return _expand(X, X.multiply(X), target.point, squares)
    parts = [
        np.einsum("ij,ij->i", part, part)
        for part in (
            (X[i : i + _ROWS_AT_ONCE] - target.point) * target.scales
            for i in range(0, X.shape[0], _ROWS_AT_ONCE)
        )
    ]
    return np.concatenate(parts)


def _expand(X: Any, squared: Any, point: DoubleArray, squares: DoubleArray) -> DoubleArray:
    """Return the same distances by products with the instances and their squares."""
    values = squared @ squares - 2.0 * (X @ (squares * point)) + float(squares @ point**2)
    return np.asarray(np.maximum(values, 0.0), dtype=np.float64)


def log_noisy_or(distances: DoubleArray, offsets: IndexArray) -> DoubleArray:
    """Return log(1 - prod_j (1 - exp(-d_j))) for each bag, without underflow."""
    d = np.maximum(distances, _LEAST_DISTANCE)
    misses = np.add.reduceat(np.log(-np.expm1(-d)), offsets[:-1])
    nearest = np.minimum.reduceat(d, offsets[:-1])
    shares = np.exp(np.repeat(nearest, np.diff(offsets)) - d)
    plain_sum = np.log(np.add.reduceat(shares, offsets[:-1])) - nearest
    certain = np.minimum(misses, _NEARLY_CERTAIN)
    return np.where(misses < _NEARLY_CERTAIN, np.log(-np.expm1(certain)), plain_sum)


def density(
    distances: DoubleArray, offsets: IndexArray, positive: Any
) -> tuple[float, DoubleArray]:
    """Return -log of the diverse density and its derivative by each instance's distance.

    With p_j = exp(-d_j), a positive bag adds -log(1 - prod_j (1 - p_j)) and a negative bag
    -sum_j log(1 - p_j).
    """
    sizes = np.diff(offsets)
    d = np.maximum(distances, _LEAST_DISTANCE)
    log_misses = np.log(-np.expm1(-d))
    misses = np.add.reduceat(log_misses, offsets[:-1])
    hits = log_noisy_or(d, offsets)
    loss = -float(hits[positive].sum()) - float(misses[~positive].sum())
    # p / (1 - p), in logarithms because p may be too small for a double.
    log_odds = -d - log_misses
    of_positive = np.exp(np.repeat(misses - hits, sizes) + log_odds)
    slopes = np.where(np.repeat(positive, sizes), of_positive, -np.exp(log_odds))
    return loss, slopes


def find_target(bags: Bags, positive: Any, start: TargetPoint, max_iter: int) -> TargetPoint:
    """Climb from `start` to a maximum of the diverse density, over the point and the scales."""
    X = bags.instances
    squared = X.multiply(X).tocsr() if sp.issparse(X) else X * X
    n_features = bags.n_features

    def loss_and_gradient(values: DoubleArray) -> tuple[float, DoubleArray]:
        point, scales = values[:n_features], values[n_features:]
        squares = scales**2
        distances = _expand(X, squared, point, squares)
        loss, slopes = density(distances, bags.offsets, positive)
        total, sums, square_sums = slopes.sum(), slopes @ X, slopes @ squared
        by_point = -2.0 * squares * (sums - total * point)
        by_scales = 2.0 * scales * (square_sums - 2.0 * point * sums + total * point**2)
        return loss, np.concatenate([by_point, by_scales])

    found = minimize(
        loss_and_gradient,
        np.concatenate([start.point, start.scales]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter},
    )
    return TargetPoint(found.x[:n_features], found.x[n_features:], float(found.fun))


def starting_rows(
    bags: Bags, positive: Any, n_bags: int, n_starts: int, random_state: np.random.RandomState
) -> IndexArray:
    """Return instances of the smallest positive bags, at most `n_starts`, drawn if there are more.

    In a small bag an instance is the more likely to be the one that makes it positive.
    """
    numbers = np.flatnonzero(positive)
    smallest = numbers[np.argsort(bags.sizes[numbers], kind="stable")[:n_bags]]
    rows = bags.rows_of(smallest)
    if rows.size > n_starts:
        rows = rows[np.sort(random_state.choice(rows.size, n_starts, replace=False))]
    return rows
