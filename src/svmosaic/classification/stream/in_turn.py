"""Predictions in turn: each sample is predicted when the label before it is known.

Where labels come in runs, the label before says more than all features. Beside the model of the
pool, which knows nothing of the order, there are four guesses: the label before, a linear model of
the sample, the sample before and the label before, the nearest of the recent samples, and the label
before if the sample is like the one before it. The guess that erred least of late is taken, sample
by sample; the model, if no other is clearly better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from svmosaic.classification.stream.chunk_scaling import Scaler, standardise
from svmosaic.engine import cpu
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray
from svmosaic.utils.shallow_copy import shallow_copy

__all__ = ["GUESSES", "RESTING", "Guesses", "InTurn"]

GUESSES = ("model", "last", "switch", "lagged", "neighbour")
# Guesses that cost something, and rest when they are clearly worse, each time four times as long.
RESTING = ("lagged", "neighbour")
_REST_GROWTH = 4
_LONGEST_REST = 256  # chunks
# Predictions whose errors are compared, and how much better than the model a guess has to be, in
# standard deviations of the errors: where all are nearly as bad, going to and fro costs errors.
_COMPARED = 500
_CLEARLY = 0.5
# Samples among which the nearest is looked for, and from which the linear model learns.
_NEIGHBOURS = 500
_LEARNED = 4000
# Samples whose distances are computed together: few meet only those of their windows.
_BLOCK = 125
# With more features than this the linear model, which has two weights for each, takes too long.
_MOST_FEATURES = 200
# A ridge of this share of each feature's variance.
_RIDGE = 1e-3
# A distance that is not known.
_FAR = 1e300

# 0 or 1: files of models hold numbers.
Flags = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Guesses:
    """What is guessed for some samples, by name, and how far each is from the one before it."""

    codes: dict[str, IndexArray]
    gaps: DoubleArray


@dataclass
class InTurn:
    """The guesses that know the label before, and the record of all.

    Attributes
    ----------
    n_classes : int
        Number of classes.
    before : tuple of (ndarray, int) or None
        The last sample and its label.
    wrong : dict of str to ndarray of int
        1 where the last predictions of each guess were wrong, else 0; empty for one that rests.
    gaps : ndarray
        Distances between neighbours in time, of the same samples.
    limit : float
        Up to this distance the switch takes the label before.
    scaler : Scaler or None
        The scaling of distances.
    weights : ndarray of shape (n_lagged, n_classes) or None
        The linear model.
    recent : tuple of (ndarray, ndarray) or None
        The samples before this chunk among which the nearest is looked for, and their labels.
    compared : list of str
        The guesses that can be taken in this chunk.
    time : int
        Chunks learned.
    rests, wakes_at : dict of str to int
        Length of the last rest of a guess, and the chunk in which it wakes.
    """

    n_classes: int
    before: tuple[FloatArray, int] | None = None
    wrong: dict[str, Flags] = field(default_factory=lambda: dict.fromkeys(GUESSES, _NO_FLAGS))
    gaps: DoubleArray = field(default_factory=lambda: np.empty(0))
    limit: float = -1.0
    scaler: Scaler | None = None
    weights: DoubleArray | None = None
    recent: tuple[FloatArray, IndexArray] | None = None
    compared: list[str] = field(default_factory=lambda: list(GUESSES[:3]))
    time: int = 0
    rests: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESTING, 0))
    wakes_at: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESTING, 0))

    def copy(self) -> InTurn:
        """Return one that continues without changing this one; arrays are shared."""
        other = shallow_copy(self)
        other.wrong = dict(self.wrong)
        other.rests, other.wakes_at = dict(self.rests), dict(self.wakes_at)
        return other

    def n_wanted(self, *, is_needed: bool) -> int:
        """How many of the recent samples `learn` looks at."""
        will_fit = is_needed and self.wakes_at["lagged"] <= self.time + 1
        return _LEARNED if will_fit else _NEIGHBOURS

    # Guessing -------------------------------------------------------------------------------

    def guess(
        self,
        X: FloatArray,
        labels: IndexArray,
        model: IndexArray,
        waiting: tuple[FloatArray, IndexArray] | None,
    ) -> Guesses:
        """Return all guesses for samples that follow one another.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        labels : ndarray of shape (n_samples,)
            Their labels; a sample's own label and later ones are not used for it.
        model : ndarray of shape (n_samples,)
            What the model predicts.
        waiting : tuple of (ndarray, ndarray) or None
            Samples and labels since the last chunk.
        """
        assert self.before is not None
        last_x, last_label = self.before
        previous = np.concatenate([[last_label], labels[:-1]])
        course = np.concatenate([last_x[None], X])
        codes = {"model": model, "last": previous}
        gaps = self._gaps(course)
        codes["switch"] = np.where(gaps <= self.limit, previous, model)
        if self._can("lagged") and self._is_awake("lagged"):
            assert self.weights is not None
            lagged = self._lagged(course, previous)
            weights = np.ascontiguousarray(self.weights.T)
            # A value does not depend on the samples beside it.
            codes["lagged"] = cpu.decide_linear(DenseRows(lagged), weights).argmax(axis=1)
        if self._can("neighbour") and self._is_awake("neighbour"):
            codes["neighbour"] = self._nearest(X, labels, waiting)
        return Guesses(codes, gaps)

    def _is_awake(self, name: str) -> bool:
        return self.wakes_at[name] <= self.time

    def _gaps(self, course: FloatArray) -> DoubleArray:
        """Return how far each sample is from the one before it, but for the first."""
        if self.scaler is None:
            return np.full(len(course) - 1, _FAR)
        with np.errstate(over="ignore"):
            steps = np.diff(course, axis=0) / self.scaler.scale
            gaps: DoubleArray = np.minimum(np.einsum("ij,ij->i", steps, steps), _FAR)
        return gaps

    def _lagged(self, course: FloatArray, previous: IndexArray) -> DoubleArray:
        """Return each sample but the first, the one before it, and which label that had."""
        assert self.scaler is not None
        Z, n = self.scaler(course), previous.size
        indicator = np.zeros((n, self.n_classes))
        indicator[np.arange(n), previous] = 1.0
        return np.column_stack([Z[1:], Z[:-1], indicator])

    def _nearest(
        self, X: FloatArray, labels: IndexArray, waiting: tuple[FloatArray, IndexArray] | None
    ) -> IndexArray:
        """Return the label of the nearest sample before each one."""
        assert self.recent is not None
        assert self.scaler is not None
        parts = (
            [self.recent, (X, labels)] if waiting is None else [self.recent, waiting, (X, labels)]
        )
        tables, codes = zip(*parts, strict=True)
        owners = np.concatenate(codes)
        Z = self.scaler(np.concatenate(tables))
        n_before = owners.size - len(X)
        nearest = np.empty(len(X), dtype=np.int64)
        for begin in range(n_before, owners.size, _BLOCK):
            end = min(begin + _BLOCK, owners.size)
            first = max(begin - _NEIGHBOURS, 0)
            # A distance does not depend on the samples beside it, so neither does the nearest one.
            distances = cpu.pair_distances(DenseRows(Z[begin:end]), DenseRows(Z[first:end]))
            nearest[begin - n_before : end - n_before] = begin + _nearest_before(distances)
        found: IndexArray = owners[nearest]
        return found

    def choose(self, guesses: Guesses, labels: IndexArray) -> IndexArray:
        """Return the prediction of each sample: that of the guess which erred least before it.

        The counts of a sample are over the last predictions before it, so that neither its own
        label nor a later one is in them.
        """
        n = guesses.gaps.size
        # One that joined later is compared by what came since.
        n_known = min(self.wrong[name].size for name in self.compared)
        # The wrong ones before each place; none before the first, as far as anybody knows.
        n_unknown = _COMPARED - n_known
        sums = np.zeros((len(self.compared), 1 + _COMPARED + n), dtype=np.int32)
        for row, name in enumerate(self.compared):
            before = self.wrong[name]
            sums[row, 1 + n_unknown : 1 + _COMPARED] = before[before.size - n_known :]
            sums[row, 1 + _COMPARED :] = guesses.codes[name] != labels
        sums = sums.cumsum(axis=1, dtype=np.int32)
        counts = sums[:, _COMPARED:-1] - sums[:, :n]
        # The model, which comes first, mostly is ahead all the time.
        of_model = counts[0]
        if np.all(of_model <= counts[1:]):
            return guesses.codes["model"]
        others, samples = counts[1:].argmin(axis=0), np.arange(n)
        is_better = counts[1:][others, samples] < of_model - _CLEARLY * np.sqrt(of_model + 1.0)
        table = np.stack([guesses.codes[name] for name in self.compared[1:]])
        return np.where(is_better, table[others, samples], guesses.codes["model"])

    # Learning -------------------------------------------------------------------------------

    def note(self, guesses: Guesses, X: FloatArray, labels: IndexArray) -> None:
        """Write down who was wrong."""
        for name in GUESSES:
            if name in guesses.codes:
                flags = (guesses.codes[name] != labels).astype(np.int64)
                self.wrong[name] = np.concatenate([self.wrong[name], flags])[-_COMPARED:]
            else:
                self.wrong[name] = _NO_FLAGS
        self.gaps = np.concatenate([self.gaps, guesses.gaps])[-_COMPARED:]
        self.before = X[-1].copy(), int(labels[-1])

    def begin(self, X: FloatArray, labels: IndexArray) -> None:
        """Take the first samples, which nobody predicted."""
        self.before = X[-1].copy(), int(labels[-1])

    def learn(self, X: FloatArray, labels: IndexArray, *, is_needed: bool = True) -> None:
        """Learn from the recent samples, all of them with their labels, after a chunk.

        If the model makes no errors, nobody is needed, and guesses that cost something rest.
        """
        self.time += 1
        if is_needed:
            self._send_to_rest()
        else:
            for name in RESTING:
                self.wakes_at[name] = max(self.wakes_at[name], self.time + 1)
                self.wrong[name] = _NO_FLAGS
        self.scaler = standardise(X[-_NEIGHBOURS:])
        self.limit = self._best_limit()
        if self._is_awake("lagged") and labels.size > 1 and X.shape[1] <= _MOST_FEATURES:
            X_last, last = X[-_LEARNED:], labels[-_LEARNED:]
            lagged = self._lagged(X_last, last[:-1])
            self.weights = _fit_ridge(lagged, last[1:], self.n_classes)
        self.recent = X[-_NEIGHBOURS:], labels[-_NEIGHBOURS:]
        # Whoever was tested on half of the last predictions; nobody joins within a chunk.
        enough = self.wrong["model"].size // 2
        self.compared = [
            name
            for name in GUESSES
            if name not in RESTING
            or (self._is_awake(name) and self._can(name) and self.wrong[name].size >= enough)
        ]

    def _can(self, name: str) -> bool:
        return (self.weights if name == "lagged" else self.recent) is not None

    def _send_to_rest(self) -> None:
        least = min(int(self.wrong[name].sum()) for name in GUESSES[:3])
        for name in RESTING:
            if not self.wrong[name].size:
                continue
            mine = int(self.wrong[name].sum())
            # After a fair trial, what costs more has to be better.
            margin = 0.0 if self.wrong[name].size >= _COMPARED else 2.0 * math.sqrt(least + 1.0)
            if mine > least + margin:
                self.rests[name] = min(max(1, _REST_GROWTH * self.rests[name]), _LONGEST_REST)
                self.wakes_at[name] = self.time + self.rests[name]
                self.wrong[name] = _NO_FLAGS
            elif mine < least:
                self.rests[name] = 0

    def _best_limit(self) -> float:
        """Return the distance that would have been best for the last predictions."""
        if self.wrong["model"].size != self.gaps.size or not self.gaps.size:
            return -1.0
        order = np.argsort(self.gaps, kind="stable")
        # What the label before costs more than the model, for all samples up to each one.
        cost = self.wrong["last"][order] - self.wrong["model"][order]
        sums = np.concatenate([[0], np.cumsum(cost)])
        place = int(sums.argmin())
        return -1.0 if place == 0 else float(self.gaps[order[place - 1]])


_NO_FLAGS: Flags = np.empty(0, dtype=np.int64)


def _nearest_before(distances: DoubleArray) -> IndexArray:
    """Return the place of the nearest of the `_NEIGHBOURS` samples before each one.

    Places are counted from the first row and are mostly negative. The columns of `distances`, which
    are finite, are the samples of the rows, and before them at most `_NEIGHBOURS`.
    """
    n = len(distances)
    n_missing = n + _NEIGHBOURS - distances.shape[1]
    if n_missing:
        distances = np.pad(distances, ((0, 0), (n_missing, 0)), constant_values=np.inf)
    # Row i without the i samples that are too old, and without those from its own on.
    row, column = distances.strides
    before = as_strided(distances, (n, _NEIGHBOURS), (row + column, column), writeable=False)
    nearest: IndexArray = before.argmin(axis=1) + np.arange(n) - _NEIGHBOURS
    return nearest


def _fit_ridge(A: DoubleArray, labels: IndexArray, n_classes: int) -> DoubleArray:
    """Return weights that regress the indicator of each class, the intercepts last."""
    targets = np.zeros((len(A), n_classes))
    targets[np.arange(len(A)), labels] = 1.0
    mean, deviation = cpu.feature_moments(DenseRows(A))
    # A feature that does not vary gets a little, and so does the intercept: it can be solved.
    ridge = _RIDGE * np.maximum(deviation**2, 1e-6 * mean**2)
    penalty = np.diag(len(A) * np.append(ridge, 1e-6 * _RIDGE) + 1e-9)
    return np.ascontiguousarray(cpu.solve_ridge(DenseRows(A), targets, penalty).T)
