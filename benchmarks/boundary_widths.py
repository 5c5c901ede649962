"""Widths from boundary points beside "scale" and a tuned gamma: accuracy and time.

    python benchmarks/boundary_widths.py [--out benchmarks/results/boundary_widths.csv]

Five outer folds. Features in [0, 1] by the training part. The classifier is the exact L1-SVM; C is
chosen by five inner folds in all columns, gamma too in the last. Times are CPU seconds of all that
a column needs on the training part: the width, the search of C, the last fit. Sets of more than
1000 rows are cut to 1000.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler

from svmosaic import OLLAWVClassifierCV, radius_sigma
from svmosaic.boundary import width_path
from svmosaic.datasets import load

SETS = (
    *("iris", "teach", "wine", "cancer", "sonar", "glass", "vote", "heart", "dermatology"),
    *("prokaryotic", "australian", "banknote", "fertility", "ionosphere", "liver", "pima"),
    *("spect", "banana", "eukaryotic", "satimage", "usps", "letter", "adult", "w3a"),
    *("shuttle", "web", "ijcnn1", "intrusion", "census", "electricity", "covertype"),
)
CS = (0.1, 1.0, 10.0, 100.0, 1000.0)
MOST_ROWS = 1_000


def _gamma(sigma: float) -> float:
    return 0.5 / sigma**2


def _scale(X: Any, y: Any) -> list[float]:
    return [1.0 / (X.shape[1] * X.var())]


RULES = ("scale", "cbp", "after the peak", "cbp-radius", "tuned")


def gammas_of(X: Any, y: Any) -> tuple[dict[str, list[float] | None], dict[str, float]]:
    """Return the gammas of every column and the CPU seconds of finding them."""
    began = time.process_time()
    path = width_path(X, y)
    for_path = time.process_time() - began
    following = min(int(np.flatnonzero(path.sigmas == path.sigma)[0]) + 1, path.sigmas.size - 1)
    began = time.process_time()
    radius = radius_sigma(X, y)
    for_radius = time.process_time() - began
    gammas: dict[str, list[float] | None] = {
        "scale": _scale(X, y),
        "cbp": [_gamma(path.sigma)],
        "after the peak": [_gamma(float(path.sigmas[following]))],
        "cbp-radius": [_gamma(radius)],
        "tuned": None,
    }
    seconds = {"cbp": for_path, "after the peak": for_path, "cbp-radius": for_radius}
    return gammas, seconds


def measure(name: str) -> list[dict[str, Any]]:
    data = load(name)
    X, y = data.X, np.asarray(data.y)
    if y.size > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=0)
    # After the cut: boundary points want dense rows.
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    right = dict.fromkeys(RULES, 0)
    seconds = dict.fromkeys(RULES, 0.0)
    outer = StratifiedKFold(5, shuffle=True, random_state=7)
    for train, test in outer.split(X, y):
        scaler = MinMaxScaler().fit(X[train])
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        gammas, before = gammas_of(X_train, y[train])
        for label in RULES:
            began = time.process_time()
            inner = StratifiedKFold(5, shuffle=True, random_state=0)
            model = OLLAWVClassifierCV(gammas=gammas[label], Cs=CS, cv=inner)
            model.fit(X_train, y[train])
            seconds[label] += before.get(label, 0.0) + time.process_time() - began
            right[label] += int(np.sum(model.predict(X_test) == y[test]))
    rows = [
        {
            "set": name,
            "rows": y.size,
            "features": X.shape[1],
            "gamma": label,
            "accuracy": round(100 * right[label] / y.size, 2),
            "seconds": round(seconds[label] / 5, 3),
        }
        for label in RULES
    ]
    print(name, X.shape, [(r["gamma"], r["accuracy"], r["seconds"]) for r in rows], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    # Small classes in a fold, and searches without an interior peak.
    warnings.simplefilter("ignore", UserWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = [row for name in options.sets.split(",") for row in measure(name)]
    for label in RULES:
        mean = np.mean([row["accuracy"] for row in rows if row["gamma"] == label])
        total = sum(row["seconds"] for row in rows if row["gamma"] == label)
        print(f"{label}: mean accuracy {mean:.2f} %, {total:.2f} s for one fold of all sets")
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
