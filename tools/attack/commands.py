"""Targets that are commands: stopped at random moments, by Ctrl-C or a kill.

A command that was stopped leaves no process and nothing half written behind. Run again to its
end, it gives what it gives undisturbed.
"""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from files import Case

__all__ = ["COMMANDS"]

_PROGRAM = "import sys; from svmosaic.cli.main import main; sys.exit(main())"
# After Ctrl-C a command may take this long to end, on a loaded computer too.
_PATIENCE = 30.0
# A process that a killed command had started may live this much longer.
_ORPHAN_SECONDS = 15.0
# One case in four runs the command again, to its end.
_AGAIN = 0.25
_SPEC = """
[protocol]
outer = 3
repeats = 4
[[data]]
name = "sklearn-iris"
[[data]]
name = "sklearn-wine"
[[methods]]
name = "ours"
estimator = "OLLAWVClassifier"
[[methods]]
name = "k"
estimator = "sklearn.neighbors.KNeighborsClassifier"
"""
_SCORES = "set,a,b,c\n" + "".join(f"s{i},0.{9 - i},0.{8 - i},0.{1 + i}\n" for i in range(6))

# The content of a file, less what two runs may have different.
_View = Callable[[Path], Any]


@dataclass(frozen=True)
class _Command:
    """A command, and its outputs: files of the current folder, or of folders in it."""

    words: str
    outputs: dict[str, _View]
    # Files beside the outputs that a command which was stopped may leave.
    kept: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def _whole_page(path: Path) -> bool:
    """Say that a page has its end; it shows times, which no two runs share."""
    if not path.read_text(encoding="utf-8").rstrip().endswith(("</html>", "</svg>")):
        raise AssertionError(f"{path.name} has no end")
    return True


def _cells(path: Path) -> list[tuple[str, ...]]:
    """Return the rows of a table, sorted, without the columns that tell times and sizes."""
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    differ = ("seconds", "speedup", "_mb", "finished", "checksum", "n_bytes")
    names = [name for name in rows[0] if not any(word in name for word in differ)]
    return sorted(tuple(str(row[name]) for name in names) for row in rows)


def _model(path: Path) -> bytes:
    """Return the bytes of a model file that can be loaded."""
    from svmosaic.persistence import load

    load(path)
    return path.read_bytes()


def _journal(path: Path) -> None:
    """Read a journal, in which nothing may be damaged."""
    from svmosaic.experiments.journal import read_journal

    read_journal(path)


def _some_text(path: Path) -> bool:
    """Say that a file which shows times has content."""
    return path.stat().st_size > 0


_RUN = {
    "out/results.csv": _cells,
    "out/report.html": _whole_page,
    "out/tables/*": _some_text,
    "out/scores-accuracy.csv": Path.read_bytes,
    "out/journal.jsonl": _journal,
}
_LOCK = "out/journal.jsonl.lock"
_COMMANDS = {
    "train": _Command("train data.csv -o new.model", {"new.model": _model}),
    "predict": _Command(
        "predict known.model data.csv -o labels.txt", {"labels.txt": Path.read_bytes}
    ),
    "tune": _Command(
        "tune data.csv -o new.model --results grid.csv --gammas 0.1,1 --cv 3",
        {"new.model": _model, "grid.csv": Path.read_bytes},
    ),
    "info": _Command("info known.model", {}),
    "data": _Command("data list", {}),
    "run": _Command("run run.toml --out out", _RUN, (_LOCK,)),
    "run with two processes": _Command("run run.toml --out out --n-jobs 2", _RUN, (_LOCK,)),
    "stream": _Command(
        "stream data.csv --learner stream-ollawv --chunk 100 --out out",
        {
            "out/chunks.csv": _cells,
            "out/accuracy.svg": _whole_page,
            "out/report.html": _whole_page,
        },
        ("out/run.checkpoint",),
    ),
    "report": _Command(
        "report known.run --out out",
        {"out/report.html": _whole_page, "out/tables/*": Path.read_bytes},
    ),
    "stats": _Command(
        "stats scores.csv --plot ranks.svg --latex table.tex --csv pairs.csv",
        {
            "ranks.svg": _whole_page,
            "table.tex": Path.read_bytes,
            "pairs.csv": Path.read_bytes,
        },
    ),
    "reproduce": _Command(
        "reproduce 004-5.1 --quick --out out",
        {
            "out/comparison.csv": Path.read_bytes,
            "out/results.csv": _cells,
            "out/scores-*.csv": Path.read_bytes,
            "out/004-5.1.md": _some_text,
            "out/journal.jsonl": _journal,
        },
        (_LOCK,),
    ),
    "demo": _Command(
        "demo --quick --out out", {"out/results.csv": _cells, "out/report.html": _whole_page}
    ),
}


