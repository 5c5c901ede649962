"""Processor time and choices of OLLAWVClassifierCV with and without a race of its candidates.

    python benchmarks/search_racing.py [--sets letter,usps,adult:8000] [--methods exhaustive,racing]
                                       [--threads 1] [--svc-share 1.0]
                                       [--out benchmarks/results/search_racing.csv]

A set may have a number of training rows, a stratified part of four fifths of its rows; the other
fifth is for the test accuracy. Features of dense sets are scaled to [0, 1] by the training rows.
The grid is the default, 8 gammas and 5 Cs, with 5 folds. ``svc`` is what GridSearchCV does: an SVC
for each of the same cells and folds, ``--threads`` of them at a time. With a ``--svc-share`` below
1 a random part of these fits is run; its seconds are divided by the share, and nothing is chosen.

Seconds are those of all processors for search and final fit (svc: without it). A method that is
named twice runs twice, and the mean of its seconds counts: ``racing,svc,racing`` on a computer
whose speed changes. Every method writes a row, in place of the one that the file has for the same
set, method and machine. ``choice_score`` is the mean score of the chosen cell in the exhaustive
search of the file's cells, and ``spread`` the deviation of the best cell over the folds; both are
empty where the exhaustive search was not run. Constants of the race were chosen on banana,
satimage, ijcnn1, shuttle and w3a.
"""

from __future__ import annotations

import argparse
import csv
import platform
import time
import warnings
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifierCV
from svmosaic.datasets import load

SETS = "banana,satimage,ijcnn1:6000,shuttle:6000,w3a:6000,usps,letter,adult:8000"
METHODS = "racing,exhaustive"
COLUMNS = (
    *("set", "rows", "method", "cpu_seconds", "gamma", "C", "search_score"),
    *("choice_score", "best_score", "spread", "test_accuracy", "svc_share", "threads", "machine"),
)


def parts(asked: str) -> tuple[Any, Any, Any, Any]:
    """Return training samples, test samples and the classes of both."""
    name, _, rows = asked.partition(":")
    data = load(name)
    X, y = data.X, np.asarray(data.y)
    train, test = train_test_split(np.arange(y.size), test_size=0.2, stratify=y, random_state=0)
    if rows and int(rows) < train.size:
        train, _ = train_test_split(train, train_size=int(rows), stratify=y[train], random_state=0)
    X_train, X_test = X[train], X[test]
    if isinstance(X, np.ndarray):
        low = X_train.min(axis=0)
        width = X_train.max(axis=0) - low
        width[width == 0] = 1.0
        X_train, X_test = (X_train - low) / width, (X_test - low) / width
    return X_train, X_test, y[train], y[test]


def run(asked: str, method: str, threads: int) -> tuple[dict[str, Any], Any]:
    """Return a row of the table, and the fitted search."""
    X, X_test, y, y_test = parts(asked)
    search = OLLAWVClassifierCV(racing=method == "racing", n_jobs=threads)
    began = time.process_time()
    search.fit(X, y)
    seconds = time.process_time() - began
    row = {
        **head(asked, y, method, seconds, threads),
        "gamma": f"{search.best_params_['gamma']:.6g}",
        "C": f"{search.best_params_['C']:g}",
        "search_score": round(search.best_score_, 5),
        "test_accuracy": round(search.score(X_test, y_test), 5),
    }
    return row, search


def head(asked: str, y: Any, method: str, seconds: float, threads: int) -> dict[str, Any]:
    """Return what a row of any method has."""
    return {
        "set": asked.partition(":")[0],
        "rows": y.size,
        "method": method,
        "cpu_seconds": round(seconds, 2),
        "threads": threads,
        "machine": platform.machine(),
    }


def grid_of_svc(X: Any) -> list[tuple[float, float]]:
    """Return the cells of the default grid, gamma and C."""
    square = X.multiply(X) if hasattr(X, "multiply") else X * X
    scale = 1.0 / (X.shape[1] * (square.mean() - X.mean() ** 2))
    return [(scale * 4.0**k, C) for k in range(-4, 4) for C in (0.1, 1.0, 10.0, 100.0, 1000.0)]


