"""What a run folder holds, read once and put in order for the sections of a report."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.journal import Damage, Entry, Start
from svmosaic.experiments.results import read_cells, read_history, warn_of_damage

__all__ = ["RunData", "read_run"]

_SHAPE = ("n_samples", "n_features", "n_classes")
# The entries of a record before and after its scores.
_BEFORE_SCORES, _AFTER_SCORES = "n_test", "inner_score"


@dataclass(frozen=True, eq=False)
class RunData:
    """The results of a run.

    Attributes
    ----------
    folder : Path
        Where they come from.
    records : list of dict
        One per finished cell.
    failed : list of Entry
        The cells that failed.
    starts : list of Start
        Every start of the run, the first one first.
    damaged : list of Damage
        The cells whose records are damaged.
    """

    folder: Path
    records: list[dict[str, Any]]
    failed: list[Entry]
    starts: list[Start]
    damaged: list[Damage]

    @property
    def provenance(self) -> dict[str, Any]:
        """What the last start noted of itself."""
        return self.starts[-1].provenance if self.starts else {}

    @property
    def experiment(self) -> dict[str, Any]:
        """The spec as plain values; empty for a journal of an older version."""
        found: dict[str, Any] = self.provenance.get("experiment", {})
        return found

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return str(self.provenance.get("name", self.folder.name))

    @property
    def n_planned(self) -> int:
        """Cells of the last plan, all shards together."""
        return len(frozenset().union(*(start.planned for start in self.starts)))

    @property
    def n_missing(self) -> int:
        """Cells that are planned and not finished."""
        return max(0, self.n_planned - len(self.records) - len(self.failed))

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in the order of the spec."""
        return self._names("method", "methods")

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in the order of the spec."""
        return self._names("dataset", "data")

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores, the one that chose parameters first."""
        named = self.experiment.get("protocol", {}).get("scoring")
        if named:
            return tuple(map(str, named))
        if not self.records:
            return ()
        names = list(self.records[0])
        begin, end = names.index(_BEFORE_SCORES) + 1, names.index(_AFTER_SCORES)
        return tuple(names[begin:end])

    @cached_property
    def shapes(self) -> dict[str, dict[str, Any]]:
        """Rows, features and classes of each data set, as far as they were noted."""
        cells = [(record["dataset"], record) for record in self.records]
        cells += [(entry.dataset, entry.record) for entry in self.failed]
        shapes: dict[str, dict[str, Any]] = {name: {} for name in self.datasets}
        for name, record in cells:
            if shapes[name].get("n_samples") is None:
                shapes[name] = {key: record.get(key) for key in _SHAPE}
                if "n_samples" not in record and "n_train" in record:
                    shapes[name]["n_samples"] = record["n_train"] + record["n_test"]
        return shapes

    def of(self, dataset: str, method: str) -> list[dict[str, Any]]:
        """Return the records of one method on one data set."""
        return self._cells.get((dataset, method), [])

    @cached_property
    def _cells(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for record in self.records:
            cells.setdefault((record["dataset"], record["method"]), []).append(record)
        return cells

    def _names(self, field: str, of_spec: str) -> tuple[str, ...]:
        found = [str(record[field]) for record in self.records]
        found += [str(getattr(entry, field)) for entry in self.failed]
        planned = [str(item["name"]) for item in self.experiment.get(of_spec, [])]
        return tuple(dict.fromkeys([*(name for name in planned if name in found), *found]))


def read_run(folder: str | os.PathLike[str]) -> RunData:
    """Read all journals of a run folder.

    Raises
    ------
    DataNotFoundError
        There is no such folder, no journal in it, or no finished cell in the journal.
    """
    path = Path(folder)
    if not path.exists():
        raise DataNotFoundError(
            f"There is no folder {str(folder)!r}. Name the folder that 'svmosaic run' has written."
        )
    if not path.is_dir():
        raise NotADirectoryError(
            f"{str(folder)!r} is not a folder. Name the folder that 'svmosaic run' has written."
        )
    cells = read_cells(path)
    warn_of_damage(cells.damaged, stacklevel=2)
    run = RunData(path, cells.records, cells.failed, read_history(path), cells.damaged)
    if not run.records and not run.failed:
        raise DataNotFoundError(
            f"No cell of the experiment in {str(folder)!r} is finished yet. Run it first."
        )
    return run
