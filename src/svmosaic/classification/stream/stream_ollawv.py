"""OLLAWV, the OnLine Learning Algorithm using Worst-Violators, on data streams."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.stream.expert_pool import ExpertPool
from svmosaic.classification.stream.published_rule import PublishedRule
from svmosaic.classification.stream.stream_classifier import ChunkRule, StreamClassifier
from svmosaic.drift import DriftDetector
from svmosaic.utils.sklearn_compat import HasMethods, StrOptions
from svmosaic.utils.state_codec import PlainState
from svmosaic.utils.threads import resolve_threads

__all__ = ["StreamOLLAWV"]

# Support vectors that memory="support" carries along, in chunks.
_CARRIED_CHUNKS = 3


class StreamOLLAWV(StreamClassifier):
    """Support vector classifier for data streams, learning chunk by chunk.

    The adaptive rule trains several models: plain and refined OLLAWV with the rbf kernel, an L2-SVM
    in the span of a few landmarks and linear models, each on recent windows of different length.
    All predict a chunk before they learn from it; the one that erred least of late predicts for the
    user. When its errors jump, and a model of the new samples alone would do better, what was
    learned before is dropped and the parameters are tuned again; the leader of an earlier concept
    is called back when it fits. With `predict_then_learn`, where each label is known before the
    next sample, it also uses the label before. The published rule trains one new model per chunk.

    Parameters
    ----------
    rule : {"adaptive", "published"}, default="adaptive"
        ``"published"`` is the dissertation's: every chunk scaled to [0, 1], one new model per
        chunk, gamma and margin chosen on the first chunk. It uses none of the parameters below but
        `n_jobs`.
    chunk_size : int, default=1000
        Samples learned from together. Larger chunks give better models and follow changes later.
    memory : {"chunk", "support"} or int, default=16000
        What models learn from besides the newest chunk. An int: the recent samples, at most so
        many for linear models and nine chunks for kernel models. ``"support"``: kernel models
        carry along the support vectors of largest coefficients, three chunks at most; good where
        labels have no noise. ``"chunk"``: nothing.
    detector : object, default=None
        A drift detector with `update` and `drift_detected`, as `DDM` or those of River. It is given
        the errors one by one; each concept gets a fresh copy. None means a test of each chunk's
        errors, which also finds where in the chunk a change begins.
    alarm : float, default=3.0
        Standard deviations above the usual error at which that test suspects a change. A larger
        value misses small changes and saves the time of looking into false alarms.
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
        Support vectors of the model that predicts; a linear one stores none.
    model_ : str
        The model that predicts: its family and the samples it was trained on.
    n_drifts_ : int
        How often the learner started from the beginning.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    StreamOLLAL2 : One pass, one model that is kept, updated or rebuilt.
    svmosaic.streams.prequential : Evaluation on a stream.

    Notes
    -----
    Memory is bounded: recent samples, a model per expert, four leaders of earlier concepts.
    A model is trained again when its window has grown by 40 %, then ever more rarely while its
    errors stay the same; experts that are clearly worse than the leader rest.

    References
    ----------
    .. [1] G. Melki (2019), "Novel Support Vector Machines for Diverse Learning Paradigms", PhD
       thesis, Virginia Commonwealth University, section 6.3.1.

    Examples
    --------
    >>> from svmosaic import StreamOLLAWV
    >>> from svmosaic.streams import SEA, prequential
    >>> result = prequential(StreamOLLAWV(), SEA(noise=0.0, seed=1), n_samples=5000)
    >>> bool(result.last()["StreamOLLAWV"]["accuracy"] > 0.97)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamClassifier._parameter_constraints,
        "rule": [StrOptions({"adaptive", "published"})],
        "memory": [StrOptions({"chunk", "support"}), *POSITIVE_COUNT],
        "detector": [HasMethods(["update"]), None],
        "alarm": POSITIVE_REAL,
    }

    # The detector is an object with a state of its own.
    _model_file = StreamClassifier._model_file.extend({}, in_state=("detector",))

    def __init__(
        self,
        *,
        rule: Literal["adaptive", "published"] = "adaptive",
        chunk_size: int = 1000,
        memory: Literal["chunk", "support"] | int = 16_000,
        detector: DriftDetector | None = None,
        alarm: float = 3.0,
        n_jobs: int | None = None,
    ) -> None:
        self.rule = rule
        self.chunk_size = chunk_size
        self.memory = memory
        self.detector = detector
        self.alarm = alarm
        self.n_jobs = n_jobs

    def set_plain_state(self, state: PlainState) -> Self:
        """Continue from a state, with the detector that it was learned with.

        Parameters
        ----------
        state : PlainState
            What `get_plain_state` returned, for an estimator with the same other parameters.
            Raises `ModelFileError` if it cannot be one.

        Returns
        -------
        self : object
            The classifier.
        """
        super().set_plain_state(state)
        if isinstance(self._rule, ExpertPool):
            self.detector = self._rule.fresh_detector
        return self

    @property
    def uses_order(self) -> bool:
        """Whether the rule makes use of labels that come one after the other: the adaptive one."""
        # A misspelt rule is refused by the method, in better words than a missing method has.
        return self.rule != "published"

    def _make_rule(self) -> ChunkRule:
        n_threads = resolve_threads(self.n_jobs)
        chunk_size = int(self.chunk_size)
        if self.rule == "published":
            return PublishedRule(chunk_size=chunk_size, n_threads=n_threads)
        return ExpertPool(
            chunk_size=chunk_size,
            memory=chunk_size if isinstance(self.memory, str) else int(self.memory),
            carry=_CARRIED_CHUNKS * chunk_size if self.memory == "support" else 0,
            detector=self.detector,
            alarm=float(self.alarm),
            n_threads=n_threads,
        )
