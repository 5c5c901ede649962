"""An SVM on one row per bag: moments, extremes and the size of the bag."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from svmosaic.bags import Bags, CanonicalBags
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_state import bag_declaration, check_support
from svmosaic.multi_instance.bag_statistics import maxima_of_bags, means_of_bags, minima_of_bags
from svmosaic.multi_instance.gram_svm import solve_gram
from svmosaic.multi_instance.inner_folds import Splits, alike_but_for
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Samples, doubles, expect, expect_shape, row_numbers
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.state_codec import Scope

__all__ = ["RowSummary", "SummarySVMClassifier"]

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
        Width of the kernel. A larger gamma makes the machine more local. Rows that are
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
        Features of an instance.
    machines_ : list
        One fitted copy per class, if there are more than two; only they have the attributes
        below.
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
    MIRMixSVMClassifier : Mixes this machine with others.

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
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [Interval(Real, 0.0, None, closed="neither")],
        "summary": [StrOptions({"mean", "min-max", "mean-size", "profile"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
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

    def _fit_bags(self, data: CanonicalBags, signs: DoubleArray) -> None:
        rows = self._scaled_rows(data.bags)
        settings = SmoSettings(C=float(self.C), tol=float(self.tol))
        machine = solve_gram(self._values(rows, rows), signs, np.ones(signs.size), settings)
        support = np.flatnonzero(machine.coef)
        self.support_ = data.bag_order[support]
        self.support_vectors_ = rows[support]
        self.dual_coef_ = machine.coef[support]
        self.intercept_ = machine.intercept

    def _score_left_out(
        self,
        data: CanonicalBags,
        signs: DoubleArray,
        splits: Splits,
        candidates: Sequence[dict[str, Any]],
    ) -> list[list[DoubleArray]]:
        found: list[list[DoubleArray]] = [[] for _ in candidates]
        for shared, numbers in alike_but_for(candidates, "C"):
            machine = clone(self).set_params(**shared)
            rows = machine._scaled_rows(data.bags)
            gram = machine._values(rows, rows)
            for i in numbers:
                settings = SmoSettings(
                    C=float(candidates[i].get("C", self.C)), tol=float(machine.tol)
                )
                for train, test in splits:
                    end = solve_gram(
                        gram[np.ix_(train, train)], signs[train], np.ones(train.size), settings
                    )
                    found[i].append(gram[np.ix_(test, train)] @ end.coef + end.intercept)
        return found

    def _scaled_rows(self, bags: Bags) -> DoubleArray:
        """Return the rows of the training bags, and keep how they were scaled."""
        rows = _rows(bags, self.summary)
        self.center_, self.scale_ = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
        if self.summary in ("mean-size", "profile"):
            self.center_, self.scale_ = rows.mean(axis=0), rows.std(axis=0)
            self.scale_[self.scale_ == 0.0] = 1.0
            self.scale_ *= np.sqrt(rows.shape[1])
        return np.ascontiguousarray((rows - self.center_) / self.scale_)

    def _values(self, rows: DoubleArray, others: DoubleArray) -> DoubleArray:
        return InstanceKernel(kernel_spec("rbf", float(self.gamma))).values(rows, others)

    def _decide(self, bags: Bags) -> DoubleArray:
        rows = np.ascontiguousarray((_rows(bags, self.summary) - self.center_) / self.scale_)
        return self._values(rows, self.support_vectors_) @ self.dual_coef_ + self.intercept_


def _rows(bags: Bags, summary: RowSummary) -> DoubleArray:
    means = _dense(means_of_bags(bags, bags.instances))
    if summary == "mean":
        return means
    sizes = np.log(bags.sizes)[:, np.newaxis]
    if summary == "mean-size":
        return np.hstack([means, sizes])
    extremes = [_dense(minima_of_bags(bags)), _dense(maxima_of_bags(bags))]
    if summary == "min-max":
        return np.hstack(extremes)
    X = bags.instances.astype(np.float64)
    squares = _dense(means_of_bags(bags, X.multiply(X) if sp.issparse(X) else X * X))
    deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
    return np.hstack([means, deviations, *extremes, sizes])


def _dense(rows: Any) -> DoubleArray:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
