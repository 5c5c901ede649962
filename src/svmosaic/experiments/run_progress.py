"""How far a run is, and how long the rest may take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from svmosaic.experiments.journal import Entry
from svmosaic.experiments.planned import PlannedCell

__all__ = ["Counter", "Progress"]


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, failed, total : int
        Cells finished in this run, those of them that failed, and all that it has to do.
    remaining_seconds : float
        An estimate from the cells so far: what each method has taken for the numbers in its data,
        times the numbers in the data that it has not seen yet.
    """

    done: int
    failed: int
    total: int
    remaining_seconds: float


class Counter:
    """Counts finished cells and estimates the rest.

    Parameters
    ----------
    cells : iterable of PlannedCell
        All that is to be run.
    n_workers : int
        Cells at a time.
    report : callable or None
        Called with a `Progress` after each cell.
    """

    def __init__(
        self,
        cells: Iterable[PlannedCell],
        n_workers: int,
        report: Callable[[Progress], None] | None,
    ) -> None:
        self.done = self.failed = 0
        self._cells = {cell.key: cell for cell in cells}
        self._n_workers, self._report = n_workers, report
        # By method: numbers in the data of cells to come, of finished cells, and their seconds.
        self._rest: defaultdict[str, float] = defaultdict(float)
        self._seen: defaultdict[str, float] = defaultdict(float)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        for cell in self._cells.values():
            self._rest[cell.method] += cell.n_numbers

    @property
    def total(self) -> int:
        """All cells of the run."""
        return len(self._cells)

    def count(self, entry: Entry) -> None:
        """Note that a cell is finished."""
        cell = self._cells[entry.key]
        self.done += 1
        self.failed += entry.status == "failed"
        self._rest[cell.method] -= cell.n_numbers
        self._seen[cell.method] += cell.n_numbers
        self._seconds[cell.method] += entry.record["cell_seconds"]
        if self._report is not None:
            rest = self.total - self.done
            seconds = self._remaining() / min(self._n_workers, rest) if rest else 0.0
            self._report(Progress(self.done, self.failed, self.total, seconds))

    def _remaining(self) -> float:
        # A method that has not finished a cell is taken for an average one.
        average = sum(self._seconds.values()) / sum(self._seen.values())
        return sum(
            rest * (self._seconds[method] / self._seen[method] if self._seen[method] else average)
            for method, rest in self._rest.items()
        )
