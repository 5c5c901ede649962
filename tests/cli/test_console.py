"""Tables, progress and safe writing."""

from __future__ import annotations

import io
import os
import signal
import sys
import time

import pytest

from svmosaic.cli import console
from svmosaic.utils.progress import current_progress


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_table_is_aligned():
    table = console.format_table(("name", "n"), [("a", 1), (), ("long name", 100)], "lr")

    assert table.splitlines() == [
        "name         n",
        "---------  ---",
        "a            1",
        "",
        "long name  100",
    ]


def test_progress_is_lines_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr(console, "_PLAIN_SECONDS", 0.0)

    with console.show_progress("training"):
        current_progress("any", 0)(1, 3, 42)

    assert "svmosaic: training: 1 of 3 problems, 42 steps" in capsys.readouterr().err


def test_progress_of_a_short_fit_is_silent(capsys):
    with console.show_progress("training"):
        current_progress("any", 0)(1, 3, 42)

    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(monkeypatch):
    pytest.importorskip("rich")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    with console.show_progress("training"):
        current_progress("any", 0)(1, 3, 42)

    assert "1 of 3 problems, 42 steps" in terminal.getvalue()


def test_progress_needs_no_rich(monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(console, "_PLAIN_SECONDS", 0.0)

    with console.show_progress("training"):
        current_progress("any", 0)(0, 1, 7)

    assert "0 of 1 problem, 7 steps" in terminal.getvalue()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_ctrl_c_waits_while_files_are_written():
    with console.uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        written = True

    assert written
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_a_second_ctrl_c_ends_the_writing():
    def write():
        with console.uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)

    with pytest.raises(KeyboardInterrupt, match="may be incomplete"):
        write()

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
