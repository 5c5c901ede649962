"""The online classifiers beside the exact one: the same problem, one split, fixed parameters.

    python benchmarks/online_classifiers.py [--out benchmarks/results/online_classifiers.csv]

A fifth of each set is for the test. All classifiers have the gamma of their set. OLLAWV with
refine="full" solves the L1-SVM with C = 10; so has OLLA-L2, and NL-SGD has C = 10 n, which is the
same problem but for the intercept. n is the whole training part, also for the pairs of one-vs-one.
Times are CPU seconds of one thread.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from svmosaic import NLSGDClassifier, OLLAL2Classifier, OLLAWVClassifier
from svmosaic.datasets import load

GAMMAS = {"satimage": 1.0, "letter": 4.0, "ijcnn1": 1.0}
C = 10.0
MOST_ROWS = 30_000


def classifiers(gamma: float, n: int) -> dict[str, Any]:
    sgd: dict[str, Any] = {"gamma": gamma, "C": C * n}
    return {
        "NL-SGD 1 epoch": NLSGDClassifier(epochs=1, **sgd),
        "NL-SGD 2 epochs": NLSGDClassifier(epochs=2, **sgd),
        "NL-SGD 5 epochs": NLSGDClassifier(epochs=5, **sgd),
        "OLLA-L2 1 epoch": OLLAL2Classifier(gamma=gamma, C=C, epochs=1),
        "OLLA-L2 2 epochs": OLLAL2Classifier(gamma=gamma, C=C, epochs=2),
        "OLLA-L2 budget 500": OLLAL2Classifier(gamma=gamma, C=C, epochs=1, budget=500),
        "OLLAWV full": OLLAWVClassifier(gamma=gamma, C=C),
    }


def measure(name: str) -> list[dict[str, Any]]:
    data = load(name, dense=True)
    X, y = data.X[:MOST_ROWS], np.asarray(data.y)[:MOST_ROWS]
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=0, stratify=y
    )
    scaler = MinMaxScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    rows = []
    for label, model in classifiers(GAMMAS[name], y_train.size).items():
        began = time.process_time()
        model.fit(X_train, y_train)
        seconds = time.process_time() - began
        rows.append(
            {
                "set": name,
                "rows": y_train.size,
                "classifier": label,
                "fit_seconds": round(seconds, 2),
                "accuracy": round(100 * float(model.score(X_test, y_test)), 2),
                "support_vectors": model.support_.size,
            }
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(GAMMAS))
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    rows = [row for name in options.sets.split(",") for row in measure(name)]
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