def fit_svc(X: Any, y: Any, gamma: float, C: float, train: Any, test: Any) -> tuple[float, float]:
    """Return processor seconds and score of one cell on one fold."""
    began = time.process_time()
    score = SVC(C=C, gamma=gamma).fit(X[train], y[train]).score(X[test], y[test])
    return time.process_time() - began, score


def run_svc(asked: str, share: float, jobs: int) -> dict[str, Any]:
    """Return the row of GridSearchCV over SVC, estimated from a share of its fits."""
    X, _, y, _ = parts(asked)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    cells = grid_of_svc(X)
    tasks = [(cell, fold) for cell in range(len(cells)) for fold in range(5)]
    drawn = np.random.default_rng(0).permutation(len(tasks))[: round(share * len(tasks))]
    asked_for = [tasks[i] for i in drawn]
    done = Parallel(jobs)(delayed(fit_svc)(X, y, *cells[c], *folds[f]) for c, f in asked_for)
    seconds = sum(seconds for seconds, _ in done) * len(tasks) / len(drawn)
    row = head(asked, y, "svc", seconds, jobs)
    if share == 1.0:
        scores = np.zeros(len(cells))
        np.add.at(scores, [cell for cell, _ in asked_for], [score / 5 for _, score in done])
        best = int(np.argmax(scores))
        gamma, C = cells[best]
        row |= {"gamma": f"{gamma:.6g}", "C": f"{C:g}", "search_score": round(scores[best], 5)}
    return {**row, "svc_share": share}


def cells_of(row: dict[str, Any], results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the scores of an exhaustive search, one row per cell."""
    return [
        {
            "set": row["set"],
            "rows": row["rows"],
            "gamma": f"{results['param_gamma'][i]:.6g}",
            "C": f"{results['param_C'][i]:g}",
            "mean": round(results["mean_test_score"][i], 6),
            "deviation": round(results["std_test_score"][i], 6),
        }
        for i in range(results["param_C"].size)
    ]


def judge(row: dict[str, Any], cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Add what the exhaustive search says of a choice."""
    same = [c for c in cells if all(str(c[k]) == str(row[k]) for k in ("set", "rows"))]
    if not same:
        return {**row, "choice_score": "", "best_score": "", "spread": ""}
    best = max(same, key=lambda cell: float(cell["mean"]))
    chosen = [c for c in same if all(str(c[k]) == str(row.get(k)) for k in ("gamma", "C"))]
    return {
        **row,
        "choice_score": chosen[0]["mean"] if chosen else "",
        "best_score": best["mean"],
        "spread": best["deviation"],
    }


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file that may not exist yet."""
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, rows: list[dict[str, Any]], columns: Any) -> None:
    """Write rows, sorted by set."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def without(rows: list[dict[str, Any]], row: dict[str, Any], *names: str) -> list[dict[str, Any]]:
    """Return the rows that differ from one in some of its columns."""
    return [r for r in rows if any(str(r[name]) != str(row[name]) for name in names)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--svc-share", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("search_racing.csv"))
    options = parser.parse_args()
    # Classes with fewer members than folds are in the data as published.
    warnings.filterwarnings("ignore", message="The least populated class")
    beside = options.out.with_name(options.out.stem + "_cells.csv")
    rows, cells = read(options.out), read(beside)
    for asked in options.sets.split(","):
        taken: dict[str, list[float]] = {}
        for method in options.methods.split(","):
            if method == "svc":
                row = run_svc(asked, options.svc_share, options.threads)
            else:
                row, search = run(asked, method, options.threads)
            taken.setdefault(method, []).append(row["cpu_seconds"])
            row["cpu_seconds"] = round(mean(taken[method]), 2)
            if method == "exhaustive":
                cells = without(cells, row, "set", "rows") + cells_of(row, search.cv_results_)
                write(beside, cells, list(cells[0]))
            rows = [*without(rows, row, "set", "rows", "method", "machine"), row]
            rows = sorted(
                (judge(r, cells) for r in rows), key=lambda r: (r["set"], r["machine"], r["method"])
            )
            write(options.out, rows, COLUMNS)
            print(judge(row, cells), flush=True)


if __name__ == "__main__":
    main()
