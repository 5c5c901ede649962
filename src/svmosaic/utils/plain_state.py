"""Estimator state as plain arrays: sparse matrices taken apart for storing."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

__all__ = ["put_together", "take_apart"]


def take_apart(value: Any) -> Any:
    """Return CSR matrices, also inside a dict, as dicts of arrays that any format can store."""
    if isinstance(value, dict):
        return {key: take_apart(item) for key, item in value.items()}
    if not sp.issparse(value):
        return value
    return {
        "csr": "array" if isinstance(value, sp.sparray) else "matrix",
        "data": value.data,
        "indices": value.indices,
        "indptr": value.indptr,
        "shape": list(value.shape),
    }


def put_together(value: Any) -> Any:
    """Return what `take_apart` was given."""
    if not isinstance(value, dict):
        return value
    if "csr" not in value:
        return {key: put_together(item) for key, item in value.items()}
    kind = sp.csr_array if value["csr"] == "array" else sp.csr_matrix
    parts = (value["data"], value["indices"], value["indptr"])
    return kind(parts, shape=tuple(value["shape"]))
