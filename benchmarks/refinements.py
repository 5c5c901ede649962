"""What the selection alone costs in accuracy, by nested cross-validation.

    python benchmarks/refinements.py [--half even] [--seeds 5] [--methods full,plain]
                                     [--out benchmarks/results/refinements.csv]

Sets below 2000 rows that are available, sorted by name: the even ones (from 0) are for choices, the
odd ones for the report (docs/decisions/0031-choices-before-measurements.md). digits has 1000
of its rows, drawn once. Five outer and five inner folds, both stratified and shuffled; features are
scaled to [0, 1] by outer training rows. One row per set, method and seed.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.model_selection import StratifiedKFold

from svmosaic import OLLAWVClassifierCV
from svmosaic.datasets import load

SETS = (
    *("australian", "banknote", "cancer", "dermatology", "sklearn-digits", "fertility", "glass"),
    *("heart", "ionosphere", "iris", "liver", "pima", "prokaryotic", "sonar", "spect", "teach"),
    *("vote", "wine"),
)
GAMMAS = [4.0**k for k in range(-5, 3)]
MARGINS = [0.05, 0.1, 0.2, 0.5, 1.0]
CS = [4.0**k for k in range(-2, 6)]
METHODS: dict[str, dict[str, Any]] = {
    "full": {"refine": "full"},
    "plain": {"refine": None, "max_iter": 0.5},
    "plain, all rows": {"refine": None, "max_iter": 1.0},
    "plain, all rows, margins to 4": {
        "refine": None,
        "max_iter": 1.0,
        "margins": [*MARGINS, 2.0, 4.0],
    },
}
MOST_ROWS = 1500
N_DRAWN = 1000


def read(name: str) -> tuple[Any, Any]:
    data = load(name, dense=True)
    X, y = data.X, np.asarray(data.y)
    if len(y) > MOST_ROWS:
        drawn = np.random.default_rng(0).permutation(len(y))[:N_DRAWN]
        X, y = X[drawn], y[drawn]
    return X, y


def scaled(X: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """Return both parts with the features of the training part in [0, 1]."""
    low = X[train].min(axis=0)
    width = X[train].max(axis=0) - low
    width[width == 0] = 1.0
    return (X[train] - low) / width, (X[test] - low) / width


def nested(name: str, method: str, seed: int) -> dict[str, Any]:
    X, y = read(name)
    hits, shares, least = [], [], 1.0
    began = time.process_time()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        X_train, X_test = scaled(X, train, test)
        params: dict[str, Any] = {
            "gammas": GAMMAS,
            "margins": MARGINS,
            "Cs": CS,
            "cv": 5,
        } | METHODS[method]
        search = OLLAWVClassifierCV(**params).fit(X_train, y[train])
        hits.append(search.predict(X_test) == y[test])
        shares.append(search.best_estimator_.support_.size / train.size)
        # Below zero: the final model is worse on its own rows than the folds promised.
        least = min(least, search.score(X_train, y[train]) - search.best_score_)
    return {
        "set": name,
        "method": method,
        "seed": seed,
        "accuracy": round(100 * float(np.concatenate(hits).mean()), 3),
        "support_vectors": round(100 * float(np.mean(shares)), 2),
        "least_training_minus_cv": round(100 * float(least), 2),
        "cpu_seconds": round(time.process_time() - began, 3),
    }


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a line per set (mean and deviation over seeds), and differences from full."""
    names = list(dict.fromkeys(row["set"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    table = {
        (n, m): np.array([r["accuracy"] for r in rows if (r["set"], r["method"]) == (n, m)])
        for n in names
        for m in methods
    }
    lines = []
    for n in names:
        cells = [f"{m} {table[n, m].mean():.2f} +- {table[n, m].std():.2f}" for m in methods]
        lines.append(f"{n}: " + "; ".join(cells))
    if "full" in methods:
        full = np.array([table[n, "full"].mean() for n in names])
        for m in methods:
            apart = np.array([table[n, m].mean() for n in names]) - full
            p = wilcoxon(apart).pvalue if np.any(apart) else 1.0
            lines.append(
                f"{m}: {apart.mean():+.2f} from full, {np.sum(apart > 0)} won, "
                f"{np.sum(apart < 0)} lost, worst {apart.min():+.2f}, p = {p:.3f}"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--half", choices=("even", "odd", "both"), default="odd")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    # Classes with fewer members than folds are in the data as published.
    warnings.filterwarnings("ignore")
    chosen = {"even": SETS[0::2], "odd": SETS[1::2], "both": SETS}[options.half]
    rows = []
    for name in chosen:
        for method in options.methods.split(";"):
            rows += [nested(name, method, seed) for seed in range(options.seeds)]
            print(rows[-1], flush=True)
    print(summary(rows))
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
