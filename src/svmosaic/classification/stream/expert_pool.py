"""Experts that learn from windows of different length, and the choice among them."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from svmosaic.classification.stream.change_point import likeliest_change
from svmosaic.classification.stream.chunk_scaling import standardise
from svmosaic.classification.stream.expert import Expert
from svmosaic.classification.stream.families import (
    Choice,
    Family,
    Grid,
    interleaved_folds,
    tune,
    tune_landmarks,
)
from svmosaic.classification.stream.in_turn import InTurn
from svmosaic.classification.stream.recent_samples import RecentSamples
from svmosaic.classification.stream.stream_models import (
    Forecast,
    ScaledExpansion,
    StreamModel,
    predict_codes,
    vote,
)
from svmosaic.classification.stream.trainings import Training, run_side_by_side
from svmosaic.drift import DriftDetector, feed
from svmosaic.engine.problem import FloatArray, IndexArray
from svmosaic.utils.shallow_copy import shallow_copy

__all__ = ["ExpertPool"]

# Windows of models with support vectors triple, up to a number of chunks; beyond it there is a
# model of landmarks, because a prediction pays for each vector. Linear models, which cost little,
# get windows that double, from half a chunk.
_SUPPORT_CHUNKS = 3
_LANDMARK_CHUNKS = 9
_STEPS: dict[Family, int] = {"plain": 3, "refined": 3, "landmark": 2, "linear": 2}
# An expert that is clearly worse than the leader rests, each time four times as long; one that
# costs more to train rests when it is not better. In units of the noise of the comparison.
_CLEARLY = 1.0
_REST_GROWTH = 4
_LONGEST_REST = 256
_FAIR_TRIAL = 3  # chunks
# The leader changes when another one is better by a quarter of the noise: cheap to undo.
_BETTER = 0.25
# After this many chunks of two equals, the one whose predictions cost more rests as long.
_LONG_TRIAL = 12
# Between two trainings with a full window lie this many windows, then twice as many each time.
# Linear models, cheap and first to follow a drift, begin with an eighth of the window and end with
# a half.
_PAUSES: dict[Family, int] = {"plain": 1, "refined": 2, "landmark": 3}
_LONGEST_PAUSE = 64  # chunks
_SHORTEST_LINEAR_PAUSE = 8
_LONGEST_LINEAR_PAUSE = 2
# While chunks are small, at the beginning, the exact SVM waits for this share of a full one.
_WORTH_REFINING = 0.4
# A growing window is learned from again when it is longer by this factor. With twice as many
# samples a kernel model is another one: it wakes if it rests, and its errors so far do not count.
_GROWTHS: dict[Family, float] = {"plain": 1.4, "refined": 1.4, "landmark": 2.0, "linear": 1.0}
_RENEWED = 2.0
# After the first chunk, cross-validation sees at most this many samples, and tries what is near the
# last choice. The exact SVM takes longest, landmarks are only tested on most of theirs.
_MOST_TUNED: dict[Family, int] = {"plain": 1000, "refined": 600, "linear": 2000, "landmark": 4500}
_RETUNE_GROWTH = 3
_RETUNE_LAST_GROWTH = 1.5  # to as many as it sees
_MOST_TUNED_FIRST = 2000
# Folds by family in the first search, the cheap ones having more, and later for all.
_FOLDS_BY_FAMILY: dict[Family, int] = {"plain": 5, "refined": 3, "linear": 5}
_FOLDS_AGAIN = 2
# What errs less than the commonest class does by this much, in standard deviations, has learned
# something, and its parameters mean something.
_LEARNED = 0.5
# Leaders of earlier concepts that are kept, in case the concept comes back.
_MOST_RETIRED = 4
# A change within a chunk needs a likelihood ratio of e^12, and this many samples to learn from.
_EVIDENCE = 12.0
_RECORD = 10  # chunks
_SHORTEST_CONCEPT = 10


@dataclass(frozen=True)
class _Drift:
    """The first sample of a new concept, and what was tuned on the samples from there."""

    begin: int
    fresh: dict[Family, tuple[Choice, float]]

    @property
    def error(self) -> float:
        """The least error by cross-validation."""
        return min(error for _, error in self.fresh.values())


class ExpertPool:
    """The adaptive rule: many models learn, the one that erred least of late predicts.

    Parameters
    ----------
    chunk_size : int
        Samples of a full chunk.
    memory : int
        Samples that are kept, and the longest window.
    carry : int
        If positive, kernel models learn from the newest chunk and from the support vectors that
        their last model had, at most this many, instead of longer windows.
    detector : DriftDetector or None
        What raises an alarm; None means a test of the leader's errors on each chunk.
    alarm : float
        The test's threshold, in standard deviations.
    n_threads : int
        Threads.
    """

    uses_order = True

    def __init__(
        self,
        *,
        chunk_size: int,
        memory: int,
        carry: int,
        detector: DriftDetector | None,
        alarm: float,
        n_threads: int,
    ) -> None:
        self.chunk_size = chunk_size
        self.carry = carry
        self.alarm = alarm
        self.n_threads = n_threads
        self.fresh_detector = detector
        self.detector = copy.deepcopy(detector)
        self.window = RecentSamples(max(memory, chunk_size))
        self.experts = _line_up(chunk_size, memory)
        self.place: int | None = None  # of the leader among the experts
        self.retired: list[Expert] = []
        self.choices: dict[Family, Choice] = {}
        self.tuned_on: dict[Family, int] = {}
        self.time = 0  # chunks learned
        self.n_drifts = 0
        # Wrong predictions and predictions of the leaders on the last chunks since the last drift.
        self.record: list[tuple[int, int]] = []
        self.in_turn: InTurn | None = None  # until samples are predicted in turn

    def copy(self) -> ExpertPool:
        """Return a pool that learns without changing this one; models and samples are shared."""
        other = shallow_copy(self)
        other.detector = copy.deepcopy(self.detector)
        other.window = self.window.copy()
        other.experts = [expert.copy() for expert in self.experts]
        other.choices = dict(self.choices)
        other.tuned_on = dict(self.tuned_on)
        other.in_turn = None if self.in_turn is None else self.in_turn.copy()
        return other

    @property
    def leader(self) -> Expert | None:
        """The expert that predicts; None before the first chunk."""
        return None if self.place is None else self.experts[self.place]

    @property
    def model(self) -> StreamModel:
        """The model that predicts."""
        assert self.leader is not None
        assert self.leader.model is not None
        return self.leader.model

    @property
    def name(self) -> str:
        """Family and window of the model that predicts."""
        assert self.leader is not None
        return f"{self.leader.family}, {self.leader.trained_on} samples"

    def learn(
        self,
        X: FloatArray,
        codes: IndexArray,
        forecast: Forecast | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        """Test the experts that are awake on a chunk, then learn from it.

        While the leader makes no errors, nobody else is tested or trained.

        With `in_turn`, its samples were predicted one after the other, each with the labels of all
        before it, and there will be more of that.
        """
        if self.leader is None:
            self._begin(X, codes, self._tune_all(X, codes))
        else:
            wrong = self._test(X, codes, forecast)
            change = self._drifted(X, codes, wrong)
            if change is not None:
                self.n_drifts += 1
                if self.leader.learns:
                    self.retired = [*self.retired, self.leader.retired()][-_MOST_RETIRED:]
                self._begin(X[change.begin :], codes[change.begin :], change.fresh)
            else:
                self.record = [*self.record, (int(wrong.sum()), wrong.size)][-_RECORD:]
                self.window.add(X, codes)
                if self.leader.is_faultless:
                    self._train([self.leader])
                else:
                    self._send_to_rest()
                    self._train(self.experts)
                    self._choose()
        self.time += 1
        if in_turn and self.in_turn is not None:
            is_needed = self.leader is None or not self.leader.is_faultless
            recent = self.window.last(self.in_turn.n_wanted(is_needed=is_needed))
            self.in_turn.learn(*recent, is_needed=is_needed)

    # Testing --------------------------------------------------------------------------------

    def _test(
        self, X: FloatArray, codes: IndexArray, forecast: Forecast | None
    ) -> npt.NDArray[np.bool_]:
        """Note the errors; return which predictions of the leader are wrong."""
        assert self.leader is not None
        assert self.leader.model is not None
        if forecast is not None and forecast.model is self.leader.model:
            told = vote(self.leader.model, forecast.decisions)
            leaders: npt.NDArray[np.bool_] = told != codes
        else:
            leaders = self._wrong(self.leader, X, codes)
        self.leader.note(self.time, int(np.count_nonzero(leaders)), codes.size)
        if self.leader.is_faultless:
            return leaders
        for expert in self.experts:
            if expert is self.leader or expert.model is None or expert.wakes_at > self.time:
                continue
            wrong = self._wrong(expert, X, codes)
            expert.note(self.time, int(np.count_nonzero(wrong)), codes.size)
        return leaders

    def _drifted(
        self, X: FloatArray, codes: IndexArray, wrong: npt.NDArray[np.bool_]
    ) -> _Drift | None:
        """Return where in the chunk a new concept begins, and what is best for it.

        An alarm by itself proves nothing: the samples may just be hard. So the leader's error on
        them is compared with that of models that know nothing else, by cross-validation, and
        with that of the leaders of earlier concepts.
        """
        begin = self._alarmed(wrong)
        if begin is None:
            return None
        X_new, new = X[begin:], codes[begin:]
        error = float(wrong[begin:].mean())
        noise = math.sqrt(error * (1 - error) / new.size)
        recalled = [float(np.mean(self._wrong(old, X_new, new))) for old in self.retired]
        least = min(recalled, default=1.0)
        drift = _Drift(begin, self._tune_all(X_new, new))
        if begin > 0:
            # Where the samples before are of use after the change, they are learned from too.
            choices = {family: choice for family, (choice, _) in drift.fresh.items()}
            whole = _Drift(0, self._tune_all(X, codes, begin, choices))
            if whole.error <= min(drift.error, least):
                drift = whole
        return drift if min(drift.error, least) < error - noise else None

    def _wrong(self, expert: Expert, X: FloatArray, codes: IndexArray) -> npt.NDArray[np.bool_]:
        assert expert.model is not None
        wrong: npt.NDArray[np.bool_] = predict_codes(expert.model, X, self.n_threads) != codes
        return wrong

    def _alarmed(self, wrong: npt.NDArray[np.bool_]) -> int | None:
        """Return the first sample after a suspected drift, or None."""
        if self.detector is not None:
            return 0 if feed(self.detector, wrong) else None
        if not self.record:
            return None
        n = wrong.size
        expected, spread = _usual_error(self.record)
        change = likeliest_change(wrong, expected)
        if change.evidence > _EVIDENCE * spread and n - change.begin >= _SHORTEST_CONCEPT:
            return change.begin
        limit = expected + self.alarm * math.sqrt(spread * expected * (1 - expected) / n)
        return 0 if float(wrong.mean()) > limit else None

    # Tuning ---------------------------------------------------------------------------------

    def _tune_all(
        self,
        X: FloatArray,
        codes: IndexArray,
        first_tested: int = 0,
        choices: dict[Family, Choice] | None = None,
    ) -> dict[Family, tuple[Choice, float]]:
        """Return what is best for each family, or the given choices, and the error of each.

        Errors are those of cross-validation, on the samples from `first_tested` on.

        The exact SVM is dear, so it is tried near the width that suits the plain one. Of long
        chunks, which would take very long, some samples are enough.
        """
        if codes.size > _MOST_TUNED_FIRST:
            rows = np.linspace(0, codes.size - 1, _MOST_TUNED_FIRST).astype(np.int64)
            X, codes = X[rows], codes[rows]
            first_tested = int(np.searchsorted(rows, first_tested))
        Z = standardise(X)(X)
        fresh: dict[Family, tuple[Choice, float]] = {}
        for family, n_folds in _FOLDS_BY_FAMILY.items():
            if choices is None:
                grid = _grid(family, X.shape[1], fresh.get("plain"))
            else:
                grid = Grid.of_one(choices[family])
            folds = interleaved_folds(codes, n_folds)
            fresh[family] = tune(family, Z, codes, grid, folds, self.n_threads, first_tested)
        # Landmarks are for longer windows, and tuned when there is one.
        fresh["landmark"] = Choice(fresh["plain"][0].gamma, C=1.0), 1.0
        return fresh

    def _tune_again(self, family: Family, X: FloatArray, codes: IndexArray) -> None:
        """Adjust the parameters when there is much more to learn from than last time."""
        most, before = _MOST_TUNED[family], self.tuned_on[family]
        enough = min(_RETUNE_GROWTH * before, max(_RETUNE_LAST_GROWTH * before, most))
        if codes.size < max(enough, 1) or before >= most:
            return
        if np.unique(codes).size == 1:
            return
        X_part, part = X[-most:], codes[-most:]
        Z = standardise(X_part)(X_part)
        if family == "landmark":
            grid = _grid_around(family, self.choices["plain"])
            self.choices[family], error = tune_landmarks(Z, part, grid, self.n_threads)
        else:
            if 2 * before < self.chunk_size:
                grid = _grid(family, X.shape[1])
            else:
                grid = _grid_around(family, self.choices[family])
            folds = interleaved_folds(part, _FOLDS_AGAIN)
            self.choices[family], error = tune(family, Z, part, grid, folds, self.n_threads)
        # What was left out counts as seen: more samples would not be looked at either.
        self.tuned_on[family] = codes.size if codes.size < most else 2**62
        if before > 0 and _is_unsure(family, error, part):
            self.tuned_on[family] = 0  # Once more, with the next samples.

    # Training -------------------------------------------------------------------------------

    def _begin(
        self, X: FloatArray, codes: IndexArray, fresh: dict[Family, tuple[Choice, float]]
    ) -> None:
        """Forget everything and learn from one chunk."""
        self.window.forget()
        self.window.add(X, codes)
        self.choices = {family: choice for family, (choice, _) in fresh.items()}
        # Samples of one class say nothing about parameters.
        self.tuned_on = dict.fromkeys(fresh, codes.size if np.unique(codes).size > 1 else 0)
        self.tuned_on["landmark"] = 0
        self.record = []
        self.detector = copy.deepcopy(self.fresh_detector)
        self.experts = [expert for expert in self.experts if expert.learns]
        for expert in self.experts:
            expert.forget()
        self._train(self.experts)
        for family, (_, error) in fresh.items():
            if _is_unsure(family, error, codes):
                self.tuned_on[family] = 0  # The next samples may say more.
        for expert in self.experts:
            if expert.model is not None:
                expert.note(self.time, round(fresh[expert.family][1] * codes.size), codes.size)
        self.experts += self._call_back(X, codes)
        ready = [k for k, expert in enumerate(self.experts) if expert.model is not None]
        self.place = min(
            ready, key=lambda k: (self.experts[k].errors[self.time], -self.experts[k].window)
        )

    def _call_back(self, X: FloatArray, codes: IndexArray) -> list[Expert]:
        """Return the expert of an earlier concept that fits the chunk best, if there is one."""
        errors = [int(np.count_nonzero(self._wrong(old, X, codes))) for old in self.retired]
        if not errors:
            return []
        place = int(np.argmin(errors))
        return [replace(self.retired[place], errors={self.time: (errors[place], codes.size)})]

    def _train(self, experts: list[Expert]) -> None:
        available = len(self.window)
        due = [expert for expert in experts if self._is_due(expert, available)]
        if not due:
            return
        # What shorter windows hold is a part of the longest one.
        samples = self.window.last(max(expert.window for expert in due))
        trainings = [self._prepare(expert, *samples) for expert in due]
        models = run_side_by_side(trainings, self.n_threads)
        for training, model in zip(trainings, models, strict=True):
            self._take_over(training.expert, model, min(available, training.expert.window))

    def _is_due(self, expert: Expert, available: int) -> bool:
        if not expert.learns:
            return False
        if expert.wakes_at > self.time + 1 and not _is_renewed(expert, available):
            return False  # One that sleeps through the next chunk learns when it wakes.
        step = _STEPS[expert.family]
        shortest = self.chunk_size // step if expert.family == "linear" else self.chunk_size
        if expert.window > shortest and available <= expert.window // step:
            return False  # The next shorter window has all there is.
        size = min(available, expert.window)
        n_chunks = self.time - expert.trained_at
        n_new = available if expert.model is None else self.window.n_of_last(n_chunks)
        is_exact = expert.family == "refined"
        if is_exact and n_new < _WORTH_REFINING * min(available, self.chunk_size):
            return False
        is_short = expert.window <= self.chunk_size
        # While its window grows, the exact SVM waits as those of longer windows do.
        if expert.model is None or (is_short and (size == expert.window or not is_exact)):
            return True
        if size < expert.window and expert.family != "linear":
            return size >= _GROWTHS[expert.family] * expert.trained_on
        if expert.got_worse(self.time):
            expert.pause = max(1, expert.pause // 2)
        if expert.family != "linear" and n_new < min(expert.pause * self.chunk_size, available):
            return False  # Chunks at the beginning are small.
        return n_chunks >= expert.pause

    def _prepare(self, expert: Expert, X: FloatArray, codes: IndexArray) -> Training:
        """Return which of these samples an expert learns from, and with which parameters."""
        X, codes = X[-expert.window :], codes[-expert.window :]
        if self.carry and expert.model is not None:
            X, codes = self._with_support(expert.model, X, codes)
        self._tune_again(expert.family, X, codes)
        return Training(expert, X, codes, self.choices[expert.family])

    def _take_over(self, expert: Expert, model: StreamModel, size: int) -> None:
        """Note a new model of the last `size` samples, and when the next one is due."""
        expert.model = model
        n_chunks = size // self.chunk_size
        is_longer = expert.trained_on < size
        if expert.family == "linear":
            first, last = n_chunks // _SHORTEST_LINEAR_PAUSE, n_chunks // _LONGEST_LINEAR_PAUSE
        else:
            first, last = _PAUSES[expert.family] * n_chunks, _LONGEST_PAUSE
        expert.pause = max(1, first if is_longer else min(2 * expert.pause, last))
        if _is_renewed(expert, size):
            # A better model than the one whose errors are known.
            expert.errors, expert.rest, expert.wakes_at = {}, 0, 0
        expert.trained_on = size
        expert.trained_at = self.time

    def _with_support(
        self, model: StreamModel, X: FloatArray, codes: IndexArray
    ) -> tuple[FloatArray, IndexArray]:
        """Put the support vectors of largest coefficients before the samples."""
        if not isinstance(model, ScaledExpansion):
            return X, codes
        vectors, labels = model.best_vectors(self.carry)
        return np.concatenate([vectors, X]), np.concatenate([labels, codes])

    # Choosing -------------------------------------------------------------------------------

    def _send_to_rest(self) -> None:
        assert self.leader is not None
        for expert in self.experts:
            if expert is self.leader or self.time not in expert.errors:
                continue
            # Both were tested on this chunk, so both have a model.
            found = expert.against(self.leader, self.time)
            limit, shortest = _CLEARLY, 1
            if expert.cost > self.leader.cost and found.n_chunks >= _FAIR_TRIAL:
                limit = 0.0
            if expert.is_dearer(self.leader) and found.n_chunks >= _LONG_TRIAL:
                limit, shortest = -_BETTER, _LONG_TRIAL
            if found.gap > limit * found.noise:
                expert.rest = min(max(shortest, _REST_GROWTH * expert.rest), _LONGEST_REST)
                expert.wakes_at = self.time + 1 + expert.rest
            elif found.gap < 0.0:
                expert.rest = 0

    def _choose(self) -> None:
        leader, best = self.leader, 0.0
        assert leader is not None
        for place, expert in enumerate(self.experts):
            if expert.model is None or self.time not in expert.errors:
                continue
            found = expert.against(leader, self.time)
            # Of two equals, the one whose predictions cost less leads.
            is_bargain = leader.is_dearer(expert) and found.n_chunks >= _LONG_TRIAL
            value = found.gap + (-_BETTER if is_bargain else _BETTER) * found.noise
            if value < best:
                best, self.place = value, place


def _usual_error(record: list[tuple[int, int]]) -> tuple[float, float]:
    """Return the usual share of errors, and the variance of chunks in units of a coin's.

    Where chunks differ more than coins would, an unusual one means less. It is 1 at least.
    """
    share = (sum(wrong for wrong, _ in record) + 1) / (sum(n for _, n in record) + 2)
    squares = [(wrong - n * share) ** 2 / (n * share * (1 - share)) for wrong, n in record]
    return share, max(1.0, sum(squares) / len(squares))


def _is_unsure(family: Family, error: float, codes: IndexArray) -> bool:
    """Whether a kernel model learned nothing, so that its parameters are to be tuned again.

    Samples from both sides of a drift may be such that the commonest class is the best guess.
    """
    if family not in ("plain", "refined"):
        return False
    rarer = 1.0 - np.bincount(codes).max() / codes.size
    noise = math.sqrt(rarer * (1.0 - rarer) / codes.size)
    return bool(error >= rarer - _LEARNED * noise)


def _is_renewed(expert: Expert, available: int) -> bool:
    """Whether a kernel model of this many samples is another one than that of the last training."""
    size = min(available, expert.window)
    return expert.family != "linear" and size >= _RENEWED * expert.trained_on > 0


def _line_up(chunk_size: int, memory: int) -> list[Expert]:
    """Return the experts, all before their first training."""
    experts = []
    window = chunk_size
    while window <= max(chunk_size, min(memory, _SUPPORT_CHUNKS * chunk_size)):
        experts += [Expert("plain", window), Expert("refined", window)]
        window *= _STEPS["plain"]
    if memory > _SUPPORT_CHUNKS * chunk_size:
        experts.append(Expert("landmark", min(memory, _LANDMARK_CHUNKS * chunk_size)))
    window = max(chunk_size // _STEPS["linear"], 1)
    while window <= max(chunk_size, memory):
        experts.append(Expert("linear", window))
        window *= _STEPS["linear"]
    return experts


def _grid(family: Family, n_features: int, plain: tuple[Choice, float] | None = None) -> Grid:
    """Return what is tried on a first chunk, for features of variance 1."""
    gammas = tuple(power / n_features for power in (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0, 16.0))
    if family == "plain":
        return Grid(gammas, (1e-3, 1e-2, 1e-1, 0.3, 1.0, 10.0), (1.0,))
    if family == "refined":
        near = tuple(g for g in gammas[1:] if plain is None or 0.2 < g / plain[0].gamma < 5.0)
        return Grid(near or gammas[1:], (0.1,), (0.3, 1.0, 10.0, 100.0, 1000.0))
    return Grid((1.0,), (0.1,), (1e-3, 1e-2, 1e-1, 1.0))


def _grid_around(family: Family, centre: Choice) -> Grid:
    """Return what is tried later: the last choice and its neighbours."""
    gammas = tuple(centre.gamma * factor for factor in (0.5, 1.0, 2.0))
    if family == "plain":
        return Grid(gammas, tuple(centre.margin * f for f in (1 / 3, 1.0, 3.0)), (1.0,))
    if family == "refined":
        return Grid(gammas[:2], (0.1,), tuple(centre.C * f for f in (0.2, 1.0, 5.0)))
    if family == "landmark":
        # Sums of few functions are smooth where these are wide.
        return Grid(tuple(centre.gamma * f for f in (0.25, 0.5, 1.0)), (0.1,), (1.0, 10.0))
    return _grid(family, 1)
