"""Widths and updates of the on-line SVM-CBP, on a validation part of training data.

    python benchmarks/online_widths.py [--out benchmarks/results/online_widths.csv]

Of each data set 80 % are taken and a quarter of those validates; the other 20 % stay unseen. Four
lambdas, of which the best one and the mean are shown. For the choice of defaults.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from svmosaic import OnlineSVMCBPClassifier, radius_sigma
from svmosaic.datasets import load
from svmosaic.engine.settings import Shrinking

SETS = (
    *("banana", "australian", "banknote", "fertility", "ionosphere", "liver", "pima", "spect"),
    "heart",
)
LAMS = (0.001, 0.01, 0.1, 1.0)
UPDATES: tuple[Shrinking, ...] = ("clipped", "gradient")
WIDTHS = ("peak", "printed", "scale", "radius")


def parts(name: str) -> tuple[Any, Any, Any, Any]:
    """Return training and validation samples and labels."""
    data = load(name, dense=True)
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    scaler = MinMaxScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = []
    for name in SETS:
        X, X_test, y, y_test = parts(name)
        for update in UPDATES:
            for width in WIDTHS:
                sigma = radius_sigma(X, y) if width == "radius" else width
                scores = [
                    100
                    * OnlineSVMCBPClassifier(sigma=sigma, lam=lam, update=update)
                    .fit(X, y)
                    .score(X_test, y_test)
                    for lam in LAMS
                ]
                row: dict[str, Any] = {"set": name, "update": update, "sigma": width}
                row |= {"best": round(max(scores), 2), "mean": round(fmean(scores), 2)}
                rows.append(row)
                print(row, flush=True)
    for update in UPDATES:
        for width in WIDTHS:
            own = [r for r in rows if (r["update"], r["sigma"]) == (update, width)]
            best, mean = (fmean(float(r[key]) for r in own) for key in ("best", "mean"))
            print(f"{update:9} {width:8} best lam {best:.2f}, mean of lams {mean:.2f}")
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
