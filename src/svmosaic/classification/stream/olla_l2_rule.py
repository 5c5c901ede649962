"""OLLA-L2 with a change rule: after each chunk its model is kept, updated or rebuilt."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.sparse import csc_array

from svmosaic.classification.stream.chunk_scaling import FloatTable, Scaler, standardise
from svmosaic.classification.stream.families import Grid, interleaved_folds, tune
from svmosaic.classification.stream.in_turn import InTurn
from svmosaic.classification.stream.stream_models import (
    Constant,
    Forecast,
    ScaledExpansion,
    StreamModel,
    sign_of_second,
)
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import (
    Coefficients,
    DenseRows,
    DoubleArray,
    FloatArray,
    IndexArray,
    Problem,
)
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import OllaL2Settings
from svmosaic.engine.tasks import OnlineTask

__all__ = ["Action", "OllaL2Rule", "Pair", "mean_margin"]

Action = Literal["keep", "update", "rebuild"]

_GAMMAS = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0, 16.0)  # times 1 / n_features
_MARGINS = (0.1, 1.0)
_FOLDS = 5


@dataclass(frozen=True)
class Pair:
    """The model of two classes: places among the support vectors, coefficients, intercept.

    Decisions are positive for the second class.
    """

    support: IndexArray
    coef: DoubleArray
    intercept: float


def mean_margin(known: IndexArray, decisions: DoubleArray, codes: IndexArray) -> float:
    """Return the mean of y f(x) over all pairs of classes and their samples.

    It is the paper's xi, divided by the number of terms. Samples of classes that are not among the
    known ones have no part in it; without any other it is 0.
    """
    sign = sign_of_second(known.size)
    total, count = 0.0, 0
    for m, (i, j) in enumerate(combinations(known, 2)):
        second, first = sign * decisions[codes == j, m], sign * decisions[codes == i, m]
        total += float(second.sum() - first.sum())
        count += second.size + first.size
    return total / count if count else 0.0


class OllaL2Rule:
    """One model per pair of classes that continues from chunk to chunk.

    Parameters
    ----------
    gamma : float or None
        Width of the rbf kernel, for features of variance 1; None: chosen on the first chunk.
    C : float
        Size of the steps.
    epochs : int
        Visits of each sample of a chunk.
    budget : int
        Limit on support vectors of each pair.
    keep, rebuild : float
        Relative loss of mean margin up to which the model is kept, and above which it is rebuilt;
        with minus infinity it is rebuilt for every chunk.
    decay : float
        What older coefficients are multiplied by at each update.
    n_threads : int
        Threads.
    """

    # The order of samples is of no use to it.
    uses_order = False
    in_turn: InTurn | None = None

    def __init__(
        self,
        *,
        gamma: float | None,
        C: float,
        epochs: int,
        budget: int,
        keep: float,
        rebuild: float,
        decay: float,
        n_threads: int,
    ) -> None:
        self.gamma = gamma
        self.C = C
        self.epochs = epochs
        self.budget = budget
        self.keep = keep
        self.rebuild = rebuild
        self.decay = decay
        self.n_threads = n_threads
        self.n_drifts = 0
        self.action: Action = "rebuild"
        self.margin: float | None = None  # of the chunk before
        self.pairs: dict[tuple[int, int], Pair] = {}
        self._model: StreamModel | None = None
        self.scaler: Scaler | None = None
        self.vectors: FloatTable = np.empty((0, 0), dtype=np.float32)
        self.labels: IndexArray = np.empty(0, dtype=np.int64)

    @property
    def model(self) -> StreamModel:
        """The model that predicts."""
        assert self._model is not None
        return self._model

    @property
    def name(self) -> str:
        """What happened to the model at the last chunk."""
        done = {"keep": "kept", "update": "updated", "rebuild": "rebuilt"}
        return f"OLLA-L2, {done[self.action]}"

    def copy(self) -> OllaL2Rule:
        """Return a rule that learns without changing this one; arrays are shared."""
        other = copy.copy(self)
        other.pairs = dict(self.pairs)
        return other

    def learn(
        self,
        X: FloatArray,
        codes: IndexArray,
        forecast: Forecast | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        """Keep, update or rebuild the model."""
        self.action = self._decide_action(X, codes, forecast)
        if self.action == "keep":
            return
        if self.action == "rebuild":
            self.n_drifts += self._model is not None
            self._forget(X, codes)
        assert self.scaler is not None
        self._visit(self.scaler(X), codes)
        self._drop_unused()
        self._model = self._gather(codes)

    # The change rule ------------------------------------------------------------------------

    def _decide_action(self, X: FloatArray, codes: IndexArray, forecast: Forecast | None) -> Action:
        if self._model is None or self.rebuild == -np.inf:
            return "rebuild"
        if forecast is not None and forecast.model is self._model:
            decisions = forecast.decisions
        else:
            decisions = self._model.decide(X, self.n_threads)
        margin = mean_margin(self._model.classes, decisions, codes)
        before, self.margin = self.margin, margin
        if not np.isin(codes, self._model.classes).all():
            return "update"  # A class that the model does not know yet.
        if before is None:
            return "update"
        loss = (before - margin) / max(abs(before), 1e-12)
        if loss > self.rebuild:
            return "rebuild"
        return "keep" if loss <= self.keep else "update"

    def _forget(self, X: FloatArray, codes: IndexArray) -> None:
        self.scaler = standardise(X)
        if self.gamma is None:
            gammas = tuple(factor / X.shape[1] for factor in _GAMMAS)
            grid = Grid(gammas, _MARGINS, (1.0,))
            folds = interleaved_folds(codes, _FOLDS)
            choice, _ = tune("plain", self.scaler(X), codes, grid, folds, self.n_threads)
            self.gamma = choice.gamma
        self.pairs = {}
        self.margin = None
        self.vectors = np.empty((0, X.shape[1]), dtype=np.float32)
        self.labels = np.empty(0, dtype=np.int64)

    # Learning -------------------------------------------------------------------------------

    def _visit(self, Z: FloatTable, codes: IndexArray) -> None:
        """Continue from the decayed models with new samples, then keep the largest coefficients."""
        n_old = self.labels.size
        self.vectors = np.concatenate([self.vectors, Z])
        self.labels = np.concatenate([self.labels, codes])
        # A class whose vectors all left is known by its pairs.
        seen = np.union1d(self.labels, np.array([*self.pairs], dtype=np.int64).ravel())
        busy = []
        tasks = []
        for i, j in combinations(seen.tolist(), 2):
            samples = np.flatnonzero((codes == i) | (codes == j))
            if samples.size == 0:
                continue
            targets = np.where(codes[samples] == j, 1.0, -1.0)
            problem = Problem(n_old + samples, targets, np.ones(samples.size))
            busy.append((i, j))
            tasks.append(self._task(problem, self.pairs.get((i, j))))
        settings = OllaL2Settings(C=self.C, epochs=self.epochs, order="given")
        rows = DenseRows(self.vectors)
        found = solve(rows, self._kernel(), tasks, settings, n_threads=self.n_threads)
        for pair, solution in zip(busy, found, strict=True):
            largest = np.sort(np.argsort(-np.abs(solution.coef), kind="stable")[: self.budget])
            self.pairs[pair] = Pair(
                solution.support[largest], solution.coef[largest], solution.intercept
            )

    def _task(self, problem: Problem, before: Pair | None) -> OnlineTask:
        """Return the problem with the model so far, whose steps start from the beginning."""
        if before is None:
            return OnlineTask(problem)
        return OnlineTask(
            problem, before.support, self.decay * before.coef, self.decay * before.intercept
        )

    def _drop_unused(self) -> None:
        """Forget vectors without a coefficient."""
        used = np.zeros(self.labels.size, dtype=bool)
        for pair in self.pairs.values():
            used[pair.support] = True
        place = np.cumsum(used) - 1
        self.pairs = {
            key: Pair(place[pair.support], pair.coef, pair.intercept)
            for key, pair in self.pairs.items()
        }
        # A class whose vectors all left is still known by its pairs.
        self.vectors, self.labels = self.vectors[used], self.labels[used]

    def _kernel(self) -> KernelSpec:
        assert self.gamma is not None
        return KernelSpec("rbf", self.gamma)

    def _gather(self, codes: IndexArray) -> StreamModel:
        """Return all pairs as one expansion, or a constant while there is one class."""
        assert self.scaler is not None
        if not self.pairs:
            return Constant(np.unique(codes))
        known = np.unique(np.array(list(self.pairs)))
        pairs = [self.pairs[pair] for pair in combinations(known.tolist(), 2)]
        sign = sign_of_second(known.size)
        matrix = csc_array(
            (
                sign * np.concatenate([pair.coef for pair in pairs]),
                np.concatenate([pair.support for pair in pairs]),
                np.cumsum([0, *(pair.support.size for pair in pairs)]),
            ),
            shape=(self.labels.size, len(pairs)),
        ).tocsr()
        expansion = KernelExpansion(
            self._kernel(),
            self.vectors,
            Coefficients.of_matrix(matrix),
            sign * np.array([pair.intercept for pair in pairs]),
        )
        return ScaledExpansion(known, self.scaler, self.labels, expansion)
