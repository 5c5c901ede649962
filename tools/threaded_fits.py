"""Fit and predict in many threads, Python's and the core's, for ThreadSanitizer to watch.

    make sanitize-python-threads

Every estimator with threads of its own is fitted in four Python threads at once, with two threads
each, and a fit is stopped while others run. Models of one kind must be the same to the last bit.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import svmosaic
from svmosaic.multi_instance import MIRSVMClassifier

_THREADS = 4
_ROUNDS = 3


def _calls() -> dict[str, Callable[[], bytes]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    several = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    targets = np.column_stack([np.sin(X[:150, 0]), X[:150, 1] * X[:150, 2]])
    bags = [rng.normal(size=(rng.integers(2, 6), 3)) for _ in range(40)]
    # Large enough for parallel blocks.
    large = rng.normal(size=(9000, 5)).astype(np.float32)
    noisy = (large.sum(axis=1) + rng.normal(size=9000) > 0).astype(int)
    shared = svmosaic.OLLAWVClassifier(n_jobs=2).fit(X, several)

    def values(model: Any, *data: Any) -> bytes:
        model.fit(*data)
        decide = getattr(model, "decision_function", model.predict)
        return np.asarray(decide(data[0])).tobytes()

    def stopped() -> bytes:
        svmosaic.SMOClassifier(C=1e6, gamma=5.0, tol=1e-12, max_time=0.05, n_jobs=2).fit(X, y)
        return b""

    s = svmosaic
    return {
        "OLLAWV": lambda: values(s.OLLAWVClassifier(n_jobs=2), X, several),
        "OLLAWV, parallel blocks": lambda: values(
            s.OLLAWVClassifier(refine="full", gamma=0.5, tol=1e-2, n_jobs=2), large, noisy
        ),
        "search": lambda: values(
            s.OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=3, n_jobs=2), X, y
        ),
        "SMO": lambda: values(s.SMOClassifier(n_jobs=2), X, several),
        "SMORegressor": lambda: values(s.SMORegressor(n_jobs=2), X, X[:, 0]),
        "NNISDA": lambda: values(s.NNISDAClassifier(n_jobs=2), X, several),
        "SVRCC": lambda: values(s.SVRCC(n_jobs=2), X[:150], targets),
        "MIRSVM": lambda: values(MIRSVMClassifier(random_state=0), bags, np.arange(40) % 2),
        "one model, predictions": lambda: shared.decision_function(X).tobytes(),
        "a time limit": stopped,
    }


def main() -> int:
    """Run all calls in threads and compare what they give."""
    warnings.simplefilter("ignore")
    begin = threading.active_count()
    for name, call in _calls().items():
        with ThreadPoolExecutor(_THREADS) as pool:
            found = {job.result() for job in [pool.submit(call) for _ in range(_THREADS * _ROUNDS)]}
        if len(found) != 1:
            print(f"{name}: {len(found)} different results", file=sys.stderr)
            return 1
        print(f"{name}: {_THREADS * _ROUNDS} calls, all the same", flush=True)
    return int(threading.active_count() != begin)


if __name__ == "__main__":
    sys.exit(main())
