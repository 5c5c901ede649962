"""SVRTC, support vector regression with trees and chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor
from sklearn.utils import check_random_state

from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.bagged_trees import BaggedTrees, fit_bagged_trees, single_precision
from svmosaic.regression.blending import shared_weights
from svmosaic.regression.chain_state import TARGETS, check_targets
from svmosaic.regression.chained_svr import warn_of_violation
from svmosaic.regression.multi_target_regressor import MultiTargetRegressor
from svmosaic.regression.svrwc import SVRWC
from svmosaic.regression.tree_tables import (
    TREE_TABLE,
    TreeTable,
    check_trees,
    predict_trees,
    table_of_trees,
)
from svmosaic.regression.weighted_input_svr import WeightedInputSVR, input_weights
from svmosaic.regression.weighted_parts import (
    HeldOut,
    KernelChains,
    check_members,
    check_part,
    new_members,
    tuning_parameters,
    weighing_splits,
)
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Declaration, Estimators, doubles, expect
from svmosaic.utils.number_list import check_numbers
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.splits import Split
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_regression, check_samples

__all__ = ["SVRTC"]

_LARGEST_SEED = np.iinfo(np.int32).max
# Both draw rows with replacement, so that trees predict the rows that they have not seen. There is
# one of each for every target, and one of each whose trees predict all targets.
_KINDS = (ExtraTreeRegressor, DecisionTreeRegressor)
# The one whose trees say which inputs matter.
_SELECTING = DecisionTreeRegressor
# Importances for an inner fold need fewer trees than predictions.
_N_FOLD_TREES = 20


@dataclass(frozen=True)
class _Tables:
    """A list of ensembles of trees, which files hold one after the other."""

    def pack(self, value: Any, path: str, arrays: Any) -> int:
        """Return how many there are."""
        for number, table in enumerate(value):
            arrays.put(f"{path}.{number}", TREE_TABLE, table)
        return len(value)

    def unpack(self, plain: Any, path: str, scope: Scope) -> list[TreeTable]:
        """Return the ensembles, checked one by one."""
        if type(plain) is not int or not 0 <= plain < 2**20:
            refuse(f"'{path}' is not a number of ensembles")
        parts: Any = scope.arrays
        # Each has a number of nodes of its own.
        return [parts.get(f"{path}.{i}", TREE_TABLE, scope.inner()) for i in range(plain)]


def _check_precision(X: Any) -> None:
    values = X.data if sp.issparse(X) else X
    largest = max(abs(float(values.max(initial=0.0))), abs(float(values.min(initial=0.0))))
    if largest > float(np.finfo(np.float32).max):
        raise ValueError(
            "SVRTC expected features that single precision can hold, in which trees compare. Got "
            f"values of up to {largest:.3g}; scale the features."
        )


def _levels(n_targets: int) -> list[list[list[int]]]:
    """Return the targets one by one, and all of them together if there are several."""
    each = [[target] for target in range(n_targets)]
    return [each, [list(range(n_targets))]] if n_targets > 1 else [each]


def _check_parts(model: Any, sizes: Scope) -> None:
    """Refuse parts that do not fit together, or weights that are no weighted mean of them."""
    check_members(model)
    levels = _levels(model.n_targets_)
    n_parts = 2 * len(model.members_) + (len(_KINDS) + 1) * len(levels)
    expect("rows of weights", sizes["n_parts"], n_parts)
    if not (model.target_range_[0] <= model.target_range_[1]).all():
        refuse("the range of a target is empty")
    if not np.allclose(model.weights_.sum(axis=0), 1.0):
        refuse("the weights of a target do not sum to 1")
    groups = [targets for level in levels for targets in level]
    expect("SVRs of weighted inputs", len(model.weighted_members_), len(groups))
    for member, targets in zip(model.weighted_members_, groups, strict=True):
        if member.kernel != "rbf":
            refuse("an SVR of weighted inputs has another kernel")
        check_part(model, member, len(targets))
    members = [*model.members_, *model.weighted_members_]
    expect("updates", sizes["n_links"], sum(len(member.n_iter_) for member in members))
    expect("ensembles of trees", len(model.trees_), len(_KINDS) * len(groups))
    sizes_of_groups = [len(targets) for level in levels for _ in _KINDS for targets in level]
    for table, n_targets in zip(model.trees_, sizes_of_groups, strict=True):
        expect("targets of trees", len(table["values"]), n_targets)
        check_trees(table, model.n_features_in_)


class _Grower:
    """Fits ensembles of trees to scaled targets, and reports how many are fitted."""

    def __init__(self, model: SVRTC, X: Any, scaled: DoubleArray, n_folds: int, rng: Any) -> None:
        self._X, self._scaled, self._rng = single_precision(X), scaled, rng
        self._n_threads = resolve_threads(model.n_jobs)
        self._report = current_progress(type(model).__name__, model.verbose)
        n_groups = sum(len(level) for level in _levels(model.n_targets_))
        self._n_ensembles = n_groups * (len(_KINDS) + n_folds)
        self._n_fitted = 0

    def out_of_bag(self, fitted: BaggedTrees, targets: list[int]) -> DoubleArray:
        """Return what trees that were fitted to all rows predict for those they have not drawn."""
        return fitted.out_of_bag(self._X, self._scaled[:, targets])

    def fit(
        self, kind: Any, n_trees: int, targets: list[int], rows: Any = slice(None)
    ) -> BaggedTrees:
        """Return trees of a kind for some targets, fitted to some rows."""
        seed = self._rng.randint(_LARGEST_SEED)
        X, y = self._X[rows], self._scaled[rows][:, targets]
        fitted = fit_bagged_trees(kind, n_trees, X, y, random_state=seed, n_threads=self._n_threads)
        self._n_fitted += 1
        if self._report is not None:
            self._report(self._n_fitted, self._n_ensembles, 0)
        return fitted


class SVRTC(MultiTargetRegressor):
    """Support vector regression with trees and chains, weighted for each target.

    It has what `SVRWC` has, an SVR for each target alone and in random chains, with the rbf and the
    laplacian kernel, and four ensembles of trees: extremely randomised trees and bagged trees, for
    each target and for all targets together. Trees find a few inputs that matter among many, where
    a kernel of all inputs is lost; SVRs are better on smooth targets. So there are two SVRs more
    for each target, with the rbf kernel on inputs that count by their importance in the bagged
    trees, for this target and for all. Each target is predicted by a weighted mean of these ten.
    The weights are those that fit best what the ten predict for rows left out: by the inner folds
    for SVRs, out of bag for trees. They shrink towards the weights that suit all targets together,
    as much as is good for further rows left out. No part predicts beyond the range of the training
    values, as trees never do. This is an addition to the published methods.

    Parameters
    ----------
    n_chains : int, default=10
        Chains of each kernel at most; with few targets there are only n_targets! orders.
    n_trees : int, default=100
        Trees of each ensemble. More vary less and take longer.
    priors : array-like of float, default=(1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
        How many rows the weights of all targets together may be worth for a target. A larger prior
        keeps its weights closer to those.
    Cs : array-like of float, default=(1.0, 10.0, 100.0)
        Penalties to try. A larger C follows the training data more closely and takes longer.
    epsilons : array-like of float, default=(0.01, 0.1, 0.2)
        Half widths of the tube to try, in units of the target's standard deviation.
    cv : int, splitter or iterable, default=5
        The inner folds; they must test every row once. A number means that many shuffled folds.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in units of the target's
        standard deviation.
    max_iter : int, default=-1
        Limit on updates of each fit. -1 means max(10 million, 100 n_samples), never infinity.
    random_state : int, RandomState instance or None, default=0
        Seed of the inner folds, of the orders and of the trees.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    memory_limit_mb : float, default=2000
        Limit in MB on the matrices of one kernel: 24 bytes for each pair of samples, and 16 more
        for each further thread.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    members_ : list of KernelChains
        The regressors of the rbf and of the laplacian kernel.
    trees_ : list of dict
        The ensembles of trees as arrays: of extremely randomised trees for each target, of bagged
        ones for each target, of extremely randomised trees for all targets and of bagged ones for
        all targets (with one target the first two only). `roots` says where each tree begins; each
        node has `features`, `thresholds`, `left`, `right` (-1 at a leaf) and `values`, one for each
        target of the ensemble.
    weighted_members_ : list of WeightedInputSVR
        The SVRs of weighted inputs: one for each target and, with several, one for all of them.
        Their `input_weights_` say which inputs matter.
    weights_ : ndarray of shape (10, n_targets)
        The weight of rbf alone, rbf in chains, laplacian alone, laplacian in chains, the four
        ensembles of trees, and the SVRs of inputs weighted for the target and for all; they sum to
        1 for each target. With one target there are 7, because each and all are the same.
    prior_ : float
        The prior that was chosen.
    target_range_ : ndarray of shape (2, n_targets)
        The smallest and the largest training value of each target.
    n_iter_ : ndarray of shape (n_links,)
        Updates of the final fit of each link, of all members.
    n_targets_ : int
        Number of targets.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVRWC : The same without trees.

    Notes
    -----
    Unlike the SVRs, trees depend on the order of the training rows, by the rows that they draw, and
    on whether samples are sparse: then they look at the features in another order, which decides
    between equal splits.

    References
    ----------
    .. [1] L. Breiman (1996), "Stacked regressions", Machine Learning 24, 49-64.
       https://doi.org/10.1007/BF00117832
       (weights from 0 on predictions of rows left out).
    .. [2] P. Geurts, D. Ernst, L. Wehenkel (2006), "Extremely randomized trees", Machine Learning
       63, 3-42. https://doi.org/10.1007/s10994-006-6226-1
       (unlike it, each tree draws rows with replacement).

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import SVRTC
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> Y = np.column_stack([np.sin(X[:, 0]), (X[:, 0] > 1.5) * 1.0])
    >>> model = SVRTC(n_trees=20).fit(X, Y)
    >>> model.weights_.shape
    (10, 2)
    >>> bool(model.score(X, Y) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{k: v for k, v in SVRWC._parameter_constraints.items() if k != "prior"},
        "priors": ["array-like"],
        "n_trees": POSITIVE_COUNT,
    }

    _model_file = Declaration(
        {
            **TARGETS,
            "weights_": doubles("n_parts", "n_targets", minimum=0),
            "prior_": doubles(scalar=True, minimum=0),
            "target_range_": doubles(2, "n_targets"),
            "members_": Estimators((KernelChains,)),
            "weighted_members_": Estimators((WeightedInputSVR,)),
            "trees_": _Tables(),
        },
        (check_targets, _check_parts),
    )

    def __init__(
        self,
        *,
        n_chains: int = 10,
        n_trees: int = 100,
        priors: Sequence[float] = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
        Cs: Sequence[float] = (1.0, 10.0, 100.0),
        epsilons: Sequence[float] = (0.01, 0.1, 0.2),
        cv: Any = 5,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = 0,
        n_jobs: int | None = None,
        memory_limit_mb: float = 2000.0,
        verbose: int = 0,
    ) -> None:
        self.n_chains = n_chains
        self.n_trees = n_trees
        self.priors = priors
        self.Cs = Cs
        self.epsilons = epsilons
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit_mb = memory_limit_mb
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the parameters of all members, fit them and the trees, and weight them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, scaled: one width serves all features.
        y : array-like of shape (n_samples, n_targets) or (n_samples,)
            Target values.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        X, y = check_regression(self, X, y, multi_output=True)
        Y = self._set_targets(y)
        _check_precision(X)
        priors = check_numbers(self.priors, "priors", type(self).__name__, zero=True)
        random_state = check_random_state(self.random_state)
        splits = weighing_splits(self, X, Y, random_state)
        # The orders of the chains are those of both kernels.
        seed = random_state.randint(_LARGEST_SEED)
        self.members_ = new_members(self)
        found = [
            member.fit_held_out(X, Y, splits, check_random_state(seed)) for member in self.members_
        ]
        # The members divide targets by the same scales.
        mean, scale = self.members_[0].target_mean_, self.members_[0].target_scale_
        scaled = (Y - mean) / scale
        grower = _Grower(self, X, scaled, len(splits), random_state)
        out_of_bag, importances = self._fit_trees(Y.shape, grower)
        found.append(HeldOut(out_of_bag, 0.0))
        found.append(self._fit_weighted(X, Y, splits, importances, grower))
        members = [*self.members_, *self.weighted_members_]
        self.n_iter_ = np.concatenate([member.n_iter_ for member in members])
        self.target_range_ = np.array([Y.min(axis=0), Y.max(axis=0)])
        parts = np.concatenate([one.values for one in found])
        parts = np.clip(parts, scaled.min(axis=0), scaled.max(axis=0))
        self.weights_, self.prior_ = shared_weights(parts, scaled, priors, random_state)
        warn_of_violation(self, max(one.violation for one in found))
        return self

    def _fit_trees(
        self, shape: tuple[int, int], grower: _Grower
    ) -> tuple[DoubleArray, list[DoubleArray]]:
        """Fit the ensembles to each target and to all.

        Returns what they predict out of bag, and the importances of the inputs for each target and
        for all.
        """
        self.trees_ = []
        values, importances = [], []
        mean, scale = self.members_[0].target_mean_, self.members_[0].target_scale_
        for level in _levels(self.n_targets_):
            for kind in _KINDS:
                values.append(np.empty(shape))
                for targets in level:
                    fitted = grower.fit(kind, int(self.n_trees), targets)
                    self.trees_.append(table_of_trees(fitted.trees, mean[targets], scale[targets]))
                    values[-1][:, targets] = grower.out_of_bag(fitted, targets)
                    if kind is _SELECTING:
                        importances.append(fitted.importances)
        return np.array(values), importances

    def _fit_weighted(
        self,
        X: Any,
        Y: DoubleArray,
        splits: list[Split],
        importances: list[DoubleArray],
        grower: _Grower,
    ) -> HeldOut:
        """Fit the SVRs of weighted inputs; return what they predict for rows left out."""
        levels = _levels(self.n_targets_)
        values = np.empty((len(levels), *Y.shape))
        self.weighted_members_ = []
        overall = iter(importances)
        violations = []
        for of_level, level in zip(values, levels, strict=True):
            for targets in level:
                # The importances for a fold know nothing of the rows that it leaves out.
                by_fold = [
                    grower.fit(_SELECTING, _N_FOLD_TREES, targets, train).importances
                    for train, _ in splits
                ]
                weights = np.array([input_weights(one) for one in (*by_fold, next(overall))])
                member = WeightedInputSVR(**tuning_parameters(self))
                member.part_of = type(self).__name__
                found = member.fit_held_out(X, Y[:, targets], splits, weights)
                of_level[:, targets] = found.values
                violations.append(found.violation)
                self.weighted_members_.append(member)
        return HeldOut(values, max(violations))

    def _predict_targets(self, X: Any) -> DoubleArray:
        X = check_samples(self, X)
        n_levels = len(_levels(self.n_targets_))
        parts = [member.predict_both(X) for member in self.members_]
        for side_by_side, n_parts in (
            (np.hstack([predict_trees(table, X) for table in self.trees_]), n_levels * len(_KINDS)),
            (np.hstack([member.predict(X) for member in self.weighted_members_]), n_levels),
        ):
            parts.append(side_by_side.reshape(-1, n_parts, self.n_targets_).transpose(1, 0, 2))
        clipped = np.clip(np.concatenate(parts), *self.target_range_)
        return np.asarray(np.einsum("kit,kt->it", clipped, self.weights_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
