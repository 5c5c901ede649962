"""Nested 5 x 5 cross-validation on the small data sets of table 5.3 (Melki, 2019).

    python benchmarks/nested_cv.py [--sets iris,wine] [--methods plain,selected,full,svc]
                                   [--out benchmarks/results/nested_cv.csv]

Outer folds: stratified, shuffled, one seed, the same for all methods. Features are scaled to
[0, 1] by the outer training part only, so the test fold never enters a choice. Inner folds choose
gamma in 4^-5 .. 4^2, and the margin (plain), margin and C (selected) or C (full, SVC). SVC is
tuned by GridSearchCV over the same gamma and C. The paper's own figures stand beside ours; its
scaling saw the test folds and its folds are unknown.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifierCV
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
GAMMAS = [4.0**k for k in range(-5, 3)]
MARGINS = [0.05, 0.1, 0.2, 0.5, 1.0]
CS = [4.0**k for k in range(-2, 6)]
METHODS = ("plain", "selected", "full", "svc")


def make(method: str) -> Any:
    if method == "svc":
        return GridSearchCV(SVC(), {"gamma": GAMMAS, "C": CS}, cv=5)
    refine: Any = None if method == "plain" else method
    return OLLAWVClassifierCV(gammas=GAMMAS, margins=MARGINS, Cs=CS, refine=refine, cv=5)


def nested(name: str, method: str, seed: int) -> dict[str, Any]:
    data = load(name, dense=True)
    X, y = data.X, np.asarray(data.y)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    hits, share = [], []
    began = time.process_time()
    for train, test in folds.split(X, y):
        scaler = MinMaxScaler().fit(X[train])
        search = make(method).fit(scaler.transform(X[train]), y[train])
        hits.append(search.predict(scaler.transform(X[test])) == y[test])
        share.append(search.best_estimator_.support_.size / train.size)
    return {
        "set": name,
        "method": method,
        "seed": seed,
        "accuracy": round(100 * float(np.concatenate(hits).mean()), 2),
        "support_vectors": round(100 * float(np.mean(share)), 2),
        "cpu_seconds": round(time.process_time() - began, 2),
        "paper_accuracy": PAPER[name][0],
        "paper_support_vectors": PAPER[name][1],
    }


def summary(rows: list[dict[str, Any]]) -> str:
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = ["set            paper      " + "".join(f"{m:>22}" for m in methods)]
    lines.append(" " * 15 + "acc   SV%  " + "        acc   SV%  CPU s" * len(methods))
    for name in dict.fromkeys(row["set"] for row in rows):
        of_set = {row["method"]: row for row in rows if row["set"] == name}
        cells = "".join(
            f"{r['accuracy']:>10.2f}{r['support_vectors']:>6.1f}{r['cpu_seconds']:>6.1f}"
            for r in (of_set[m] for m in methods if m in of_set)
        )
        lines.append(f"{name:<13}{PAPER[name][0]:>6.2f}{PAPER[name][1]:>6.1f}{cells}")
    means = "".join(
        f"{np.mean([r['accuracy'] for r in rows if r['method'] == m]):>10.2f}"
        f"{np.mean([r['support_vectors'] for r in rows if r['method'] == m]):>6.1f}"
        f"{np.sum([r['cpu_seconds'] for r in rows if r['method'] == m]):>6.1f}"
        for m in methods
    )
    lines.append(f"{'mean':<25}{means}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(PAPER))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    # Classes with fewer members than folds are in the data as published.
    warnings.filterwarnings("ignore", message="The least populated class")
    rows = []
    for name in options.sets.split(","):
        for method in options.methods.split(","):
            rows.append(nested(name, method, options.seed))
            print(rows[-1], flush=True)
    print(summary(rows))
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
