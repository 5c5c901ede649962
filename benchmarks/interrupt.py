"""How long Ctrl-C takes to be answered, for every kind of estimator.

    python benchmarks/interrupt.py [--presses 20] [--seed 0] [--only NAME ...] [--out FILE.csv]

Sends SIGINT to itself at random moments of a fit, a search or a prediction, and prints the time
until KeyboardInterrupt reaches Python, and how much of it the processors worked for this process.
The promise is 250 ms on a computer that does nothing else.
"""

from __future__ import annotations

import argparse
import csv
import signal
import statistics
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import svmosaic
from svmosaic.multi_instance import MIRMixSVMClassifier, MIRSVMClassifier

# Presses come within the first seconds of what takes longer.
_LONGEST = 3.0


def duration(call: Callable[[], Any]) -> float:
    """Return the seconds that a call takes, or the longest that counts."""
    begin = time.perf_counter()
    timer = threading.Timer(_LONGEST, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return _LONGEST
    finally:
        timer.cancel()
    return time.perf_counter() - begin


def latency(call: Callable[[], Any], delay: float) -> tuple[float, float] | None:
    """Return the seconds, and those of the processor, between SIGINT and KeyboardInterrupt.

    None if the call ended before.
    """
    sent: list[tuple[float, float]] = []

    def press() -> None:
        sent.append((time.perf_counter(), time.process_time()))
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(delay, press)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0][0], time.process_time() - sent[0][1]
    return None


def workloads() -> dict[str, Callable[[], Any]]:
    """Return calls that take seconds, by name."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100_000, 20)), rng.integers(0, 2, 100_000)
    few, labels = X[:12_000], y[:12_000]
    targets = np.column_stack([np.sin(X[:4000, :4]), X[:4000, 0] * X[:4000, 1]])
    bags = [rng.normal(size=(rng.integers(5, 60), 20)) for _ in range(800)]
    bag_labels = np.arange(800) % 2
    small = svmosaic.OLLAWVClassifier(gamma=0.5, refine=None).fit(X[:20_000], y[:20_000])

    def fit(kind: Any, *data: Any, **settings: Any) -> Callable[[], Any]:
        return partial(kind(**settings).fit, *data)

    s = svmosaic
    return {
        "OLLAWV, selection": fit(s.OLLAWVClassifier, X, y, gamma=0.5, n_jobs=2),
        "OLLAWV, exact": fit(s.OLLAWVClassifier, X, y, gamma=0.5, refine="full", n_jobs=2),
        "OLLAWV, prediction": partial(small.predict, X),
        "OLLAWV, search": fit(s.OLLAWVClassifierCV, few[:6000], labels[:6000], n_jobs=2),
        "SMO, rbf": fit(s.SMOClassifier, few, labels, gamma=0.5),
        "SMO, linear": fit(s.SMOClassifier, X, y, kernel="linear"),
        "SMORegressor": fit(s.SMORegressor, X, X[:, 0] + y, gamma=0.5),
        "MNSVM": fit(s.MNSVMClassifier, few, labels, gamma=0.5),
        "NNISDA": fit(s.NNISDAClassifier, few, labels, gamma=0.5),
        "KernelPrimal": fit(s.KernelPrimalSVC, few[:5000], labels[:5000]),
        "OGE": fit(s.OGEClassifier, few[:5000], labels[:5000]),
        "SVM-CBP": fit(s.SVMCBPClassifier, few[:4000], labels[:4000]),
        "SVRCC": fit(s.SVRCC, X[:4000], targets),
        "SVM-CBP, search": fit(s.SVMCBPClassifierCV, few[:2000], labels[:2000]),
        "SVRRC": fit(s.SVRRC, X[:4000], targets),
        "SVRWC": fit(s.SVRWC, X[:4000], targets),
        "MultiTargetSVR": fit(s.MultiTargetSVR, X[:4000], targets),
        "Uniform": fit(s.UniformSVC, few, labels),
        "OnlineSVM-CBP": fit(s.OnlineSVMCBPClassifier, few, labels),
        "OnlineSVM": fit(s.OnlineSVMClassifier, X, y),
        "NL-SGD": fit(s.NLSGDClassifier, X, y),
        "OLLA-L2": fit(s.OLLAL2Classifier, X, y),
        "StreamOLLAWV": fit(s.StreamOLLAWV, X, y),
        "StreamOLLAL2": fit(s.StreamOLLAL2, X, y),
        "MIRSVM": fit(MIRSVMClassifier, bags, bag_labels),
        "MIR-Mix": fit(MIRMixSVMClassifier, bags, bag_labels),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="what to measure; all if nothing is named")
    parser.add_argument("--out", help="a CSV file for the figures")
    options = parser.parse_args()
    # A shell starts what is in the background with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(options.seed)
    rows = [["work", "presses", "median_ms", "largest_ms", "largest_cpu_ms"]]
    for name, call in workloads().items():
        if options.only and name not in options.only:
            continue
        length = duration(call)
        moments = rng.uniform(0.0, 0.95 * length, options.presses)
        times = [t for moment in moments if (t := latency(call, moment)) is not None]
        if not times:
            raise RuntimeError(f"{name} ended before every press; give it more work")
        waits, work = zip(*times, strict=True)
        values = (statistics.median(waits), max(waits), max(work))
        figures = [f"{1000 * value:.0f}" for value in values]
        rows.append([name, str(len(times)), *figures])
        print(
            f"{name:<20} {len(times):3} presses   median {figures[0]:>5} ms   "
            f"largest {figures[1]:>5} ms, {figures[2]:>5} of the processors",
            flush=True,
        )
    if options.out:
        with open(options.out, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
