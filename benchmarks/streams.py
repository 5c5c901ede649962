"""Samples per second of stream generators, and of learners beside River's Hoeffding tree.

    python benchmarks/streams.py [--samples 100000] [--out benchmarks/results/streams.csv]

Generators are read in chunks of 1000 and of 10 000 samples. Learners predict and learn chunks of
1000 samples of RandomRBF (10 attributes, 2 classes); River's tree, which is slow, gets a tenth of
the samples. Seconds are those of the processor, so that what else the machine does changes little;
a learner with threads takes less time than that.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmosaic import NLSGDClassifier, OLLAL2Classifier, streams
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


def learners() -> dict[str, Any]:
    """Return the learners of this version, and River's tree where River is installed."""
    found: dict[str, Any] = {}
    for rule in ("published", "adaptive"):
        if hasattr(streams, "StreamOLLAWV"):
            found[f"StreamOLLAWV {rule}"] = streams.StreamOLLAWV(rule=rule)
    if hasattr(streams, "StreamOLLAL2"):
        found["StreamOLLAL2"] = streams.StreamOLLAL2()
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


def learner_rate(learner: Any, n_samples: int) -> tuple[float, float]:
    """Return samples per second and accuracy; the stream's own time is not counted."""
    stream = RandomRBF(seed=3)
    began = time.process_time()
    result = prequential({"learner": learner}, stream, n_samples=n_samples, metrics=["accuracy"])
    spent = (
        time.process_time()
        - began
        - n_samples / generator_rate(GENERATORS["RandomRBF"], n_samples, 1000)
    )
    return n_samples / spent, result.last()["learner"]["accuracy"]


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
        n_samples = args.samples // 10 if name == REFERENCE else args.samples
        rates[name], accuracy = learner_rate(learner, n_samples)
        print(f"{name:<24} {rates[name]:>12,.0f} samples/s  accuracy {accuracy:.4f}", flush=True)
        rows.append({"what": name, "samples_per_second": round(rates[name]), "accuracy": accuracy})
    for name, rate in rates.items():
        if REFERENCE in rates and name != REFERENCE:
            print(f"{name}: {rate / rates[REFERENCE]:.1f} times {REFERENCE}")
    if args.out is not None:
        with args.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, ["what", "samples_per_second", "accuracy"])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
