"""The private parts of scikit-learn that we use, imported here and nowhere else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from sklearn import get_config, set_config
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing, metaestimators
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

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "Options",
    "StrOptions",
    "available_if",
    "check_sample_weight",
    "count_samples",
    "fit_context",
    "take_rows",
]

Method = TypeVar("Method", bound=Callable[..., object])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Validate the parameters of an estimator before its `fit` runs; see also `atomic_fit`."""
    validate = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)

    def decorate(method: Method) -> Method:
        validated = validate(method)

        @functools.wraps(method)
        def run(*args: Any, **kwargs: Any) -> object:
            before = get_config()["skip_parameter_validation"]
            try:
                return validated(*args, **kwargs)
            except BaseException:
                # Ctrl-C may strike while scikit-learn puts its own setting back. Without this
                # line no parameter would be validated in the rest of the process.
                set_config(skip_parameter_validation=before)
                raise

        return atomic_fit(cast(Method, run))

    return decorate


def available_if(check: Callable[[object], bool]) -> Callable[[Method], Method]:
    """Hide a method where `check` raises AttributeError."""
    return cast(Callable[[Method], Method], metaestimators.available_if(check))


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, a sparse matrix, a frame or a list."""
    return _safe_indexing(X, rows)
