"""An estimator with `partial_fit` as a classifier of River."""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from svmosaic.streams.checks import check_count
from svmosaic.utils.optional import import_optional

__all__ = ["RiverClassifier"]


def _base() -> type[Any]:
    """Return River's class of classifiers that take samples in batches; object without River."""
    try:
        found: type[Any] = importlib.import_module("river.base").MiniBatchClassifier
    except ImportError:
        return object
    return found


class RiverClassifier(_base()):  # type: ignore[misc]
    """Use an estimator with `partial_fit` wherever River takes a classifier.

    River's samples are dictionaries, and its labels need not be known beforehand. The estimator
    begins when two classes and `chunk` samples have come; until then the most frequent label is
    predicted. Features are those seen until then: later ones are ignored, and one that is
    missing in a sample counts as 0. A new label begins a new estimator with one class more, which
    learns the last `memory` samples first; give `classes` to avoid that.

    With River installed this is one of its classifiers and passes its checks of estimators.

    Parameters
    ----------
    estimator : object
        It has `partial_fit`, `predict` and scikit-learn's parameters. It is copied, never changed.
    classes : sequence, default=None
        All labels; None finds them as they come.
    chunk : int, default=1
        Samples that are collected for each call of `partial_fit`. Larger is faster, and learners
        of chunks need it; predictions lag behind by as much.
    memory : int, default=200
        Samples that are kept for a new label.

    Examples
    --------
    >>> from svmosaic import OLLAL2Classifier
    >>> from svmosaic.streams.river import RiverClassifier
    >>> model = RiverClassifier(OLLAL2Classifier(random_state=0))
    >>> for size in (1.0, 5.0, 1.2, 4.8):
    ...     model.learn_one({"size": size}, "large" if size > 3 else "small")
    >>> model.predict_one({"size": 1.1})
    'small'
    """

    def __init__(
        self,
        estimator: Any,
        classes: Sequence[Hashable] | None = None,
        chunk: int = 1,
        memory: int = 200,
    ) -> None:
        if not (hasattr(estimator, "partial_fit") and hasattr(estimator, "predict")):
            raise TypeError(
                "RiverClassifier needs an estimator with partial_fit and predict. "
                f"{type(estimator).__name__} lacks one of them; pass another one."
            )
        self.estimator = estimator
        self.classes = classes
        self.chunk = check_count("RiverClassifier", "chunk", chunk, 1)
        self.memory = check_count("RiverClassifier", "memory", memory, 1)
        self._model: Any = None
        self._labels: list[Any] = [] if classes is None else list(classes)
        self._counts = [0] * len(self._labels)
        self._features: list[Any] = []
        # Samples as they came, until the features are known.
        self._first: list[tuple[dict[Any, Any], int]] = []
        # Samples that were not passed on yet, and the last ones that were.
        self._waiting: list[tuple[NDArray[np.float64], int]] = []
        self._learned: deque[tuple[NDArray[np.float64], int]] = deque(maxlen=self.memory)
        self._n_taught = 0  # classes that the estimator knows

    # River's methods ------------------------------------------------------------------------

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one sample.

        Parameters
        ----------
        x : mapping
            Its features by name.
        y : hashable
            Its label.
        """
        label = self._number(y)
        if self._model is None:
            self._first.append((dict(x), label))
            self._begin_if_ready()
        else:
            self._take(self._vector(x), label)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from some samples, as if they came one by one.

        Parameters
        ----------
        X : pandas.DataFrame
            A row per sample, a column per feature.
        y : pandas.Series
            The labels.
        """
        names = list(X.columns)
        for values, label in zip(np.asarray(X).tolist(), list(y), strict=True):
            self.learn_one(dict(zip(names, values, strict=True)), label)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Return a label; the most frequent one before the estimator begins, None before all."""
        if self._model is None:
            return self._most_frequent()
        return self._labels[int(self._model.predict(self._vector(x)[None])[0])]

    def predict_many(self, X: Any) -> Any:
        """Return a pandas.Series of labels, a row for each of `X`."""
        pandas = import_optional("pandas", "predict frames of samples")
        if self._model is None:
            labels = [self._most_frequent()] * len(X)
        else:
            labels = [self._labels[int(k)] for k in self._model.predict(self._matrix(X))]
        return pandas.Series(labels, index=X.index, dtype="object").infer_objects()

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return a share of 1 for each label seen so far.

        They are the estimator's probabilities if it has some. Else they are a softmax of its
        decision values, which is in their order and not calibrated, or 1 for the predicted label.
        """
        if self._model is None:
            total = sum(self._counts)
            return {k: n / total for k, n in zip(self._labels, self._counts, strict=True) if total}
        (shares,) = self._shares(self._vector(x)[None])
        return dict(zip(self._labels, shares.tolist(), strict=True))

    def predict_proba_many(self, X: Any) -> Any:
        """Return a pandas.DataFrame of what `predict_proba_one` says, a column per label."""
        pandas = import_optional("pandas", "predict frames of samples")
        if self._model is None:
            rows = [self.predict_proba_one({})] * len(X)
            return pandas.DataFrame(rows, index=X.index, columns=self._labels)
        return pandas.DataFrame(self._shares(self._matrix(X)), index=X.index, columns=self._labels)

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Yield parameters for River's checks."""
        yield {"estimator": GaussianNB()}

    # From samples to the estimator ----------------------------------------------------------

    def _number(self, label: Any) -> int:
        """Return the number of a label; a new one is noted."""
        if label not in self._labels:
            if self.classes is not None:
                raise ValueError(
                    f"RiverClassifier got the label {label!r}, which is not among its classes "
                    f"{list(self.classes)}. Give it all classes, or none."
                )
            self._labels.append(label)
            self._counts.append(0)
        number = self._labels.index(label)
        self._counts[number] += 1
        return number

    def _most_frequent(self) -> Any:
        if not any(self._counts):
            return None
        return self._labels[int(np.argmax(self._counts))]

    def _vector(self, x: Mapping[Any, Any]) -> NDArray[np.float64]:
        return np.array([float(x.get(name, 0.0)) for name in self._features])

    def _matrix(self, X: Any) -> NDArray[np.float64]:
        matrix = np.zeros((len(X), len(self._features)))
        for j, name in enumerate(self._features):
            if name in X.columns:
                matrix[:, j] = np.asarray(X[name], dtype=np.float64)
        return matrix

    def _begin_if_ready(self) -> None:
        seen = {label for _, label in self._first}
        if len(self._first) < self.chunk or len(seen) < 2:
            return
        names = {name for x, _ in self._first for name in x}
        # In an order that does not depend on that of the dictionaries.
        self._features = sorted(names, key=lambda name: (str(type(name)), name))
        samples = [(self._vector(x), label) for x, label in self._first]
        self._first = []
        self._teach_again(samples)

    def _take(self, row: NDArray[np.float64], label: int) -> None:
        self._waiting.append((row, label))
        if label >= self._n_taught:
            samples = [*self._learned, *self._waiting]
            self._waiting = []
            self._teach_again(samples)
        elif len(self._waiting) >= self.chunk:
            samples, self._waiting = self._waiting, []
            self._teach(samples)

    def _teach_again(self, samples: Sequence[tuple[NDArray[np.float64], int]]) -> None:
        self._model = clone(self.estimator)
        self._n_taught = len(self._labels)
        self._learned.clear()
        self._teach(samples, classes=np.arange(self._n_taught))

    def _teach(self, samples: Sequence[tuple[NDArray[np.float64], int]], **options: Any) -> None:
        X = np.array([row for row, _ in samples])
        y = np.array([label for _, label in samples])
        self._model.partial_fit(X, y, **options)
        if self.classes is None:
            self._learned.extend(samples)

    def _shares(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a row of shares for each sample, a column for each label."""
        shares = np.zeros((len(X), len(self._labels)))
        known = shares[:, : self._n_taught]
        if hasattr(self._model, "predict_proba"):
            known[:] = self._model.predict_proba(X)
        elif hasattr(self._model, "decision_function"):
            values = np.asarray(self._model.decision_function(X), dtype=np.float64)
            if values.ndim == 1:
                values = np.column_stack([np.zeros(len(X)), values])
            powers = np.exp(values - values.max(axis=1, keepdims=True))
            known[:] = powers / powers.sum(axis=1, keepdims=True)
        else:
            known[np.arange(len(X)), self._model.predict(X).astype(int)] = 1.0
        return shares
