"""Train, save, load and predict with the package that is installed. Runs inside an environment.

    python smoke.py

It works in a folder of its own and prints one line.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import svmosaic
from svmosaic import OLLAWVClassifier, load, save
from svmosaic.datasets import read_table


def _write_table(path: Path, X: np.ndarray, labels: np.ndarray | None) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        names = [f"x{i}" for i in range(X.shape[1])]
        table.writerow(names if labels is None else [*names, "species"])
        for i, row in enumerate(X):
            table.writerow(row if labels is None else [*row, labels[i]])


def _command(*words: str | Path) -> str:
    program = Path(sysconfig.get_path("scripts")) / "svmosaic"
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise SystemExit(f"svmosaic {words[0]} failed:\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Try what users do first."""
    site = Path(sysconfig.get_path("platlib")).resolve()
    if site not in Path(svmosaic.__file__).resolve().parents:
        raise SystemExit(f"svmosaic is imported from {svmosaic.__file__}, not from {site}.")
    compilers = [
        name for name in ("cc", "c++", "gcc", "g++", "clang", "cmake") if shutil.which(name)
    ]
    data = load_iris()
    names = data.target_names[data.target]
    with tempfile.TemporaryDirectory() as folder:
        rows, new, model = (
            Path(folder) / name for name in ("rows.csv", "new.csv", "iris.svmosaic")
        )
        _write_table(rows, data.data, names)
        _write_table(new, data.data, None)
        _command("train", rows, "-o", model, "--gamma", "0.5", "--C", "10")
        _command("info", model)
        _command("predict", model, new, "-o", Path(folder) / "labels.csv")
        with (Path(folder) / "labels.csv").open(encoding="utf-8") as lines:
            by_command = [line[-1] for line in csv.reader(lines)][-len(names) :]
        with warnings.catch_warnings():
            # The table has names of features, the array has none.
            warnings.simplefilter("ignore", UserWarning)
            by_python = load(model).predict(data.data)

        own = OLLAWVClassifier(gamma=0.5, n_jobs=2).fit(data.data, names)
        save(own, Path(folder) / "own.svmosaic")
        again = load(Path(folder) / "own.svmosaic")
        same = np.array_equal(again.decision_function(data.data), own.decision_function(data.data))
        assert read_table(rows).X.shape == data.data.shape
    right = float(np.mean(np.asarray(by_command) == names))
    if right < 0.95 or not same or list(by_python) != by_command:
        raise SystemExit(f"wrong results: {right:.3f} of the labels, same model {same}")
    found = ", ".join(compilers) if compilers else "none"
    print(
        f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {right:.1%} of the labels right,"
        f" compilers on the path: {found}"
    )


if __name__ == "__main__":
    main()
