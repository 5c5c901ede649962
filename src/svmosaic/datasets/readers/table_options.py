"""What a caller wants of a table in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from svmosaic.datasets.readers.dates import DateOrder

__all__ = ["TableOptions"]


@dataclass(frozen=True)
class TableOptions:
    """What the caller wants of a file; see `read_table`. A format has some of these options."""

    target: str | int | None = -1
    drop: Sequence[str | int] = ()
    nominal: Literal["onehot", "ordinal"] = "onehot"
    # What a missing name is in its columns of 0 and 1.
    nominal_gaps: Literal["zeros", "nan"] = "zeros"
    nominal_columns: Sequence[str | int] = ()
    numeric_columns: Sequence[str | int] = ()
    delimiter: str | None = None
    header: bool | None = None
    id_column: str | int | None = None
    decimal: str | None = None
    thousands: str | None = None
    # The order of year, month and day in all columns of dates, or in those named.
    dates: DateOrder | Mapping[str, DateOrder] | None = None
    # Of text; None: UTF-8, or what a byte-order mark says.
    encoding: str | None = None
    n_features: int | None = None
    max_features: int | None = None
    allow_nan: bool = False
    dense: bool | None = None
    # Of the text and of each array; None: as much as `memory_limit` says.
    max_bytes: float | None = None
    # What else than correcting a cell without a number helps; empty where nothing does.
    gap_option: str = ", or pass allow_nan=True"
