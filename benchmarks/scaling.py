"""Fit time against the number of samples, with the exponent of n.

    python benchmarks/scaling.py [--sizes 5000,10000,...] [--peers full,plain,svc,intelex]
                                 [--limit 40] [--out results.csv] [--figure scaling.svg]

Stratified draws of growing size from the intrusion data (494 021 rows, 10 % of KDD Cup 1999),
features scaled to [0, 1]; C = 4, gamma = 1, the same for all. A model that took longer than
`--limit` seconds is not asked for the next size; a fit is given up after three times that. The
exponent is the slope of log time over log n by least squares, from 20 000 samples on: below, fixed
costs dominate.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from datetime import date
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 494_000)
C, GAMMA = 4.0, 1.0
FIRST_FITTED = 20_000


def draw(n: int) -> tuple[Any, Any, Any, Any]:
    """Return n scaled training rows and at most 20 000 others."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler

    from svmosaic.datasets import load

    data = load("intrusion", dense=True)
    X, y = np.asarray(data.X), np.asarray(data.y)
    classes, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, classes[counts > 20]))
    test_size = max(1_000, min(20_000, rows.size - n))
    train_size = min(n, rows.size - test_size)
    train, test = train_test_split(
        rows, train_size=train_size, test_size=test_size, stratify=y[rows], random_state=0
    )
    scaler = MinMaxScaler().fit(X[train])
    return (
        scaler.transform(X[train]).astype(np.float32),
        y[train],
        scaler.transform(X[test]).astype(np.float32),
        y[test],
    )


def make(peer: str, threads: int) -> Any:
    if peer == "svc":
        from sklearn.svm import SVC

        return SVC(C=C, gamma=GAMMA, cache_size=2000)
    if peer == "intelex":
        from sklearnex.svm import SVC as IntelexSVC

        return IntelexSVC(C=C, gamma=GAMMA, cache_size=2000)
    from svmosaic import OLLAWVClassifier

    refine: Any = None if peer == "plain" else peer
    return OLLAWVClassifier(C=C, gamma=GAMMA, refine=refine, n_jobs=threads, cache_mb=1000)


def child(pipe: Connection, peer: str, n: int, threads: int) -> None:
    try:
        X, y, X_test, y_test = draw(n)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        make(peer, threads).fit(X[:2000], y[:2000])
        began = time.perf_counter()
        model = make(peer, threads).fit(X, y)
        seconds = time.perf_counter() - began
        pipe.send(
            {
                "n": X.shape[0],
                "fit_seconds": round(seconds, 3),
                "accuracy": round(100 * float((model.predict(X_test) == y_test).mean()), 3),
                "support_vectors": int(sum(model.n_support_)),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "data_mb": round(before / 1024),
            }
        )
    except Exception as error:  # a peer that fails is a result, not the end of the run
        pipe.send({"error": f"{type(error).__name__}: {error}"[:200]})


def measure(peer: str, n: int, threads: int, most_seconds: float) -> dict[str, Any]:
    context = get_context("spawn")
    here, there = context.Pipe(False)
    process = context.Process(target=child, args=(there, peer, n, threads))
    process.start()
    there.close()
    # Reading and scaling come first; they take some ten seconds at most.
    if not here.poll(most_seconds + 30):
        process.kill()
        process.join()
        return {"n": n, "error": f"not done after {most_seconds:g} s"}
    try:
        record: dict[str, Any] = here.recv()
    except EOFError:
        record = {"error": "the process died"}
    process.join()
    return record


def exponent(rows: list[dict[str, Any]]) -> float:
    kept = [row for row in rows if row["n"] >= 0.9 * FIRST_FITTED]
    if len(kept) < 2:
        return float("nan")
    n = np.log([row["n"] for row in kept])
    return float(np.polyfit(n, np.log([row["fit_seconds"] for row in kept]), 1)[0])


def draw_figure(rows: list[dict[str, Any]], path: Path) -> None:
    from svmosaic.plots.style import COLOURS, finish, new_axes

    ax = new_axes()
    for number, peer in enumerate(dict.fromkeys(row["peer"] for row in rows)):
        own = [row for row in rows if row["peer"] == peer and "error" not in row]
        label = f"{peer}, n^{exponent(own):.2f}"
        x, t = [row["n"] for row in own], [row["fit_seconds"] for row in own]
        ax.plot(x, t, marker="o", color=COLOURS[number % len(COLOURS)], label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.legend(frameon=False)
    finish(ax, title="intrusion", xlabel="training samples", ylabel="fit, seconds")
    ax.figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--peers", default="full,plain,svc,intelex")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=40.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for peer in options.peers.split(","):
        for n in map(int, options.sizes.split(",")):
            row = {"peer": peer, **measure(peer, n, options.threads, 3 * options.limit)}
            rows.append(row | {"date": date.today().isoformat()})
            print(row, flush=True)
            if "error" in row or row["fit_seconds"] > options.limit:
                break
        own = [row for row in rows if row["peer"] == peer and "error" not in row]
        print(f"{peer}: time grows as n^{exponent(own):.2f}", flush=True)
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(dict.fromkeys(k for row in rows for k in row)))
            writer.writeheader()
            writer.writerows(rows)
    if options.figure:
        draw_figure(rows, options.figure)


if __name__ == "__main__":
    main()
