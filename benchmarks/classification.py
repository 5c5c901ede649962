"""Fit and predict times of OLLAWV beside its peers, on real data, in one run.

    python benchmarks/classification.py [--data DIR] [--sets letter,usps] [--peers full,svc]
                                        [--threads 2] [--repeat 1] [--out results.csv]

80/20 stratified split, seed 0; features scaled to [0, 1] by the training part; the same gamma and
C for all models (C is the refinement's). Every fit runs in a process of its own, so the peak of
memory is its own; reading, scaling and imports are outside the clock. A time is the best of the
repeats, which end after ten seconds. The ratio is the time of the fastest peer in this run divided
by that of the computer.

Ours: plain (refine=None) and full, on float32. Peers: svc (scikit-learn, one thread by
nature), intelex (scikit-learn-intelex, when installed), both on float64; intelex_dense and
intelex_32 are the same with sparse sets made dense, the last one in float32. Sparse sets go in as
CSR otherwise.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import platform
import resource
import time
from datetime import date
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# name: (C, gamma) for features in [0, 1]
PARAMETERS = {
    "satimage": (4.0, 4.0),
    "usps": (4.0, 1 / 32),
    "letter": (4.0, 8.0),
    "adult": (1.0, 1 / 16),
    "w3a": (4.0, 1 / 16),
    "shuttle": (4.0, 256.0),
    "ijcnn1": (4.0, 16.0),
    "web": (4.0, 1 / 16),
}
PEERS = ("svc", "intelex", "intelex_dense", "intelex_32", "plain", "full")
# The names of our classifiers: OLLAWV by its refinement, the others by their class.
OLLAWV: dict[str, Any] = {"plain": None, "full": "full"}
SOLVERS = {
    "smo": "SMOClassifier",
    "mnsvm": "MNSVMClassifier",
    "nnisda": "NNISDAClassifier",
    "nlsgd": "NLSGDClassifier",
    "olla_l2": "OLLAL2Classifier",
}


def split(name: str) -> tuple[Any, Any, Any, Any]:
    """Return training samples and labels, test samples and labels."""
    import numpy as np
    from scipy import sparse
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    from svmosaic.datasets import load

    data = load(name)
    X, y = data.X, np.asarray(data.y)
    classes, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, classes[counts > 1]))
    train, test = train_test_split(rows, test_size=0.2, stratify=y[rows], random_state=0)
    scaler = (MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler()).fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    if sparse.issparse(X):
        X_train, X_test = sparse.csr_matrix(X_train), sparse.csr_matrix(X_test)
    return X_train, y[train], X_test, y[test]


def make(peer: str, C: float, gamma: float, threads: int, n_rows: float = 1.0) -> Any:
    """Return the unfitted model; `n_rows` is the mean number of rows of a binary problem."""
    if peer == "svc":
        from sklearn.svm import SVC

        return SVC(C=C, gamma=gamma, cache_size=2000)
    if peer.startswith("intelex"):
        from sklearnex.svm import SVC as IntelexSVC

        return IntelexSVC(C=C, gamma=gamma, cache_size=2000)
    import svmosaic

    common: dict[str, Any] = {"gamma": gamma, "n_jobs": threads, "cache_mb": 2000}
    if peer in OLLAWV:
        return svmosaic.OLLAWVClassifier(C=C, refine=OLLAWV[peer], **common)
    if peer == "nlsgd":
        # Its C is 1 / lambda of a mean loss, so the same problem has n times the C.
        C *= n_rows
    return getattr(svmosaic, SOLVERS[peer])(C=C, **common)


def is_ours(peer: str) -> bool:
    return peer in OLLAWV or peer in SOLVERS


def in_form(peer: str, X: Any) -> Any:
    """Return the samples as this model is given them."""
    import numpy as np

    if peer in ("intelex_dense", "intelex_32") and hasattr(X, "toarray"):
        X = X.toarray()
    return X.astype(np.float32) if is_ours(peer) or peer == "intelex_32" else X


def child(pipe: Connection, name: str, peer: str, threads: int, repeat: int) -> None:
    """Measure one model on one set and send the record."""
    from threadpoolctl import threadpool_limits

    try:
        X, y, X_test, y_test = split(name)
        X, X_test = in_form(peer, X), in_form(peer, X_test)
        C, gamma = PARAMETERS[name]
        n_rows = 2 * len(y) / len(set(y.tolist()))
        with threadpool_limits(threads):
            # Loads the peers' run-time libraries outside the clock.
            make(peer, C, gamma, threads).fit(X[:1000], y[:1000])
            fits, predictions = [], []
            for _ in range(repeat):
                model = make(peer, C, gamma, threads, n_rows)
                began = time.perf_counter()
                model.fit(X, y)
                fits.append(time.perf_counter() - began)
                began = time.perf_counter()
                predicted = model.predict(X_test)
                predictions.append(time.perf_counter() - began)
                if sum(fits) > 10.0:
                    break
        pipe.send(
            {
                "fit_seconds": round(min(fits), 4),
                "predict_seconds": round(min(predictions), 4),
                "accuracy": round(100 * float((predicted == y_test).mean()), 3),
                "support_vectors": int(sum(model.n_support_)),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "n_train": X.shape[0],
                "n_features": X.shape[1],
            }
        )
    except Exception as error:  # a peer that fails is a result, not the end of the run
        pipe.send({"error": f"{type(error).__name__}: {error}"[:200]})


def measure(name: str, peer: str, threads: int, repeat: int) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(False)
    process = context.Process(target=child, args=(there, name, peer, threads, repeat))
    process.start()
    there.close()
    try:
        record: dict[str, Any] = here.recv()
    except EOFError:
        record = {"error": "the process died"}
    process.join()
    return record


def print_row(row: dict[str, Any]) -> None:
    if "error" in row:
        print(f"{row['set']:<9} {row['peer']:<13} {row['error']}", flush=True)
        return
    ratio = f"{row['fit_ratio']:>7.1f}x" if row.get("fit_ratio") else " " * 8
    quicker = f"{row['predict_ratio']:>7.1f}x" if row.get("predict_ratio") else " " * 8
    print(
        f"{row['set']:<9} {row['peer']:<13}{row['fit_seconds']:>9.3f}{ratio}"
        f"{row['predict_seconds']:>9.3f}{quicker}{row['accuracy']:>9.2f}"
        f"{row['support_vectors']:>8}{row['peak_mb']:>8}",
        flush=True,
    )


def add_ratios(rows: list[dict[str, Any]]) -> None:
    """Compare our models on one set with the fastest peer of this run."""
    done = [row for row in rows if "error" not in row]
    peers = [row for row in done if not is_ours(row["peer"])]
    if not peers:
        return
    for row in done:
        if is_ours(row["peer"]):
            for what in ("fit", "predict"):
                best = min(peer[f"{what}_seconds"] for peer in peers)
                row[f"{what}_ratio"] = round(best / row[f"{what}_seconds"], 2)


def geometric_mean(values: list[float]) -> float:
    from math import exp, log

    return exp(sum(map(log, values)) / len(values))


def print_summary(rows: list[dict[str, Any]]) -> None:
    """Print the claims: the ratios over all sets, and what refinement costs."""
    for peer in dict.fromkeys(row["peer"] for row in rows):
        ratios = [row["fit_ratio"] for row in rows if row["peer"] == peer and "fit_ratio" in row]
        if ratios:
            print(
                f"{peer}: fit {geometric_mean(ratios):.2f} x the fastest peer in geometric mean "
                f"over {len(ratios)} sets, at least {min(ratios):.2f} x"
            )
    seconds = {(row["set"], row["peer"]): row["fit_seconds"] for row in rows if "error" not in row}
    both = [name for name, peer in seconds if peer == "full" and (name, "plain") in seconds]
    if both:
        ratio = geometric_mean([seconds[n, "full"] / seconds[n, "plain"] for n in both])
        print(f"plain is {ratio:.2f} x as fast as full in geometric mean")


def main(default_peers: tuple[str, ...] = PEERS) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder with classification/NAME.svm.gz")
    parser.add_argument("--sets", default=",".join(PARAMETERS))
    parser.add_argument("--peers", default=",".join(default_peers))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    if options.data:
        os.environ["SVMOSAIC_DATA"] = options.data
    peers = options.peers.split(",")
    if find_spec("sklearnex") is None and any(p.startswith("intelex") for p in peers):
        peers = [peer for peer in peers if not peer.startswith("intelex")]
        print("scikit-learn-intelex is not installed: pip install 'svmosaic[bench]'")

    print(
        f"{'set':<9} {'model':<13}{'fit s':>9}{'ratio':>8}{'pred s':>9}{'ratio':>8}"
        f"{'acc %':>9}{'SVs':>8}{'MB':>8}"
    )
    rows = []
    for name in options.sets.split(","):
        of_set = []
        # Peers first: ours are compared with them.
        for peer in sorted(peers, key=is_ours):
            row = {"set": name, "peer": peer}
            row |= measure(name, peer, options.threads, options.repeat)
            of_set.append(row | {"date": date.today().isoformat(), "machine": platform.machine()})
            add_ratios(of_set)
            print_row(of_set[-1])
        rows += of_set
    print_summary(rows)
    if options.out:
        fields = list(dict.fromkeys(key for row in rows for key in row))
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, fields)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
