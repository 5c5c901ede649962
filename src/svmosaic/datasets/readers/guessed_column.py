"""A column whose kind its own values decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from svmosaic.datasets.readers.columns import (
    Cells,
    DateColumn,
    FinishedColumn,
    NominalColumn,
    NumericColumn,
)
from svmosaic.datasets.readers.dates import has_short_year, looks_like_date, looks_like_time
from svmosaic.datasets.readers.numbers import looks_like_number

__all__ = ["GuessedColumn"]


class GuessedColumn:
    """A column of numbers or of names, whichever most of its values are.

    All values have a say, so the order of the rows does not matter. Among numbers, a name is a slip
    of the pen and an error with its line, never a silent change of the whole column.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._column: NumericColumn | NominalColumn | DateColumn | None = None
        self._waiting: list[int] = []  # lines of the missing cells before the first value
        self._slip: tuple[str, int] | None = None  # the first name, and its line

    @property
    def n_values(self) -> int:
        """The number of names, or 1."""
        return 1 if self._column is None else self._column.n_values

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells."""
        if self._column is None:
            if all(cell in self._cells.missing for cell in cells):
                if not self._cells.allow_nan:
                    raise self._cells.missing_value(lines[0])
                self._waiting.extend(lines)
                return
            self._column = self._decide(cells, lines)
        self._column.add(cells, lines)

    def _decide(
        self, cells: Sequence[str], lines: Sequence[int]
    ) -> NumericColumn | NominalColumn | DateColumn:
        """Choose by the first values, of which there are thousands; `finish` looks at all."""
        counts, is_number = Counter(cells), self._cells.numbers.is_number
        names = {c for c in counts if c not in self._cells.missing and not is_number(c)}
        n_names = sum(counts[name] for name in names)
        n_missing = sum(counts[cell] for cell in counts.keys() & self._cells.missing)
        if n_names:
            pairs = zip(cells, lines, strict=True)
            self._slip = next((cell, line) for cell, line in pairs if cell in names)
        is_numeric = 2 * n_names <= len(cells) - n_missing
        if not is_numeric:
            self._refuse_written_numbers({name: counts[name] for name in names}, cells, lines)
        if is_numeric:
            column: NumericColumn | NominalColumn | DateColumn = NumericColumn(self._cells)
        elif dates := self._most(looks_like_date, names, counts):
            if self._cells.dates is None or has_short_year(dates[0]):
                raise self._cells.holds_dates(dates[0])
            column = DateColumn(self._cells, self._cells.dates)
        elif times := self._most(looks_like_time, names, counts):
            raise self._cells.holds_times(times[0])
        else:
            column = NominalColumn(self._cells)
        if self._waiting:
            blank = next(iter(self._cells.missing))
            column.add([blank] * len(self._waiting), self._waiting)
        return column

    def _most(
        self, is_kind: Callable[[str], bool], names: Collection[str], counts: Mapping[str, int]
    ) -> list[str]:
        """Return the names of a kind in order if at least half of all are; none of a target."""
        if self._cells.is_target:
            return []
        found = sorted(filter(is_kind, names))
        is_most = 2 * sum(counts[name] for name in found) >= sum(counts[name] for name in names)
        return found if is_most else []

    def _refuse_written_numbers(
        self, names: Mapping[str, int], cells: Sequence[str] = (), lines: Sequence[int] = ()
    ) -> None:
        """Refuse a column most of whose names, given with their counts, are numbers to a reader."""
        written = {name for name in names if looks_like_number(name)}
        if written and 2 * sum(names[name] for name in written) >= sum(names.values()):
            pairs = zip(cells, lines, strict=True)
            first = next(((cell, line) for cell, line in pairs if cell in written), None)
            raise self._cells.not_a_number(*(first or (min(written), None)))

    def finish(self) -> FinishedColumn:
        """Return the column; one without any value is all nan."""
        if self._column is None:
            return FinishedColumn(self._cells.name, np.full(len(self._waiting), np.nan))
        finished = self._column.finish()
        if finished.categories is not None and self._slip is not None:
            counts = np.bincount(
                finished.values[finished.values >= 0].astype(np.int64),
                minlength=len(finished.categories),
            )
            are_numbers = [self._cells.numbers.is_number(name) for name in finished.categories]
            if 2 * counts[are_numbers].sum() >= counts.sum():
                raise self._cells.not_a_number(*self._slip)
            known = zip(finished.categories, counts.tolist(), are_numbers, strict=True)
            self._refuse_written_numbers({name: n for name, n, is_one in known if not is_one})
        return finished
