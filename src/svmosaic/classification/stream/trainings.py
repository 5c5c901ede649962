"""Trainings of the experts of one chunk, side by side where they are small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from svmosaic.classification.stream.chunk_scaling import standardise
from svmosaic.classification.stream.expert import Expert
from svmosaic.classification.stream.families import Choice, train, train_landmarks
from svmosaic.classification.stream.primal_svm import is_soon_done
from svmosaic.classification.stream.stream_models import StreamModel
from svmosaic.engine.problem import FloatArray, IndexArray
from svmosaic.utils.side_by_side import call_side_by_side

__all__ = ["Training", "run_side_by_side"]

# Kernel machines run side by side if their samples times the other classes are within these limits.
# Below, waking a thread takes longer than the training; above, several threads are of use to each.
# Hyperplanes run side by side from a number of samples times the other classes on. Ctrl-C waits for
# all of these, so they have to end soon.
_FEWEST_SIDE_BY_SIDE = 1000
_MOST_SIDE_BY_SIDE = 4000
_FEWEST_FOR_HYPERPLANES = 4000
# The multiplications of a kernel matrix that take 0.1 seconds.
_MOST_OF_KERNEL = 2e9
# From the family whose training takes the shortest time to the longest.
_BY_LENGTH = ("linear", "plain", "refined")
# A landmark for this many samples, within limits.
_SAMPLES_PER_LANDMARK = 24
_FEWEST_LANDMARKS = 64
_MOST_LANDMARKS = 384


@dataclass(frozen=True)
class Training:
    """What an expert learns from, and with which parameters."""

    expert: Expert
    X: FloatArray
    codes: IndexArray
    choice: Choice

    @property
    def wants_one_thread(self) -> bool:
        """Whether it takes a while, and more threads than one would be of little use."""
        if self.expert.family == "landmark":
            return False
        n_classes = int(np.count_nonzero(np.bincount(self.codes)))
        if self.expert.family == "linear":
            n_samples = (n_classes - 1) * self.codes.size  # of all pairs
            return n_samples >= _FEWEST_FOR_HYPERPLANES and is_soon_done(n_samples, self.X.shape[1])
        n_samples = (n_classes - 1) * self.codes.size
        n_products = float(self.codes.size) ** 2 * self.X.shape[1]
        return (
            _FEWEST_SIDE_BY_SIDE <= n_samples <= _MOST_SIDE_BY_SIDE
            and n_products <= _MOST_OF_KERNEL
        )

    def run(self, n_threads: int) -> StreamModel:
        """Return the new model of the expert, which stays as it is."""
        family, X, codes = self.expert.family, self.X, self.codes
        scaler, before = standardise(X), self.expert.model
        if family == "landmark":
            count = _n_landmarks(codes.size)
            return train_landmarks(X, codes, self.choice, count, scaler, n_threads, before)
        return train(family, X, codes, scaler, self.choice, n_threads, before)


def run_side_by_side(trainings: Sequence[Training], n_threads: int) -> list[StreamModel]:
    """Return the models of all trainings, in their order; they do not depend on the threads."""
    beside = [place for place, training in enumerate(trainings) if training.wants_one_thread]

    def length(place: int) -> tuple[int, int]:
        training = trainings[place]
        return _BY_LENGTH.index(training.expert.family), training.codes.size

    # The longest first, so that little is left for one thread at the end.
    beside.sort(key=length, reverse=True)
    # Landmarks, which take longer still, use what threads the others leave to them.
    landmarks = [place for place, one in enumerate(trainings) if one.expert.family == "landmark"]
    calls = [partial(trainings[place].run, n_threads) for place in landmarks]
    calls += [partial(trainings[place].run, 1) for place in beside]
    found = call_side_by_side(calls, n_threads)
    models = dict(zip(landmarks + beside, found, strict=True))
    return [
        models[place] if place in models else training.run(n_threads)
        for place, training in enumerate(trainings)
    ]


def _n_landmarks(n_samples: int) -> int:
    wanted = min(max(n_samples // _SAMPLES_PER_LANDMARK, _FEWEST_LANDMARKS), _MOST_LANDMARKS)
    return min(wanted, n_samples)
