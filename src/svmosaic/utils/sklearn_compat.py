"""The private parts of scikit-learn that we use, imported here and nowhere else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sklearn import get_config, set_config
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing, metaestimators
from sklearn.utils._metadata_requests import _raise_for_params as refuse_parameters
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    Options,
    StrOptions,
)
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as count_samples

from svmosaic.utils.atomic_fit import atomic_fit
from svmosaic.utils.callbacks import part_of_one_fit, tell_callbacks

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "Options",
    "ScorerParts",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "count_samples",
    "fit_context",
    "refuse_parameters",
    "scorer_parts",
    "take_rows",
    "validate_parameters",
]

Method = TypeVar("Method", bound=Callable[..., object])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Validate the parameters of an estimator before its `fit` runs, and tell its callbacks.

    See also `atomic_fit`.
    """
    validate = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)

    def decorate(method: Method) -> Method:
        # A chunk of a stream is no fit of its own.
        reporting = tell_callbacks(method) if method.__name__ == "fit" else method
        validated = validate(reporting)

        @functools.wraps(method)
        def run(*args: Any, **kwargs: Any) -> object:
            before = get_config()["skip_parameter_validation"]
            try:
                with part_of_one_fit(args[0]):
                    return validated(*args, **kwargs)
            except BaseException:
                # Ctrl-C may strike while scikit-learn puts its own setting back. Without this
                # line no parameter would be validated in the rest of the process.
                set_config(skip_parameter_validation=before)
                raise

        return atomic_fit(cast(Method, run))

    return decorate


def validate_parameters(estimator: Any) -> None:
    """Validate the parameters of an estimator, unless scikit-learn is set up not to."""
    if not get_config()["skip_parameter_validation"]:
        estimator._validate_params()


def available_if(check: Callable[[object], bool]) -> Callable[[Method], Method]:
    """Hide a method where `check` raises AttributeError."""
    return cast(Callable[[Method], Method], metaestimators.available_if(check))


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, a sparse matrix, a frame or a list."""
    return _safe_indexing(X, rows)


@dataclass(frozen=True)
class ScorerParts:
    """What a scorer of `make_scorer` is made of.

    Attributes
    ----------
    function : callable
        The metric, called with the truth and the prediction.
    sign : float
        1, or -1 where a smaller value is better.
    methods : tuple of str
        The methods of which the first that a model has is called.
    parameters : dict
        Further arguments of the metric.
    """

    function: Callable[..., float]
    sign: float
    methods: tuple[str, ...]
    parameters: dict[str, Any]


def scorer_parts(scorer: Any) -> ScorerParts | None:
    """Return the parts of a scorer that `make_scorer` made, None for another function."""
    function = getattr(scorer, "_score_func", None)
    response = getattr(scorer, "_response_method", None)
    if function is None or response is None:
        return None
    methods = (response,) if isinstance(response, str) else tuple(response)
    return ScorerParts(function, float(scorer._sign), methods, dict(scorer._kwargs))
