"""A call that cannot be stopped does not hold up Ctrl-C."""

from __future__ import annotations

import contextvars
import signal
import threading
import time

import pytest

from svmosaic.utils.interruptible import interruptible


def test_results_and_errors_come_through():
    assert interruptible(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 7, 0)
    assert interruptible(int, "11", base=2) == 3


def test_the_context_goes_along():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(5)

    assert interruptible(variable.get) == 5


def test_ctrl_c_does_not_wait():
    end = threading.Event()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()

    with pytest.raises(KeyboardInterrupt):
        interruptible(end.wait, 60.0)
    waited = time.monotonic() - began

    end.set()
    timer.join()
    # The call would have taken a minute.
    assert waited < 30.0


def test_another_thread_calls_it_itself():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(interruptible(threading.current_thread) is thread)
    )
    thread.start()
    thread.join()

    assert found == [True]
