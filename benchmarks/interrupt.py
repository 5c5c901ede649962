"""How long Ctrl-C takes to be answered at n = 100 000.

    python benchmarks/interrupt.py [--repeat 5]

Sends SIGINT to itself at different moments of fit and predict, and prints the time until
KeyboardInterrupt reaches Python. The promise is 250 ms.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from svmosaic import OLLAWVClassifier


def latency(call: Callable[[], Any], delay: float) -> float:
    """Return the seconds between SIGINT and KeyboardInterrupt."""
    sent: list[float] = []

    def press() -> None:
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(delay, press)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.cancel()
    raise RuntimeError("the call ended before the signal came; give it more work")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100_000, 20)), rng.integers(0, 2, 100_000)
    small = OLLAWVClassifier(gamma=0.5, refine=None).fit(X[:20_000], y[:20_000])
    calls: dict[str, Callable[..., Any]] = {
        "selection": partial(OLLAWVClassifier(gamma=0.5, n_jobs=2).fit, X, y),
        "refinement": partial(OLLAWVClassifier(gamma=0.5, n_jobs=2, max_iter=300).fit, X, y),
        "prediction": partial(small.predict, X),
    }
    delays = [0.02, 0.1, 0.5, 1.0, 2.0]
    for name, call in calls.items():
        times = [latency(call, d) for d in delays for _ in range(options.repeat)]
        print(
            f"{name:<11} median {1000 * statistics.median(times):6.0f} ms   "
            f"largest {1000 * max(times):6.0f} ms"
        )


if __name__ == "__main__":
    main()
