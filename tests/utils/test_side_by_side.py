"""Calls that run at the same time."""

import multiprocessing
import os
import threading

import pytest

from svmosaic.utils.side_by_side import call_elsewhere, call_side_by_side


@pytest.mark.parametrize("call_all", [call_side_by_side, call_elsewhere])
@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n_calls", [0, 1, 2, 5])
def test_results_come_in_order(n_calls, n_threads, call_all):
    calls = [lambda number=number: number**2 for number in range(n_calls)]

    assert call_all(calls, n_threads) == [number**2 for number in range(n_calls)]


@pytest.mark.parametrize("call_all", [call_side_by_side, call_elsewhere])
def test_two_calls_run_at_the_same_time(call_all):
    meeting = threading.Barrier(2)

    # Alone, either would wait for ever.
    assert len(call_all([lambda: meeting.wait(30)] * 2, 2)) == 2


def test_nobody_waits_for_a_call_that_goes_on_after_an_exception():
    may_end, has_begun, has_ended = threading.Event(), threading.Event(), threading.Event()

    def fail():
        assert has_begun.wait(30)
        raise RuntimeError("no")

    def go_on():
        has_begun.set()
        assert may_end.wait(30)
        has_ended.set()

    with pytest.raises(RuntimeError, match="no"):
        call_elsewhere([fail, go_on], 2)

    assert not has_ended.is_set()
    may_end.set()
    assert has_ended.wait(30)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("place", [0, 1])
def test_an_exception_is_raised_after_all_have_ended(n_threads, place):
    def fail():
        raise RuntimeError("no")

    calls = [lambda: 1, lambda: 1]
    calls[place] = fail

    with pytest.raises(RuntimeError, match="no"):
        call_side_by_side(calls, n_threads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    meeting = threading.Barrier(2)
    calls = [lambda: meeting.wait(30)] * 2
    call_side_by_side(calls, 2)

    child = multiprocessing.get_context("fork").Process(target=call_side_by_side, args=(calls, 2))
    child.start()
    child.join(60)

    assert child.exitcode == 0
