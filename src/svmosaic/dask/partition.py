"""One partition of the rows: read and checked, then ready to be solved with. Runs on workers."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.rows import rows_of_samples
from svmosaic.utils.labels import distinct_labels, label_numbers, ordered_bits
from svmosaic.utils.row_hashes import hash_rows, mix_bits
from svmosaic.utils.validation import canonical_csr

__all__ = [
    "Description",
    "Measured",
    "Moments",
    "Partition",
    "Plan",
    "TableRows",
    "describe",
    "moments",
    "prepare",
    "read",
]

Keys = npt.NDArray[np.uint64]


class Measured:
    """Tells Dask the size of its arrays, which decides where calls run and what is spilled."""

    def __sizeof__(self) -> int:
        return 64 + sum(map(_bytes_of, vars(self).values()))


def _bytes_of(value: Any) -> int:
    if isinstance(value, list | tuple):
        return 64 + sum(map(_bytes_of, value))
    if sp.issparse(value):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    return int(getattr(value, "nbytes", 64))


with contextlib.suppress(ImportError):
    # Dask knows the size of csr_matrix only.
    from dask.sizeof import sizeof

    sizeof.register(sp.csr_array, _bytes_of)


@dataclass(frozen=True, eq=False)
class TableRows(Measured):
    """Rows as they came, checked. `fault` says what is wrong with them, if anything is."""

    X: Any = None
    y: Any = None
    weights: DoubleArray | None = None
    names: tuple[str, ...] | None = None
    fault: str | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """What a partition holds, for the one who plans the fit."""

    fault: str | None
    n_rows: int = 0
    n_features: int = 0
    is_sparse: bool = False
    is_single: bool = True
    names: tuple[str, ...] | None = None
    # The classes of rows of positive weight, and their total weights.
    classes: Any = None
    class_weights: DoubleArray | None = None
    total_weight: float = 0.0


@dataclass(frozen=True, eq=False)
class Plan:
    """What all partitions agree on.

    Attributes
    ----------
    classes : ndarray or None
        All class labels; None for regression.
    factors : ndarray of float64 or None
        The weight of each class.
    is_sparse : bool
        Whether rows are compressed.
    dtype : dtype
        The type of the features.
    """

    classes: Any
    factors: DoubleArray | None
    is_sparse: bool
    dtype: Any


@dataclass(frozen=True, eq=False)
class Partition(Measured):
    """The distinct rows of positive weight of a partition.

    Attributes
    ----------
    X : {ndarray, csr_array}
        The rows.
    labels : ndarray of int64
        Class numbers; zeros for regression.
    targets : ndarray of float64
        The targets of regression; empty for classes.
    weights : ndarray of float64
        The summed weights of the copies.
    numbers : ndarray of int64
        Position of the first copy in the partition as it came.
    keys : ndarray of uint64
        Hashes of row and target: the order of samples does not depend on the partitions.
    """

    X: Any
    labels: IndexArray
    targets: DoubleArray
    weights: DoubleArray
    numbers: IndexArray
    keys: Keys

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.weights.size)

    def is_among(self, share: float) -> npt.NDArray[np.bool_]:
        """Return which samples are in a fair draw of this share of all, by their keys."""
        if share >= 1.0:
            return np.ones(self.n, dtype=bool)
        return np.asarray(self.keys < np.uint64(share * 2.0**64))


def read(X: Any, y: Any, weights: Any, who: str, number: int, *, is_regression: bool) -> TableRows:
    """Return the rows of a partition, checked; errors are returned, not raised.

    An exception would end the fit on the first partition that has one, on any worker.
    """
    columns = list(getattr(X, "columns", []))
    # As scikit-learn has it, names are strings or there are none.
    has_names = len(columns) > 0 and all(isinstance(column, str) for column in columns)
    names = tuple(columns) if has_names else None
    try:
        X = canonical_csr(
            check_array(
                X,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                order="C",
                ensure_min_samples=0,
                input_name="X",
                estimator=who,
            )
        )
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1 or y.shape[0] != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows and y has shape {y.shape}; expected one target per row"
            )
        if is_regression:
            y = check_array(
                y, ensure_2d=False, dtype=np.float64, ensure_min_samples=0, input_name="y"
            )
        elif y.size:
            check_array(y, ensure_2d=False, dtype=None, input_name="y")
            check_classification_targets(y)
        weights = np.ones(y.size) if weights is None else np.asarray(weights, dtype=np.float64)
        if weights.shape != y.shape or not np.all(np.isfinite(weights) & (weights >= 0)):
            raise ValueError("sample_weight must hold one number >= 0 per row")
    except (ValueError, TypeError) as error:
        return TableRows(fault=f"partition {number}: {str(error).splitlines()[0].rstrip('.:')}")
    return TableRows(X, y, weights, names)


def describe(rows: TableRows, *, is_regression: bool) -> Description:
    """Return what a partition holds."""
    if rows.fault is not None or rows.weights is None:
        return Description(rows.fault)
    takes_part = rows.weights > 0
    classes, totals = None, None
    if not is_regression:
        classes = distinct_labels(rows.y[takes_part]) if takes_part.any() else rows.y[:0]
        totals = np.array([rows.weights[rows.y == label].sum() for label in classes])
    return Description(
        None,
        rows.X.shape[0],
        rows.X.shape[1],
        sp.issparse(rows.X),
        rows.X.dtype == np.float32,
        rows.names,
        classes,
        totals,
        float(rows.weights.sum()),
    )


def prepare(rows: TableRows, plan: Plan, *, n_threads: int = 1) -> Partition:
    """Return the distinct rows of a partition with the weights of their classes."""
    assert rows.weights is not None
    weights, X = rows.weights, rows.X
    if plan.classes is None:
        labels = np.zeros(weights.size, dtype=np.int64)
        targets = np.ascontiguousarray(rows.y)
        patterns = ordered_bits(targets)
    else:
        labels = np.minimum(label_numbers(rows.y, plan.classes), plan.classes.size - 1)
        targets, patterns = np.empty(0), labels
        # Classes without weight are left out.
        weights = np.where(plan.classes[labels] == rows.y, weights, 0.0)
        if plan.factors is not None:
            weights = weights * plan.factors[labels]
    if plan.is_sparse:
        X = canonical_csr(sp.csr_array(X, dtype=plan.dtype))
    else:
        X = np.ascontiguousarray(X, dtype=plan.dtype)
    if X.shape[0]:
        samples, sums = cpu.distinct_rows(
            rows_of_samples(X), np.ascontiguousarray(patterns), weights, n_threads=n_threads
        )
        order = np.argsort(samples)
        samples, weights = samples[order], sums[order]
        if samples.size < X.shape[0]:
            X = X[samples]
            labels, patterns = labels[samples], patterns[samples]
            targets = targets[samples] if targets.size else targets
    else:
        samples = np.empty(0, dtype=np.int64)
    keys = mix_bits(hash_rows(X) ^ mix_bits(patterns.astype(np.int64).view(np.uint64)))
    return Partition(X, labels, targets, np.ascontiguousarray(weights), samples, keys)


@dataclass(frozen=True)
class Moments:
    """Total weight, mean and sum of squared differences from it, of all values of some rows."""

    weight: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def joined(self, other: Moments) -> Moments:
        """Return the moments of both together."""
        weight = self.weight + other.weight
        if weight == 0.0:
            return self
        shift = other.mean - self.mean
        return replace(
            self,
            weight=weight,
            mean=self.mean + shift * other.weight / weight,
            squares=self.squares
            + other.squares
            + shift * shift * self.weight * other.weight / weight,
        )


def moments(partition: Partition) -> Moments:
    """Return the moments of the values of a partition."""
    n_features = partition.X.shape[1]
    total = float(partition.weights.sum()) * n_features
    if total == 0.0:
        return Moments()
    X, weights = partition.X, partition.weights
    if sp.issparse(X):
        sums = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        own = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        mean = float(weights @ sums) / total
        return Moments(total, mean, float(weights @ own) - total * mean * mean)
    mean = float(weights @ X.sum(axis=1, dtype=np.float64)) / total
    squares = 0.0
    for at in range(0, X.shape[0], 4096):
        difference = X[at : at + 4096].astype(np.float64) - mean
        squares += float(weights[at : at + 4096] @ (difference * difference).sum(axis=1))
    return Moments(total, mean, squares)
