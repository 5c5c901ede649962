"""The same program with scikit-learn's SVC and SVR, and patched with ours.

    python benchmarks/svm_drop_in.py [--data DIR] [--tasks letter,friedman] [--repeat 3]
                                     [--out results.csv]

Every task is code for scikit-learn that knows nothing of svmosaic; it runs in a process of its own,
once as it is and once after `svmosaic.patch_sklearn()`. One thread, float64, `cache_size` and `tol`
as scikit-learn has them. 80/20 split, seed 0, features scaled to [0, 1] by the training part;
reading, scaling and imports are outside the clock. A time is the best of the repeats, which end
after ten seconds. The ratio is scikit-learn's time divided by ours.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Split = tuple[Any, Any, Any, Any]


def real(name: str) -> Split:
    """Return training samples and labels, test samples and labels of a data set by name."""
    import numpy as np

    from svmosaic.datasets import load

    data = load(name)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    return scaled(np.asarray(X, dtype=np.float64), np.asarray(data.y), stratify=True)


def digits(name: str) -> Split:
    from sklearn.datasets import load_digits

    return scaled(*load_digits(return_X_y=True), stratify=True)


def friedman(name: str) -> Split:
    from sklearn.datasets import make_friedman1

    return scaled(*make_friedman1(5000, n_features=10, noise=1.0, random_state=0), stratify=False)


def scaled(X: Any, y: Any, *, stratify: bool) -> Split:
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler

    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, stratify=y if stratify else None, random_state=0
    )
    scaler = MinMaxScaler().fit(X_train)
    return scaler.transform(X_train), y_train, scaler.transform(X_test), y_test


# The programs: each imports from scikit-learn, as users' code does.


def classify(**options: Any) -> Any:
    from sklearn.svm import SVC

    return SVC(**options)


def regress(**options: Any) -> Any:
    from sklearn.svm import SVR

    return SVR(**options)


def search(**options: Any) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    return GridSearchCV(SVC(), options, cv=3)


# name: (data, model, options)
TASKS: dict[str, tuple[Callable[[str], Split], Callable[..., Any], dict[str, Any]]] = {
    "digits": (digits, classify, {"C": 10.0, "gamma": 0.25}),
    "digits-search": (digits, search, {"C": [1.0, 10.0, 100.0], "gamma": [0.05, 0.25, 1.0]}),
    "satimage": (real, classify, {"C": 4.0, "gamma": 4.0}),
    "satimage-linear": (real, classify, {"C": 4.0, "kernel": "linear"}),
    "usps": (real, classify, {"C": 4.0, "gamma": 1 / 32}),
    "letter": (real, classify, {"C": 4.0, "gamma": 8.0}),
    "friedman": (friedman, regress, {"C": 100.0, "epsilon": 0.5}),
    "friedman-large-C": (friedman, regress, {"C": 1000.0, "epsilon": 0.5, "gamma": 0.2}),
    "friedman-poly": (friedman, regress, {"C": 0.1, "kernel": "poly", "coef0": 1.0}),
}


def child(pipe: Connection, task: str, patched: bool, repeat: int) -> None:
    """Measure one task and send the record."""
    from threadpoolctl import threadpool_limits

    try:
        if patched:
            import svmosaic

            svmosaic.patch_sklearn()
        read, make, options = TASKS[task]
        X, y, X_test, y_test = read(task.partition("-")[0])
        fits, predictions = [], []
        with threadpool_limits(1):
            for _ in range(repeat):
                model = make(**options)
                began = time.perf_counter()
                model.fit(X, y)
                fits.append(time.perf_counter() - began)
                began = time.perf_counter()
                model.predict(X_test)
                predictions.append(time.perf_counter() - began)
                if sum(fits) > 10.0:
                    break
        fitted = getattr(model, "best_estimator_", model)
        pipe.send(
            {
                "fit_seconds": round(min(fits), 4),
                "predict_seconds": round(min(predictions), 4),
                "score": round(100 * float(model.score(X_test, y_test)), 3),
                "support_vectors": int(sum(fitted.n_support_)),
                "n_train": X.shape[0],
                "class": f"{type(fitted).__module__}.{type(fitted).__name__}",
            }
        )
    except Exception as error:  # a task that fails is a result, not the end of the run
        pipe.send({"error": f"{type(error).__name__}: {error}"[:200]})


def measure(task: str, patched: bool, repeat: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(False)
    process = context.Process(target=child, args=(there, task, patched, repeat))
    process.start()
    there.close()
    try:
        record: dict[str, Any] = here.recv()
    except EOFError:
        record = {"error": "the process died"}
    process.join()
    return record


def print_row(row: dict[str, Any]) -> None:
    if "error" in row:
        print(f"{row['task']:<16} {row['program']:<9} {row['error']}", flush=True)
        return
    ratio = f"{row['fit_ratio']:>7.1f}x" if "fit_ratio" in row else " " * 8
    quicker = f"{row['predict_ratio']:>7.1f}x" if "predict_ratio" in row else " " * 8
    print(
        f"{row['task']:<16} {row['program']:<9}{row['fit_seconds']:>9.3f}{ratio}"
        f"{row['predict_seconds']:>9.3f}{quicker}{row['score']:>9.2f}{row['support_vectors']:>8}",
        flush=True,
    )


def compare(task: str, repeat: int) -> list[dict[str, Any]]:
    """Return the records of both programs, the second with its ratios."""
    rows: list[dict[str, Any]] = []
    for program in ("original", "patched"):
        row: dict[str, Any] = {"task": task, "program": program} | measure(
            task, program == "patched", repeat
        )
        row |= {"date": date.today().isoformat(), "machine": platform.machine()}
        if rows and "error" not in row and "error" not in rows[0]:
            for what in ("fit", "predict"):
                seconds = f"{what}_seconds"
                row[f"{what}_ratio"] = round(rows[0][seconds] / row[seconds], 2)
        rows.append(row)
        print_row(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder with classification/NAME.svm.gz")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    if options.data:
        os.environ["SVMOSAIC_DATA"] = options.data

    print(
        f"{'task':<16} {'program':<9}{'fit s':>9}{'ratio':>8}{'pred s':>9}{'ratio':>8}"
        f"{'score %':>9}{'SVs':>8}"
    )
    rows = [row for task in options.tasks.split(",") for row in compare(task, options.repeat)]
    ratios = [row["fit_ratio"] for row in rows if "fit_ratio" in row]
    if ratios:
        from statistics import geometric_mean

        print(
            f"patched: fit {geometric_mean(ratios):.2f} x scikit-learn in geometric mean over "
            f"{len(ratios)} tasks, at least {min(ratios):.2f} x"
        )
    if options.out:
        fields = list(dict.fromkeys(key for row in rows for key in row))
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, fields)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
