"""Nested 5 x 5 cross-validation on the small data sets of table 5.3 (Melki, 2019).

    python benchmarks/nested_cv.py [--sets iris,wine] [--methods plain,full,ensemble,svc]
                                   [--seeds 5] [--jobs 1]
                                   [--out benchmarks/results/nested_cv.csv]

Outer folds: stratified, shuffled by the seed, the same for all methods. Features are scaled to
[0, 1] by the outer training part only, so the test fold never enters a choice; the ensemble scales
them by itself, by the same part. Inner folds choose gamma in 4^-5 .. 4^2, and the margin (plain) or
C (full, SVC); the ensemble has its own grids. SVC is tuned by GridSearchCV over the same gamma, C
and inner folds. The paper's own figures are beside ours; its scaling saw the test folds and its
folds are unknown.

CPU seconds are those of the whole process (all threads) for splitting, scaling, tuning, refitting
and predicting, after a first run that loads the libraries. Each seed is one run. With ``--jobs``
the runs share the cores, one process each, and all methods have one thread.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from statistics import geometric_mean, mean, median, pstdev
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifierCV, SVMEnsembleClassifier
from svmosaic.datasets import load

# Accuracy (%) and share of support vectors (%) of OLLAWV in table 5.3.
PAPER = {
    "iris": (97.33, 13.50),
    "teach": (52.32, 69.19),
    "wine": (98.87, 15.02),
    "cancer": (80.36, 42.79),
    "sonar": (92.32, 31.26),
    "glass": (72.41, 62.84),
    "vote": (96.54, 13.36),
    "heart": (82.22, 37.69),
    "dermatology": (97.82, 36.94),
    "prokaryotic": (88.96, 29.01),
    "eukaryotic": (77.38, 54.11),
}
# CPU seconds of nested 5 x 5 cross-validation: figures of the authors' own C++ program, measured on
# a 2-core AVX-512 computer. Its pattern search visits about 25 of the 64 cells of its grid.
AUTHORS_SECONDS = {
    "iris": 0.049,
    "teach": 0.105,
    "wine": 0.096,
    "cancer": 0.27,
    "sonar": 0.36,
    "glass": 0.22,
    "vote": 0.12,
    "heart": 0.19,
    "dermatology": 0.56,
    "prokaryotic": 4.6,
    "eukaryotic": 41.4,
}
GAMMAS = [4.0**k for k in range(-5, 3)]
MARGINS = [0.05, 0.1, 0.2, 0.5, 1.0]
CS = [4.0**k for k in range(-2, 6)]
METHODS = ("plain", "full", "ensemble", "svc")


def make(method: str) -> Any:
    if method == "svc":
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        return GridSearchCV(SVC(), {"gamma": GAMMAS, "C": CS}, cv=folds)
    if method == "ensemble":
        return SVMEnsembleClassifier()
    refine: Any = None if method == "plain" else method
    return OLLAWVClassifierCV(gammas=GAMMAS, margins=MARGINS, Cs=CS, refine=refine, cv=5)


def scaled(X: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """Return both parts with the features of the training part in [0, 1]."""
    low = X[train].min(axis=0)
    width = X[train].max(axis=0) - low
    width[width == 0] = 1.0
    return (X[train] - low) / width, (X[test] - low) / width


def run(X: Any, y: Any, method: str, seed: int) -> tuple[float, float, float]:
    """Return accuracy, share of support vectors and CPU seconds."""
    hits, share = [], []
    began = time.process_time()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        X_train, X_test = scaled(X, train, test)
        search = make(method).fit(X_train, y[train])
        hits.append(search.predict(X_test) == y[test])
        members = getattr(search, "members_", None) or [search.best_estimator_]
        support = {row for member in members for row in member.support_.tolist()}
        share.append(len(support) / train.size)
    seconds = time.process_time() - began
    return float(np.concatenate(hits).mean()), float(np.mean(share)), seconds


def nested(name: str, method: str, seed: int) -> dict[str, Any]:
    data = load(name, dense=True)
    X, y = data.X, np.asarray(data.y)
    accuracy, share, seconds = run(X, y, method, seed)
    return {
        "set": name,
        "method": method,
        "seed": seed,
        "accuracy": round(100 * accuracy, 2),
        "support_vectors": round(100 * share, 2),
        "cpu_seconds": round(seconds, 4),
        "authors_seconds": AUTHORS_SECONDS[name],
        "paper_accuracy": PAPER[name][0],
        "paper_support_vectors": PAPER[name][1],
    }


def warm_up(methods: list[str]) -> None:
    """Load the libraries, so that no run pays for it."""
    # Classes with fewer members than folds are in the data as published.
    warnings.filterwarnings("ignore", message="The least populated class")
    for method in methods:
        make(method).fit(np.eye(20)[:, :2], np.arange(20) % 2)


def all_runs(
    names: list[str], methods: list[str], seeds: int, jobs: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows, those that take longest first where several runs share the cores."""
    tasks = [(name, method, seed) for seed in range(seeds) for name in names for method in methods]
    if jobs == 1:
        warm_up(methods)
        yield from (nested(*task) for task in tasks)
        return
    tasks.sort(key=lambda task: (task[1] != "svc", -AUTHORS_SECONDS[task[0]]))
    with ProcessPoolExecutor(jobs, initializer=warm_up, initargs=(methods,)) as pool:
        yield from (run.result() for run in as_completed(pool.submit(nested, *t) for t in tasks))


