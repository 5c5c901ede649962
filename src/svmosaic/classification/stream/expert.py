"""One expert of a pool: a model of one family on a window of one length, and its record."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from svmosaic.classification.stream.families import Family
from svmosaic.classification.stream.stream_models import StreamModel
from svmosaic.utils.shallow_copy import shallow_copy

__all__ = ["Comparison", "Expert"]

# Chunks whose errors are compared, and what a chunk counts less than the one after it.
_KEPT = 12
_FADE = 0.9
# What a sample of the window costs a family, roughly: in training and, by the vectors that it
# leaves in the model, in prediction.
_COST = {"linear": 2, "landmark": 1, "plain": 8, "refined": 20}


@dataclass(frozen=True)
class Comparison:
    """How much more often an expert errs than another, on the chunks that both predicted.

    Attributes
    ----------
    gap : float
        Difference of the mean errors, newer chunks counting more.
    noise : float
        A bound on the standard deviation of the gap: samples that only one of them gets wrong are
        at most as many as both have wrong together.
    n_chunks : int
        Chunks that both predicted.
    """

    gap: float
    noise: float
    n_chunks: int


@dataclass
class Expert:
    """A model with its record of errors and its times of training and rest.

    Attributes
    ----------
    family : {"plain", "refined", "linear", "landmark"}
        The family of its models.
    window : int
        Samples it learns from, at most.
    model : StreamModel or None
        The model; None before there are samples that a shorter window does not have.
    trained_at, trained_on : int
        Chunk of the last training, and samples then.
    errors : dict of int to (int, int)
        Wrong predictions and predictions, by chunk.
    wakes_at, rest : int
        It neither predicts nor learns before this chunk; length of the last rest.
    pause : int
        Chunks between two trainings, once the window is full.
    learns : bool
        False for an expert of an earlier concept that was called back: it predicts as it did.
    """

    family: Family
    window: int
    model: StreamModel | None = None
    trained_at: int = 0
    trained_on: int = 0
    errors: dict[int, tuple[int, int]] = field(default_factory=dict)
    wakes_at: int = 0
    rest: int = 0
    pause: int = 1
    learns: bool = True

    @property
    def cost(self) -> int:
        """What one training costs, in arbitrary units."""
        return self.window * _COST[self.family] if self.learns else 0

    def is_dearer(self, other: Expert) -> bool:
        """Whether its predictions cost more than twice as much as those of another."""
        assert self.model is not None
        assert other.model is not None
        return self.model.n_support > 2 * other.model.n_support

    @property
    def is_faultless(self) -> bool:
        """Whether it has predicted as many chunks as are kept, all of them without an error."""
        return len(self.errors) == _KEPT and not any(wrong for wrong, _ in self.errors.values())

    def note(self, time: int, wrong: int, count: int) -> None:
        """Write down the errors of a chunk; those of old chunks are forgotten."""
        self.errors[time] = wrong, count
        for old in [t for t in self.errors if t <= time - _KEPT]:
            del self.errors[old]

    def got_worse(self, time: int) -> bool:
        """Whether the errors of a chunk are three standard deviations above those before it."""
        before = [pair for t, pair in self.errors.items() if t < time]
        if not before or time not in self.errors:
            return False
        wrong, count = self.errors[time]
        share = (sum(w for w, _ in before) + 1) / (sum(n for _, n in before) + 2)
        return wrong / count > share + 3 * math.sqrt(share * (1 - share) / count)

    def against(self, other: Expert, time: int) -> Comparison:
        """Compare with another expert."""
        common = [t for t in self.errors if t in other.errors]
        if not common:
            return Comparison(0.0, math.inf, 0)
        total = gap = both = 0.0
        n_samples = 0
        for t in common:
            weight = _FADE ** (time - t)
            mine, theirs = self.errors[t], other.errors[t]
            total += weight
            gap += weight * (mine[0] / mine[1] - theirs[0] / theirs[1])
            both += weight * (mine[0] / mine[1] + theirs[0] / theirs[1])
            n_samples += mine[1]
        noise = math.sqrt(max(both / total, 1.0 / n_samples) / n_samples)
        return Comparison(gap / total, noise, len(common))

    def copy(self) -> Expert:
        """Return an expert that changes by itself; the model, which never changes, is shared."""
        other = shallow_copy(self)
        other.errors = dict(self.errors)
        return other

    def retired(self) -> Expert:
        """Return the expert as it may be called back: its model without its record."""
        return Expert(
            self.family, self.window, self.model, trained_on=self.trained_on, learns=False
        )

    def forget(self) -> None:
        """Start from the beginning."""
        self.model = None
        self.errors = {}
        self.wakes_at = self.rest = self.trained_on = 0
        self.pause = 1