def _start(folder: Path, words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Its processes can then be found.
        start_new_session=True,
    )


def _finish(folder: Path, words: str) -> None:
    process = _start(folder, words)
    _, err = process.communicate(timeout=300)
    if process.returncode != 0:
        raise AssertionError(f"svmosaic {words} ended with {process.returncode}: {err}")


def _stop(process: subprocess.Popen[str], moment: float, how: signal.Signals) -> None:
    """Send a signal, and see that the process and those that it started end as they should."""
    time.sleep(moment)
    process.send_signal(how)
    try:
        _, err = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise AssertionError(f"no end {_PATIENCE:g} s after {how.name}") from None
    _check_orphans(process.pid)
    # Before the command line has begun and after it has ended, Ctrl-C is Python's affair.
    ours = 'cli/main.py", line' in err and ", in main" in err
    if how == signal.SIGINT and ("KeyboardInterrupt" not in err or ours):
        if process.returncode not in (0, 130, -signal.SIGINT):
            raise AssertionError(f"Ctrl-C ended a command with {process.returncode}: {err}")
        if "Traceback" in err:
            raise AssertionError(f"Ctrl-C ended a command with a traceback: {err}")


def _check_orphans(group: int) -> None:
    """See that no process of a group is left."""
    end = time.monotonic() + _ORPHAN_SECONDS
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    raise AssertionError(f"processes were left {_ORPHAN_SECONDS:g} s after their command")


def _written(folder: Path, command: _Command) -> dict[str, Any]:
    """Return the outputs that are there, by path.

    A process that is killed leaves a hidden temporary file behind, which is no output.
    """
    return {
        str(path.relative_to(folder)): view(path)
        for pattern, view in command.outputs.items()
        for path in sorted(folder.glob(pattern))
        if not path.name.startswith(".svmosaic-")
    }


def _prepare(name: str, folder: Path) -> Case:
    """Write the inputs, run the command once undisturbed, and return the cases."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 6))
    lines = [
        ",".join([*(f"{value:.6g}" for value in row), str(int(row[0] * row[1] > 0))]) for row in X
    ]
    inputs = folder / "inputs"
    inputs.mkdir(exist_ok=True)
    (inputs / "data.csv").write_text("\n".join(lines) + "\n")
    (inputs / "run.toml").write_text(_SPEC)
    (inputs / "scores.csv").write_text(_SCORES)
    command = _COMMANDS[name]
    if "known.model" in command.words:
        _finish(inputs, "train data.csv -o known.model")
    if "known.run" in command.words:
        _finish(inputs, "run run.toml --out known.run")

    def fresh() -> Path:
        shutil.rmtree(folder / "case", ignore_errors=True)
        return Path(shutil.copytree(inputs, folder / "case"))

    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        raise RuntimeError("Ctrl-C is ignored here, and so it would be by the commands")
    begin, here = time.monotonic(), fresh()
    _finish(here, command.words)
    longest = 1.1 * (time.monotonic() - begin)
    known = _written(here, command)
    allowed = {*known, *command.kept, *(str(p.relative_to(inputs)) for p in inputs.rglob("*"))}

    def case(rng: np.random.Generator) -> None:
        here = fresh()
        how = signal.SIGINT if rng.random() < 0.6 else signal.SIGKILL
        _stop(_start(here, command.words), float(rng.uniform(0.0, longest)), how)
        # A journal is written cell by cell, every other file at once.
        for path, view in _written(here, command).items():
            if path not in known or view != known[path]:
                raise AssertionError(f"{how.name} left another {path} behind")
        found = {str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()}
        if how == signal.SIGINT and not found <= allowed:
            raise AssertionError(f"Ctrl-C left {sorted(found - allowed)} behind")
        if rng.random() < _AGAIN:
            _finish(here, command.words)
            if _written(here, command) != known:
                raise AssertionError(f"after {how.name} the same command gives other files")

    return case


COMMANDS: dict[str, Callable[[Path], Case]] = {
    f"svmosaic {name}": partial(_prepare, name) for name in _COMMANDS
}
