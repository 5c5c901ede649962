"""Searches that let others do some of their work: a cluster, where one was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

__all__ = ["Spread", "current_spread", "spread_over"]


class Spread(Protocol):
    """Workers that run the calls of a search."""

    @property
    def n_workers(self) -> int:
        """Number of workers."""

    def hold(self, value: Any) -> Any:
        """Return a handle for a value that many calls take; workers get it once."""

    def map(self, function: Callable[..., Any], held: Any, items: Sequence[Any]) -> list[Any]:
        """Return function(value, item, n_threads=...) for each item, in their order."""


_current: ContextVar[Spread | None] = ContextVar("svmosaic-spread", default=None)


def current_spread() -> Spread | None:
    """Return who runs the calls of searches in this context; None means nobody else does."""
    return _current.get()


@contextmanager
def spread_over(workers: Spread) -> Iterator[None]:
    """Let workers run the calls of the searches within."""
    token = _current.set(workers)
    try:
        yield
    finally:
        _current.reset(token)
