"""The published rule: a new model for every chunk, with the parameters of the first."""

from __future__ import annotations

import copy

import numpy as np

from svmosaic.classification.stream.chunk_scaling import to_unit_range
from svmosaic.classification.stream.families import Choice, Grid, blocked_folds, train, tune
from svmosaic.classification.stream.in_turn import InTurn
from svmosaic.classification.stream.recent_samples import RecentSamples
from svmosaic.classification.stream.stream_models import Forecast, StreamModel
from svmosaic.engine.problem import FloatArray, IndexArray

__all__ = ["PublishedRule"]

# Equations (6.1a) and (6.1b). C is only the ratio of the margin, 1 / C of the printed values.
_GRID = Grid(
    gammas=(0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 16.0),
    margins=(0.001, 0.01, 0.1, 1.0, 10.0, 100.0),
    Cs=(1.0,),
)
_FOLDS = 5


class PublishedRule:
    """OLLAWV on chunks as in chapter 6 of the dissertation.

    Each chunk is scaled to [0, 1] and gets a model of its own, one-vs-one. Width and margin are
    chosen on the first chunk by cross-validation and kept.

    Parameters
    ----------
    chunk_size : int
        Samples of a full chunk. Until then, all samples that have come are the first chunk.
    n_threads : int
        Threads.
    """

    # The order of samples is of no use to it.
    uses_order = False
    in_turn: InTurn | None = None

    def __init__(self, *, chunk_size: int, n_threads: int) -> None:
        self.chunk_size = chunk_size
        self.n_threads = n_threads
        self.window = RecentSamples(chunk_size)
        self.choice: Choice | None = None
        self.n_drifts = 0
        self._model: StreamModel | None = None
        self.n_seen = 0

    @property
    def model(self) -> StreamModel:
        """The model that predicts."""
        assert self._model is not None
        return self._model

    @property
    def name(self) -> str:
        """Family and window of the model that predicts."""
        return f"plain, {len(self.window)} samples"

    def copy(self) -> PublishedRule:
        """Return a rule that learns without changing this one."""
        other = copy.copy(self)
        other.window = self.window.copy()
        return other

    def learn(
        self,
        X: FloatArray,
        codes: IndexArray,
        forecast: Forecast | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        """Train a new model."""
        first = self.n_seen < self.chunk_size
        self.n_seen += codes.size
        self.window.add(X, codes)
        X, codes = self.window.last(len(self.window))
        scaler = to_unit_range(X)
        # A chunk of one class says nothing about parameters; the next one will.
        one_class = np.unique(codes).size == 1
        if (first or self.choice is None) and not one_class:
            folds = blocked_folds(codes, _FOLDS)
            self.choice, _ = tune("plain", scaler(X), codes, _GRID, folds, self.n_threads)
        self._model = train("plain", X, codes, scaler, self.choice or Choice(), self.n_threads)
