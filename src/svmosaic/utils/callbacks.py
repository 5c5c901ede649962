"""The callbacks of scikit-learn 1.9 around our fits; with older versions there are none.

An estimator with callbacks (``set_callbacks``) tells them when its fit begins and ends and, in
between, about every binary problem that is done: one task ``solve`` with as many subtasks as there
are problems, for each call of a solver that reports its progress.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from svmosaic.utils.progress import forward_progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's, which has callbacks since 1.9."""

    with_callbacks = None

__all__ = ["HAS_CALLBACKS", "CallbackSupportMixin", "part_of_one_fit", "tell_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])

HAS_CALLBACKS = with_callbacks is not None


def tell_callbacks(method: Method) -> Method:
    """Run `fit` as a task of the callbacks that its estimator has, if it has any."""
    if with_callbacks is None:
        return method

    def as_task(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        data = _data_of(args, kwargs)
        context = estimator._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=estimator, **data)
        watch = _Watch(estimator, context)
        with forward_progress(watch.report):
            result = method(estimator, *args, **kwargs)
        watch.end()
        context.call_on_fit_task_end(
            estimator=estimator,
            **data,
            reconstruction_attributes=lambda: _fitted_state(estimator),
        )
        return result

    # It ends the callbacks whatever happens.
    managed = with_callbacks(as_task)

    @functools.wraps(method)
    def run(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        if "_skl_callbacks" in vars(estimator):
            return managed(estimator, *args, **kwargs)
        return method(estimator, *args, **kwargs)

    return cast(Method, run)


@contextlib.contextmanager
def part_of_one_fit(estimator: Any) -> Iterator[None]:
    """Keep callbacks out of a fit inside a fit of the same estimator, as by ``super().fit``.

    It is a part of the outer one's task. scikit-learn would set callbacks up again, and end them
    with the inner fit.
    """
    state = vars(estimator)
    if "_callback_fit_ctx" not in state:
        yield
        return
    names = ("_callback_fit_ctx", "_skl_callbacks", "_skl_callbacks_to_teardown")
    hidden = {name: state.pop(name) for name in names if name in state}
    try:
        yield
    finally:
        vars(estimator).update(hidden)


def _data_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    named = dict(zip(("X", "y"), args, strict=False))
    return {name: named.get(name, kwargs.get(name)) for name in ("X", "y")}


def _fitted_state(estimator: Any) -> dict[str, Any]:
    """Return what `fit` has set, from which a callback may have a fitted estimator."""
    parameters = estimator.get_params(deep=False)
    inner = ("_skl_callbacks", "_skl_callbacks_to_teardown", "_callback_fit_ctx")
    return {
        name: value
        for name, value in vars(estimator).items()
        if name not in parameters and name not in (*inner, "_parent_callback_ctx")
    }


class _Watch:
    """Turns reports of solvers into tasks.

    A report has the problems done, their total and the steps. A fit may call several solvers, whose
    reports begin again.
    """

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator, self._context = estimator, context
        self._solve: Any = None
        self._done, self._total = 0, 0

    def report(self, done: int, total: int, _steps: int) -> None:
        """Begin and end tasks for what has been done since the last report."""
        if self._solve is None or total != self._total or done < self._done:
            self.end()
            self._done, self._total = 0, total
            self._solve = self._context.subcontext("solve", max_subtasks=total)
            self._solve.call_on_fit_task_begin(estimator=self._estimator)
        for _ in range(min(done, total) - self._done):
            problem = self._solve.subcontext("problem")
            problem.call_on_fit_task_begin(estimator=self._estimator)
            problem.call_on_fit_task_end(estimator=self._estimator)
        self._done = max(self._done, min(done, total))

    def end(self) -> None:
        """End the task of the last solver."""
        if self._solve is not None:
            self._solve.call_on_fit_task_end(estimator=self._estimator)
            self._solve = None
