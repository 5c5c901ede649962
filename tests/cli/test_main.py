"""The frame of the command line: help, errors, exit codes, interruption."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

from svmosaic import __version__
from svmosaic.cli import info
from svmosaic.cli.main import main

_HELP_IMPORTS = """
import sys
from svmosaic.cli.main import main
code = main(sys.argv[1:])
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print("loaded:", *(name for name in ("numpy", "scipy", "sklearn", "rich", "matplotlib")
                   if name in loaded))
sys.exit(code)
"""


def _is_one_error_line(text):
    return text.startswith("svmosaic: error: ") and text.count("\n") == 1 and text.endswith("\n")


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["data", "fetch", "--help"]])
def test_help_imports_no_numerical_library(words):
    done = subprocess.run(
        [sys.executable, "-c", _HELP_IMPORTS, *words], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("usage: svmosaic")
    assert done.stdout.rstrip().endswith("loaded:")


def test_version_is_that_of_the_package(svmosaic):
    outcome = svmosaic("--version")

    assert (outcome.code, outcome.out) == (0, f"svmosaic {__version__}\n")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([], "a command is needed: train"),
        (["trian"], "Did you mean train?"),
        (["data", "lst"], "Did you mean list?"),
        (["train", "--gama", "3"], "Did you mean --gamma?"),
        (["train", "x", "-o", "m", "--gamma", "wide"], "'cbp-radius' or a number above 0"),
        (["train", "x", "-o", "m", "--margin", "-1"], "expected 0 or more"),
        (["train", "x", "-o", "m", "--C", "inf"], "finite"),
        (["train", "x", "-o", "m", "--max-support", "0"], "whole number from 1"),
        (["train", "x", "-o", "m", "--refine", "ful"], "--refine"),
        (["train", "x"], "required: -o/--output"),
        (["tune", "x", "--Cs", ","], "numbers with commas"),
        (["tune", "x", "--cv", "1"], "at least 2 folds"),
        (["info"], "required: MODEL"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(svmosaic, words, part):
    outcome = svmosaic(*words)

    assert outcome.code == 2
    assert part in outcome.err
    assert _is_one_error_line(outcome.err)
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["train", "flowers.cvs", "-o", "m"], "Did you mean 'flowers.csv'?"),
        (["train", "sklearn-digit", "-o", "m"], "Did you mean 'sklearn-digits'?"),
        (["train", ".", "-o", "m"], "is not a file"),
        (["train", "flowers.csv", "-o", "nowhere/m"], "'nowhere' of the output does not exist"),
        (["train", "flowers.csv", "-o", "."], "is a folder"),
        (["train", "flowers.csv", "-o", "m", "--target", "clas"], "Did you mean 'class'?"),
        (["train", "flowers.csv", "-o", "m", "--libsvm", "t"], "integer labels only"),
        (["train", "sklearn-iris", "-o", "m", "--target", "0"], "--target is for files"),
        (["predict", "flowers.csv", "flowers.csv"], "not a model file"),
        (["predict", "missing.model", "flowers.csv"], "missing.model: No such file"),
        (["data", "describe", "sklearn-irs"], "Did you mean 'sklearn-iris'"),
        (["demo", "--out", "flowers.csv"], "is not a folder"),
    ],
)
def test_an_error_is_one_line_and_code_1_and_writes_nothing(
    svmosaic, flowers, monkeypatch, words, part
):
    monkeypatch.chdir(flowers.parent)

    outcome = svmosaic(*words)

    assert outcome.code == 1
    assert part in outcome.err
    assert _is_one_error_line(outcome.err)
    assert outcome.out == ""
    assert [path.name for path in flowers.parent.iterdir()] == ["flowers.csv"]


def test_debug_shows_where_an_error_came_from(svmosaic):
    outcome = svmosaic("info", "missing.model", "--debug")

    assert outcome.code == 1
    assert "Traceback" in outcome.err


def test_a_fault_of_ours_is_one_line_that_asks_for_debug(svmosaic, monkeypatch):
    def fail(args):
        raise KeyError("lost")

    monkeypatch.setattr(info, "run", fail)

    outcome = svmosaic("info", "m")

    assert outcome.code == 1
    assert "unexpected KeyError" in outcome.err
    assert "--debug" in outcome.err
    assert _is_one_error_line(outcome.err)


def test_main_reads_the_words_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["svmosaic", "--version"])

    assert main() == 0
    assert __version__ in capsys.readouterr().out


def test_ctrl_c_ends_a_training_with_130_and_writes_nothing(start, tmp_path):
    # Labels without any pattern: the exact SVM takes far longer than the test waits.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = rng.integers(0, 2, 6000)
    data = tmp_path / "noise.csv"
    np.savetxt(data, np.column_stack([X, y]), delimiter=",", fmt="%.3f")
    process = start(
        *("train", data, "-o", tmp_path / "m", "-v", "--gamma", "0.5", "--C", "100000"),
        *("--scale", "none"),
    )
    # The first line of progress says that the training is under way.
    assert "training" in process.stderr.readline()

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)

    assert process.returncode == 130
    assert err.endswith("svmosaic: interrupted; nothing was written\n")
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["noise.csv"]


def test_a_closed_pipe_is_silent(start):
    process = start("data", "list")
    process.stdout.close()

    process.wait(timeout=120)

    assert process.stderr.read() == ""
    assert process.returncode == 0


def test_errors_reach_the_shell(start):
    process = start("info", "missing.model")

    out, err = process.communicate(timeout=120)

    assert (process.returncode, out) == (1, "")
    assert _is_one_error_line(err)


def test_ctrl_c_during_the_import_of_a_compiled_module_is_no_error(svmosaic, monkeypatch):
    def interrupted_import(args):
        # What pybind11 makes of it.
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr("svmosaic.cli.data.run", interrupted_import)

    outcome = svmosaic("data", "list")

    assert outcome.code == 130
    assert outcome.err == "svmosaic: interrupted; nothing was written\n"
