"""Samples per second of stream generators, and of learners beside River's Hoeffding tree.

    python benchmarks/streams.py [--samples 100000] [--out benchmarks/results/streams.csv]

Generators are read in chunks of 1000 and of 10 000 samples. Learners predict and learn chunks of
1000 samples of RandomRBF (10 attributes, 2 classes), ours with all threads; River's tree and
NL-SGD, which are slow, get a tenth of the samples. A learner has two rates, by the clock and by
the processor: on a computer with other work the second changes little, on a quiet one the first is
what a user sees.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmosaic import NLSGDClassifier, OLLAL2Classifier, StreamOLLAL2, StreamOLLAWV, streams
from svmosaic.streams import RandomRBF, Stream, prequential
from svmosaic.streams.learners import RiverLearner

GENERATORS: dict[str, Callable[[], Stream]] = {
    "SEA": lambda: streams.SEA(seed=1),
    "Sine": lambda: streams.Sine(seed=1),
    "Mixed": lambda: streams.Mixed(seed=1),
    "STAGGER": lambda: streams.STAGGER(seed=1),
    "Hyperplane": lambda: streams.Hyperplane(seed=1),
    "RandomRBF": lambda: streams.RandomRBF(seed=1),
    "RandomTree": lambda: streams.RandomTree(seed=1),
    "LED": lambda: streams.LED(seed=1),
    "Waveform": lambda: streams.Waveform(seed=1),
    "Agrawal": lambda: streams.Agrawal(seed=1),
}
REFERENCE = "River's Hoeffding tree"
SLOW = (REFERENCE, "NL-SGD")


def learners() -> dict[str, Any]:
    """Return the learners of this version, and River's tree where River is installed."""
    found: dict[str, Any] = {
        "StreamOLLAWV, published": StreamOLLAWV(rule="published", n_jobs=-1),
        "StreamOLLAWV, adaptive": StreamOLLAWV(n_jobs=-1),
        "StreamOLLAWV, memory 3000": StreamOLLAWV(memory=3000, n_jobs=-1),
        "StreamOLLAL2": StreamOLLAL2(n_jobs=-1),
    }
    found["OLLA-L2, budget 300"] = OLLAL2Classifier(budget=300, random_state=0)
    found["NL-SGD"] = NLSGDClassifier(random_state=0)
    try:
        tree = importlib.import_module("river.tree")
    except ImportError:
        return found
    found[REFERENCE] = RiverLearner(tree.HoeffdingTreeClassifier())
    return found


def generator_rate(make: Callable[[], Stream], n_samples: int, chunk: int) -> float:
    stream = make()
    # The first samples pay for what is made once.
    stream.read(0, chunk)
    began = time.process_time()
    for begin in range(chunk, n_samples, chunk):
        stream.read(begin, chunk)
    return (n_samples - chunk) / (time.process_time() - began)


def learner_rates(learner: Any, n_samples: int) -> dict[str, float]:
    """Return samples per second, by the clock and by the processor, and the accuracy."""
    result = prequential(
        {"learner": learner}, RandomRBF(seed=3), n_samples=n_samples, metrics=["accuracy"]
    )
    (row,) = result.summary()
    cpu_seconds = row["train_cpu_seconds"] + row["test_cpu_seconds"]
    return {
        "samples_per_second": n_samples / (row["train_seconds"] + row["test_seconds"]),
        "samples_per_cpu_second": n_samples / cpu_seconds,
        "accuracy": row["accuracy"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, make in GENERATORS.items():
        for chunk in (1000, 10_000):
            rate = generator_rate(make, max(args.samples, 10 * chunk), chunk)
            rows.append({"what": f"{name}, chunks of {chunk}", "samples_per_second": round(rate)})
            print(f"{name:<12} chunks of {chunk:>6}  {rate:>12,.0f} samples/s", flush=True)
    rates = {}
    for name, learner in learners().items():
        n_samples = args.samples // 10 if name in SLOW else args.samples
        rates[name] = learner_rates(learner, n_samples)
        clock, cpu, accuracy = rates[name].values()
        print(
            f"{name:<26} {clock:>10,.0f} samples/s {cpu:>10,.0f} per CPU second  {accuracy:.4f}",
            flush=True,
        )
        rows.append({"what": name, **rates[name]})
    for name, found in rates.items():
        if REFERENCE in rates and name != REFERENCE:
            ratio = found["samples_per_second"] / rates[REFERENCE]["samples_per_second"]
            print(f"{name}: {ratio:.1f} times {REFERENCE}")
    if args.out is not None:
        with args.out.open("w", newline="") as stream:
            writer = csv.DictWriter(
                stream, ["what", "samples_per_second", "samples_per_cpu_second", "accuracy"]
            )
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
