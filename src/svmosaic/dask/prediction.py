"""Lazy predictions: block by block, each where its rows are."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.dask.data import check_blocks, is_frame
from svmosaic.utils.optional import import_optional

__all__ = ["predict_lazily"]


def _call(rows: Any, model: Any, method: str) -> Any:
    if rows.shape[0] == 0:
        # An empty block, or the one that Dask tries a function with.
        return _on_one_row(model, method)[:0]
    return getattr(model, method)(rows)


def _on_one_row(model: Any, method: str) -> Any:
    """Return what a method gives for a row of zeros."""
    row: Any = np.zeros((1, model.n_features_in_))
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        row = import_optional("pandas", "predict dataframes").DataFrame(row, columns=names)
    return getattr(model, method)(row)


def _call_on_frame(frame: Any, model: Any, method: str, columns: list[Any] | None) -> Any:
    import pandas as pd

    values = _call(frame if len(frame) else frame.to_numpy(), model, method)
    if columns is None:
        return pd.Series(values, index=frame.index, name=method)
    return pd.DataFrame(values, index=frame.index, columns=columns)


def predict_lazily(model: Any, X: Any, method: str, who: str) -> Any:
    """Return what a method of a fitted model gives for a collection of Dask, without computing it.

    An array gives an array, a dataframe a column or a dataframe with the same index.
    """
    check_blocks(X, "X", who)
    if X.shape[1] != model.n_features_in_:
        # Now, and not on the workers when somebody computes it.
        raise ValueError(
            f"X has {X.shape[1]} features, but {who} is expecting {model.n_features_in_} features "
            "as input."
        )
    sample = _on_one_row(model, method)
    delayed = import_optional("dask", "predict on a cluster").delayed(model)
    if is_frame(X):
        columns = None
        if sample.ndim == 2:
            classes = list(getattr(model, "classes_", []))
            columns = classes if len(classes) == sample.shape[1] else list(range(sample.shape[1]))
        meta = _call_on_frame(X._meta, _Empty(sample), method, columns)
        return X.map_partitions(_call_on_frame, delayed, method, columns, meta=meta)
    if sample.ndim == 1:
        return X.map_blocks(
            _call, delayed, method, dtype=sample.dtype, drop_axis=1, meta=sample[:0]
        )
    return X.map_blocks(
        _call,
        delayed,
        method,
        dtype=sample.dtype,
        chunks=(X.chunks[0], (sample.shape[1],)),
        meta=sample[:0],
    )


class _Empty:
    """Stands for a model where only the form of its answers matters."""

    n_features_in_ = 1

    def __init__(self, sample: Any) -> None:
        self.predict = self.decision_function = lambda rows: sample
