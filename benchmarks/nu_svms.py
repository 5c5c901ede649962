"""The nu-SVMs and the one-class SVM beside scikit-learn's: the same problems, one thread.

    python benchmarks/nu_svms.py [--repeat 3] [--out benchmarks/results/nu_svms.csv]

A quarter of each set is for the test; features have mean 0 and variance 1, gamma is 1 / n_features
and `tol` the default of both, 1e-3. The score is accuracy, R^2 or, for the one-class SVM, the share
of the test rows that are inliers. Seconds are those of the processor for `fit`, the least of some
runs.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import load_digits, make_classification, make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from svmosaic import NuSMOClassifier, NuSMORegressor, OneClassSMO
from svmosaic.datasets import load
from svmosaic.exceptions import DataFileError

MODELS: dict[str, tuple[Any, Any]] = {
    "classification": (NuSMOClassifier, svm.NuSVC),
    "regression": (NuSMORegressor, svm.NuSVR),
    "one class": (OneClassSMO, svm.OneClassSVM),
}


def read(name: str) -> Any:
    """Return the rows and targets of a set; None if its file is not there."""
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "overlap":
        return make_classification(
            4000, 20, n_informative=8, flip_y=0.1, weights=[0.4], random_state=0
        )
    if name == "friedman1":
        return make_friedman1(4000, noise=1.0, random_state=0)
    try:
        data = load(name, dense=True)
    except (DataFileError, OSError, ValueError):
        return None
    return data.X, np.asarray(data.y)


# Each line: the task, the set and the parameters.
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("classification", "overlap", {"nu": 0.3}),
    ("classification", "satimage", {"nu": 0.1}),
    ("classification", "digits", {"nu": 0.1}),
    ("regression", "friedman1", {"nu": 0.3, "C": 10.0}),
    ("regression", "friedman1", {"nu": 0.7, "C": 10.0}),
    ("one class", "overlap", {"nu": 0.1}),
    ("one class", "satimage", {"nu": 0.5}),
]


def score(model: Any, X: Any, y: Any) -> float:
    if hasattr(model, "score"):
        return float(model.score(X, y))
    return float(np.mean(model.predict(X) == 1))


def measure(task: str, name: str, params: dict[str, Any], repeat: int) -> list[dict[str, Any]]:
    found = read(name)
    if found is None:
        print(f"{name}: not here, left out", flush=True)
        return []
    X, y = found
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    rows = []
    for kind in MODELS[task]:
        model = kind(gamma="auto", **params)
        seconds = []
        for _ in range(repeat):
            model = clone(model)
            began = time.process_time()
            model.fit(X_train, y_train)
            seconds.append(time.process_time() - began)
        rows.append(
            {
                "task": task,
                "set": name,
                "rows": y_train.size,
                "nu": params["nu"],
                "model": kind.__name__,
                "fit_seconds": round(min(seconds), 3),
                "score": round(score(model, X_test, y_test), 4),
                "support_vectors": model.support_.size,
                "updates": int(np.sum(model.n_iter_)),
            }
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each fit")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    rows = [row for run in RUNS for row in measure(*run, options.repeat)]
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
