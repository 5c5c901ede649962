"""Labels of data to predict, of which some may be missing: the others are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from svmosaic.cli.console import note
from svmosaic.datasets import Dataset, read_table
from svmosaic.datasets.readers.target_values import whole_if_integral
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.cli.data_kinds import Columns

__all__ = ["has_label", "labelled_part", "read_labels"]


def read_labels(
    source: str, columns: Columns, target: str, names: Sequence[str], *, named: bool
) -> Any:
    """Return the labels of a file, nan or None where there is none.

    Parameters
    ----------
    source : str
        The file.
    columns : Columns
        How it is written.
    target : str
        The column of the labels.
    names : sequence of str
        All columns of the file.
    named : bool
        Whether labels are names though they look like numbers.
    """
    table = read_table(
        source,
        format=columns.format,
        target=None,
        drop=[name for name in names if name != target],
        nominal_columns=[target] if named else (),
        allow_nan=True,
        dense=False,
        max_bytes=columns.max_bytes,
        **{name: value for name, value in columns.reading.items() if name != "dates"},
    )
    if table.feature_names == (target,):
        return table.X.toarray()[:, 0]
    # The column has become one for each name, called target=name.
    values = np.array([name[len(target) + 1 :] for name in table.feature_names or ()], dtype=object)
    labels, found = np.full(table.n_samples, None, dtype=object), table.X.tocoo()
    labels[found.row] = values[found.col]
    return labels


def has_label(y: Any) -> Any:
    """Return which rows have a label.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels, nan or None where there is none.
    """
    if y.dtype.kind == "O":
        return np.array([label is not None for label in y], dtype=bool)
    return ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)


def labelled_part(data: Dataset, labels: Any) -> tuple[Dataset, Any]:
    """Return the rows that have a label, and what is predicted for them.

    Parameters
    ----------
    data : Dataset
        Data with labels, of which some may be missing.
    labels : ndarray of shape (n_samples,)
        What is predicted.
    """
    assert data.y is not None
    known = has_label(data.y) if data.y.ndim == 1 else np.ones(len(data.y), dtype=bool)
    if known.all():
        return data, labels
    n_missing = int((~known).sum())
    note(f"{n_missing} of {plural(data.n_samples, 'row')} have no label and are not compared")
    y = data.y[known]
    y = y.astype(str) if y.dtype.kind == "O" else whole_if_integral(y)
    return replace(data, X=data.X[known], y=y, ids=None, sample_weight=None), labels[known]
