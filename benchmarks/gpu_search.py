"""A whole search on a GPU: 50 values of C, 10 folds and one width, then the fit to all rows.

    python benchmarks/gpu_search.py [--sizes 10000x10,10000x100] [--device cuda] [--n-values 50]
                                    [--folds 10] [--no-cpu] [--no-torchkm] [--out gpu_search.csv]

Two classes of ten clusters each, as in the paper of TorchKM (Zhang, Jia, Ding, Wang, 2026), with
gamma = 1 / (features x variance). Ours is OLLAWVClassifierCV with ``refine="full"``, on the GPU and
with all cores; TorchKM, where it is installed, has the same C, folds and width on the same GPU.
Seconds are from NumPy arrays to the model of the best C, the second run of each. Beside them stand
the C that was chosen and the accuracy on as many rows that nobody has seen.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

N_CLUSTERS = 10
SHIFT = 2.0
NOISE = 3.0

Row = dict[str, Any]


def make_mixture(n: int, d: int) -> tuple[Any, Any]:
    """Return rows of two classes of clusters, whose centres are shifted in half of the features."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(2, N_CLUSTERS, d))
    centres[0, :, : d // 2] += SHIFT
    centres[1, :, d // 2 :] += SHIFT
    y = rng.integers(0, 2, n)
    # Noise of fixed length: otherwise classes in many dimensions would not overlap.
    noise = NOISE * np.sqrt(d / 10) * rng.normal(size=(n, d))
    X = centres[y, rng.integers(0, N_CLUSTERS, n)] + noise
    return X.astype(np.float32), y


def folds_of(n: int, n_folds: int) -> Any:
    """Return the number of the fold of each row."""
    return np.random.default_rng(1).permutation(np.arange(n) % n_folds)


def search(X: Any, y: Any, gamma: float, options: argparse.Namespace, **where: Any) -> Any:
    """Return our search, fitted."""
    from sklearn.model_selection import PredefinedSplit

    from svmosaic import OLLAWVClassifierCV

    model = OLLAWVClassifierCV(
        gammas=[gamma],
        Cs=values_of_C(options),
        cv=PredefinedSplit(folds_of(len(y), options.folds)),
        refine="full",
        **where,
    )
    return model.fit(X, y)


def search_by_torchkm(X: Any, y: Any, gamma: float, options: argparse.Namespace) -> Any:
    """Return the search of TorchKM, fitted."""
    from torchkm.estimators import TorchKMSVC

    model = TorchKMSVC(
        Cs=values_of_C(options)[::-1].copy(),
        nC=options.n_values,
        cv=options.folds,
        foldid=folds_of(len(y), options.folds) + 1,
        # Its kernel is exp(-2 sigma |x - z|^2).
        rbf_sigma=gamma / 2.0,
        device=options.device.removeprefix("torch:"),
    )
    return model.fit(X, y)


def values_of_C(options: argparse.Namespace) -> Any:
    return np.logspace(-3, 3, options.n_values)


def measure(n: int, d: int, options: argparse.Namespace) -> list[Row]:
    """Return the figures of all searches on one mixture."""
    X, y = make_mixture(2 * n, d)
    X, y, X_new, y_new = X[:n], y[:n], X[n:], y[n:]
    gamma = float(1.0 / (d * X.var()))
    searches: dict[str, Any] = {"ours": lambda: search(X, y, gamma, options, device=options.device)}
    if not options.no_cpu:
        searches["ours, all cores"] = lambda: search(X, y, gamma, options, n_jobs=-1)
    if not options.no_torchkm and find_spec("torchkm") is not None:
        searches["TorchKM"] = lambda: search_by_torchkm(X, y, gamma, options)
    rows = []
    for name, run in searches.items():
        # The first run compiles, and loads libraries.
        for _ in range(1 if name == "ours, all cores" else 2):
            began = time.perf_counter()
            model = run()
            seconds = time.perf_counter() - began
        chosen = model.best_C_ if name == "TorchKM" else model.best_params_["C"]
        accuracy = float(np.mean(np.asarray(model.predict(X_new)) == y_new))
        row: Row = {"rows": n, "features": d, "search": name, "seconds": seconds}
        rows.append(row | {"C": float(chosen), "accuracy": accuracy})
        print(
            "  ".join(
                f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in rows[-1].items()
            ),
            flush=True,
        )
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="10000x10,10000x100,10000x1000,20000x100")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--n-values", type=int, default=50)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--no-cpu", action="store_true")
    parser.add_argument("--no-torchkm", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for size in options.sizes.split(","):
        n, d = map(int, size.split("x"))
        rows += measure(n, d, options)
    if options.out is not None:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
