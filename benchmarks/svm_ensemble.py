"""Accuracy of an ensemble of tuned SVMs beside one tuned SVM, on all classification sets.

    python benchmarks/svm_ensemble.py [--sets iris,wine] [--methods ensemble,svm-standard]
                                      [--seeds 5] [--rows 1000] [--jobs 2]
                                      [--out benchmarks/results/svm_ensemble.csv]

Nested cross-validation: five outer folds, stratified and shuffled by the seed, five inner ones that
choose gamma and C. Of larger sets a stratified sample of `--rows` rows is taken, always the same.
Classes of fewer than five rows are left out. Scalers are fitted to the training part of the outer
fold.

``ensemble`` is `SVMEnsembleClassifier`. ``svm-standard`` and ``svm-minmax`` are one tuned SVM on
standardised features and on features in [0, 1], by `OLLAWVClassifierCV`, whose solutions are those
of SVC. ``svc-standard`` is scikit-learn's SVC in `GridSearchCV` over the same folds and values,
which takes far longer; one seed of it shows that the two agree.

A row for each set, method, seed and fold: accuracy, and seconds of the processor for scaling,
tuning and fitting in one thread. Rows that the output has already are not computed again.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import wilcoxon
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifierCV, SVMEnsembleClassifier
from svmosaic.datasets import load

# Those of the papers' classification sets, without scikit-learn's own and without downloads.
SETS = (
    "iris",
    "teach",
    "wine",
    "cancer",
    "sonar",
    "glass",
    "vote",
    "heart",
    "dermatology",
    "prokaryotic",
    "eukaryotic",
    "satimage",
    "usps",
    "reuters",
    "letter",
    "adult",
    "w3a",
    "shuttle",
    "web",
    "ijcnn1",
    "intrusion",
    "australian",
    "banknote",
    "fertility",
    "ionosphere",
    "liver",
    "pima",
    "spect",
    "banana",
    "census",
    "electricity",
    "covertype",
)
METHODS = ("ensemble", "svm-standard", "svm-minmax")
FIELDS = ("set", "method", "seed", "fold", "accuracy", "cpu_seconds")
FEWEST = 5
# Sets with more features stay sparse.
DENSE_FEATURES = 300
CS = (0.1, 1.0, 10.0, 100.0, 1000.0)


def sample(name: str, n_rows: int) -> tuple[Any, Any]:
    """Return features and class numbers of a set, at most `n_rows` rows."""
    data = load(name)
    X, y = data.X, np.unique(np.asarray(data.y), return_inverse=True)[1]
    if sparse.issparse(X):
        X = X.toarray() if X.shape[1] <= DENSE_FEATURES else sparse.csr_array(X)
    if len(y) > n_rows:
        X, y = of_classes(X, y, 2 * FEWEST)
        if len(y) > n_rows:
            X, _, y, _ = train_test_split(X, y, train_size=n_rows, stratify=y, random_state=0)
    return of_classes(X, y, FEWEST)


def of_classes(X: Any, y: Any, fewest: int) -> tuple[Any, Any]:
    """Return the rows of the classes that have enough of them."""
    kept = np.flatnonzero(np.bincount(y)[y] >= fewest)
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def make(method: str, X: Any) -> Any:
    if method == "ensemble":
        return SVMEnsembleClassifier()
    if method.endswith("minmax"):
        scaler = MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler()
    else:
        scaler = StandardScaler(with_mean=not sparse.issparse(X))
    if method.startswith("svm"):
        return make_pipeline(scaler, OLLAWVClassifierCV())
    scaled = scaler.fit_transform(X)
    values = scaled.toarray() if sparse.issparse(scaled) else scaled
    middle = 1.0 / (X.shape[1] * values.var())
    grid = {"gamma": [middle * 4.0**k for k in range(-4, 4)], "C": CS}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return make_pipeline(scaler, GridSearchCV(SVC(), grid, cv=folds))


def evaluate(name: str, method: str, seed: int, n_rows: int) -> list[dict[str, Any]]:
    """Return the rows of all outer folds."""
    # Classes of fewer members than folds are in the data as published.
    warnings.filterwarnings("ignore", message="The least populated class")
    X, y = sample(name, n_rows)
    outer = StratifiedKFold(5, shuffle=True, random_state=seed)
    rows = []
    for fold, (train, test) in enumerate(outer.split(np.zeros(len(y)), y)):
        began = time.process_time()
        model = make(method, X[train]).fit(X[train], y[train])
        seconds = time.process_time() - began
        accuracy = float(np.mean(model.predict(X[test]) == y[test]))
        values = (name, method, seed, fold, round(100 * accuracy, 4), round(seconds, 4))
        rows.append(dict(zip(FIELDS, values, strict=True)))
    return rows


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a line for each set, and what Wilcoxon's test says of the ensemble and the others."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    names = sorted({row["set"] for row in rows})

    def of(name: str, method: str, field: str) -> list[float]:
        chosen = (row for row in rows if row["set"] == name and row["method"] == method)
        return [float(row[field]) for row in chosen]

    lines = [f"{'set':<14}" + "".join(f"{method:>22}" for method in methods)]
    for name in names:
        cells = ""
        for method in methods:
            found = of(name, method, "accuracy")
            cells += f"{np.mean(found):>14.2f} +-{np.std(found):>5.2f}" if found else " " * 22
        lines.append(f"{name:<14}{cells}")
    for method in methods[1:]:
        both = [n for n in names if of(n, method, "accuracy") and of(n, "ensemble", "accuracy")]
        gains = np.array(
            [
                np.mean(of(n, "ensemble", "accuracy")) - np.mean(of(n, method, "accuracy"))
                for n in both
            ]
        )
        times = [
            np.sum(of(n, "ensemble", "cpu_seconds")) / np.sum(of(n, method, "cpu_seconds"))
            for n in both
        ]
        p = wilcoxon(gains).pvalue if np.any(gains != 0) else 1.0
        lines.append(
            f"ensemble - {method}: {gains.mean():+.2f} points on {len(both)} sets, "
            f"{np.sum(gains > 0)} won, {np.sum(gains < 0)} lost, p = {p:.2g}; "
            f"{np.exp(np.mean(np.log(times))):.2f} times the time (geometric mean)"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", help="names with commas; the default is all of them")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("svm_ensemble.csv"))
    options = parser.parse_args()
    # One thread for each process.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    names = options.sets.split(",") if options.sets else list(SETS)
    rows: list[dict[str, Any]] = []
    if options.out.exists():
        with options.out.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
    done = {(row["set"], row["method"], int(row["seed"])) for row in rows}
    tasks = [
        (name, method, seed, options.rows)
        for seed in range(options.seeds)
        for method in options.methods.split(",")
        for name in names
        if (name, method, seed) not in done
    ]
    with ProcessPoolExecutor(options.jobs) as pool, options.out.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS)
        if not rows:
            writer.writeheader()
        for future in as_completed([pool.submit(evaluate, *task) for task in tasks]):
            found = future.result()
            writer.writerows(found)
            stream.flush()
            rows += found
            print(f"{found[0]['set']} {found[0]['method']} {found[0]['seed']}", flush=True)
    print(summary(rows))


if __name__ == "__main__":
    main()
