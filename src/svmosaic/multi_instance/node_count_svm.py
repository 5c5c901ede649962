"""An SVM on the numbers of a bag's instances at the nodes of random trees."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.bag_state import bag_declaration, check_support
from svmosaic.multi_instance.gram_svm import score_left_out_on_gram, solve_gram
from svmosaic.multi_instance.inner_folds import Splits
from svmosaic.multi_instance.random_divisions import (
    RandomDivisions,
    divide_at_random,
    node_counts,
)
from svmosaic.multi_instance.summary_svm import known_rbf_gram, rbf_values
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Samples, doubles, expect, expect_shape, row_numbers
from svmosaic.utils.sklearn_compat import Interval
from svmosaic.utils.state_codec import Scope

__all__ = ["NodeCountSVMClassifier"]

_DEEPEST = 12


def _check_nodes(model: Any, sizes: Scope) -> None:
    """Compare the trees, the columns that they give and the rows of support bags."""
    n_trees, n_inner = model.node_features_.shape
    depth = (n_inner + 1).bit_length() - 1
    if not 1 <= depth <= _DEEPEST or n_inner != 2**depth - 1:
        refuse("'node_features' has the nodes of no complete trees")
    expect_shape("node_thresholds", model.node_thresholds_, n_trees, n_inner)
    if np.isnan(model.node_thresholds_).any():
        refuse("'node_thresholds' has nan")
    if model.node_features_.max(initial=0) >= sizes["n_features"]:
        refuse("'node_features' names a feature that does not exist")
    expect("columns of the nodes", sizes["n_columns"], n_trees * (2 * n_inner + 1))
    vectors = model.support_vectors_
    expect_shape("support_vectors", vectors, sizes["n_support"], sizes["n_columns"])
    if sp.issparse(vectors):
        refuse("'support_vectors' is sparse; rows of bags are dense")
    check_support(model)


class NodeCountSVMClassifier(BagClassifier):
    r"""SVM with an rbf kernel on the numbers of a bag's instances at the nodes of random trees.

    Random trees divide the space of instances. A bag becomes a row with a column for every node:
    the logarithm of one plus the number of its instances that pass the node, standardised. That is
    the description of TLC, but the trees see no labels, so they are built once for a whole search.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    gamma : float, default=0.5
        Width of the kernel. A larger gamma makes the classifier more local. Rows are divided by
        the square root of their length, so that their squared distances are about 2.
    n_trees : int, default=20
        Number of trees. More trees vary less and take longer.
    max_depth : int, default=6
        Depth of each tree, from 1 to 12. A deeper tree has smaller regions.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    node_features_ : ndarray of shape (n_trees, 2**max_depth - 1)
        The feature that each inner node of each tree looks at; the children of node i are
        2 i + 1 and 2 i + 2.
    node_thresholds_ : ndarray of shape (n_trees, 2**max_depth - 1)
        Instances above go to the second child.
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
    TLCClassifier : One tree that is trained on labels, and boosted stumps on the counts.
    MIRMixSVMClassifier : Mixes this SVM with others.

    Notes
    -----
    A node is divided at a random feature in which two of its instances, drawn at random, differ,
    at a random value between theirs.

    References
    ----------
    .. [1] N. Weidmann, E. Frank, B. Pfahringer (2003), "A Two-Level Learning Method for
       Generalized Multi-instance Problems", Machine Learning: ECML 2003, LNCS 2837, 468-479.
       https://doi.org/10.1007/978-3-540-39857-8_42

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance import NodeCountSVMClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(2 + 6 * (i < 10), 2)) for i in range(20)]
    >>> y = [1] * 10 + [0] * 10
    >>> NodeCountSVMClassifier(C=10.0, random_state=0).fit(bags, y).predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": POSITIVE_REAL,
        "gamma": POSITIVE_REAL,
        "n_trees": POSITIVE_COUNT,
        "max_depth": [Interval(Integral, 1, _DEEPEST, closed="both")],
        "tol": POSITIVE_REAL,
        "random_state": ["random_state"],
    }

    node_features_: IndexArray
    node_thresholds_: DoubleArray
    support_: IndexArray
    support_vectors_: DoubleArray
    dual_coef_: DoubleArray
    intercept_: float
    center_: DoubleArray
    scale_: DoubleArray

    _model_file = bag_declaration(
        {
            "node_features_": row_numbers("n_trees", "n_inner"),
            # Infinite where a node was not divided.
            "node_thresholds_": doubles("n_trees", "n_inner", finite=False),
            "support_": row_numbers("n_support"),
            "support_vectors_": Samples(),
            "dual_coef_": doubles("n_support"),
            "intercept_": doubles(scalar=True),
            "center_": doubles("n_columns"),
            "scale_": doubles("n_columns", above=0),
        },
        _check_nodes,
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        gamma: float = 0.5,
        n_trees: int = 20,
        max_depth: int = 6,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.tol = tol
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        divisions, rows, self.center_, self.scale_ = self._known_rows(data)
        self.node_features_, self.node_thresholds_ = divisions
        settings = SmoSettings(C=float(self.C), tol=float(self.tol))
        gram = self._known_gram(data, rows)
        coef, self.intercept_, _ = solve_gram(gram, data.signs, np.ones(len(gram)), settings)
        support = np.flatnonzero(coef)
        self.support_ = data.bag_order[support]
        self.support_vectors_ = rows[support]
        self.dual_coef_ = coef[support]

    def _describe(
        self, bags: Bags
    ) -> tuple[RandomDivisions, DoubleArray, DoubleArray, DoubleArray]:
        """Return the trees, the rows of the training bags, and what scales them."""
        rng = check_random_state(self.random_state)
        divisions = divide_at_random(bags.instances, int(self.n_trees), int(self.max_depth), rng)
        rows = np.log1p(node_counts(divisions, bags))
        center, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale == 0.0] = 1.0
        scale *= np.sqrt(rows.shape[1])
        return divisions, np.ascontiguousarray((rows - center) / scale), center, scale

    def _known_rows(
        self, data: TrainingBags
    ) -> tuple[RandomDivisions, DoubleArray, DoubleArray, DoubleArray]:
        key = self._key()
        if key is None:
            return self._describe(data.bags)
        found: tuple[RandomDivisions, DoubleArray, DoubleArray, DoubleArray] = data.once(
            key, lambda: self._describe(data.bags)
        )
        return found

    def _known_gram(self, data: TrainingBags, rows: DoubleArray) -> DoubleArray:
        key = self._key()
        if key is None:
            return rbf_values(rows, rows, self.gamma)
        return known_rbf_gram(data, key, rows, self.gamma)

    def _key(self) -> tuple[Any, ...] | None:
        """Return what the rows of bags depend on; None if every use of them draws other trees."""
        if not isinstance(self.random_state, Integral):
            return None
        return "nodes", int(self.n_trees), int(self.max_depth), int(self.random_state)

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

        def make_gram(candidate: NodeCountSVMClassifier) -> DoubleArray:
            return candidate._known_gram(data, candidate._known_rows(data)[1])

        return score_left_out_on_gram(self, make_gram, data.signs, splits, candidates)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        divisions = RandomDivisions(self.node_features_, self.node_thresholds_)
        rows = (np.log1p(node_counts(divisions, bags)) - self.center_) / self.scale_
        values = rbf_values(np.ascontiguousarray(rows), self.support_vectors_, self.gamma)
        return np.asarray(values @ self.dual_coef_ + self.intercept_)
