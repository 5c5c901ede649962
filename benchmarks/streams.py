"""Samples per second of stream generators, and of learners beside River's Hoeffding tree.

    python benchmarks/streams.py [--samples 100000] [--out benchmarks/results/streams.csv]
    python benchmarks/streams.py --course [--out benchmarks/results/stream_course.csv]
    python benchmarks/streams.py --each [--repeat 3] [--out benchmarks/results/stream_rates.csv]

Generators are read in chunks of 1000 and of 10 000 samples. Learners predict and learn chunks of
1000 samples of RandomRBF (10 attributes, 2 classes), ours with all threads; River's tree and
NL-SGD, which are slow, get a tenth of the samples. A learner has two rates, by the clock and by
the processor: on a computer with other work the second changes little, on a quiet one the first is
what a user sees.

With --course there is one run of the adaptive rule over a million samples with two threads, and
River's tree beside it on the first 100 000, in turns of 10 000 samples, so that other work on the
computer meets both: rates so far at some places, and the rate between two of them. With --each
there are such runs over the first 100 000 samples of every generator, and of data sets that are
there; with --repeat, medians over several runs of each.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic import (
    NLSGDClassifier,
    OLLAL2Classifier,
    StreamOLLAL2,
    StreamOLLAWV,
    datasets,
    streams,
)
from svmosaic.exceptions import DataNotFoundError
from svmosaic.streams import ArrayStream, RandomRBF, Stream, prequential
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


# The tree is slow: it sees this many samples at most, and streams of --each end there.
LONGEST = 100_000
# Samples of one learner before the other one takes its turn. After each chunk, neither would find
# its data in the cache, as it does when it runs alone.
TURN = 10_000
# Where the rates are taken, in samples.
PLACES = (10_000, 30_000, 60_000, 100_000, 200_000, 500_000, 1_000_000)
COURSE = ("learner", "n_samples", "rate_so_far", "cpu_rate_so_far", "rate_since_last", "accuracy")


def course(n_samples: int, source: Stream) -> list[dict[str, Any]]:
    """Return the rates of the adaptive rule and of River's tree along one run."""
    n_beside = min(n_samples, LONGEST)
    ours: Any = StreamOLLAWV(n_jobs=2)
    tree = importlib.import_module("river.tree").HoeffdingTreeClassifier()
    records: dict[str, list[Any]] = {"StreamOLLAWV, adaptive": [], REFERENCE: []}
    learned = {"StreamOLLAWV, adaptive": ours, REFERENCE: RiverLearner(tree)}
    right = dict.fromkeys(records, 0)
    for first in range(0, n_samples, TURN):
        for name, learner in learned.items():
            if name == REFERENCE and first >= n_beside:
                continue
            for begin in range(first, min(first + TURN, n_samples), 1000):
                X, y = source.read(begin, min(1000, n_samples - begin))
                clock, cpu = time.perf_counter(), time.process_time()
                told = learner.predict_then_learn(X, y, source.classes)
                spent = time.perf_counter() - clock, time.process_time() - cpu
                right[name] += int((told == y).sum())
                records[name].append((*spent, right[name] / (begin + len(y))))
    rows = []
    for name, found in records.items():
        before, seconds_before = 0, 0.0
        end = n_samples if name != REFERENCE else n_beside
        for place in sorted({*(place for place in PLACES if place < end), end}):
            part = found[: math.ceil(place / 1000)]
            seconds, cpu = sum(one[0] for one in part), sum(one[1] for one in part)
            rows.append(
                {
                    "learner": name,
                    "n_samples": place,
                    "rate_so_far": round(place / seconds),
                    "cpu_rate_so_far": round(place / cpu),
                    "rate_since_last": round((place - before) / (seconds - seconds_before)),
                    "accuracy": round(part[-1][2], 5),
                }
            )
            before, seconds_before = place, seconds
    return rows


EACH = (
    "stream",
    "n_samples",
    "n_features",
    "n_classes",
    "rate",
    "times_the_tree",
    "accuracy",
    "of_the_tree",
)
# In the order of their files.
DATA_SETS = ("electricity", "ijcnn1", "intrusion", "shuttle", "covertype", "census")


def sources(seed: int) -> Iterator[Stream]:
    """Yield a stream of every generator, and one of every data set that is there."""
    for name in GENERATORS:
        yield getattr(streams, name)(seed=seed)
    for name in DATA_SETS:
        try:
            data = datasets.load(name)
        except DataNotFoundError:
            continue
        X = data.X[:LONGEST]
        dense = X.toarray() if scipy.sparse.issparse(X) else X
        yield ArrayStream(dense, np.asarray(data.y)[:LONGEST], name=name)


def each(seed: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Yield the rate of the adaptive rule on each stream, and how it compares with the tree."""
    for source in sources(seed):
        n_samples = LONGEST if source.length is None else min(source.length, LONGEST)
        rates, times = [], []
        for _ in range(repeats):
            last = {row["learner"]: row for row in course(n_samples, source)}
            ours, tree = last["StreamOLLAWV, adaptive"], last[REFERENCE]
            rates.append(ours["rate_so_far"])
            times.append(ours["rate_so_far"] / tree["rate_so_far"])
        yield {
            "stream": source.name,
            "n_samples": n_samples,
            "n_features": source.n_features,
            "n_classes": len(source.classes),
            "rate": round(median(rates)),
            "times_the_tree": round(median(times), 1),
            "accuracy": ours["accuracy"],
            "of_the_tree": tree["accuracy"],
        }


def write(rows: list[dict[str, Any]], fields: list[str] | tuple[str, ...], path: Path) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def show(rows: Iterable[dict[str, Any]], fields: tuple[str, ...], path: Path | None) -> None:
    """Print rows as they come, and write them if there is a path."""
    taken = []
    for row in rows:
        print("  ".join(f"{name} {row[name]}" for name in fields), flush=True)
        taken.append(row)
    if path is not None:
        write(taken, fields, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--course", action="store_true", help="rates along one run")
    parser.add_argument(
        "--each", action="store_true", help="rates of both on every generator and data set"
    )
    parser.add_argument("--seed", type=int, default=7, help="of the streams of --course and --each")
    parser.add_argument("--repeat", type=int, default=1, help="runs of --each, of which medians")
    args = parser.parse_args()
    if args.each:
        show(each(args.seed, args.repeat), EACH, args.out)
        return
    if args.course:
        n_samples = args.samples if args.samples != 100_000 else 1_000_000
        show(course(n_samples, RandomRBF(seed=args.seed)), COURSE, args.out)
        return
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
        names = ["what", "samples_per_second", "samples_per_cpu_second", "accuracy"]
        write(rows, names, args.out)


if __name__ == "__main__":
    main()
