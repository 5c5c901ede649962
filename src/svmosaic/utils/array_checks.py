"""Checks of arrays that come from a file, before anything computes with them.

Every check raises `ModelFileError` with one sentence; the caller adds the name of the file. No
check allocates more than a few times the size of the arrays it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from svmosaic.exceptions import ModelFileError

__all__ = ["AnyArray", "check_csr", "check_dtype", "check_values", "refuse"]

AnyArray = npt.NDArray[Any]


def refuse(reason: str) -> NoReturn:
    """Raise the error for a state that cannot be a fitted model."""
    raise ModelFileError(reason)


def check_dtype(name: str, array: AnyArray, allowed: Sequence[str]) -> None:
    """Refuse an array of another type."""
    if array.dtype.name not in allowed:
        refuse(f"'{name}' has type {array.dtype.name}; expected {' or '.join(allowed)}")


def check_values(
    name: str,
    array: AnyArray,
    *,
    finite: bool = True,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
) -> None:
    """Refuse nan and infinity, unless allowed, and values out of range."""
    if array.size == 0:
        return
    if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
        refuse(f"'{name}' holds nan or infinity")
    if minimum is not None and array.min() < minimum:
        refuse(f"'{name}' holds {array.min()}; at least {minimum:g} was expected")
    if maximum is not None and array.max() > maximum:
        refuse(f"'{name}' holds {array.max()}; at most {maximum:g} was expected")
    if above is not None and not (array > above).all():
        refuse(f"'{name}' holds {array.min()}; more than {above:g} was expected")


def check_csr(
    name: str, data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: tuple[int, int]
) -> None:
    """Refuse compressed rows that are not in canonical form; the compiled core relies on it."""
    n_rows, n_columns = shape
    if data.ndim != 1 or indices.ndim != 1 or indptr.ndim != 1:
        refuse(f"the arrays of '{name}' need one axis each")
    if indices.dtype != indptr.dtype:
        refuse(f"'{name}' has indices of type {indices.dtype} and offsets of type {indptr.dtype}")
    if indptr.size != n_rows + 1:
        refuse(f"'{name}' has {indptr.size} offsets for {n_rows} rows; expected {n_rows + 1}")
    if indices.size != data.size:
        refuse(f"'{name}' has {indices.size} indices for {data.size} values")
    if indptr[0] != 0 or indptr[-1] != data.size or np.any(indptr[1:] < indptr[:-1]):
        refuse(f"the offsets of '{name}' do not ascend from 0 to {data.size}")
    if indices.size and (indices.min() < 0 or indices.max() >= n_columns):
        refuse(f"'{name}' has a column index outside 0 to {n_columns - 1}")
    ascends = indices[1:] > indices[:-1]
    # Between the last value of a row and the first of the next, indices may fall.
    starts = indptr[1:-1]
    starts = starts[(starts > 0) & (starts < indices.size)]
    ascends[starts - 1] = True
    if not ascends.all():
        refuse(f"the column indices of '{name}' do not ascend within a row")
