"""The adaptive rule beside no-change, majority, its own guesses, and River's forest and tree.

    python benchmarks/stream_baselines.py development
    python benchmarks/stream_baselines.py report [--out benchmarks/results/stream_baselines.csv]

Labels arrive one by one. Each stream has five seeds; a real one, which has none, is cut into five
blocks. The design was chosen on the development streams; decision 0032 says by what rule, and which
streams report it. The first 100 samples of each are only learned from.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic import StreamOLLAWV, streams
from svmosaic.classification.stream.in_turn import GUESSES, InTurn
from svmosaic.datasets import load
from svmosaic.streams import ArrayStream, Stream, prequential

SEEDS = range(5)
CHUNK = 100
PEERS = {
    "ARF": ("river.forest", "ARFClassifier", {"seed": 1}),
    "Hoeffding tree": ("river.tree", "HoeffdingTreeClassifier", {}),
}
FIELDS = ("stream", "seed", "n_samples", "learner", "kappa_t", "accuracy", "cpu_seconds")


def runs(seed: int, *, n_samples: int, n_classes: int, length: float, spread: float) -> Stream:
    """Return a stream whose labels come in runs; features drift about their class within a run."""
    rng = np.random.default_rng(seed)
    centres = 0.5 * rng.normal(size=(n_classes, 21))
    rows: list[Any] = []
    labels: list[int] = []
    while len(labels) < n_samples:
        label = int(rng.integers(n_classes))
        x = centres[label] + spread * rng.normal(size=21)
        for _ in range(int(rng.geometric(1.0 / length))):
            x = x + 0.2 * (centres[label] - x) + 0.5 * spread * rng.normal(size=21)
            rows.append(x)
            labels.append(label)
    return ArrayStream(np.array(rows[:n_samples]), np.array(labels[:n_samples]))


def piece(name: str, begin: int, count: int) -> Callable[[int], Stream]:
    """Return blocks of a real stream, in the order of its file, by their number."""

    def open_block(seed: int) -> Stream:
        data = load(name)
        X, y = data.X, data.y
        first = begin + seed * count
        X = X.toarray() if hasattr(X, "toarray") else X
        assert y is not None
        return ArrayStream(X[first : first + count], y[first : first + count])

    return open_block


def cut(make: Callable[[int], Stream], count: int) -> Callable[[int], Stream]:
    """Return the first samples of generated streams, by their seed."""
    return lambda seed: ArrayStream(*make(seed).read(0, count))


DEVELOPMENT: dict[str, Callable[[int], Stream]] = {
    "runs of 10, 40 classes": lambda s: runs(
        s, n_samples=4000, n_classes=40, length=10, spread=0.45
    ),
    "SEA, 1600": cut(lambda s: streams.SEA(seed=s), 1600),
    "RandomRBF, 1600": cut(lambda s: streams.RandomRBF(seed=s), 1600),
    "electricity, first half": piece("electricity", 0, 4000),
}
REPORT: dict[str, Callable[[int], Stream]] = {
    "runs of 12, 40 classes": lambda s: runs(
        100 + s, n_samples=4000, n_classes=40, length=12, spread=0.8
    ),
    "runs of 4, 12 classes": lambda s: runs(
        200 + s, n_samples=4000, n_classes=12, length=4, spread=0.6
    ),
    "electricity, second half": piece("electricity", 22_656, 4000),
    "covertype": piece("covertype", 100_000, 4000),
    "Hyperplane, 1600": cut(lambda s: streams.Hyperplane(seed=100 + s), 1600),
    "Waveform, 1600": cut(lambda s: streams.Waveform(seed=100 + s), 1600),
    "Sine, 1600": cut(lambda s: streams.Sine(seed=100 + s), 1600),
    "RandomTree, 1600": cut(lambda s: streams.RandomTree(seed=100 + s), 1600),
    "Agrawal, 1600": cut(lambda s: streams.Agrawal(seed=100 + s), 1600),
}


class Watched(StreamOLLAWV):
    """The learner, which also counts how often each of its guesses was right.

    A guess that rests is not made; for those samples the model's counts for it.
    """

    def count_right(self, X: Any, y: Any, classes: Any) -> tuple[Any, dict[str, Any]]:
        """Return the predictions and whether each guess was right."""
        right: dict[str, list[Any]] = {name: [] for name in GUESSES}
        note = InTurn.note

        def watched(turn: InTurn, guesses: Any, rows: Any, labels: Any) -> None:
            for name in GUESSES:
                told = guesses.codes.get(name, guesses.codes["model"])
                right[name].append(told == labels)
            note(turn, guesses, rows, labels)

        InTurn.note = watched  # type: ignore[assignment, method-assign]
        try:
            predicted = self.predict_then_learn(X, y, classes)
        finally:
            InTurn.note = note  # type: ignore[method-assign]
        return predicted, {name: np.concatenate(parts) for name, parts in right.items()}


def of_stream(name: str, seed: int, source: Stream, *, peers: bool) -> Iterator[dict[str, Any]]:
    """Yield a record of each learner."""
    X, y = source.read(0, source.length or 0)
    n = len(y)
    base = {"stream": name, "seed": seed, "n_samples": n}
    began = time.process_time()
    predicted, right = Watched().count_right(X, y, np.unique(y))
    spent = time.process_time() - began
    same = float(np.mean(y[CHUNK:] == y[CHUNK - 1 : -1]))
    scores = {"adaptive": float(np.mean(predicted[CHUNK:] == y[CHUNK:]))}
    # The guesses begin with the second sample.
    scores |= {f"guess: {k}": float(v[CHUNK - 1 :].mean()) for k, v in right.items()}
    for learner, accuracy in scores.items():
        beyond = (accuracy - same) / (1.0 - same) if same < 1.0 else 0.0
        seconds = spent if learner == "adaptive" else ""
        yield base | {
            "learner": learner,
            "kappa_t": beyond,
            "accuracy": accuracy,
            "cpu_seconds": seconds,
        }
    learners = {}
    if peers:
        for peer, (module, kind, options) in PEERS.items():
            learners[peer] = getattr(importlib.import_module(module), kind)(**options)
    learners["published"] = StreamOLLAWV(rule="published", chunk_size=500)
    result = prequential(learners, source, chunk=CHUNK, metrics=["kappa_t", "accuracy"])
    for row in [*result.summary(), *result.baseline_summary()]:
        cpu = row.get("train_cpu_seconds", 0.0) + row.get("test_cpu_seconds", 0.0)
        yield base | {
            "learner": row["learner"],
            "kappa_t": row["kappa_t"],
            "accuracy": row["accuracy"],
            "cpu_seconds": cpu or "",
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["development", "report"])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--streams", nargs="*", help="only those whose name begins so")
    parser.add_argument("--no-peers", action="store_true", help="without River's learners")
    args = parser.parse_args()
    chosen = DEVELOPMENT if args.which == "development" else REPORT
    wanted = tuple(args.streams) if args.streams else ("",)
    rows: list[dict[str, Any]] = []
    for name, make in chosen.items():
        if not name.startswith(wanted):
            continue
        for seed in SEEDS:
            rows += of_stream(name, seed, make(seed), peers=not args.no_peers)
        by_learner: dict[str, list[float]] = {}
        for row in rows:
            if row["stream"] == name:
                by_learner.setdefault(row["learner"], []).append(row["accuracy"])
        for learner, found in by_learner.items():
            spread = f"{100 * np.mean(found):6.2f} +- {100 * np.std(found, ddof=1):.2f}"
            print(f"{name:<26} {learner:<18} {spread}", flush=True)
        if args.out is not None:
            with args.out.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
