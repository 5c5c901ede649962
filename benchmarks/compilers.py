"""Is the core as fast from one compiler as from another? The same fits with two builds of it.

    python benchmarks/compilers.py g++-12=build/a/_core.so clang++-19=build/b/_core.so
                                   [--repeat 7] [--problems smo,sparse]
                                   [--out benchmarks/results/compilers.csv]

Each argument is a name and the module that CMake built with a compiler:

    cmake -S . -B build/a -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++-12
          -Dnanobind_DIR=$(python -m nanobind --cmake_dir) -DPython_EXECUTABLE=$(which python)
    cmake --build build/a --target _core

Every build runs in a process of its own, and the processes take turns, so what else the computer
does hits all of them alike. Seconds are those of the processor for `fit` with one thread, the least
of the repeats; the ratio is to the first build. A core that rounds otherwise may need other steps,
so the numbers of steps and of support vectors stand beside the seconds. The data are made up from
seeds: no file is needed.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import platform
import sys
import time
from collections.abc import Callable
from datetime import date
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]
# A problem makes its data once and returns what fits a new model to them.
Fit = Callable[[], Any]


# Problems -------------------------------------------------------------------------------------


def overlapping(n: int, n_features: int, dtype: Any, seed: int = 0) -> tuple[Any, Any]:
    """Return samples of two classes that overlap, scaled to [0, 1]."""
    from sklearn.datasets import make_classification
    from sklearn.preprocessing import MinMaxScaler

    X, y = make_classification(
        n, n_features, n_informative=n_features // 2, class_sep=0.7, flip_y=0.05, random_state=seed
    )
    return MinMaxScaler().fit_transform(X).astype(dtype), y


def dense(refine: str | None, dtype: Any) -> Fit:
    """OLLAWV on dense rows of one precision."""
    from svmosaic import OLLAWVClassifier

    X, y = overlapping(6000, 40, dtype)
    model: Any = OLLAWVClassifier
    return lambda: model(C=4.0, gamma=2.0, refine=refine, n_jobs=1).fit(X, y)


def smo() -> Fit:
    """SMO with the rbf kernel, dense rows, double precision."""
    from svmosaic import SMOClassifier

    X, y = overlapping(4000, 20, np.float64)
    return lambda: SMOClassifier(C=4.0, gamma=2.0, n_jobs=1).fit(X, y)


def linear() -> Fit:
    """SMO with the linear kernel, many features."""
    from svmosaic import SMOClassifier

    X, y = overlapping(3000, 200, np.float64)
    return lambda: SMOClassifier(kernel="linear", C=0.1, n_jobs=1).fit(X, y)


def sparse() -> Fit:
    """OLLAWV on sparse rows: 2000 features, 1 of 50 not zero."""
    from scipy.sparse import random_array

    from svmosaic import OLLAWVClassifier

    rng = np.random.default_rng(0)
    X = random_array((4000, 2000), density=0.02, format="csr", dtype=np.float64, rng=rng)
    y = (X @ rng.normal(size=2000) + 0.3 * rng.normal(size=4000) > 0).astype(np.int64)
    return lambda: OLLAWVClassifier(C=4.0, gamma=0.05, n_jobs=1).fit(X, y)


def svr() -> Fit:
    """Regression by SMO."""
    from sklearn.datasets import make_friedman1

    from svmosaic import SMORegressor

    X, y = make_friedman1(4000, noise=1.0, random_state=0)
    return lambda: SMORegressor(C=10.0, epsilon=0.5, gamma=0.5, n_jobs=1).fit(X, y)


def mirsvm() -> Fit:
    """Bags of ten instances, one of which makes a bag positive."""
    from svmosaic import MIRSVMClassifier

    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    bags = [rng.normal(size=(10, 30)) for _ in y]
    for bag, label in zip(bags, y, strict=True):
        bag[0, :5] += 2.5 * label
    return lambda: MIRSVMClassifier(gamma=0.02, random_state=0, n_jobs=1).fit(bags, y)


def stream() -> Fit:
    """StreamOLLAWV on 20 000 samples in chunks of 500."""
    from svmosaic import StreamOLLAWV

    X, y = overlapping(20_000, 20, np.float64)

    def fit() -> Any:
        model = StreamOLLAWV()
        for first in range(0, len(y), 500):
            part = slice(first, first + 500)
            model.partial_fit(X[part], y[part], classes=[0, 1])
        return model

    return fit


PROBLEMS: dict[str, Callable[[], Fit]] = {
    "full-float64": lambda: dense("full", np.float64),
    "full-float32": lambda: dense("full", np.float32),
    "plain-float64": lambda: dense(None, np.float64),
    "plain-float32": lambda: dense(None, np.float32),
    "smo": smo,
    "linear": linear,
    "sparse": sparse,
    "svr": svr,
    "mirsvm": mirsvm,
    "stream": stream,
}


# Measuring ------------------------------------------------------------------------------------


class OneCore:
    """Makes `import svmosaic` take a compiled module from a path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the module of this build where the core is asked for."""
        if name != "svmosaic._core":
            return None
        return importlib.util.spec_from_file_location(name, self._path)


def count(model: Any, name: str) -> int | None:
    """Return the sum of an attribute of a model; None if it has no such attribute."""
    value = getattr(model, name, None)
    return None if value is None else int(np.sum(value))


def child(pipe: Connection, path: Path) -> None:
    """Fit what is named on the pipe with one core, as often as asked; send a record each time."""
    sys.meta_path.insert(0, OneCore(path))
    from svmosaic import _core

    if _core.__file__ is None or not path.samefile(_core.__file__):
        raise SystemExit(f"Python loaded {_core.__file__} and not {path}.")
    made: dict[str, Fit] = {}
    while name := pipe.recv():
        if name not in made:
            made[name] = PROBLEMS[name]()
            made[name]()  # loads what it needs, outside the clock
        began = time.process_time()
        model = made[name]()
        seconds = time.process_time() - began
        pipe.send(
            {
                "seconds": seconds,
                "steps": count(model, "n_iter_"),
                "support_vectors": count(model, "n_support_"),
            }
        )


def measure(cores: dict[str, Path], problems: list[str], repeat: int) -> list[Row]:
    """Return a record for every problem and core; the cores take turns."""
    context = get_context("spawn")
    pipes: dict[str, Connection] = {}
    for name, path in cores.items():
        pipes[name], there = context.Pipe()
        context.Process(target=child, args=(there, path.resolve()), daemon=True).start()
        there.close()
    rows: list[Row] = []
    for problem in problems:
        best: dict[str, Row] = {}
        for turn in range(repeat):
            # Each core is the first one as often as the others are.
            for name in sorted(pipes, key=list(pipes).index, reverse=turn % 2 == 1):
                pipes[name].send(problem)
                found = pipes[name].recv()
                if name not in best or found["seconds"] < best[name]["seconds"]:
                    best[name] = found
        first = best[next(iter(cores))]["seconds"]
        for name in cores:
            ratio = best[name]["seconds"] / first
            rows.append({"problem": problem, "core": name, **best[name], "ratio": ratio})
            print_row(rows[-1])
    for pipe in pipes.values():
        pipe.send("")
    return rows


def print_row(row: Row) -> None:
    steps = "-" if row["steps"] is None else row["steps"]
    print(
        f"{row['problem']:<15}{row['core']:<14}{row['seconds']:>9.3f}{steps:>9}"
        f"{row['support_vectors']:>7}{row['ratio']:>8.2f}",
        flush=True,
    )


# The command ----------------------------------------------------------------------------------


def named_core(text: str) -> tuple[str, Path]:
    """Return NAME and PATH of NAME=PATH."""
    name, _, path = text.partition("=")
    if not path or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"expected NAME=FILE with a file that exists; got {text}")
    return name, Path(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cores", nargs="+", type=named_core, metavar="NAME=FILE")
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="names with commas")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    problems = options.problems.split(",")
    unknown = sorted(set(problems) - set(PROBLEMS))
    if unknown:
        parser.error(f"{unknown[0]} is unknown; expected some of {', '.join(PROBLEMS)}")
    print(f"{'problem':<15}{'core':<14}{'seconds':>9}{'steps':>9}{'SVs':>7}{'ratio':>8}")
    rows = measure(dict(options.cores), problems, options.repeat)
    if options.out:
        where = {"machine": platform.machine(), "date": date.today().isoformat()}
        with options.out.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, [*rows[0], *where])
            writer.writeheader()
            for row in rows:
                short = {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()}
                writer.writerow(short | where)
    return 0


if __name__ == "__main__":
    sys.exit(main())
