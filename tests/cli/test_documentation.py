"""The commands of all pages run: those of svmosaic in one process, in a folder for each page."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import subprocess
import sys
import tomllib

import numpy as np
import pytest

from clusters import cluster_of
from page_blocks import ROOT, all_blocks, blocks_of

DOCS = ROOT / "docs"

# One process for all examples: fresh, as a reader's is, so that nothing that other tests left
# behind can warn here.
_RUN_ALL = """
import contextlib, io, json, os, sys
from svmosaic.cli.main import main

outcomes = []
for folder, line, words in json.loads(sys.argv[1]):
    os.chdir(folder)
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = main(words)
    outcomes.append([line, code, errors.getvalue()])
print(json.dumps(outcomes))
"""


def _write_patients(path, n=60, gaps=True, target=True):
    """Write a table with gaps, a column of names and a label."""
    rng = np.random.default_rng(0)
    lines = ["age,dose,clinic" + ",ill" * target]
    for i in range(n):
        age = "" if gaps and i % 9 == 0 else f"{rng.normal(50, 12):.0f}"
        dose = rng.normal(2.0 + 3 * (i % 2))
        label = ("," + ("yes" if i % 2 else "no")) * target
        lines.append(f"{age},{dose:.3f},{('north', 'south')[i // 2 % 2]}{label}")
    path.write_text("\n".join(lines) + "\n")


def _write_libsvm(path, n=40):
    rng = np.random.default_rng(0)
    rows = [(i % 2, rng.normal(3.0 * (i % 2), 1.0, 2)) for i in range(n)]
    path.write_text("".join(f"{2 * k - 1:+d} 1:{x:.4f} 2:{z:.4f}\n" for k, (x, z) in rows))


def _write_arff(path, n=40):
    rng = np.random.default_rng(0)
    head = "@relation iris\n@attribute width numeric\n@attribute class {small,large}\n@data\n"
    rows = [f"{rng.normal(4.0 * (i % 2)):.4f},{('small', 'large')[i % 2]}\n" for i in range(n)]
    path.write_text(head + "".join(rows))


def _write_log(path, n=2500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    rows = [f"{x:.4f},{z:.4f},{'up' if x + z > 0 else 'down'}\n" for x, z in X]
    with gzip.open(path, "wt") as file:
        file.write("x,z,class\n" + "".join(rows))


def _write_experiment(folder):
    """Write the file of the page on experiments, and its tables."""
    (spec,) = [
        block.code for block in blocks_of(DOCS / "experiments.md") if block.language == "toml"
    ]
    (folder / "compare.toml").write_text(spec)
    _write_patients(folder / "flowers.csv", n=40, gaps=False)
    text = (folder / "flowers.csv").read_text()
    (folder / "stones.csv").write_text(text.replace("ill", "kind"))


def _prepare(page, folder):
    """Write the files that the commands of a page read."""
    match page.name:
        case "README.md":
            _write_patients(folder / "heart.csv")
            _write_patients(folder / "new.csv", target=False)
        case "command_line.md":
            (scores,) = [block.code for block in blocks_of(page) if block.language == "text"]
            (folder / "scores.csv").write_text(scores)
        case "getting_started.md":
            _write_patients(folder / "patients.csv")
            _write_patients(folder / "new_patients.csv", target=False)
        case "libsvm.md":
            _write_libsvm(folder / "heart.txt")
            _write_libsvm(folder / "test.txt", n=10)
        case "weka.md":
            _write_arff(folder / "iris.arff")
            _write_arff(folder / "new.arff", n=10)
        case "experiments.md":
            _write_experiment(folder)
        case "reproduce.md":
            (folder / "docs").symlink_to(DOCS)
        case "streams.md":
            _write_log(folder / "log.csv.gz")


def _commands(program, needs=()):
    """Return the pages and lines of commands that begin with a program."""
    return [
        (block.page, line)
        for block in all_blocks("console")
        if set(block.missing()) <= set(needs) and set(needs) <= set(block.needs)
        for line in block.commands()
        if line.split()[0] == program
    ]


def _run(commands, folder_of):
    # Worker processes have tests of their own; starting them takes longer than all the commands.
    words = [
        [str(folder_of(page)), line, shlex.split(line.replace(" --n-jobs 2", ""))[1:]]
        for page, line in commands
    ]
    child = subprocess.run(
        [sys.executable, "-c", _RUN_ALL, json.dumps(words)],
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr
    outcomes = json.loads(child.stdout)
    assert len(outcomes) == len(commands)
    assert {line: err for line, code, err in outcomes if code != 0} == {}
    assert {line: err for line, _, err in outcomes if "warning" in err} == {}


@pytest.fixture
def folder_of(tmp_path, flats, molecules, export):
    """Return a function that gives a page its folder; reports are made of the experiment."""

    def find(page):
        if page.name == "command_line.md":
            folder = tmp_path
        else:
            name = "experiments" if page.name == "reports.md" else page.stem
            folder = tmp_path / "pages" / name
        if not (folder / ".ready").is_file():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".ready").touch()
            _prepare(page, folder)
        return folder

    return find


def test_every_command_runs(folder_of):
    # The demo has a test of its own.
    commands = [(p, line) for p, line in _commands("svmosaic") if "svmosaic demo" not in line]

    assert len(commands) >= 40
    assert len({page for page, _ in commands}) >= 9
    _run(commands, folder_of)


@pytest.mark.slow
def test_commands_that_take_minutes_run(folder_of):
    commands = _commands("svmosaic", needs=["minutes"])

    assert commands
    _run(commands, folder_of)


@pytest.mark.dask
def test_commands_on_a_cluster_run(folder_of):
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import csv

    page = DOCS / "dask.md"
    folder = folder_of(page)
    _write_experiment(folder)
    for name in ("parts", "new"):
        (folder / name).mkdir()
        for k in range(3):
            _write_patients(folder / name / f"{k}.csv", gaps=False)
            text = (folder / name / f"{k}.csv").read_text().replace("ill", "clicked")
            (folder / name / f"{k}.csv").write_text(text)
            table = csv.read_csv(folder / name / f"{k}.csv")
            (folder / name / f"{k}.csv").unlink()
            parquet.write_table(table, folder / name / f"{k}.parquet")
    lines = _commands("svmosaic", needs=["cluster"])
    with cluster_of(2) as client:
        address = client.scheduler.address
        _run([(p, line.replace("tcp://host:8786", address)) for p, line in lines], folder_of)


def test_programs_run_with_the_patch(tmp_path):
    commands = [line for page, line in _commands("python") if page.name == "coming_from_svc.md"]
    program = "from sklearn.svm import SVC\nassert 'svmosaic' in SVC.__module__\nprint('patched')\n"
    (tmp_path / "script.py").write_text(program)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text(program)

    assert len(commands) == 2
    for line in commands:
        child = subprocess.run(
            [sys.executable, *shlex.split(line)[1:]], cwd=tmp_path, capture_output=True, text=True
        )
        assert child.stdout == "patched\n", child.stderr


def test_extras_that_pip_is_asked_for_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    commands = [line for _, line in _commands("pip")]
    asked = [re.search(r"(?:svmosaic|\.)\[([\w,]+)\]", line) for line in commands]

    assert len(commands) >= 5
    assert {name for found in asked if found for name in found[1].split(",")} <= extras
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for names in re.findall(r"'(?:svmosaic|\.)\[([\w,]+)\]'", page.read_text(encoding="utf-8")):
            assert set(names.split(",")) <= extras, page


def test_targets_that_make_is_asked_for_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))

    assert {line.split()[1] for _, line in _commands("make")} <= targets


def test_no_command_is_left():
    programs = {"svmosaic", "python", "pip", "make"}
    free = [block for block in all_blocks("console") if not block.missing()]
    others = {line for b in free for line in b.commands() if line.split()[0] not in programs}

    assert others == set()
