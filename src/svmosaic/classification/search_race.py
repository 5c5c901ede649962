"""A race of the candidates of a search: over growing subsets of the rows, then over the folds.

Every round scores the candidates that are left on more rows, and drops those that are behind the
best one by more than chance and the move of the optimum allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from svmosaic.classification.search_cells import (
    CandidateScores,
    Progress,
    SearchData,
    score_candidates,
)
from svmosaic.classification.training import Training
from svmosaic.engine.problem import DeviceTable, DoubleArray, IndexArray
from svmosaic.engine.tasks import TuneSettings
from svmosaic.utils.splits import Split

if TYPE_CHECKING:
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV

__all__ = [
    "paired_deviation",
    "race_candidates",
    "round_sizes",
    "still_hopeful",
    "stratified_order",
    "subset_rows",
    "survivors",
]

BoolArray = npt.NDArray[np.bool_]

# The constants below were chosen on banana, satimage and parts of ijcnn1, shuttle, w3a and
# electricity; see docs/decisions/0033-a-race-of-candidates.md and 0040.

# Rows of the first round; rows per class, on average; rows that are not of the largest class, as a
# rare class says little with fewer.
_FIRST_ROWS = 300
_FIRST_ROWS_OF_CLASS = 30
_FIRST_ROWS_OF_OTHERS = 30
# A round has at most this many times the rows of the one before.
_GROWTH = 5.0
# Candidates that are tried on all rows, and the share of a grid that leaves any earlier round.
_FINALISTS = 5
_LARGEST_SHARE = 0.3
# A candidate is dropped if it is behind the best one by more standard errors than this.
_ALLOWED_ERRORS = 2.0
# On all rows, candidates are compared after these numbers of folds.
_COMPARED_AFTER = (1, 2)
# Of the order in which rows are taken.
_SEED = 0


def round_sizes(class_counts: IndexArray, n_candidates: int) -> list[int]:
    """Return the numbers of rows of all rounds, of which the last has all rows.

    It is the only round if there are not enough rows or candidates for a race.
    """
    n_rows = int(class_counts.sum())
    n_others = max(n_rows - int(class_counts.max()), 1)
    first = max(
        _FIRST_ROWS,
        _FIRST_ROWS_OF_CLASS * class_counts.size,
        int(np.ceil(_FIRST_ROWS_OF_OTHERS * n_rows / n_others)),
    )
    if n_candidates <= _FINALISTS or n_rows < 2 * first:
        return [n_rows]
    n_steps = int(np.ceil(np.log(n_rows / first) / np.log(_GROWTH) - 1e-9))
    sizes = np.geomspace(first, n_rows, n_steps + 1)
    return [int(size) for size in np.rint(sizes)]


# Subsets ------------------------------------------------------------------------------------


def stratified_order(
    labels: IndexArray, takes_part: BoolArray, splits: Sequence[Split]
) -> list[IndexArray]:
    """Return the rows of each class such that every beginning has its share of every test part.

    A beginning of one of these lists is a subset of a class, and a longer one contains it.
    """
    test_of = np.full(labels.size, len(splits))
    for f in reversed(range(len(splits))):
        test_of[splits[f][1]] = f
    shuffled = np.random.default_rng(_SEED).permutation(labels.size)
    place = np.empty(labels.size)
    # The k-th of the m rows of a class and a test part comes at (k + 1/2) / m.
    order = np.lexsort((shuffled, test_of, labels))
    order = order[takes_part[order]]
    keys = labels[order] * (len(splits) + 1) + test_of[order]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    place[order] = (np.arange(order.size) - np.repeat(first, counts) + 0.5) / np.repeat(
        counts, counts
    )
    order = np.lexsort((shuffled, place, labels))
    order = order[takes_part[order]]
    ends = np.cumsum(np.bincount(labels[order], minlength=int(labels.max()) + 1))
    return np.split(order, ends[:-1])


def subset_rows(
    strata: Sequence[IndexArray], labels: IndexArray, splits: Sequence[Split], size: int
) -> BoolArray:
    """Return which rows are in a stratified subset of about `size` rows.

    Every class that a training or test part has is in what is left of it, so that models and
    scores exist; this may take more rows than `size`.
    """
    n_rows = sum(rows.size for rows in strata)
    chosen = np.zeros(labels.size, dtype=np.bool_)
    for rows in strata:
        chosen[rows[: int(np.ceil(rows.size * size / n_rows))]] = True
    takes_part = np.zeros(labels.size, dtype=np.bool_)
    takes_part[np.concatenate(list(strata))] = True
    for part in (part for split in splits for part in split):
        rows = part[takes_part[part]]
        present, first = np.unique(labels[rows], return_index=True)
        missing = ~np.isin(present, labels[rows[chosen[rows]]])
        chosen[rows[first[missing]]] = True
    return chosen


def _restrict(
    training: Training, splits: Sequence[Split], chosen: BoolArray
) -> tuple[Training, list[Split]]:
    """Return a search on some rows. The others have no weight, and engines leave them out."""
    weights = np.ascontiguousarray(np.where(chosen, training.row_weights, 0.0))
    parts = [(train[chosen[train]], test[chosen[test]]) for train, test in splits]
    return replace(training, row_weights=weights), parts


# Candidates ---------------------------------------------------------------------------------


def survivors(scores: DoubleArray, alive: BoolArray, most: int, *, neighbours: bool) -> BoolArray:
    """Return which candidates stay in the race after a round.

    Parameters
    ----------
    scores : ndarray of shape (gammas, margins, Cs, splits)
        Scores of the round; only those of candidates that took part are read.
    alive : ndarray of bool of shape (gammas, margins, Cs)
        Which candidates took part.
    most : int
        As many of the best ones may stay.
    neighbours : bool
        Whether the neighbours of the best candidate on the grid stay in any case: with more rows,
        the best parameters move.
    """
    means, best = _ranked(scores, alive)
    n_splits = scores.shape[-1]
    kept = alive.copy()
    if n_splits > 1:
        behind = scores[best] - scores
        # Of few folds, equal differences may be chance: at least the error of the best score.
        spread = np.maximum(behind.std(axis=-1, ddof=1), scores[best].std(ddof=1))
        kept &= behind.mean(axis=-1) <= _ALLOWED_ERRORS * spread / np.sqrt(n_splits)
    # Of equal ones the first of the grid.
    order = np.argsort(-np.where(kept, means, -np.inf), axis=None, kind="stable")
    kept.ravel()[order[most:]] = False
    kept[best] = True
    if neighbours:
        around = tuple(slice(max(place - 1, 0), place + 2) for place in best)
        kept[around] |= alive[around]
    return kept


def still_hopeful(scores: DoubleArray, alive: BoolArray, deviation: float) -> BoolArray:
    """Return which candidates may still win after some folds.

    `deviation` is that of the difference between two candidates on one fold.
    """
    _, best = _ranked(scores, alive)
    behind = (scores[best] - scores).mean(axis=-1)
    kept: BoolArray = alive & (behind <= _ALLOWED_ERRORS * deviation / np.sqrt(scores.shape[-1]))
    kept[best] = True
    return kept


def paired_deviation(scores: DoubleArray, alive: BoolArray) -> float:
    """Return by how much differences from the best candidate vary over the folds, on average."""
    _, best = _ranked(scores, alive)
    others = alive.copy()
    others[best] = False
    if not others.any() or scores.shape[-1] < 2:
        return float("inf")
    behind = scores[best] - scores[others]
    return float(np.sqrt(np.mean(behind.var(axis=-1, ddof=1))))


def _ranked(scores: DoubleArray, alive: BoolArray) -> tuple[DoubleArray, tuple[int, ...]]:
    """Return mean scores, minus infinity for those that take no part, and the place of the best."""
    # Rounded, so that the order of a sum does not decide.
    means = scores.mean(axis=-1).round(12)
    means = np.where(alive & ~np.isnan(means), means, -np.inf)
    return means, tuple(map(int, np.unravel_index(int(np.argmax(means)), means.shape)))


_Call = tuple[IndexArray, IndexArray, IndexArray]


def _calls(alive: BoolArray, *, together: bool) -> list[_Call]:
    """Return gammas, margins and Cs of the calls that score some candidates.

    A call has all combinations. `together` there is one call: what its gammas share, such as
    distances, costs more than the candidates that are tried besides. Otherwise gammas with the
    same margins and Cs go together.
    """
    of_gamma = alive.any(axis=(1, 2))
    if together:
        of_others: BoolArray = np.logical_or.reduce(alive, axis=0)
        return [(np.flatnonzero(of_gamma), *_sides(of_others))]
    groups: dict[bytes, list[int]] = {}
    for g in np.flatnonzero(of_gamma):
        groups.setdefault(alive[g].tobytes(), []).append(int(g))
    return [(np.array(gammas), *_sides(alive[gammas[0]])) for gammas in groups.values()]


def _sides(cells: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return the margins and the Cs of some cells."""
    return np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))


