"""Where to cut the mixture of MIR-Mix-SVM, on synthetic bags.

    python benchmarks/mixture_cut.py [--repeats 2] [--out benchmarks/results/mixture_cut.csv]

Six ways in which a bag gets its label, three numbers of training bags, three shares of the positive
class; 150 test bags each. For the choice of a default, away from the data sets of the papers.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, cohen_kappa_score

from svmosaic import MIRMixSVMClassifier
from svmosaic.multi_instance import mir_mix_svm

KINDS = ("one", "one, noisy labels", "mean", "two", "spread", "pair")
SIZES = (20, 60, 100)
SHARES = (0.5, 0.28, 0.15)
N_TEST = 150
N_FEATURES = 8
BLURS = (0.01, 0.25, 0.5, 0.75, 1.0, 1.5)

Scores = NDArray[np.float64]
Truth = NDArray[np.bool_]


def make_bag(rng: np.random.Generator, kind: str, positive: bool, centres: Scores) -> Scores:
    """Return a bag of 3 to 8 instances.

    A positive bag has an instance near the first centre, or two to three where a negative one has
    at most one, or one near each of two centres where a negative one has either; or its instances
    are shifted together, or lie further apart.
    """
    X = rng.normal(size=(rng.integers(3, 9), N_FEATURES))
    near = rng.normal(scale=0.6, size=X.shape)
    if kind.startswith("one") and positive:
        X[0] = centres[0] + near[0]
    elif kind == "two":
        count = rng.integers(2, 4) if positive else rng.integers(0, 2)
        X[:count] = centres[0] + near[:count]
    elif kind == "pair":
        X[0] = centres[0 if positive or rng.random() < 0.5 else 1] + near[0]
        if positive:
            X[1] = centres[1] + near[1]
    elif kind == "mean":
        X += rng.normal(scale=0.5, size=N_FEATURES) + positive * 0.27 * centres[0]
    elif kind == "spread":
        X *= 1.5 if positive else 1.0
    return X


def make_problem(kind: str, n: int, share: float, seed: int) -> tuple[Any, Truth, Any, Truth]:
    """Return training bags, their labels, test bags and theirs; features in about [0, 1]."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(2, N_FEATURES))
    centres *= 2.64 / np.linalg.norm(centres, axis=1, keepdims=True)
    y = np.arange(n) < max(3, round(share * n))
    y_test = rng.random(N_TEST) < share
    bags = [make_bag(rng, kind, positive, centres) for positive in y]
    test = [make_bag(rng, kind, positive, centres) for positive in y_test]
    if kind.endswith("noisy labels"):
        y = y ^ (rng.random(n) < 0.15)
    everything = np.concatenate(bags)
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = [[(bag - low) / (high - low) for bag in some] for some in (bags, test)]
    return scale[0], y, scale[1], y_test


def blurred(width: float) -> Callable[[Scores, Truth], float]:
    """Return the rule of the library with another width."""

    def cut(scores: Scores, truth: Truth) -> float:
        before, mir_mix_svm._BLUR = mir_mix_svm._BLUR, width
        try:
            return mir_mix_svm._best_cut(scores, truth)
        finally:
            mir_mix_svm._BLUR = before

    return cut


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=2, help="problems of each kind")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)

    rules: dict[str, Callable[[Scores, Truth], float]] = {
        "zero": lambda *_: 0.0,
        "half of 0.01": lambda *left_out: blurred(0.01)(*left_out) / 2.0,
        **{f"blur {width:g}": blurred(width) for width in BLURS},
    }
    found: dict[str, list[tuple[float, float, float]]] = {rule: [] for rule in rules}
    seen: list[tuple[Scores, Truth]] = []
    original = mir_mix_svm._best_cut

    def record(scores: Scores, truth: Truth) -> float:
        seen.append((scores, truth))
        return original(scores, truth)

    problems = itertools.product(range(options.repeats), KINDS, SIZES, SHARES)
    for seed, (_, kind, n, share) in enumerate(problems):
        bags, y, test, y_test = make_problem(kind, n, share, seed)
        mir_mix_svm._best_cut = record
        model = MIRMixSVMClassifier(random_state=seed).fit(bags, y)
        mir_mix_svm._best_cut = original
        scores = model.decision_function(test) + model.threshold_
        for rule, cut in rules.items():
            said = scores > cut(*seen[-1])
            found[rule].append((share, accuracy_score(y_test, said), kappa(y_test, said)))
        print(f"{seed + 1}: {kind}, {n} bags, {share:g} positive", flush=True)

    rows = []
    for rule, values in found.items():
        table = np.array(values)
        parts = {"all": table, **{f"{s:g}": table[table[:, 0] == s] for s in SHARES}}
        for share_of_part, some in parts.items():
            rows.append(
                {
                    "cut": rule,
                    "share": share_of_part,
                    "accuracy": round(float(some[:, 1].mean()), 4),
                    "kappa": round(float(some[:, 2].mean()), 4),
                }
            )
            print(*(f"{value!s:>14}" for value in rows[-1].values()))
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def kappa(truth: Truth, said: Truth) -> float:
    """Return Cohen's kappa; 0 where all bags are alike and called so."""
    return float(np.nan_to_num(cohen_kappa_score(truth, said)))


if __name__ == "__main__":
    main()
