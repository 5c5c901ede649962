"""Targets that are commands: killed and interrupted at random moments, then run to their end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from files import Case

__all__ = ["COMMANDS"]

_PROGRAM = "import sys; from svmosaic.cli.main import main; sys.exit(main())"
# After Ctrl-C a command may take this long to end, on a loaded computer too.
_PATIENCE = 30.0
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


def _start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _finish(folder: Path, *words: str) -> None:
    process = _start(folder, *words)
    _, err = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"svmosaic {' '.join(words)} ended with {process.returncode}: {err}")


def _stop(process: subprocess.Popen[str], moment: float, how: signal.Signals) -> None:
    """Send a signal, and see that the process ends as it should."""
    time.sleep(moment)
    process.send_signal(how)
    try:
        _, err = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"a command did not end {_PATIENCE:g} s after Ctrl-C") from None
    # Before the command line has begun, Python ends by itself.
    early = "KeyboardInterrupt" in err and "svmosaic/cli/main.py" not in err
    if how == signal.SIGINT and not early:
        if process.returncode not in (0, 130, -signal.SIGINT):
            raise AssertionError(f"Ctrl-C ended a command with {process.returncode}: {err}")
        if "Traceback" in err:
            raise AssertionError(f"Ctrl-C ended a command with a traceback: {err}")


def _commands(folder: Path) -> Case:
    from svmosaic.exceptions import ModelFileError
    from svmosaic.persistence import load

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 6))
    lines = [
        ",".join([*(f"{value:.6g}" for value in row), str(int(row[0] * row[1] > 0))]) for row in X
    ]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    (folder / "run.toml").write_text(_SPEC)
    _finish(folder, "train", "data.csv", "-o", "known.safetensors")
    commands = {
        "train": ("train", "data.csv", "-o", "new.safetensors"),
        "predict": ("predict", "known.safetensors", "data.csv", "-o", "predicted.txt"),
        "tune": ("tune", "data.csv", "-o", "new.safetensors"),
        "run": ("run", "run.toml", "--out", "out"),
        "info": ("info", "known.safetensors"),
    }

    def case(rng: np.random.Generator) -> None:
        name = list(commands)[rng.integers(len(commands))]
        how = signal.SIGINT if rng.random() < 0.5 else signal.SIGKILL
        _stop(_start(folder, *commands[name]), float(rng.uniform(0.3, 4.0)), how)
        new = folder / "new.safetensors"
        if new.exists():
            try:
                load(new)
            except ModelFileError as error:
                raise AssertionError(f"{name} left half a model behind: {error}") from error
            new.unlink()
        predicted = folder / "predicted.txt"
        if predicted.exists():
            n_lines = len(predicted.read_text().splitlines())
            predicted.unlink()
            if n_lines < len(X):
                raise AssertionError(f"predict left {n_lines} of {len(X)} predictions behind")
        if name == "run" and rng.random() < 0.3:
            _finish(folder, *commands[name])

    return case


COMMANDS: dict[str, Callable[[Path], Case]] = {"commands, killed and interrupted": _commands}
