"""The examples of scikit-learn's gallery as they are, and under ``python -m svmosaic.patch``.

    python benchmarks/sklearn_gallery.py --examples scikit_learn-1.9.1/examples
                                         [--only svm/plot_iris_svc.py,...] [--limit 300]
                                         [--out gallery.csv]

The examples are in scikit-learn's source distribution. Those that name one of the five classes that
are replaced run twice, each time in a process of its own, with figures that are drawn but not
shown. The rows hold the seconds of both programs (all of it; the processor time; what went into
the methods of support vector machines), how many models svmosaic fitted and how many it handed
back to scikit-learn, and whether what they print and draw agrees. Where it does not, the original
runs once more: what differs between two runs of the same program says nothing about ours.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import csv
import functools
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import zip_longest
from pathlib import Path
from typing import Any

CLASSES = ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM")
METHODS = ("fit", "predict", "decision_function", "score_samples")
# Both solvers stop within tol=1e-3 of the optimal conditions; scores count samples.
TOLERANCE = 0.02
# Of the pixels of all figures; colours of a boundary that moves by a pixel.
FEW_PIXELS = 0.01

# One thread of BLAS: on a busy computer its threads wait for each other, in both programs.
ENVIRONMENT = {
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}

FIELDS = (
    "example",
    "outcome",
    "seconds_original",
    "seconds_patched",
    "processor_original",
    "processor_patched",
    "svm_original",
    "svm_patched",
    "svm_ratio",
    "exit_original",
    "exit_patched",
    "fitted_by_svmosaic",
    "handed_back",
    "printed_agrees",
    "figures",
    "pixels_differ_percent",
    "reason",
    "date",
    "machine",
)

# Why results differ, where a second run of the original does not say it.
REASONS = {
    "applications/plot_prediction_latency.py": "draws times",
    "classification/plot_classifier_comparison.py": (
        "the best linear function on the circles is constant; its direction is rounding, in both"
    ),
    "miscellaneous/plot_kernel_approximation.py": "draws times",
    "miscellaneous/plot_kernel_ridge_regression.py": "draws times",
    "model_selection/plot_grid_search_digits.py": (
        "scores are equal; of several best candidates it takes the one that predicts fastest"
    ),
    "model_selection/plot_permutation_tests_for_classification.py": (
        "1 to 4 % of the scores differ by one sample within tol=1e-3, none with tol=1e-6"
    ),
    "svm/plot_rbf_parameters.py": (
        "LIBSVM keeps kernel values in single precision, where those of gamma=1e-9 are all 1"
    ),
    "svm/plot_svm_kernels.py": (
        "the sigmoid kernel is not positive semidefinite, and has several solutions"
    ),
    "svm/plot_svm_regression.py": (
        "polynomial kernel: LIBSVM stops with a duality gap of 8.3, svmosaic with one of 8e-6"
    ),
}

# What a program says about its own speed.
TIMES = re.compile(r"\S*time\S*\s*=?\s*[\d.]+\s*s?\b|\b[\d.]+\s*m?s\b")

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


# In the process of an example ---------------------------------------------------------------


@dataclass
class Clock:
    """Processor time and calls of the methods of the five classes, without calls inside calls."""

    seconds: float = 0.0
    fits: int = 0
    handed_back: int = 0
    inside: bool = False

    def watch(self, kind: type, name: str) -> None:
        """Replace a method of a class by one that is timed."""
        method = getattr(kind, name, None)
        if method is None:
            return

        @functools.wraps(method)
        def timed(model: Any, *values: Any, **options: Any) -> Any:
            if self.inside:
                return method(model, *values, **options)
            self.inside, began, before = True, time.process_time(), type(model)
            try:
                return method(model, *values, **options)
            finally:
                self.inside = False
                self.seconds += time.process_time() - began
                if name == "fit":
                    self.fits += 1
                    self.handed_back += type(model) is not before

        setattr(kind, name, timed)


def run_example(script: str, folder: Path, *, patched: bool) -> int:
    """Run a script in this process; leave its figures and what was measured in a folder."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    plt.show = lambda *a, **k: None
    # Some examples draw from the global generator without a seed.
    np.random.seed(0)  # noqa: NPY002
    clock = Clock()
    try:
        if patched:
            from svmosaic.patch import main
            from svmosaic.svm.replacements import REPLACEMENTS

            _watch_all(clock, list(REPLACEMENTS.values()))
            return main([script])
        import runpy

        import sklearn.svm

        _watch_all(clock, [getattr(sklearn.svm, name) for name in CLASSES])
        sys.argv, sys.path[0] = [script], str(Path(script).parent)
        runpy.run_path(script, run_name="__main__")
        return 0
    finally:
        for number in plt.get_fignums():
            plt.figure(number).savefig(folder / f"{number}.png", dpi=50)
        record = {"svm": clock.seconds, "fits": clock.fits, "handed_back": clock.handed_back}
        (folder / "measured.json").write_text(json.dumps(record), encoding="utf-8")


