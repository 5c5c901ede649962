"""Which columns of a table are the target, ids, left out, or of a known kind."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from svmosaic.datasets.readers.dates import DateOrder
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error

__all__ = ["Roles", "assign_roles", "find_column"]

# Comparing a misspelt name with a million others would take minutes.
_MOST_COMPARED_NAMES = 10_000


@dataclass(frozen=True)
class Roles:
    """Which columns are the target, ids, left out, or of a kind whatever they look like."""

    target: int | None
    dropped: frozenset[int]
    forced_nominal: frozenset[int]
    forced_numeric: frozenset[int] = frozenset()
    id_column: int | None = None
    forced_dates: Mapping[int, DateOrder] = field(default_factory=dict)

    def is_feature(self, column: int) -> bool:
        """Whether the column is a feature."""
        return column not in (self.target, self.id_column) and column not in self.dropped

    def without_ids(self) -> Roles:
        """Return the same with the ids left out, for what has samples and labels only."""
        ids = frozenset[int]() if self.id_column is None else frozenset({self.id_column})
        return replace(self, dropped=self.dropped | ids, id_column=None)


def assign_roles(
    names: Sequence[str], options: TableOptions, path: Path, *, row_names: bool = False
) -> Roles:
    """Find the target and the other columns that the caller named.

    With `row_names`, the first column identifies the rows unless the caller gave it another role.
    """
    # A model with many columns names all of them.
    place = {name: j for j, name in enumerate(names)}

    def find_all(keys: Iterable[str | int]) -> frozenset[int]:
        return frozenset(
            place[key] if key in place else find_column(key, names, path) for key in keys
        )

    def find(key: str | int | None) -> int | None:
        return None if key is None else find_column(key, names, path)

    target, ids = find(options.target), find(options.id_column)
    dropped = find_all(options.drop)
    forced, numeric = find_all(options.nominal_columns), find_all(options.numeric_columns)
    dates: dict[int, DateOrder] = {}
    if isinstance(options.dates, Mapping):
        dates = {find_column(key, names, path): order for key, order in options.dates.items()}
    if both := forced & numeric:
        raise ValueError(
            f"The column {names[min(both)]!r} of {path.name} is in nominal_columns and in "
            "numeric_columns. Leave it out of one."
        )
    if target is not None and target in dropped:
        raise ValueError(
            f"The target {names[target]!r} of {path.name} is also in drop. Name another target, "
            "or pass target=None to read features only."
        )
    if ids is not None and ids == target:
        raise ValueError(
            f"The column {names[ids]!r} of {path.name} cannot be both target and id_column. Name "
            "another target."
        )
    if row_names and 0 not in {target, ids, *dropped, *forced, *numeric, *dates}:
        ids, dropped = (0, dropped) if ids is None else (ids, dropped | {0})
    # What identifies the rows may be dropped as well: it is not a feature.
    dropped -= {ids}
    if len(names) - len(dropped) - (target is not None) - (ids is not None) == 0:
        raise file_error(
            path, None, "no feature columns are left. Check the delimiter, the target and drop."
        )
    return Roles(target, dropped, forced, numeric, ids, dates)


def find_column(key: str | int, names: Sequence[str], path: Path) -> int:
    """Return the number of a column, from 0, by its name or by its number."""
    if isinstance(key, str):
        if key in names:
            return names.index(key)
        close = difflib.get_close_matches(key, names[:_MOST_COMPARED_NAMES], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Its first column is {names[0]!r}."
        raise ValueError(f"{path.name} has no column {key!r}. {hint}")
    if not -len(names) <= key < len(names):
        raise ValueError(
            f"{path.name} has {len(names)} columns; got column {key}. Count from 0, or from -1 "
            "at the end."
        )
    return key % len(names)
