"""Learners of MOA, a Java library of stream learners, through the package CapyMOA."""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.exceptions import MissingDependencyError
from svmosaic.utils.optional import import_optional

__all__ = ["CapyMOALearner"]

_PURPOSE = "run learners of MOA"
# CapyMOA reads this variable when it starts Java; the default is its own.
_JAVA_OPTIONS = "CAPYMOA_JVM_ARGS"
_DEFAULT_OPTIONS = "-Xmx8g -Xss10M"
_NO_SIGNALS = "-Xrs"
_INSTANCE = "com.yahoo.labs.samoa.instances.DenseInstance"


class CapyMOALearner:
    """A learner of MOA for `svmosaic.streams.prequential`.

    Needs the package capymoa, which brings MOA, and Java 17. The schema of the stream, all
    features numeric and the classes nominal, is made of the first samples.

    Parameters
    ----------
    learner : str
        The class in MOA, for example ``moa.classifiers.trees.HoeffdingTree``.
    cli : str, default=""
        Its options, as on MOA's command line, for example ``-g 100``.
    seed : int, default=0
        Seed of its random numbers.

    Examples
    --------
    >>> from svmosaic.streams.capymoa import CapyMOALearner
    >>> CapyMOALearner("moa.classifiers.bayes.NaiveBayes")
    CapyMOALearner('moa.classifiers.bayes.NaiveBayes', cli='', seed=0)
    """

    def __init__(self, learner: str, cli: str = "", seed: int = 0) -> None:
        self.learner = learner
        self.cli = cli
        self.seed = seed
        self._classes: NDArray[Any] = np.empty(0)
        self._moa: Any = None
        self._header: Any = None
        # The samples that were predicted last are learned next; they become Java's once.
        self._kept: tuple[Any, list[Any]] = (None, [])

    def start(self) -> None:
        """Start Java, which takes a second or more; else the first samples do."""
        _import("capymoa")

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples, one by one."""
        if self._moa is None:
            self._begin(X.shape[1], classes)
        numbers = np.searchsorted(self._classes, y)
        for instance, label in zip(self._instances(X), numbers.tolist(), strict=True):
            instance.setClassValue(float(label))
            self._moa.trainOnInstance(instance)
        self._kept = (None, [])

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample; the first class where MOA has no votes."""
        vote = self._moa.getVotesForInstance
        return self._classes[[_largest(vote(instance)) for instance in self._instances(X)]]

    def size(self) -> dict[str, int]:
        """Return bytes, as Java writes the learner."""
        return {} if self._moa is None else {"n_bytes": len(_to_bytes(self._moa))}

    def __repr__(self) -> str:
        return f"CapyMOALearner({self.learner!r}, cli={self.cli!r}, seed={self.seed})"

    def __getstate__(self) -> dict[str, Any]:
        state = {**vars(self), "_kept": (None, []), "_header": None}
        state["_moa"] = None if self._moa is None else _to_bytes(self._moa)
        state["_n_features"] = None if self._header is None else self._header.numAttributes() - 1
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        n_features = state.pop("_n_features")
        vars(self).update(state)
        if self._moa is not None:
            self._header = _make_schema(n_features, self._classes).get_moa_header()
            self._moa = _from_bytes(self._moa)

    def _begin(self, n_features: int, classes: NDArray[Any]) -> None:
        # MOA numbers the classes; these are in rising order.
        self._classes = np.unique(classes)
        schema = _make_schema(n_features, self._classes)
        base = _import("capymoa.base")
        try:
            kind = _import("jpype").JClass(self.learner)
        except TypeError:
            raise ValueError(
                f"MOA has no class {self.learner!r}. Write its full name, such as "
                "'moa.classifiers.trees.HoeffdingTree'."
            ) from None
        try:
            made = base.MOAClassifier(kind, schema, CLI=self.cli or None, random_seed=self.seed)
        except _import("jpype").JException as error:
            raise ValueError(
                f"{self.learner} does not take the options {self.cli!r}: {error.getMessage()}. See "
                "MOA's help on them."
            ) from None
        self._moa = made.moa_learner
        self._header = schema.get_moa_header()

    def _instances(self, X: NDArray[np.float64]) -> list[Any]:
        """Return samples as Java has them, with a place for the label."""
        kept, instances = self._kept
        if kept is X:
            return instances
        jpype = _import("jpype")
        make = jpype.JClass(_INSTANCE)
        rows = jpype.JArray(jpype.JDouble, 2)(np.column_stack([X, np.zeros(len(X))]))
        instances = []
        for row in rows:
            instance = make(1.0, row)
            instance.setDataset(self._header)
            instances.append(instance)
        self._kept = (X, instances)
        return instances


def _import(name: str) -> Any:
    # Java would take Ctrl-C and SIGTERM for itself: it stops first, and calls into it fail.
    options = os.environ.get(_JAVA_OPTIONS, _DEFAULT_OPTIONS)
    if _NO_SIGNALS not in options.split():
        os.environ[_JAVA_OPTIONS] = f"{options} {_NO_SIGNALS}"
    try:
        import_optional("capymoa", _PURPOSE)
    except RuntimeError as error:
        raise MissingDependencyError(
            f"CapyMOA cannot start Java, which is needed to {_PURPOSE}: {error} Install Java 17 "
            "and set JAVA_HOME."
        ) from error
    return importlib.import_module(name)


def _make_schema(n_features: int, classes: NDArray[Any]) -> Any:
    names = [f"x{j}" for j in range(n_features)]
    labels = [str(k) for k in range(classes.size)]
    schema = _import("capymoa.stream").Schema
    return schema.from_custom([*names, "class"], "class", {"class": labels}, name="stream")


def _largest(votes: Sequence[float]) -> int:
    return max(range(len(votes)), key=votes.__getitem__) if len(votes) else 0


def _to_bytes(learner: Any) -> bytes:
    out = io.BytesIO()
    _import("jpype.pickle").JPickler(out).dump(learner)
    return out.getvalue()


def _from_bytes(content: bytes) -> Any:
    return _import("jpype.pickle").JUnpickler(io.BytesIO(content)).load()