def _watch_all(clock: Clock, kinds: list[type]) -> None:
    for kind in kinds:
        for name in METHODS:
            clock.watch(kind, name)


# In the process that compares ---------------------------------------------------------------


@dataclass
class Run:
    """What one run of an example gave."""

    exit: int | str
    seconds: float
    processor: float
    printed: str = ""
    errors: str = ""
    measured: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)


def run(script: Path, limit: float, *, patched: bool) -> Run:
    """Run an example in another process and read what it left."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [str(script), str(folder), "patched" if patched else "original"]
        command = [sys.executable, str(Path(__file__).resolve()), "--child", *arguments]
        began, before = time.perf_counter(), _processor_seconds()
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=os.environ | ENVIRONMENT,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return Run("time limit", limit, _processor_seconds() - before)
        seconds, processor = time.perf_counter() - began, _processor_seconds() - before
        measured = folder / "measured.json"
        return Run(
            done.returncode,
            seconds,
            processor,
            done.stdout,
            done.stderr,
            json.loads(measured.read_text(encoding="utf-8")) if measured.exists() else {},
            dict(_figures(folder)),
        )


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _figures(folder: Path) -> Iterator[tuple[str, Any]]:
    from matplotlib.image import imread

    for path in sorted(folder.glob("*.png")):
        yield path.name, imread(path)


def first_difference(first: str, second: str) -> str | None:
    """Return the first lines that differ by more than rounding, or None."""
    for one, other in zip_longest(first.splitlines(), second.splitlines(), fillvalue=""):
        if not _same_line(one, other):
            return f"{one.strip()!r} became {other.strip()!r}"
    return None


def _same_line(one: str, other: str) -> bool:
    one, other = (TIMES.sub("time", line) for line in (one, other))
    if _words(one) != _words(other):
        return False
    numbers = [[float(n) for n in NUMBER.findall(line)] for line in (one, other)]
    if len(numbers[0]) != len(numbers[1]):
        return False
    return all(abs(a - b) <= TOLERANCE * max(1.0, abs(a)) for a, b in zip(*numbers, strict=True))


def _words(line: str) -> list[str]:
    """Return what is not a number; the width of a column depends on the digits."""
    return NUMBER.sub("#", line).replace("-", " ").split()


def different_pixels(first: dict[str, Any], second: dict[str, Any]) -> float:
    """Return the largest share of different pixels of a figure."""
    if first.keys() != second.keys():
        return 1.0
    shares = [0.0]
    for name, one in first.items():
        other = second[name]
        if one.shape != other.shape:
            return 1.0
        shares.append(float((abs(one - other).max(axis=-1) > 0.1).mean()))
    return max(shares)


def compare(example: str, original: Run, patched: Run) -> str:
    """Return what differs between two runs in one sentence; empty if nothing does."""
    if patched.exit != original.exit:
        last = (patched.errors.strip().splitlines() or [""])[-1]
        return f"exit {original.exit!r} became {patched.exit!r}: {last}"
    printed = first_difference(original.printed, patched.printed)
    if printed is not None:
        return f"printed: {printed}"
    share = different_pixels(original.figures, patched.figures)
    return f"drawn: {100 * share:.1f} % of the pixels" if share > FEW_PIXELS else ""


def measure(folder: Path, example: str, limit: float) -> dict[str, Any]:
    """Return the row of an example."""
    script = folder / example
    row: dict[str, Any] = {"example": example}
    why_not = reason_to_skip(script.read_text(encoding="utf-8"))
    if why_not:
        return row | {"outcome": "skipped", "reason": why_not}
    original, patched = (run(script, limit, patched=which) for which in (False, True))
    for name, one in (("original", original), ("patched", patched)):
        row |= {
            f"seconds_{name}": round(one.seconds, 2),
            f"processor_{name}": round(one.processor, 2),
            f"svm_{name}": round(one.measured.get("svm", 0.0), 3),
            f"exit_{name}": one.exit,
        }
    if row["svm_patched"] > 0:
        row["svm_ratio"] = round(row["svm_original"] / row["svm_patched"], 2)
    row["handed_back"] = patched.measured.get("handed_back", 0)
    row["fitted_by_svmosaic"] = patched.measured.get("fits", 0) - row["handed_back"]
    row["printed_agrees"] = first_difference(original.printed, patched.printed) is None
    row["figures"] = len(original.figures)
    row["pixels_differ_percent"] = round(
        100 * different_pixels(original.figures, patched.figures), 2
    )
    row["outcome"], row["reason"] = judge(example, script, limit, original, patched)
    return row


def judge(example: str, script: Path, limit: float, original: Run, patched: Run) -> tuple[str, str]:
    """Return the outcome and, where there is something to explain, its reason."""
    difference = compare(example, original, patched)
    if original.exit != 0 and not difference:
        last = (original.errors.strip().splitlines() or [""])[-1]
        return "fails in both", last[:200]
    if not difference:
        return "same", ""
    if example in REASONS:
        return "explained", REASONS[example]
    if original.exit == 0 == patched.exit:
        again = compare(example, original, run(script, limit, patched=False))
        if again.partition(":")[0] == difference.partition(":")[0]:
            return "varies", f"two runs of the original differ as well; {again}"[:300]
    return "differs", difference[:300]


def reason_to_skip(source: str) -> str:
    """Return why an example says nothing about the patch; empty if it does."""
    named = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(ast.parse(source))}
    if named.isdisjoint(CLASSES):
        return "fits none of the classes that are replaced"
    fetched = re.search(r"\bfetch_\w+(?=\()", source)
    return f"{fetched.group()} needs a network" if fetched else ""


def find_examples(folder: Path) -> list[str]:
    """Return the examples that import anything of sklearn.svm, those of its own folder first."""
    pattern = re.compile(r"sklearn\.svm|from sklearn import .*\bsvm\b")
    found = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if pattern.search(path.read_text(encoding="utf-8"))
    ]
    return sorted(found, key=lambda name: (not name.startswith("svm/"), name))


def print_row(row: dict[str, Any]) -> None:
    times = "  ".join(
        f"{row.get(f'{what}_original', ''):>7}{row.get(f'{what}_patched', ''):>7}"
        for what in ("processor", "svm")
    )
    print(f"{row['example']:<58}{row['outcome']:<14}{times}  {row['reason']}", flush=True)


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        script, folder, which = sys.argv[2:]
        return run_example(script, Path(folder), patched=which == "patched")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--examples", type=Path, required=True, help="the folder of the gallery")
    parser.add_argument("--only", help="examples to run, separated by commas")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one run")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    folder = options.examples.resolve()
    examples = options.only.split(",") if options.only else find_examples(folder)
    if not examples:
        parser.error(f"there is no example of sklearn.svm in {options.examples}. Check the folder.")

    outcomes = []
    with contextlib.ExitStack() as stack:
        writer = None
        if options.out:
            stream = stack.enter_context(options.out.open("w", newline="", encoding="utf-8"))
            writer = csv.DictWriter(stream, FIELDS)
            writer.writeheader()
        for example in examples:
            row = measure(folder, example, options.limit)
            row |= {"date": date.today().isoformat(), "machine": platform.machine()}
            outcomes.append(row["outcome"])
            print_row(row)
            if writer is not None:
                # What was measured stays when a run is interrupted.
                writer.writerow(row)
                stream.flush()
    return int("differs" in outcomes)


if __name__ == "__main__":
    sys.exit(main())
