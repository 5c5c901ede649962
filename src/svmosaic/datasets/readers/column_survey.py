"""What a column of a table holds, counted cell by cell, without a decision to refuse anything."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from svmosaic.datasets.readers.dates import looks_like_date, looks_like_time
from svmosaic.datasets.readers.numbers import NumberFormat, looks_like_number

__all__ = ["ColumnKind", "ColumnSummary", "ColumnSurvey"]

# "written numbers" are numbers to a reader only: 5%, $5, 1,234 between tabs.
ColumnKind: TypeAlias = Literal[
    "numbers", "whole numbers", "names", "dates", "times", "written numbers", "empty"
]


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : str
        What most of its values are: "numbers", "whole numbers", "names", "dates", "times",
        "written numbers" such as 5%, which are refused, or "empty".
    n_missing : int
        Cells without a value.
    n_values : int or None
        Different values; None if there are too many to count.
    minimum, maximum : float or None
        Of the numbers, if there are any.
    values : dict of str to int
        The values with their counts, the most frequent first; empty where there are too many.
    odd : tuple of str and int, or None
        The first name in a column of numbers, with its line; such a file is refused.
    n_odd : int
        How many there are.
    n_infinite : int
        Numbers that are not finite.
    counts_rows : bool
        Whether the numbers are 0, 1, 2, ... or 1, 2, 3, ... from the first row to the last.
    """

    name: str
    kind: ColumnKind
    n_missing: int
    n_values: int | None
    minimum: float | None
    maximum: float | None
    values: dict[str, int]
    odd: tuple[str, int] | None
    n_odd: int
    n_infinite: int
    counts_rows: bool


class ColumnSurvey:
    """Counts what is in a column.

    Parameters
    ----------
    name : str
        The name of the column.
    missing : frozenset of str
        What a cell without a value looks like.
    numbers : NumberFormat
        How numbers are written.
    most_values : int
        This many different values are counted one by one.
    """

    def __init__(
        self, name: str, missing: frozenset[str], numbers: NumberFormat, most_values: int
    ) -> None:
        self._name = name
        self._missing = missing
        self._numbers = numbers
        self._most_values = most_values
        self._counts: Counter[str] | None = Counter()
        self._of_kind: Counter[str] = Counter()
        self._minimum, self._maximum = math.inf, -math.inf
        self._is_whole = True
        self._first_name: tuple[str, int] | None = None
        self._n_rows = 0
        self._first_number: int | None = None
        self._counts_rows = True

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells, without blanks around them; `lines` are their line numbers."""
        self._follow_count(cells)
        self._n_rows += len(cells)
        if not self._add_numbers(cells):
            self._add_one_by_one(cells, lines)
        if self._counts is not None and len(self._counts) > self._most_values:
            self._counts = None

    def _add_numbers(self, cells: Sequence[str]) -> bool:
        """Take cells in bulk, if all of them are plain finite numbers."""
        plain = self._numbers.to_plain(cells)
        try:
            values = np.fromiter(map(float, plain or [""]), np.float64, len(cells))
        except ValueError:
            return False
        text = "".join(plain or ())
        if "_" in text or not text.isascii() or not np.isfinite(values).all():
            return False
        self._of_kind["number"] += len(cells)
        self._minimum = min(self._minimum, float(values.min()))
        self._maximum = max(self._maximum, float(values.max()))
        self._is_whole = self._is_whole and bool(np.all(values == np.floor(values)))
        if self._counts is not None:
            self._counts.update(cells)
        return True

    def _add_one_by_one(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        for text, count in Counter(cells).items():
            kind = self._kind_of(text)
            self._of_kind[kind] += count
            if kind not in ("missing", "number", "infinite") and self._first_name is None:
                self._first_name = text, lines[cells.index(text)]
            if kind != "missing" and self._counts is not None:
                self._counts[text] += count

    def _kind_of(self, text: str) -> str:
        if text in self._missing:
            return "missing"
        try:
            value = self._numbers.parse(text)
        except ValueError:
            for kind, is_kind in (
                ("date", looks_like_date),
                ("time", looks_like_time),
                ("written", looks_like_number),
            ):
                if is_kind(text):
                    return kind
            return "name"
        if math.isnan(value):
            return "missing"
        if math.isinf(value):
            return "infinite"
        self._minimum, self._maximum = min(self._minimum, value), max(self._maximum, value)
        self._is_whole = self._is_whole and value.is_integer()
        return "number"

    def _follow_count(self, cells: Sequence[str]) -> None:
        if not self._counts_rows or not cells:
            return
        if self._first_number is None:
            if cells[0] not in ("0", "1"):
                self._counts_rows = False
                return
            self._first_number = int(cells[0])
        start = self._first_number + self._n_rows
        self._counts_rows = all(cell == str(n) for n, cell in enumerate(cells, start))

    def finish(self, *, as_names: bool = False, as_numbers: bool = False) -> ColumnSummary:
        """Return what was counted, where the caller may know that all are names, or numbers."""
        kind, n_odd = self._decide(as_names, as_numbers)
        has_numbers = self._minimum <= self._maximum and kind != "names"
        values = {} if self._counts is None else dict(self._counts.most_common())
        return ColumnSummary(
            name=self._name,
            kind=kind,
            n_missing=self._of_kind["missing"],
            n_values=None if self._counts is None else len(self._counts),
            minimum=self._minimum if has_numbers else None,
            maximum=self._maximum if has_numbers else None,
            values=values,
            odd=self._first_name if n_odd else None,
            n_odd=n_odd,
            n_infinite=self._of_kind["infinite"],
            counts_rows=self._counts_rows and self._n_rows > 1 and kind == "whole numbers",
        )

    def _decide(self, as_names: bool, as_numbers: bool) -> tuple[ColumnKind, int]:
        """Return the kind, and how many values do not belong: as the readers decide."""
        found = self._of_kind
        n_numbers = found["number"] + found["infinite"]
        n_names = found["name"] + found["date"] + found["time"] + found["written"]
        if n_numbers + n_names == 0:
            return "empty", 0
        if as_names:
            return "names", 0
        if n_numbers >= n_names or as_numbers:
            return "whole numbers" if self._is_whole and found["number"] else "numbers", n_names
        for part, kind in (
            ("written", "written numbers"),
            ("date", "dates"),
            ("time", "times"),
        ):
            if 2 * found[part] >= n_names:
                return kind, 0  # type: ignore[return-value]  # three of the kinds
        return "names", 0
