"""Who runs the calls of a fit: three verbs, for Dask and for this process."""

from __future__ import annotations

import contextlib
import itertools
import logging
import time
import uuid
import weakref
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self

from svmosaic.engine.gpu.devices import is_usable
from svmosaic.utils.optional import import_optional
from svmosaic.utils.threads import resolve_threads
from svmosaic.version import __version__

__all__ = ["DaskWorkers", "InProcess", "Workers", "client_of"]

_numbers = itertools.count()
_log = logging.getLogger("svmosaic")
# Seconds between two looks at a cluster that does not answer, and until it is given up.
_LOOK_EVERY = 2.0
_PATIENCE = 60.0
_GONE_AFTER = 6.0
# Bytes of a value that had better travel with the calls than by itself.
_SMALL = 1 << 18


class Workers(Protocol):
    """Runs functions near their arguments. A handle stands for a result that is elsewhere."""

    @property
    def n_workers(self) -> int:
        """Number of workers; nothing but the size of calls depends on it."""

    def submit(
        self, function: Callable[..., Any], *args: Any, at: int | None = None, **kwargs: Any
    ) -> Any:
        """Return a handle for function(*args); handles among the arguments are results.

        `at` is the number of the worker that had best do it. ``has_threads=True`` gives the
        function as many `n_threads` as there are, and ``device="..."`` is left out where there is
        no such device.
        """

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""

    def hold(self, value: Any, n_bytes: int | None = None) -> Any:
        """Return a handle for a value of ours, of this many bytes, that many calls take."""


def _call(function: Callable[..., Any], n_threads: int, args: Any, kwargs: dict[str, Any]) -> Any:
    if kwargs.pop("has_threads", False):
        kwargs["n_threads"] = n_threads
    device = kwargs.pop("device", None)
    if device is not None and is_usable(device):
        kwargs["device"] = device
    return function(*args, **kwargs)


class InProcess:
    """Runs everything here, at once: the oracle of tests."""

    def __init__(self, n_jobs: int | None = None, n_workers: int = 1) -> None:
        self._n_threads = resolve_threads(n_jobs)
        self.n_workers = n_workers

    def submit(
        self, function: Callable[..., Any], *args: Any, at: int | None = None, **kwargs: Any
    ) -> Any:
        """Return the result."""
        return _call(function, self._n_threads, args, kwargs)

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""
        return list(handles)

    def hold(self, value: Any, n_bytes: int | None = None) -> Any:
        """Return the value."""
        return value


