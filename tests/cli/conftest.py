"""Small files, and the command line in this process or in another."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from svmosaic.cli.main import main

_PROGRAM = "import sys; from svmosaic.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Outcome:
    """What a command gave back."""

    code: int
    out: str
    err: str


@pytest.fixture
def svmosaic(capsys):
    """Return a function that runs a command in this process."""

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def start():
    """Return a function that starts a command in a process of its own; all are ended after."""
    started = []

    def popen(*words, **options):
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *map(str, words)],
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            **options,
        )
        started.append(process)
        return process

    yield popen
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def flowers(tmp_path):
    """A CSV file with a nominal feature and named classes: red and small means yes."""
    rng = np.random.default_rng(0)
    lines = ["size,colour,class"]
    for i in range(40):
        yes = i % 2 == 0
        size = rng.normal(1.0 if yes else 2.0, 0.2)
        colour = "red" if yes else ("blue", "green")[i % 4 // 2]
        lines.append(f"{size:.4f},{colour},{'yes' if yes else 'no'}")
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def export(tmp_path):
    """A table as a spreadsheet writes it: ids, a note, dates, semicolons, decimal commas."""
    rng = np.random.default_rng(2)
    lines = ["patient;age;value;seen;note;healthy"]
    for i in range(40):
        healthy = i % 2 == 0
        value = f"{rng.normal(1.0 if healthy else 3.0, 0.3):.3f}".replace(".", ",")
        lines.append(
            f"p{i};{30 + i % 9};{value};{i % 28 + 1}.2.2024;-;{'yes' if healthy else 'no'}"
        )
    path = tmp_path / "export.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def blobs(tmp_path):
    """A sparse LIBSVM file with the labels -1 and 1: the first or the last features are set."""
    rng = np.random.default_rng(1)
    lines = []
    for i in range(30):
        first = 1 if i % 2 else 6
        pairs = [f"{first + j}:{rng.uniform(0.5, 1.5):.4f}" for j in range(2)]
        lines.append(" ".join(["1" if i % 2 else "-1", *pairs]))
    path = tmp_path / "blobs.svm"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def flats(tmp_path):
    """Write a table with two targets."""
    rng = np.random.default_rng(0)
    size, floor = rng.uniform(20, 90, 40), rng.integers(0, 4, 40)
    lines = [
        f"{s:.3f},{'north' if f < 2 else 'south'},{3 * s + 10 * f:.3f},{s / 5 + f:.3f}"
        for s, f in zip(size, floor, strict=True)
    ]
    path = tmp_path / "flats.csv"
    path.write_text("size,side,price,rent\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def molecules(tmp_path):
    """Write bags: an instance in each row."""
    rng = np.random.default_rng(1)
    lines = []
    for number in range(24):
        active = number % 2
        for i in range(rng.integers(2, 5)):
            x, z = rng.normal(size=2) + 4 * active * (i == 0)
            lines.append(f"m{number},{x:.4f},{z:.4f},{'active' if active else 'dull'}")
    path = tmp_path / "molecules.csv"
    path.write_text("molecule,x,z,class\n" + "\n".join(lines) + "\n")
    return path