# The race -----------------------------------------------------------------------------------


class _Judge:
    """Scores some candidates on some rows and folds, one call of the engine after the other."""

    def __init__(
        self,
        search: OLLAWVClassifierCV,
        data: SearchData,
        grid: TuneSettings,
        n_threads: int,
        progress: Progress,
    ) -> None:
        self.search, self.data, self.grid = search, data, grid
        self.n_threads, self.progress = n_threads, progress
        self.shape = (grid.gammas.size, grid.margins.size, grid.Cs.size)
        self.done, self.steps = 0, 0

    def score(
        self, training: Training, splits: Sequence[Split], alive: BoolArray
    ) -> tuple[DoubleArray, DoubleArray]:
        """Return scores and numbers of support vectors, and mark everyone that took part.

        Those that took no part have nan.
        """
        shape = (*self.shape, len(splits))
        scores, n_support = np.full(shape, np.nan), np.full(shape, np.nan)
        for gammas, margins, Cs in _calls(alive, together=self.shares_values(training)):
            grid = replace(
                self.grid,
                gammas=self.grid.gammas[gammas],
                margins=self.grid.margins[margins],
                Cs=self.grid.Cs[Cs],
            )
            cells = np.ix_(gammas, margins, Cs)
            alive[cells] = True
            scores[cells], n_support[cells] = score_candidates(
                self.search,
                training,
                self.data,
                splits,
                grid,
                n_threads=self.n_threads,
                progress=self._reporter(),
            )
        return scores, n_support

    def shares_values(self, training: Training) -> bool:
        """Whether calls share the kernel values of all rows among candidates and folds."""
        if isinstance(training.X, DeviceTable):
            return True
        # As in the engine, but for what depends on the number of threads.
        item = 4 if training.X.dtype == np.float32 else 8
        n_rows = int(np.count_nonzero(training.row_weights > 0))
        return 2 * item * n_rows**2 <= self.grid.memory_mb * 2**20

    def _reporter(self) -> Progress:
        """Return a function that adds the calls before; how many will follow is not known."""
        if self.progress is None:
            return None
        progress, done, steps = self.progress, self.done, self.steps

        def report(now: int, total: int, more: int) -> None:
            self.done, self.steps = done + now, steps + more
            progress(done + now, done + total, steps + more)

        return report


