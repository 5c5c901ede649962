"""The benchmark of compilers loads the cores it is given, and refuses what it does not know."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from svmosaic import _core

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compilers.py"


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.slow
def test_a_build_beside_itself_takes_the_same_steps(tmp_path):
    copy = tmp_path / Path(_core.__file__).name
    copy.write_bytes(Path(_core.__file__).read_bytes())
    out = tmp_path / "c.csv"

    done = run(
        f"one={_core.__file__}", f"two={copy}", "--problems", "smo", "--repeat", 1, "--out", out
    )

    assert done.returncode == 0, done.stdout + done.stderr
    one, two = csv.DictReader(out.read_text().splitlines())
    assert (one["core"], two["core"]) == ("one", "two")
    assert float(one["ratio"]) == 1.0
    assert float(two["seconds"]) > 0
    assert (one["steps"], one["support_vectors"]) == (two["steps"], two["support_vectors"])


def test_a_core_without_a_file_and_an_unknown_problem_are_refused():
    missing = run("g++-12=no/such/_core.so")
    assert missing.returncode == 2
    assert "expected NAME=FILE with a file that exists; got g++-12=no/such" in missing.stderr

    unknown = run(f"one={_core.__file__}", "--problems", "iris")
    assert unknown.returncode == 2
    assert "iris is unknown; expected some of full-float64" in unknown.stderr
