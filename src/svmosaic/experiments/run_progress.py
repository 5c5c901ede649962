"""How far a run is, and how long the rest may take."""

from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from svmosaic.experiments.cell_costs import CellCosts
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
        An estimate from the cells so far: what cells of the same method and data have taken or, of
        data that a method has not seen yet, what its growth with the size of the data says.
        Infinite while there are far larger data than those of all cells so far: an estimate would
        be wrong by orders of magnitude.
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
        self._costs = CellCosts()
        # Cells to come, by method and numbers in their data.
        self._rest = Tally((cell.method, cell.n_numbers) for cell in self._cells.values())

    @property
    def total(self) -> int:
        """All cells of the run."""
        return len(self._cells)

    def count(self, entry: Entry) -> None:
        """Note that a cell is finished."""
        cell = self._cells[entry.key]
        self.done += 1
        self.failed += entry.status == "failed"
        kind = (cell.method, cell.n_numbers)
        self._rest[kind] -= 1
        if not self._rest[kind]:
            del self._rest[kind]
        self._costs.add(*kind, entry.record["cell_seconds"])
        if self._report is not None:
            self._report(Progress(self.done, self.failed, self.total, self._remaining()))

    def _remaining(self) -> float:
        """Return the time until all workers are done, the longest cell at least."""
        if not self._costs.knows(max((size for _, size in self._rest), default=0)):
            return math.inf
        each = {kind: self._costs.expected(*kind) for kind in self._rest}
        together = sum(n * each[kind] for kind, n in self._rest.items())
        return max(together / self._n_workers, max(each.values(), default=0.0))
