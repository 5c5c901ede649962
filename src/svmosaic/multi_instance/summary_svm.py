"""An SVM on one row per bag: moments, extremes and the size of the bag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_REAL
from svmosaic.engine import cpu
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import DenseRows, DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.bag_state import bag_declaration, check_support
from svmosaic.multi_instance.bag_statistics import max_in_bags, mean_in_bags, min_in_bags
from svmosaic.multi_instance.gram_svm import score_left_out_on_gram, solve_gram
from svmosaic.multi_instance.inner_folds import Splits
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Samples, doubles, expect, expect_shape, row_numbers
from svmosaic.utils.sklearn_compat import StrOptions
from svmosaic.utils.state_codec import Scope

__all__ = ["RowSummary", "SummarySVMClassifier", "known_rbf_gram", "rbf_values"]

RowSummary = Literal["mean", "min-max", "mean-size", "profile"]


def _check_rows(model: Any, sizes: Scope) -> None:
    """Compare the rows of bags with the columns that the summary gives."""
    n = sizes["n_features"]
    columns = {"mean": n, "min-max": 2 * n, "mean-size": n + 1, "profile": 4 * n + 1}
    expect("columns of the summary", sizes["n_columns"], columns[model.summary])
    vectors = model.support_vectors_
    expect_shape("support_vectors", vectors, sizes["n_support"], sizes["n_columns"])
    if sp.issparse(vectors):
        refuse("'support_vectors' is sparse; rows of bags are dense")
    check_support(model)


class SummarySVMClassifier(BagClassifier):
    r"""SVM with an rbf kernel on one row per bag.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    gamma : float, default=0.5
        Width of the kernel. A larger gamma makes the classifier more local. Rows that are
        standardised are also divided by the square root of their length, so that their squared
        distances are about 2 whatever the number of features.
    summary : {"mean", "min-max", "mean-size", "profile"}, default="profile"
        The row of a bag: the means of the features; their minima and maxima; the means and the
        logarithm of the size, standardised; or the means, deviations, minima, maxima and the
        logarithm of the size, standardised.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    support_ : ndarray of shape (n_support,)
        Training bags that are support vectors.
    support_vectors_ : ndarray of shape (n_support, n_columns)
        Their rows.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients.
    intercept_ : float
        The constant term.
    center_, scale_ : ndarray of shape (n_columns,)
        What is taken from each column, and what it is then divided by.

    See Also
    --------
    SimpleMIClassifier : Any classifier on means or extremes.
    MIRMixSVMClassifier : Mixes this SVM with others.

    Notes
    -----
    With the row r(B) of a bag B,

    .. math:: f(B) = \sum_I \alpha_I Y_I \exp(-\gamma |r(B_I) - r(B)|^2) + b.

    The size of a bag can decide: large molecules of mutagenesis are mutagenic more often.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance import SummarySVMClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(2 + 6 * (i < 10), 2)) for i in range(20)]
    >>> y = [1] * 10 + [0] * 10
    >>> SummarySVMClassifier(C=10.0).fit(bags, y).predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": POSITIVE_REAL,
        "gamma": POSITIVE_REAL,
        "summary": [StrOptions({"mean", "min-max", "mean-size", "profile"})],
        "tol": POSITIVE_REAL,
    }

    support_: IndexArray
    support_vectors_: DoubleArray
    dual_coef_: DoubleArray
    intercept_: float
    center_: DoubleArray
    scale_: DoubleArray

    _model_file = bag_declaration(
        {
            "support_": row_numbers("n_support"),
            "support_vectors_": Samples(),
            "dual_coef_": doubles("n_support"),
            "intercept_": doubles(scalar=True),
            "center_": doubles("n_columns"),
            "scale_": doubles("n_columns", above=0),
        },
        _check_rows,
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        gamma: float = 0.5,
        summary: RowSummary = "profile",
        tol: float = 1e-3,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.summary = summary
        self.tol = tol

    def _fit_binary(self, data: TrainingBags) -> None:
        rows, self.center_, self.scale_ = _known_rows(data, self.summary)
        settings = SmoSettings(C=float(self.C), tol=float(self.tol))
        signs = data.signs
        gram = known_rbf_gram(data, ("summary", self.summary), rows, self.gamma)
        coef, self.intercept_, _ = solve_gram(gram, signs, np.ones(signs.size), settings)
        support = np.flatnonzero(coef)
        self.support_ = data.bag_order[support]
        self.support_vectors_ = rows[support]
        self.dual_coef_ = coef[support]

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        Parameters
        ----------
        data : TrainingBags
            The training bags.
        splits : list of (ndarray, ndarray)
            Numbers of training and left-out bags of each split.
        candidates : sequence of dict
            The parameters to try.

        Returns
        -------
        list of list of ndarray
            For each candidate and split, one score per left-out bag.
        """

        def make_gram(candidate: SummarySVMClassifier) -> DoubleArray:
            rows = _known_rows(data, candidate.summary)[0]
            key = ("summary", candidate.summary)
            return known_rbf_gram(data, key, rows, candidate.gamma)

        return score_left_out_on_gram(self, make_gram, data.signs, splits, candidates)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        rows = np.ascontiguousarray((_rows(bags, self.summary) - self.center_) / self.scale_)
        values = rbf_values(rows, self.support_vectors_, self.gamma)
        return values @ self.dual_coef_ + self.intercept_


def rbf_values(rows: DoubleArray, others: DoubleArray, gamma: float) -> DoubleArray:
    """Return the rbf kernel between rows of bags."""
    return InstanceKernel(kernel_spec("rbf", float(gamma))).values(rows, others)


def known_rbf_gram(
    data: TrainingBags, key: tuple[Any, ...], rows: DoubleArray, gamma: float
) -> DoubleArray:
    """Return the rbf kernel between rows of training bags, whose distances are computed once.

    `key` says what the rows are made of.
    """
    table = DenseRows(rows)
    distances = data.once((*key, "distances"), lambda: cpu.pair_distances(table, table))
    return np.asarray(np.exp(-float(gamma) * distances))


def _known_rows(
    data: TrainingBags, summary: RowSummary
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    found: tuple[DoubleArray, DoubleArray, DoubleArray] = data.once(
        ("summary", summary), lambda: _scaled_rows(data.bags, summary)
    )
    return found


def _scaled_rows(bags: Bags, summary: RowSummary) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return the rows of the training bags, what was taken from them, and what divides them."""
    rows = _rows(bags, summary)
    center, scale = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    if summary in ("mean-size", "profile"):
        center, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale == 0.0] = 1.0
        scale *= np.sqrt(rows.shape[1])
    return np.ascontiguousarray((rows - center) / scale), center, scale


def _rows(bags: Bags, summary: RowSummary) -> DoubleArray:
    means = _dense(mean_in_bags(bags, bags.instances))
    if summary == "mean":
        return means
    sizes = np.log(bags.sizes)[:, np.newaxis]
    if summary == "mean-size":
        return np.hstack([means, sizes])
    extremes = [_dense(min_in_bags(bags)), _dense(max_in_bags(bags))]
    if summary == "min-max":
        return np.hstack(extremes)
    X = bags.instances.astype(np.float64)
    squares = _dense(mean_in_bags(bags, X.multiply(X) if sp.issparse(X) else X * X))
    deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
    return np.hstack([means, deviations, *extremes, sizes])


def _dense(rows: Any) -> DoubleArray:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