def race_candidates(
    search: OLLAWVClassifierCV,
    training: Training,
    data: SearchData,
    splits: Sequence[Split],
    grid: TuneSettings,
    *,
    n_threads: int,
    progress: Progress = None,
) -> CandidateScores:
    """Return the scores of the last round that each candidate finished.

    Where rows or candidates are too few for a race, all candidates are scored on all rows.
    """
    judge = _Judge(search, data, grid, n_threads, progress)
    found = CandidateScores.nothing((*judge.shape, len(splits)))
    alive = np.ones(judge.shape, dtype=np.bool_)
    n_rows = int(np.count_nonzero(training.row_weights > 0))
    subsets = _subsets(training, splits, alive.size)
    deviation = float("inf")
    for number, chosen in enumerate(subsets):
        size = int(np.count_nonzero(chosen))
        scores, n_support = judge.score(*_restrict(training, splits, chosen), alive)
        found.record(alive, scores, n_support, number, size)
        is_last = number == len(subsets) - 1
        share = int(np.ceil(alive.size * _LARGEST_SHARE ** (number + 1)))
        most = _FINALISTS if is_last else max(share, _FINALISTS)
        alive = survivors(scores, alive, most, neighbours=not is_last)
        # The deviation of a mean over rows falls with the root of their number.
        deviation = paired_deviation(scores, alive) * float(np.sqrt(size / n_rows))
    alive, scores, n_support = _race_over_folds(judge, training, splits, alive, deviation)
    found.record(alive, scores, n_support, len(subsets), n_rows)
    return found


def _subsets(training: Training, splits: Sequence[Split], n_candidates: int) -> list[BoolArray]:
    """Return the rows of every round but the last one, which has all rows."""
    takes_part = training.row_weights > 0
    n_rows = int(np.count_nonzero(takes_part))
    counts = np.bincount(training.labels[takes_part], minlength=training.classes.size)
    sizes = round_sizes(counts, n_candidates)[:-1]
    if not sizes:
        return []
    strata = stratified_order(training.labels, takes_part, splits)
    subsets = [subset_rows(strata, training.labels, splits, size) for size in sizes]
    # Many small test parts, or many rare classes, need most of the rows.
    return [chosen for chosen in subsets if 2 * np.count_nonzero(chosen) <= n_rows]


def _race_over_folds(
    judge: _Judge,
    training: Training,
    splits: Sequence[Split],
    alive: BoolArray,
    deviation: float,
) -> tuple[BoolArray, DoubleArray, DoubleArray]:
    """Return which candidates were scored on all folds and all rows, and their results.

    Kernel values that fit into memory serve all folds; then no fold is worth a call of its own.
    """
    parts = []
    compares = np.isfinite(deviation) and not judge.shares_values(training)
    ends = [end for end in _COMPARED_AFTER if compares and end < len(splits)]
    for begin, end in pairwise([0, *ends, len(splits)]):
        parts.append(judge.score(training, splits[begin:end], alive))
        scores, n_support = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        if end < len(splits):
            alive = still_hopeful(scores, alive, deviation)
    return alive, scores, n_support
