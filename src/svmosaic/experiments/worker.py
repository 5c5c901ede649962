"""The process that runs cells: reads orders from its input, writes entries to its output.

Started by `svmosaic.experiments.workers`, which may kill it at any time.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from typing import Any

__all__ = ["PROGRAM", "main"]

# The parent's path comes first, so that this process finds what the parent finds.
PROGRAM = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from svmosaic.experiments.worker import main; main()"
)

_PARENT_CHECK_SECONDS = 1.0


def main() -> None:
    """Answer orders until the input ends."""
    # Ctrl-C is the parent's affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    orders = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    # What an estimator prints must not get between the answers.
    os.dup2(2, 1)

    import joblib
    import sklearn
    from threadpoolctl import threadpool_limits

    from svmosaic.experiments.one_cell import run_cell
    from svmosaic.utils.threads import limit_threads

    config, n_threads = pickle.load(orders)
    sklearn.set_config(**config)
    data: Any = None
    with threadpool_limits(n_threads), limit_threads(n_threads):
        _answer(answers, "ready")
        while True:
            try:
                order, *rest = pickle.load(orders)
            except EOFError:
                return
            if order == "load":
                data = joblib.load(rest[0], mmap_mode="r")
                _answer(answers, "loaded")
            else:
                _answer(answers, run_cell(*rest, *data))


def _answer(stream: Any, value: object) -> None:
    with contextlib.suppress(BrokenPipeError):
        pickle.dump(value, stream)
        stream.flush()


def _end_with_parent() -> None:
    """End this process soon after its parent has ended, however that ended."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