def over_seeds(rows: list[dict[str, Any]], method: str) -> dict[str, dict[str, float]]:
    """Return by set: accuracy and its deviation over seeds, support vectors and seconds."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["method"] == method:
            found.setdefault(row["set"], []).append(row)
    return {
        name: {
            "accuracy": mean(float(row["accuracy"]) for row in of_set),
            "deviation": pstdev(float(row["accuracy"]) for row in of_set),
            "support_vectors": mean(float(row["support_vectors"]) for row in of_set),
            "cpu_seconds": median(float(row["cpu_seconds"]) for row in of_set),
        }
        for name, of_set in found.items()
    }


def times_less(rows: list[dict[str, Any]], method: str) -> dict[str, dict[str, float]]:
    """Return how many times less CPU time `method` takes than each reference, by set."""
    ours, svc = over_seeds(rows, method), over_seeds(rows, "svc")
    ratios = {"authors": {s: AUTHORS_SECONDS[s] / r["cpu_seconds"] for s, r in ours.items()}}
    if svc.keys() >= ours.keys():
        ratios["SVC"] = {s: svc[s]["cpu_seconds"] / r["cpu_seconds"] for s, r in ours.items()}
    return ratios


def summary(rows: list[dict[str, Any]]) -> str:
    """Return one block per method: per set accuracy, support vectors, seconds and ratios."""
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        ours = over_seeds(rows, method)
        ratios = times_less(rows, method)
        heads = "".join(f"{'authors / it' if k == 'authors' else 'SVC / it':>14}" for k in ratios)
        lines.append(f"{method:<14}{'acc %':>8}{'+-':>7}{'SV %':>7}{'CPU s':>10}{heads}")
        for name, row in ours.items():
            cells = "".join(f"{of[name]:>14.1f}" for of in ratios.values())
            lines.append(
                f"  {name:<12}{row['accuracy']:>8.2f}{row['deviation']:>7.2f}"
                f"{row['support_vectors']:>7.1f}{row['cpu_seconds']:>10.3f}{cells}"
            )
        means = "".join(f"{geometric_mean(of.values()):>14.1f}" for of in ratios.values())
        lines.append(
            f"  {'mean':<12}{mean(r['accuracy'] for r in ours.values()):>8.2f}{'':>7}"
            f"{mean(r['support_vectors'] for r in ours.values()):>7.1f}"
            f"{sum(r['cpu_seconds'] for r in ours.values()):>10.3f}{means}"
        )
    lines.append("Means: of accuracies and shares; sum of seconds; geometric mean of ratios.")
    lines.append("+-: deviation over seeds. Seconds: median over seeds.")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(PAPER))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    names, methods = options.sets.split(","), options.methods.split(",")
    rows = []
    for row in all_runs(names, methods, options.seeds, options.jobs):
        rows.append(row)
        print(row, flush=True)
    rows.sort(key=lambda row: (row["seed"], names.index(row["set"]), methods.index(row["method"])))
    print(summary(rows))
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
