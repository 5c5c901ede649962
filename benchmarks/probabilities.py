"""Log loss and Brier score of calibrated classifiers on unseen rows, beside scikit-learn's.

    python benchmarks/probabilities.py [--out benchmarks/results/probabilities.csv]

Three random splits of each data set, three quarters for training (4000 rows at most), features with
mean 0 and variance 1, the rbf kernel with C = 10 and gamma = "scale" for all. Seconds are processor
time of `fit` on one thread, and their ratio to a fit of the same classifier without probabilities.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmosaic import CalibratedClassifier, OLLAWVClassifier
from svmosaic.datasets import load

SETS = ("pima", "australian", "banana", "glass", "satimage", "letter")
N_SPLITS = 3
MOST_ROWS = 4000
SETTINGS: dict[str, Any] = {"C": 10.0, "gamma": "scale"}


def _ours(**parameters: Any) -> CalibratedClassifier:
    return CalibratedClassifier(OLLAWVClassifier(**SETTINGS), **parameters)


def _theirs(**parameters: Any) -> CalibratedClassifierCV:
    folds = StratifiedKFold(parameters.pop("folds"), shuffle=True, random_state=0)
    return CalibratedClassifierCV(SVC(**SETTINGS), cv=folds, **parameters)


PEERS: dict[str, Callable[[], Any]] = {
    "svmosaic sigmoid": lambda: _ours(),
    "svmosaic sigmoid, 5 folds": lambda: _ours(cv=5),
    "svmosaic isotonic": lambda: _ours(method="isotonic"),
    "sklearn sigmoid, 3 folds": lambda: _theirs(folds=3, ensemble=False),
    "sklearn sigmoid, 5 folds, ensemble": lambda: _theirs(folds=5),
    "sklearn isotonic, 3 folds": lambda: _theirs(folds=3, ensemble=False, method="isotonic"),
    "SVC(probability=True)": lambda: SVC(probability=True, random_state=0, **SETTINGS),
}


def parts(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return training and test samples and labels."""
    data = load(name, dense=True)
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
    if y.size > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, random_state=seed, stratify=y)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def seconds_of_fit(model: Any, X: Any, y: Any) -> float:
    """Return the processor time of one fit."""
    began = time.process_time()
    model.fit(X, y)
    return time.process_time() - began


def measure(make: Callable[[], Any], splits: list[Any], plain: float) -> dict[str, Any]:
    """Return means over the splits."""
    losses, briers, scores, seconds = [], [], [], []
    for X, X_test, y, y_test in splits:
        model = make()
        seconds.append(seconds_of_fit(model, X, y))
        p = model.predict_proba(X_test)
        truth = (y_test[:, np.newaxis] == model.classes_).astype(float)
        losses.append(log_loss(y_test, p, labels=model.classes_))
        briers.append(float(((p - truth) ** 2).sum(axis=1).mean()))
        scores.append(100.0 * float((model.classes_[p.argmax(axis=1)] == y_test).mean()))
    return {
        "log_loss": round(fmean(losses), 4),
        "brier": round(fmean(briers), 4),
        "accuracy": round(fmean(scores), 2),
        "fit_seconds": round(fmean(seconds), 4),
        "times_plain_fit": round(fmean(seconds) / plain, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    # SVC's probabilities are deprecated.
    warnings.simplefilter("ignore", FutureWarning)
    rows: list[dict[str, Any]] = []
    for name in SETS:
        splits = [parts(name, seed) for seed in range(N_SPLITS)]
        plain = {
            kind: fmean(seconds_of_fit(kind(**SETTINGS), X, y) for X, _, y, _ in splits)
            for kind in (OLLAWVClassifier, SVC)
        }
        for peer, make in PEERS.items():
            kind = OLLAWVClassifier if peer.startswith("svmosaic") else SVC
            row = {"set": name, "peer": peer, **measure(make, splits, plain[kind])}
            rows.append(row)
            print(row, flush=True)
    for peer in PEERS:
        own = [row for row in rows if row["peer"] == peer]
        loss, brier = (fmean(row[key] for row in own) for key in ("log_loss", "brier"))
        print(f"{peer:36} log loss {loss:.4f}, Brier score {brier:.4f}")
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
