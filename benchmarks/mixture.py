"""How MIR-Mix-SVM weighs its views and cuts their sum, on synthetic bags.

    python benchmarks/mixture.py [--repeats 2] [--out benchmarks/results/mixture.csv]

Seven ways in which a bag gets its label, four numbers of training bags, three shares of the
positive class; 150 test bags each. For the choice of defaults, away from the data sets of the
papers: `mixing_cv`, `sharpness`, and how much left-out scores are blurred before the cut. One of
them is changed at a time.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, cohen_kappa_score, roc_auc_score

from svmosaic import MIRMixSVMClassifier
from svmosaic.multi_instance import mir_mix_svm
from svmosaic.multi_instance.inner_folds import inner_splits
from svmosaic.multi_instance.training_bags import prepare_training

KINDS = ("one", "one, noisy labels", "mean", "two", "spread", "pair", "words")
SIZES = (18, 50, 90, 180)
SHARES = (0.5, 0.28, 0.7)
N_TEST = 150
N_FEATURES = 8
N_WORDS = 400
FOLDS = (3, 5, 10)
SHARPNESSES = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0)
BLURS = (0.1, 1.0, 2.0, 3.0, 4.0, 6.0, 10.0)

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
    return _scaled(bags, low, high), y, _scaled(test, low, high), y_test


def make_pages(n: int, share: float, seed: int) -> tuple[Any, Truth, Any, Truth]:
    """Return the same for bags of pages: counts of words, by a few topics to each page.

    Two pages of a positive bag are half about a topic that other pages lack.
    """
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(N_WORDS, 0.02), size=6)

    def make(positive: bool) -> Scores:
        pages = []
        for page in range(rng.integers(4, 20)):
            words = rng.dirichlet(np.full(5, 0.4)) @ topics[1:]
            if positive and page < 2:
                words = (words + topics[0]) / 2.0
            pages.append(rng.multinomial(rng.integers(5, 40), words))
        return np.array(pages, dtype=np.float64)

    y = np.arange(n) < max(3, round(share * n))
    y_test = rng.random(N_TEST) < share
    bags, test = [make(positive) for positive in y], [make(positive) for positive in y_test]
    high = np.maximum(np.concatenate(bags).max(axis=0), 1.0)
    return _scaled(bags, 0.0, high), y, _scaled(test, 0.0, high), y_test


def _scaled(bags: list[Scores], low: Any, high: Any) -> list[Scores]:
    return [(bag - low) / (high - low) for bag in bags]


@dataclass(frozen=True)
class Views:
    """What all views say: of left-out training bags for each number of folds, and of test bags."""

    left_out: dict[int, Scores]
    searched: Scores
    signs: Scores
    test: Scores
    y_test: Truth

    def decide(self, folds: int, sharpness: float, blur: float) -> Scores:
        """Return the decision values of test bags by some settings."""
        with patch.object(mir_mix_svm, "_BLUR", blur):
            found = mir_mix_svm.mix(self.left_out[folds], self.searched, self.signs, sharpness)
        return np.asarray(found.weights @ self.test - found.threshold)


def ask_views(problem: tuple[Any, Truth, Any, Truth], seed: int) -> Views:
    """Train all views and return what they say."""
    bags, y, test, y_test = problem
    with patch.object(mir_mix_svm, "mix", wraps=mir_mix_svm.mix) as spy:
        model = MIRMixSVMClassifier(random_state=seed).fit(bags, y)
    searched = spy.call_args.args[1]
    data = prepare_training(bags, y, None, "mixture")
    signs = data.signs
    left_out = {}
    for folds in FOLDS:
        splits = inner_splits(folds, signs, np.random.RandomState(seed))
        left_out[folds] = np.array(
            [mir_mix_svm._left_out_scores(member, data, splits, {}) for member in model.members_]
        )
    said = np.array([member.decision_function(test) for member in model.members_])
    return Views(left_out, searched, signs, said, y_test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=2, help="problems of each kind")
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)

    chosen = (10, 3.0, 3.0)
    settings = [
        *((folds, *chosen[1:]) for folds in FOLDS),
        *((chosen[0], sharpness, chosen[2]) for sharpness in SHARPNESSES if sharpness != chosen[1]),
        *((*chosen[:2], blur) for blur in BLURS if blur != chosen[2]),
    ]
    found: dict[tuple[int, float, float], list[tuple[int, float, float, float]]] = {
        setting: [] for setting in settings
    }
    problems = itertools.product(range(options.repeats), SIZES, KINDS, SHARES)
    for seed, (_, n, kind, share) in enumerate(problems):
        problem = (
            make_pages(n, share, seed) if kind == "words" else make_problem(kind, n, share, seed)
        )
        views = ask_views(problem, seed)
        for setting in settings:
            scores = views.decide(*setting)
            found[setting].append((n, *measure(views.y_test, scores)))
        print(f"{seed + 1}: {kind}, {n} bags, {share:g} positive", flush=True)

    rows = []
    for (folds, sharpness, blur), values in found.items():
        table = np.array(values)
        parts: dict[str, Scores] = {"all": table}
        parts |= {str(n): table[table[:, 0] == n] for n in SIZES}
        for size, some in parts.items():
            means = some[:, 1:].mean(axis=0)
            rows.append(
                {"folds": folds, "sharpness": sharpness, "blur": blur, "bags": size}
                | dict(zip(("accuracy", "kappa", "auc"), means.round(4).tolist(), strict=True))
            )
            print(*(f"{value!s:>9}" for value in rows[-1].values()))
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def measure(truth: Truth, scores: Scores) -> tuple[float, float, float]:
    """Return accuracy, Cohen's kappa (0 where all bags are alike and called so) and AUC."""
    kappa = float(np.nan_to_num(cohen_kappa_score(truth, scores > 0)))
    auc = float(roc_auc_score(truth, scores))
    return float(accuracy_score(truth, scores > 0)), kappa, auc


if __name__ == "__main__":
    main()
