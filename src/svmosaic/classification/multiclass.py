"""Many classes by binary machines: one-vs-one and one-vs-rest.

Signs follow scikit-learn. With two classes a positive decision means ``classes_[1]``; with more,
machine (i, j) of one-vs-one is positive for class i, machine c of one-vs-rest for class c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution

__all__ = ["Expansion", "MultiClass", "combine_votes", "gather", "output_matrix", "split"]

MultiClass = Literal["ovo", "ovr"]


@dataclass(frozen=True)
class Expansion:
    """All machines of a classifier over one list of support vectors.

    Attributes
    ----------
    support : ndarray of int64
        Rows of the training table, by class and then ascending.
    n_support : ndarray of int64
        Support vectors of each class.
    dual_coef : ndarray of shape (n_classes - 1, n_support) or (n_machines, n_support)
        Coefficients as scikit-learn arranges them.
    intercept : ndarray of shape (n_machines,)
        Constant terms.
    """

    support: IndexArray
    n_support: IndexArray
    dual_coef: DoubleArray
    intercept: DoubleArray


def machines(n_classes: int, multi_class: MultiClass) -> list[tuple[int, int]]:
    """Return (positive class, negative class) of each machine; -1 stands for all others."""
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
    *,
    start: int = -1,
) -> list[Problem]:
    """Return one problem per machine. `labels` and `weights` belong to `samples`."""
    problems = []
    for positive, negative in machines(n_classes, multi_class):
        takes_part = slice(None) if negative < 0 else (labels == positive) | (labels == negative)
        targets = np.where(labels[takes_part] == positive, 1.0, -1.0)
        problems.append(Problem(samples[takes_part], targets, weights[takes_part], start))
    return problems


def gather(
    solutions: Sequence[Solution], labels: IndexArray, n_classes: int, multi_class: MultiClass
) -> Expansion:
    """Join the machines' expansions; a vector that several share is listed once.

    `labels` holds the class of every row of the table.
    """
    rows = np.unique(np.concatenate([s.support for s in solutions]))
    support = rows[np.argsort(labels[rows], kind="stable")]
    of_class = labels[support]
    n_support = np.bincount(of_class, minlength=n_classes)
    place = np.empty(labels.size, dtype=np.int64)
    place[support] = np.arange(support.size)

    pairs = machines(n_classes, multi_class)
    one_vs_one = n_classes > 2 and multi_class == "ovo"
    dual_coef = np.zeros((n_classes - 1 if one_vs_one else len(pairs), support.size))
    for m, ((positive, negative), solution) in enumerate(zip(pairs, solutions, strict=True)):
        at = place[solution.support]
        if one_vs_one:
            # A vector of class c meets n_classes - 1 machines; the row is the other class's
            # number among them.
            row = np.where(of_class[at] == positive, negative - 1, positive)
            dual_coef[row, at] = solution.coef
        else:
            dual_coef[m, at] = solution.coef
    intercept = np.array([s.intercept for s in solutions])
    return Expansion(support, n_support, dual_coef, intercept)


def output_matrix(
    dual_coef: DoubleArray,
    n_support: npt.NDArray[np.integer[Any]],
    n_classes: int,
    multi_class: MultiClass,
) -> csr_array:
    """Return coefficients with one row per support vector and one column per machine."""
    n_vectors = dual_coef.shape[1]
    if n_classes == 2 or multi_class == "ovr":
        return csr_array(dual_coef.T)
    pairs = machines(n_classes, multi_class)
    number = {pair: m for m, pair in enumerate(pairs)}
    of_class = np.repeat(np.arange(n_classes), n_support)
    # machine_of[c, r]: the machine of row r of dual_coef, for a vector of class c.
    machine_of = np.empty((n_classes, n_classes - 1), dtype=np.int64)
    for c in range(n_classes):
        others = [other for other in range(n_classes) if other != c]
        machine_of[c] = [number[min(c, other), max(c, other)] for other in others]
    columns = machine_of[of_class]
    offsets = np.arange(0, n_vectors * (n_classes - 1) + 1, n_classes - 1)
    # flatten copies: eliminate_zeros works in place and must not touch the caller's array.
    matrix = csr_array(
        (dual_coef.T.flatten(), columns.ravel(), offsets), shape=(n_vectors, len(pairs))
    )
    matrix.eliminate_zeros()
    return matrix


def combine_votes(decisions: DoubleArray, n_classes: int) -> DoubleArray:
    """Return (n_samples, n_classes): votes of one-vs-one, ties by signed sums of decisions.

    The sum is squeezed into (-1/3, 1/3), so it orders equal votes and never outweighs one.
    """
    votes = np.zeros((decisions.shape[0], n_classes))
    sums = np.zeros_like(votes)
    for m, (i, j) in enumerate(combinations(range(n_classes), 2)):
        decision = decisions[:, m]
        sums[:, i] += decision
        sums[:, j] -= decision
        votes[:, i] += decision > 0
        votes[:, j] += decision <= 0
    votes += sums / (3 * (np.abs(sums) + 1))
    return votes
