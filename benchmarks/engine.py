"""What fraction of the computer's speed the two hot loops reach.

    python benchmarks/engine.py [--threads 2] [--out results.csv]

Columns: 256 rbf columns of 20 000 float32 samples, computed in blocks, against NumPy's sgemm of the
same shape with the same number of threads; two operations per feature and pair, exp not counted.
Update: OLLAWV's pass over the scores (28 bytes per sample) against NumPy's a += b of doubles
(24 bytes), both over arrays far larger than the second-level cache, one thread each.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from svmosaic import _core
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows

N_SAMPLES = 20_000
N_COLUMNS = 256
REPEATS = 15


def best_seconds(run: Callable[[], Any]) -> float:
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def column_row(n_features: int, threads: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.random((N_SAMPLES, n_features), dtype=np.float32)
    queries = np.ascontiguousarray(X[:N_COLUMNS].T)
    out = np.empty((N_SAMPLES, N_COLUMNS), dtype=np.float32)
    flops = 2.0 * N_SAMPLES * N_COLUMNS * n_features
    with threadpool_limits(threads):
        sgemm = flops / best_seconds(lambda: np.dot(X, queries, out=out))
    kernel = KernelSpec("rbf", gamma=1.0 / n_features)
    ours = flops / _core.time_columns(DenseRows(X), kernel, N_COLUMNS, REPEATS, threads)
    return {
        "what": f"columns, {n_features} features",
        "unit": "Gflop/s",
        "machine": round(sgemm / 1e9, 1),
        "ours": round(ours / 1e9, 1),
        "share": round(ours / sgemm, 2),
    }


def update_row(n: int) -> dict[str, Any]:
    a, b = np.ones(n), np.ones(n)
    bandwidth = 24.0 * n / best_seconds(lambda: np.add(a, b, out=a))
    ours = 28.0 * n / _core.time_update(n, REPEATS, 1)
    return {
        "what": f"update, {n} samples",
        "unit": "GB/s",
        "machine": round(bandwidth / 1e9, 1),
        "ours": round(ours / 1e9, 1),
        "share": round(ours / bandwidth, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    rows = [column_row(d, options.threads) for d in (22, 100, 123, 256, 780)]
    rows += [update_row(n) for n in (1_000_000, 10_000_000)]
    print(f"SIMD level {_core.simd_level()}, {options.threads} threads")
    for row in rows:
        print(
            f"{row['what']:<26}{row['machine']:>8} -> {row['ours']:>7} {row['unit']:<8}"
            f"{100 * row['share']:>5.0f} %"
        )
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, [*rows[0], "date"])
            writer.writeheader()
            writer.writerows(row | {"date": date.today().isoformat()} for row in rows)


if __name__ == "__main__":
    main()
