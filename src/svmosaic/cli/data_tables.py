"""The rows of data as one table, dense where an estimator needs it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags

from svmosaic.bags import Bags
from svmosaic.datasets import Dataset
from svmosaic.datasets.readers.text import in_words
from svmosaic.utils.free_memory import free_memory

__all__ = ["as_table", "dense_where_needed", "has_gaps", "to_dense_table", "with_table"]


def as_table(data: Dataset) -> Any:
    """Return the rows of the data, the instances of bags."""
    return data.X.instances if isinstance(data.X, Bags) else data.X


def with_table(data: Dataset, table: Any, names: tuple[str, ...] | None) -> Dataset:
    """Return the same samples with other rows in their table, the instances of bags."""
    X = data.X.with_instances(table) if isinstance(data.X, Bags) else table
    return data.with_features(X, names)


def has_gaps(data: Dataset) -> bool:
    """Return whether features are missing."""
    table = as_table(data)
    return bool(np.isnan(table.data if sp.issparse(table) else table).any())


def dense_where_needed(data: Dataset, estimator: Any) -> Dataset:
    """Return the data as a dense table if `estimator` takes no other."""
    if not sp.issparse(data.X) or get_tags(estimator).input_tags.sparse:
        return data
    return data.with_features(to_dense_table(data.X, data.name), data.feature_names)


def to_dense_table(X: Any, name: str) -> Any:
    """Return a sparse matrix as an array, unless that would fill the memory."""
    needed, free = math.prod(X.shape) * X.dtype.itemsize, free_memory()
    # What is trained takes a copy.
    if 2 * needed > free:
        raise ValueError(
            f"{name} has {X.shape[0]} x {X.shape[1]} values, mostly zeros, which take "
            f"{in_words(needed)} as a dense table; {in_words(free)} are free. Use a method that "
            "takes sparse data, for example ollawv."
        )
    return X.toarray()
