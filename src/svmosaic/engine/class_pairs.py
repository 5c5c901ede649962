"""Many classes by binary problems: one-vs-one and one-vs-rest.

Signs follow scikit-learn. With two classes a positive decision means ``classes_[1]``; with more,
problem (i, j) of one-vs-one is positive for class i, problem c of one-vs-rest for class c.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray, Problem

__all__ = ["MultiClass", "choose_classes", "class_pairs", "combine_votes", "split"]

MultiClass = Literal["ovo", "ovr"]


def class_pairs(n_classes: int, multi_class: MultiClass) -> list[tuple[int, int]]:
    """Return (positive class, negative class) of each problem; -1 stands for all others."""
    if n_classes == 2:
        return [(1, 0)]
    if multi_class == "ovr":
        return [(c, -1) for c in range(n_classes)]
    return list(combinations(range(n_classes), 2))


def split(
    samples: IndexArray,
    labels: IndexArray,
    weights: DoubleArray,
    n_classes: int,
    multi_class: MultiClass,
) -> list[Problem]:
    """Return the binary problems. `labels` and `weights` belong to `samples`."""
    problems = []
    # With many classes, a search through all labels for each pair would take longer than solving.
    of_class = [np.flatnonzero(labels == number) for number in range(n_classes)]
    for positive, negative in class_pairs(n_classes, multi_class):
        takes_part: slice | IndexArray = slice(None)
        if negative >= 0 and n_classes > 2:
            both = np.concatenate([of_class[positive], of_class[negative]])
            # Two sorted runs, which this kind of sort merges.
            takes_part = np.sort(both, kind="stable")
        targets = np.where(labels[takes_part] == positive, 1.0, -1.0)
        problems.append(Problem(samples[takes_part], targets, weights[takes_part]))
    return problems


def combine_votes(decisions: DoubleArray, n_classes: int) -> DoubleArray:
    """Return (n_samples, n_classes): votes of one-vs-one, ties by signed sums of decisions.

    The sum is squeezed into (-1/3, 1/3), so it orders equal votes and never outweighs one.
    """
    # One class is one row: the pairs (i, i + 1), (i, i + 2), ... follow each other.
    of_pairs = np.ascontiguousarray(decisions.T)
    votes = np.zeros((n_classes, decisions.shape[0]))
    sums = np.zeros_like(votes)
    begin = 0
    for i in range(n_classes - 1):
        end = begin + n_classes - 1 - i
        against_later = of_pairs[begin:end]
        for decision in against_later:
            # One by one: NumPy sums many numbers in an order that depends on their layout.
            sums[i] += decision
        sums[i + 1 :] -= against_later
        votes[i] += np.count_nonzero(against_later > 0, axis=0)
        votes[i + 1 :] += against_later <= 0
        begin = end
    votes += sums / (3 * (np.abs(sums) + 1))
    return np.ascontiguousarray(votes.T)


def choose_classes(outputs: DoubleArray, n_classes: int, multi_class: MultiClass) -> IndexArray:
    """Return the class number of each sample, by the outputs of the binary classifiers."""
    if n_classes == 2:
        return (outputs[:, 0] > 0).astype(np.intp)
    values = combine_votes(outputs, n_classes) if multi_class == "ovo" else outputs
    chosen: IndexArray = values.argmax(axis=1)
    return chosen
