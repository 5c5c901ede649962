"""OLLA-L2, the OnLine Learning Algorithm with list 2, on data streams with a change rule."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.stream.olla_l2_rule import OllaL2Rule
from svmosaic.classification.stream.stream_classifier import ChunkRule, StreamClassifier
from svmosaic.utils.sklearn_compat import Interval
from svmosaic.utils.threads import resolve_threads

__all__ = ["StreamOLLAL2"]


class StreamOLLAL2(StreamClassifier):
    r"""Support vector classifier for data streams: one model, kept, updated or rebuilt.

    Before it learns from a chunk, the classifier compares the mean margin of its predictions,
    :math:`\xi = \sum_i y_i f(x_i)`, with that of the chunk before. Where little is lost, nothing is
    done. Where more is lost, OLLA-L2 goes on with the new samples, older coefficients count less,
    and the support vectors of smallest coefficients leave. Where much is lost, a new model is
    trained. So a chunk costs little as long as nothing changes.

    Parameters
    ----------
    gamma : float, default=None
        Width of the rbf kernel for features of variance 1. None: chosen on the first chunk by
        cross-validation of OLLAWV models, and kept.
    C : float, default=1.0
        Size of the steps, against a margin of 1.
    epochs : int, default=2
        How often each sample of a chunk is visited.
    chunk_size : int, default=1000
        Samples learned from together.
    budget : int, default=1000
        Limit on support vectors of each pair of classes.
    keep : float, default=0.0
        Part of the mean margin that may be lost before the model is updated. A larger value saves
        time; with 0 a model is kept as long as its margins do not shrink.
    rebuild : float, default=0.2
        Part of the mean margin that must be lost before a new model is trained. With
        ``keep=rebuild=-numpy.inf`` every chunk gets a model of its own, as in the published
        table.
    decay : float, default=0.3
        What older coefficients are multiplied by at each update, so that those of a chunk n updates
        ago count ``decay ** n``.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_samples_seen_ : int
        Rows given to `fit` and `partial_fit` so far.
    n_support_ : int
        Support vectors.
    model_ : str
        What happened to the model at the last chunk.
    n_drifts_ : int
        How often a new model was trained after the first.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    StreamOLLAWV : Chooses among models; usually more accurate.
    OLLAL2Classifier : OLLA-L2 without a change rule.

    References
    ----------
    .. [1] G. Melki (2019), "Novel Support Vector Machines for Diverse Learning Paradigms", PhD
       thesis, Virginia Commonwealth University, Algorithm 6.1 and section 6.2.

    Examples
    --------
    >>> from svmosaic import StreamOLLAL2
    >>> from svmosaic.streams import Sine, prequential
    >>> result = prequential(StreamOLLAL2(), Sine(seed=1), n_samples=5000)
    >>> bool(result.last()["StreamOLLAL2"]["accuracy"] > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamClassifier._parameter_constraints,
        "gamma": [*POSITIVE_REAL, None],
        "C": POSITIVE_REAL,
        "epochs": POSITIVE_COUNT,
        "budget": POSITIVE_COUNT,
        "keep": [Interval(Real, None, None, closed="left")],
        "rebuild": [Interval(Real, None, None, closed="left")],
        "decay": [Interval(Real, 0.0, 1.0, closed="right")],
    }

    def __init__(
        self,
        *,
        gamma: float | None = None,
        C: float = 1.0,
        epochs: int = 2,
        chunk_size: int = 1000,
        budget: int = 1000,
        keep: float = 0.0,
        rebuild: float = 0.2,
        decay: float = 0.3,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.C = C
        self.epochs = epochs
        self.chunk_size = chunk_size
        self.budget = budget
        self.keep = keep
        self.rebuild = rebuild
        self.decay = decay
        self.n_jobs = n_jobs

    def _make_rule(self) -> ChunkRule:
        if self.keep > self.rebuild:
            raise ValueError(
                f"StreamOLLAL2 expects keep <= rebuild. Got keep={self.keep} and "
                f"rebuild={self.rebuild}."
            )
        return OllaL2Rule(
            gamma=None if self.gamma is None else float(self.gamma),
            C=float(self.C),
            epochs=int(self.epochs),
            budget=int(self.budget),
            keep=float(self.keep),
            rebuild=float(self.rebuild),
            decay=float(self.decay),
            n_threads=resolve_threads(self.n_jobs),
        )
