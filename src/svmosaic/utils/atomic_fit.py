"""Fitted state is set once, at the end: a `fit` that fails leaves the estimator as it was."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from svmosaic.utils.shallow_copy import shallow_copy

__all__ = ["atomic_fit"]

Method = TypeVar("Method", bound=Callable[..., Any])


def atomic_fit(method: Method) -> Method:
    """Run `fit` or `partial_fit` on a draft of the estimator and keep the draft if it succeeds.

    The method may set attributes whenever it likes. After an error, Ctrl-C or a timeout the
    estimator has all of its old state and none of the new. A thread that predicts meanwhile uses
    the old state. The one duty of the method is to change no array or object of the old state in
    place.
    """

    @functools.wraps(method)
    def run(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        draft = shallow_copy(estimator)
        method(draft, *args, **kwargs)
        # One assignment: no signal and no other thread sees a part of the new state.
        estimator.__dict__ = vars(draft)
        return estimator

    return cast(Method, run)