def _run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run on a worker, with the threads that it has to spare and its GPU."""
    return _call(function, _threads_of_worker(), args, kwargs)


def _threads_of_worker() -> int:
    from distributed import get_worker

    state = get_worker().state
    # Calls that run at the same time share the threads of the worker.
    return max(1, int(state.nthreads) // max(1, int(state.executing_count)))


def _same(value: Any) -> Any:
    return value


def _version_here() -> str:
    return __version__


def client_of(client: Any, who: str) -> Any:
    """Return the client that an estimator was given, or the current one."""
    distributed = import_optional("distributed", "fit models on a cluster")
    try:
        client = distributed.get_client() if client is None else client
    except ValueError as error:
        raise ValueError(
            f"{who} needs a Dask cluster, and there is no current client. Create one with "
            "distributed.Client(...), or set the attribute 'client'."
        ) from error
    if client.asynchronous:
        raise TypeError(
            f"{who} needs a synchronous client. Got an asynchronous one; use Client(...) without "
            "asynchronous=True."
        )
    return client


class DaskWorkers:
    """Runs calls on the workers of a Dask cluster; handles are futures.

    Whatever is lost with a worker, Dask computes again from the calls that made it.
    """

    def __init__(self, client: Any, who: str) -> None:
        self._client = client
        self._who = who
        self._name = uuid.uuid4().hex[:8]
        self._alive: weakref.WeakSet[Any] = weakref.WeakSet()
        self.n_lost = 0
        self._looked = time.monotonic()
        self._known = self._addresses()
        self._order = sorted(self._known)
        if not self._known:
            raise RuntimeError(
                f"{who} needs workers, and the cluster at {self._place} has none. Start some, or "
                "wait with client.wait_for_workers(1)."
            )
        self._check_versions()

    @property
    def n_workers(self) -> int:
        """Number of workers when they were last looked at."""
        return max(1, len(self._known))

    @property
    def _place(self) -> str:
        scheduler = self._client.scheduler
        return str(getattr(scheduler, "address", "an unknown address"))

    def _addresses(self) -> set[str]:
        # Not `scheduler_info`: the client refreshes it in the background, without the workers.
        return set(self._client.nthreads())

    def _check_versions(self) -> None:
        # One that dies meanwhile is no reason to end.
        answers = self._client.run(_version_here, on_error="return").values()
        faults = [a for a in answers if isinstance(a, ImportError | AttributeError)]
        if faults:
            raise RuntimeError(
                f"{self._who} needs svmosaic {__version__} on all workers, and some cannot import "
                f"it ({faults[0]}). Install the same version there."
            )
        others = {a for a in answers if isinstance(a, str) and a != __version__}
        if others:
            raise RuntimeError(
                f"{self._who} needs svmosaic {__version__} on all workers. Some have "
                f"{', '.join(sorted(others))}; install the same version there."
            )

    def __enter__(self) -> Self:
        with contextlib.suppress(ValueError, AttributeError):
            # Within a task: another one may have its thread, while it waits for ours.
            import_optional("distributed", "fit models on a cluster").secede()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Leave nothing on the cluster.

        The scheduler drops calls that nobody waits for. They are not cancelled: that can end the
        connection of the client, where a call that nobody wants any more depends on one of them.
        """
        for future in list(self._alive):
            future.release()

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Return futures of delayed values, which are computed where their data are."""
        futures = list(self._client.compute(list(delayed)))
        self._alive.update(futures)
        # A call that takes them may overtake them on the way into the scheduler, which puts large
        # graphs in order first, and would be cancelled.
        with self._one_sentence():
            self._wait(futures)
        return futures

    def submit(
        self, function: Callable[..., Any], *args: Any, at: int | None = None, **kwargs: Any
    ) -> Any:
        """Return a future. Its name says what it does, in Dask's dashboard too."""
        key = f"svmosaic-{function.__name__.strip('_')}-{self._name}-{next(_numbers)}"
        # Left to itself, the scheduler gives two calls to a worker that has the data and none to
        # its neighbour. Another worker takes the call if this one is gone.
        wish = (
            {}
            if at is None or not self._order
            else {"workers": [self._order[at % len(self._order)]], "allow_other_workers": True}
        )
        future = self._client.submit(_run, function, *args, **kwargs, key=key, pure=False, **wish)
        self._alive.add(future)
        return future

    def hold(self, value: Any, n_bytes: int | None = None) -> Any:
        """Return the value if it is known to be small: it travels with every call.

        Otherwise return a future of it, which is made again if it is lost.
        """
        is_small = n_bytes is not None and n_bytes <= _SMALL
        return value if is_small else self.submit(_same, value)

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results; raise if the cluster is gone."""
        with self._one_sentence():
            self._wait(handles)
            return list(self._client.gather(list(handles)))

    def _wait(self, handles: Sequence[Any]) -> None:
        distributed = import_optional("distributed", "fit models on a cluster")
        last_sign = time.monotonic()
        while True:
            try:
                with self._client.as_current():
                    distributed.wait(list(handles), timeout=_LOOK_EVERY)
                break
            except TimeoutError:
                last_sign = self._look(last_sign)
        if time.monotonic() - self._looked > _LOOK_EVERY:
            self._note_lost()

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """Say in one sentence what is wrong with a cluster."""
        distributed = import_optional("distributed", "fit models on a cluster")
        try:
            yield
        except (distributed.CancelledError, CancelledError, OSError) as error:
            if self._client.status != "running":
                raise self._gone() from error
            if isinstance(error, OSError):
                # Of a file that a worker was to read.
                raise
            raise RuntimeError(
                f"{self._who}: the cluster at {self._place} cancelled calls. Check that scheduler, "
                f"workers and client have the same packages. {error}"
            ) from error
        except distributed.scheduler.KilledWorker as error:
            raise RuntimeError(
                f"{self._who}: workers died again and again on the same call, probably out of "
                "memory. Use smaller partitions or workers with more memory."
            ) from error

    def _look(self, last_sign: float) -> float:
        """Return when the cluster was last seen at work; raise if that is long ago."""
        now = time.monotonic()
        if self._client.status == "running":
            if self._note_lost():
                return now
            if now - last_sign > _PATIENCE:
                raise RuntimeError(
                    f"{self._who}: the cluster at {self._place} has had no worker for "
                    f"{_PATIENCE:.0f} s. Start some and call fit again; with checkpoint=, it "
                    "resumes."
                )
        elif now - last_sign > _GONE_AFTER:
            raise self._gone()
        return last_sign

    def _gone(self) -> RuntimeError:
        return RuntimeError(
            f"{self._who}: the scheduler at {self._place} is gone. Start a cluster and call fit "
            "again; with checkpoint=, it resumes."
        )

    def _note_lost(self) -> int:
        """Log workers that have left, and return how many there are."""
        self._looked = time.monotonic()
        here = self._addresses()
        lost = self._known - here
        if lost:
            self.n_lost += len(lost)
            _log.warning(
                "%s: %d of %d workers are gone; what they had is computed again.",
                self._who,
                len(lost),
                len(self._known),
            )
        self._known, self._order = here, sorted(here)
        return len(here)
