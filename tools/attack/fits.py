"""Targets that fit: odd problems against other solvers, leaks, forks, threads within threads."""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from files import Case

__all__ = ["FITS"]

# A fit to at most 120 rows that takes longer than this hangs.
_HANG_SECONDS = 1.0


def _odd_table(rng: np.random.Generator) -> Any:
    """Return samples of an odd shape: few or many features, ties, copies, constants, scales."""
    n, d = int(rng.integers(4, 120)), int(rng.choice([1, 2, 5, 40, 200]))
    kind = rng.integers(6)
    X = rng.normal(size=(n, d))
    if kind == 0:
        X = rng.integers(-2, 3, (n, d)).astype(float)
    elif kind == 1:
        X = X[rng.integers(max(1, n // 4), size=n)]
    elif kind == 2:
        X[:, rng.random(d) < 0.5] = 1.0
    elif kind == 3:
        X = X * 10.0 ** rng.integers(-4, 5, d)
    elif kind == 4:
        X = X * (rng.random((n, d)) < 0.1)
    return X.astype(np.float32) if rng.random() < 0.2 else X


def _timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit()
    return model, time.process_time() - begin


def _check_speed(ours: float, theirs: float) -> None:
    if ours > _HANG_SECONDS:
        raise AssertionError(f"a fit took {ours:.1f} s, scikit-learn {theirs:.2f} s")


def _objective(model: Any, X: Any, gamma: float, gains: Callable[[Any, Any], float]) -> float:
    """Return the dual objective in float64: `gains` of rows and coefficients, less the norm."""
    from sklearn.metrics.pairwise import rbf_kernel

    if len(model.support_) == 0:  # All targets are within the tube.
        return 0.0
    coef = np.ravel(model.dual_coef_).astype(np.float64)
    gram = rbf_kernel(X[model.support_].astype(np.float64), gamma=gamma)
    return float(gains(model.support_, coef) - 0.5 * coef @ gram @ coef)


def _compare(
    model: Any, peer: Any, X: Any, settings: dict[str, float], gains: Callable[[Any, Any], float]
) -> None:
    """Compare two solutions of one problem.

    LIBSVM keeps kernel values in float32. With a large C its values may be off by more than is
    allowed here; then ours must have at least its objective.
    """
    best, reached = (_objective(m, X, settings["gamma"], gains) for m in (peer, model))
    if settings["C"] < 100.0 or reached < best - 1e-7 * max(1.0, abs(best)):
        name = "decision_function" if hasattr(model, "decision_function") else "predict"
        found, known = (getattr(m, name)(X) for m in (model, peer))
        _check_values(found, known, model, settings["C"])


def _check_values(found: Any, known: Any, model: Any, C: float) -> None:
    """Compare decision values or predictions of two optimal solutions."""
    difference = np.asarray(found, dtype=float) - known
    if not np.any(np.abs(model.dual_coef_) < C * (1 - 1e-9)):
        # Without a free variable any intercept in an interval is optimal.
        difference -= np.median(difference)
    if np.abs(difference).max() > 1e-3 * max(1.0, np.abs(known).max()):
        raise AssertionError(f"values differ by {np.abs(difference).max():.2g}")


def _against_svc(folder: Path) -> Case:
    from sklearn.svm import SVC

    from svmosaic import SMOClassifier

    def case(rng: np.random.Generator) -> None:
        X = _odd_table(rng)
        y = rng.integers(int(rng.integers(2, 4)), size=len(X))
        if np.unique(y).size < 2:
            return
        settings = {"C": float(10.0 ** rng.integers(-2, 3)), "tol": 1e-6}
        settings["gamma"] = float(rng.choice([0.01, 0.3, 2.0]))
        peer, theirs = _timed(lambda: SVC(**settings).fit(X, y))
        model, ours = _timed(lambda: SMOClassifier(**settings).fit(X, y))
        _check_speed(ours, theirs)
        if np.unique(y).size == 2:
            _compare(model, peer, X, settings, lambda _, coef: np.abs(coef).sum())

    return case


def _against_svr(folder: Path) -> Case:
    from sklearn.svm import SVR

    from svmosaic import SMORegressor

    def case(rng: np.random.Generator) -> None:
        X = _odd_table(rng)
        y = rng.normal(size=len(X)) + X[:, 0] / (1.0 + np.abs(X[:, 0]))
        settings = {"C": float(10.0 ** rng.integers(-2, 3)), "epsilon": float(rng.choice([0, 0.1]))}
        settings |= {"gamma": float(rng.choice([0.01, 0.3, 2.0])), "tol": 1e-6}
        peer, theirs = _timed(lambda: SVR(**settings).fit(X, y))
        model, ours = _timed(lambda: SMORegressor(**settings).fit(X, y))
        _check_speed(ours, theirs)
        epsilon = settings["epsilon"]
        _compare(
            model,
            peer,
            X,
            settings,
            lambda rows, coef: y[rows] @ coef - epsilon * np.abs(coef).sum(),
        )

    return case


def _against_oracle(folder: Path) -> Case:
    from sklearn.metrics.pairwise import rbf_kernel

    from problems import solve_dual_exactly
    from svmosaic import SMOClassifier

    def case(rng: np.random.Generator) -> None:
        X = _odd_table(rng).astype(np.float64)
        y = rng.integers(2, size=len(X))
        if np.unique(y).size < 2:
            return
        C, gamma = float(10.0 ** rng.integers(-2, 3)), float(rng.choice([0.01, 0.3, 2.0]))
        best = solve_dual_exactly(rbf_kernel(X, gamma=gamma), 2.0 * y - 1.0, np.full(len(y), C))
        if best is None:
            return
        model, _ = _timed(lambda: SMOClassifier(C=C, gamma=gamma).fit(X, y))
        gap, true_gap = float(np.sum(model.dual_gap_)), best - float(np.sum(model.objective_))
        # No condition of optimality is violated by more than `tol`, which bounds what is missing.
        if true_gap > model.tol * C * len(y) + 1e-6 * max(1.0, abs(best)):
            raise AssertionError(f"the objective is {true_gap:.2g} below the optimum {best:.6g}")
        if gap + 1e-6 * max(1.0, abs(best)) < true_gap:
            raise AssertionError(f"the reported gap {gap:.2g} is below the true one {true_gap:.2g}")

    return case


def _resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def _leaks(folder: Path) -> Case:
    import svmosaic

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    models = [
        *(svmosaic.OLLAWVClassifier(), svmosaic.SMOClassifier(), svmosaic.NNISDAClassifier()),
        *(svmosaic.MNSVMClassifier(), svmosaic.OnlineSVMClassifier(max_iter=20)),
    ]

    def case(rng: np.random.Generator) -> None:
        model = models[rng.integers(len(models))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(20):
                model.fit(X, y).predict(X)
            gc.collect()
            before = _resident_mb()
            for _ in range(150):
                model.fit(X, y).predict(X)
            gc.collect()
        grown = _resident_mb() - before
        if grown > 4.0:
            raise AssertionError(f"150 fits of {type(model).__name__} kept {grown:.1f} MB")

    return case


def _fit_in_child(queue: Any) -> None:
    from svmosaic import OLLAWVClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    queue.put(OLLAWVClassifier(n_jobs=2).fit(X, np.arange(200) % 2).decision_function(X).sum())


def _forks(folder: Path) -> Case:
    from svmosaic import OLLAWVClassifier

    def case(rng: np.random.Generator) -> None:
        X = rng.normal(size=(3000, 5))
        model = OLLAWVClassifier(n_jobs=2, refine="full", C=1.0, gamma=1.0)
        fit = threading.Thread(target=model.fit, args=(X, rng.integers(2, size=3000)))
        fit.start()
        time.sleep(float(rng.uniform(0, 0.1)))
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        with warnings.catch_warnings():
            # Python 3.12 warns of every fork beside threads.
            warnings.simplefilter("ignore")
            child = context.Process(target=_fit_in_child, args=(queue,))
            child.start()
        child.join(20)
        if child.is_alive():
            os.kill(child.pid or 0, signal.SIGKILL)
            raise AssertionError("a fit in a forked process did not end")
        if child.exitcode != 0 or not np.isfinite(queue.get()):
            raise AssertionError(f"a fit in a forked process ended with {child.exitcode}")
        fit.join()

    return case


def _threads(folder: Path) -> Case:
    from joblib import Parallel, delayed

    from svmosaic import OLLAWVClassifier

    def fit(X: Any, y: Any, n_jobs: int) -> bytes:
        values = OLLAWVClassifier(n_jobs=n_jobs).fit(X, y).decision_function(X)
        return np.asarray(values).tobytes()

    def case(rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(150, 4)), np.arange(150) % 3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = fit(X, y, 1)
            wide = int(rng.choice([2, 7, 64, 1000, -1]))
            found = Parallel(n_jobs=int(rng.integers(2, 9)), prefer="threads")(
                delayed(fit)(X, y, wide) for _ in range(8)
            )
        if set(found) != {expected}:
            raise AssertionError(f"fits with n_jobs={wide} in threads are not the same")

    return case


FITS: dict[str, Callable[[Path], Case]] = {
    "problems against SVC": _against_svc,
    "problems against SVR": _against_svr,
    "problems against the oracle": _against_oracle,
    "leaks": _leaks,
    "fork during fit": _forks,
    "threads in threads": _threads,
}
