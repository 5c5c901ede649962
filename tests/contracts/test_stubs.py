"""The types of the compiled module are those that the module itself has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import svmosaic

ROOT = Path(__file__).parents[2]
STUB = Path(svmosaic.__file__).with_name("_core.pyi")


def test_the_stub_is_generated_from_the_module(tmp_path):
    pytest.importorskip("nanobind")
    made = tmp_path / "_core.pyi"
    generate = ["-m", "nanobind.stubgen", "-q", "-m", "svmosaic._core"]
    patterns = ROOT / "cpp" / "bindings" / "stubs.pat"

    command = [sys.executable, *generate, "-p", str(patterns), "-o", str(made)]
    subprocess.run(command, check=True, timeout=60)

    assert made.read_text() == STUB.read_text(), "run 'make stubs'"
