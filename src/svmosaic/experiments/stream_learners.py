"""Learners of streams by name: svmosaic's, scikit-learn's, River's and MOA's."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from svmosaic.experiments.classes import build_nested, find_class

__all__ = ["build_learner"]

_MOA = "moa."
_INTERFACES = (
    ("partial_fit", "predict"),
    ("learn_one", "predict_one"),
    ("learn", "predict", "size"),
)
# What a learner calls the seed of its random numbers.
_SEEDS = ("random_state", "seed")


def build_learner(name: str, params: Mapping[str, Any], seed: int = 0) -> Any:
    """Return a learner that `svmosaic.streams.prequential` takes.

    Parameters
    ----------
    name : str
        The class: one of svmosaic's by its name, any other by its full name. A name that begins
        with ``moa.`` is a class of MOA's, which CapyMOA runs.
    params : mapping
        Its parameters. One that is a table with the entry 'estimator' is an object of that class
        with the parameters in the table's 'params', as in `svmosaic.experiments.classes`.
    seed : int, default=0
        For a parameter ``random_state`` or ``seed`` that is not given.

    Examples
    --------
    >>> from svmosaic.experiments.stream_learners import build_learner
    >>> build_learner("OLLAL2Classifier", {"gamma": 0.5}, seed=3)
    OLLAL2Classifier(gamma=0.5, random_state=3)
    """
    settings = {key: build_nested(value, find_class) for key, value in params.items()}
    if name.startswith(_MOA):
        from svmosaic.streams.capymoa import CapyMOALearner

        return CapyMOALearner(name, **{"seed": seed, **settings})
    kind = find_class(name)
    if not any(all(hasattr(kind, method) for method in names) for names in _INTERFACES):
        raise ValueError(
            f"{name!r} cannot learn incrementally; it needs partial_fit and predict, or learn_one "
            "and predict_one"
        )
    for entry in _SEEDS:
        if entry in _parameters(kind) and entry not in settings:
            settings[entry] = seed
    return kind(**settings)


def _parameters(kind: type[Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)
