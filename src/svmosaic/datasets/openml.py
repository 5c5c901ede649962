"""Data sets as openml.org has them, as tables of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import FinishedColumn, is_number
from svmosaic.datasets.readers.feature_matrix import feature_names
from svmosaic.datasets.readers.target_values import whole_if_integral

__all__ = ["Download", "download_openml", "to_dataset"]


@dataclass(frozen=True)
class Download:
    """A data set as OpenML gives it.

    `categories` maps the names of nominal features to their values; such a column of `X` holds
    positions in that list.
    """

    X: Any
    y: NDArray[Any]
    feature_names: Sequence[str]
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)


def download_openml(data_id: int) -> Download:
    """Download a data set by its number at openml.org, through scikit-learn.

    A number names one version of a data set, so there is no version to choose. The copy that is
    kept is ours, which has a checksum; scikit-learn keeps none.
    """
    # Imported here: scikit-learn takes seconds to import, and most commands do not download.
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=data_id, as_frame=False, cache=False, parser="liac-arff")
    return Download(bunch.data, bunch.target, bunch.feature_names, bunch.categories or {})


def to_dataset(raw: Download, name: str) -> Dataset:
    """Return a download as a table: nominal features as numbers or one-hot columns."""
    X, names = raw.X, tuple(raw.feature_names)
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_array(X, dtype=np.float64)
    else:
        X, names = _expand_nominal(np.asarray(X, dtype=np.float64), names, raw.categories)
    return Dataset(X=X, y=_labels(raw.y), feature_names=names, name=name)


def _expand_nominal(
    X: NDArray[np.float64], names: Sequence[str], categories: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Turn codes into the numbers that they name, or else into one-hot columns."""
    parts: list[NDArray[np.float64]] = []
    expanded: list[str] = []
    for j, name in enumerate(names):
        values = tuple(categories.get(name) or ())
        column = X[:, j]
        if not values or not np.isfinite(column).all():
            parts.append(column[:, np.newaxis])
            expanded.append(name)
        elif all(map(is_number, values)):
            parts.append(np.array(values, dtype=np.float64)[column.astype(np.int64), np.newaxis])
            expanded.append(name)
        else:
            parts.append(np.eye(len(values))[column.astype(np.int64)])
            expanded += feature_names(FinishedColumn(name, column, values), onehot=True)
    return np.hstack(parts), tuple(expanded)


def _labels(y: NDArray[Any]) -> NDArray[Any]:
    if y.dtype.kind in "fiu":
        return whole_if_integral(y.astype(np.float64))
    names = [str(label) for label in y]
    if all(map(is_number, set(names))):
        return whole_if_integral(np.array(names, dtype=np.float64))
    return np.array(names)
