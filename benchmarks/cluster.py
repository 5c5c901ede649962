"""What a Dask cluster gives: one exact model by workers of a few threads, beside one worker.

    python benchmarks/cluster.py [--npz DIR] [--set covertype-200000] [--workers 1x2,8x2]
                                 [--partitions 8] [--no-local] [--out cluster.csv]
    python benchmarks/cluster.py --simulate 10000,20000,40000 [--partitions 64] [--out plan.csv]

All workers are processes on this computer. Seconds are of `fit` with the rows on the workers
already, after a fit to a few of them; beside them stand those of the local estimator with as many
threads as all workers of the last form have together, the dual objectives, and what was sent to
each worker beside the size of the support vectors.

`--simulate` runs the partitions one after the other in this process, on two classes in 100
dimensions that overlap, and counts rounds and bytes: what grows with the number of rows, and how.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from cores import CASES, prepare, read_npz

Row = dict[str, Any]


def fit_on_cluster(X: Any, y: Any, params: dict[str, Any], form: str, n_partitions: int) -> Row:
    """Return the figures of the second fit by workers, for example 8x2: 8 of 2 threads."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    from svmosaic.dask import DaskOLLAWVClassifier

    n_workers, n_threads = map(int, form.split("x"))
    rows = -(-X.shape[0] // n_partitions)
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=n_threads,
            memory_limit=0,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        few = [da.from_array(X[:4000], chunks=(500, -1)), da.from_array(y[:4000], chunks=500)]
        DaskOLLAWVClassifier(**params).fit(*few)
        lazy = [da.from_array(X, chunks=(rows, -1)), da.from_array(y, chunks=rows)]
        data = list(client.persist(lazy))
        wait(data)
        began = time.perf_counter()
        model = DaskOLLAWVClassifier(**params).fit(*data)
        seconds = time.perf_counter() - began
    print(model.fit_report_, flush=True)
    sent = model.fit_report_.traffic
    local = model.to_local()
    return {
        "form": form,
        "seconds": seconds,
        "support": len(local.support_),
        "in_play": model.fit_report_.n_in_play,
        "objective": float(np.sum(local.objective_)),
        "rounds": sent.n_rounds,
        "sweeps": sent.n_sweeps,
        "row_mb": sent.row_bytes / 1e6,
        "change_mb": sent.change_bytes / 1e6,
        "support_mb": local.support_vectors_.nbytes / 1e6,
    }


def fit_here(X: Any, y: Any, params: dict[str, Any], n_threads: int) -> Row:
    """Return the figures of the local estimator."""
    from svmosaic import OLLAWVClassifier

    for _ in range(2):
        began = time.perf_counter()
        model = OLLAWVClassifier(**params, n_jobs=n_threads).fit(X, y)
        seconds = time.perf_counter() - began
    objective = float(np.sum(model.objective_))
    support = len(model.support_)
    return {
        "form": f"local {n_threads}",
        "seconds": seconds,
        "support": support,
        "objective": objective,
    }


def simulate(n_rows: int, n_partitions: int) -> Row:
    """Return rounds and bytes of a fit to rows that are made up."""
    from svmosaic.dask.partition import Plan, prepare, read
    from svmosaic.dask.rounds import Settings, solve_over_partitions
    from svmosaic.dask.tasks import PairSpec
    from svmosaic.dask.workers import InProcess
    from svmosaic.engine.kernels import kernel_spec

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    centres = 0.45 * rng.normal(size=(2, 3, 100))
    X = centres[y, rng.integers(0, 3, n_rows)] + rng.normal(size=(n_rows, 100))
    plan = Plan(np.arange(2), None, False, np.float32)
    partitions = [
        prepare(read(X[rows], y[rows], None, "simulation", k, is_regression=False), plan)
        for k, rows in enumerate(np.array_split(np.arange(n_rows), n_partitions))
    ]
    settings = Settings(PairSpec([(1, 0)]), 1.0, 1e-3)
    workers = InProcess(-1, n_workers=n_partitions)
    kernel = kernel_spec("rbf", 0.005)
    found = solve_over_partitions(workers, partitions, n_rows, kernel, settings, n_classes=2)
    sent = found.traffic
    return {
        "rows": n_rows,
        "partitions": n_partitions,
        "support": int(np.count_nonzero(found.in_play.beta)),
        "in_play": found.in_play.n,
        "rounds": sent.n_rounds,
        "sweeps": sent.n_sweeps,
        "row_mb": sent.row_bytes / 1e6,
        "change_mb": sent.change_bytes / 1e6,
        "result_mb": sent.result_bytes / 1e6,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--npz", type=Path)
    parser.add_argument("--set", default="covertype-200000", choices=CASES)
    parser.add_argument("--workers", default="1x2,8x2")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--no-local", action="store_true")
    parser.add_argument("--simulate", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if options.simulate:
        sizes = map(int, options.simulate.split(","))
        return write([simulate(n, options.partitions) for n in sizes], options.out)
    case = CASES[options.set]
    X, y = read_npz(options.npz / f"{options.set}.npz") if options.npz else prepare(case)
    y, params = np.asarray(y), {"C": case.C, "gamma": case.gamma}
    forms = options.workers.split(",")
    rows = []
    if not options.no_local:
        n_workers, n_threads = map(int, forms[-1].split("x"))
        rows.append(fit_here(X, y, params, n_workers * n_threads))
    rows += [fit_on_cluster(X, y, params, form, options.partitions) for form in forms]
    return write(rows, options.out)


def write(rows: list[Row], path: Path | None) -> int:
    """Show the figures, and write them to a file if there is to be one."""
    for row in rows:
        shown = {k: f"{v:.8g}" if isinstance(v, float) else v for k, v in row.items()}
        print("  ".join(f"{k}={v}" for k, v in shown.items()))
    if path is not None:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[-1]))
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
