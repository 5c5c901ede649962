"""Classifiers of many classes: the solutions of binary problems joined, and votes of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from svmosaic.engine.class_pairs import MultiClass, class_pairs, combine_votes
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Solution

__all__ = [
    "JoinedSolutions",
    "arrange",
    "gather",
    "predict_by_votes",
    "unarrange",
    "votes_of_samples",
]

# The decision values of all pairs of classes that are held at once.
_BLOCK_BYTES = 2**25


@dataclass(frozen=True)
class JoinedSolutions:
    """The solutions of all binary problems over one list of support vectors.

    Attributes
    ----------
    support : ndarray of int64
        Rows of the training table, by class and then ascending.
    n_support : ndarray of int64
        Support vectors of each class.
    coefficients : Coefficients
        Of each support vector in each binary problem.
    intercepts : ndarray of shape (n_problems,)
        Constant terms.
    """

    support: IndexArray
    n_support: IndexArray
    coefficients: Coefficients
    intercepts: DoubleArray


def gather(solutions: Sequence[Solution], labels: IndexArray, n_classes: int) -> JoinedSolutions:
    """Join the solutions of the binary problems; a vector that several share is listed once.

    `labels` holds the class of every row of the table.
    """
    rows = np.unique(np.concatenate([s.support for s in solutions]))
    support = rows[np.argsort(labels[rows], kind="stable")]
    n_support = np.bincount(labels[support], minlength=n_classes)
    place = np.empty(labels.size, dtype=np.int64)
    place[support] = np.arange(support.size)
    outputs = np.repeat(np.arange(len(solutions)), [s.support.size for s in solutions])
    places = place[np.concatenate([s.support for s in solutions])]
    values = np.concatenate([s.coef for s in solutions])
    # Compressed rows by hand: a sparse matrix takes as long as a fit to a small table.
    order = np.argsort(places, kind="stable")
    order = order[values[order] != 0.0]
    ends = np.cumsum(np.bincount(places[order], minlength=support.size))
    coefficients = Coefficients(
        np.concatenate([[0], ends]).astype(np.int64),
        outputs[order],
        values[order],
        len(solutions),
    )
    intercepts = np.array([s.intercept for s in solutions])
    return JoinedSolutions(support, n_support, coefficients, intercepts)


# scikit-learn's arrangement of one-vs-one: a vector of class c takes part in n_classes - 1
# problems, and row r of `dual_coef_` is its coefficient against the r-th of the other classes.


def arrange(
    coefficients: Coefficients,
    n_support: npt.NDArray[np.integer[Any]],
    n_classes: int,
    multi_class: MultiClass,
) -> DoubleArray:
    """Return coefficients as scikit-learn arranges them in ``dual_coef_``."""
    matrix = coefficients.matrix()
    if n_classes == 2 or multi_class == "ovr":
        return matrix.T.toarray()  # type: ignore[no-any-return]
    of_class = np.repeat(np.arange(n_classes), n_support)
    entries = matrix.tocoo()
    vectors, problems = entries.coords
    positive, negative = np.array(class_pairs(n_classes, multi_class)).T
    row = np.where(
        of_class[vectors] == positive[problems], negative[problems] - 1, positive[problems]
    )
    dual_coef = np.zeros((n_classes - 1, matrix.shape[0]))
    dual_coef[row, vectors] = entries.data
    return dual_coef


def unarrange(
    dual_coef: DoubleArray,
    n_support: npt.NDArray[np.integer[Any]],
    n_classes: int,
    multi_class: MultiClass,
) -> Coefficients:
    """Return the coefficients that `arrange` was given."""
    n_vectors = dual_coef.shape[1]
    if n_classes == 2 or multi_class == "ovr":
        return Coefficients.of_matrix(dual_coef.T)
    pairs = class_pairs(n_classes, multi_class)
    number = {pair: m for m, pair in enumerate(pairs)}
    of_class = np.repeat(np.arange(n_classes), n_support)
    # problem_numbers[c, r]: the binary problem of row r of dual_coef, for a vector of class c.
    problem_numbers = np.empty((n_classes, n_classes - 1), dtype=np.int64)
    for c in range(n_classes):
        others = [other for other in range(n_classes) if other != c]
        problem_numbers[c] = [number[min(c, other), max(c, other)] for other in others]
    columns = problem_numbers[of_class]
    offsets = np.arange(0, n_vectors * (n_classes - 1) + 1, n_classes - 1)
    # flatten copies: eliminate_zeros works in place and must not touch the caller's array.
    matrix = csr_array(
        (dual_coef.T.flatten(), columns.ravel(), offsets), shape=(n_vectors, len(pairs))
    )
    matrix.eliminate_zeros()
    return Coefficients.of_matrix(matrix)


Decide = Callable[[Any], DoubleArray]


def votes_of_samples(decide: Decide, X: Any, n_classes: int) -> DoubleArray:
    """Return what `combine_votes` returns for the decision values of samples.

    With many classes the values of all pairs are a table far larger than the votes, so `decide` is
    asked for the values of some rows of `X` at a time.
    """
    return np.concatenate(list(_vote_blocks(decide, X, n_classes)))


def predict_by_votes(
    decide: Decide, X: Any, n_classes: int, *, break_ties: bool = True
) -> IndexArray:
    """Return the class number of each sample by the votes of one-vs-one, some rows at a time.

    Ties go to the larger sum of decisions or, without `break_ties`, to the first class.
    """
    blocks = _vote_blocks(decide, X, n_classes)
    if not break_ties:
        # The sums are less than half a vote.
        blocks = (np.rint(votes) for votes in blocks)
    return np.concatenate([votes.argmax(axis=1) for votes in blocks])


def _vote_blocks(decide: Decide, X: Any, n_classes: int) -> Iterator[DoubleArray]:
    n_pairs = n_classes * (n_classes - 1) // 2
    n_rows = max(1, _BLOCK_BYTES // (n_pairs * np.dtype(np.float64).itemsize))
    if X.shape[0] <= n_rows:
        yield combine_votes(decide(X), n_classes)
        return
    for begin in range(0, X.shape[0], n_rows):
        yield combine_votes(decide(X[begin : begin + n_rows]), n_classes)
