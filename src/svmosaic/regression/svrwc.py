"""SVRWC, support vector regression with weighted chains of two kernels."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.blending import blend_weights
from svmosaic.regression.chain_state import TARGETS, check_targets
from svmosaic.regression.chained_svr import ChainedSVR, warn_of_violation
from svmosaic.regression.multi_target_regressor import MultiTargetRegressor
from svmosaic.regression.weighted_parts import (
    TUNING_PARAMETERS,
    KernelChains,
    check_members,
    new_members,
    weighing_splits,
)
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Declaration, Estimators, doubles, expect
from svmosaic.utils.sklearn_compat import Interval, fit_context
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.validation import check_regression, check_samples

__all__ = ["SVRWC"]

_LARGEST_SEED = np.iinfo(np.int32).max


def _check_weights(model: Any, sizes: Scope) -> None:
    """Refuse weights that are no weighted mean of the members' two values each."""
    check_members(model)
    expect("rows of weights", sizes["n_parts"], 2 * len(model.members_))
    if not np.allclose(model.weights_.sum(axis=0), 1.0):
        refuse("the weights of a target do not sum to 1")
    expect("updates", sizes["n_links"], sum(len(m.n_iter_) for m in model.members_))


class SVRWC(MultiTargetRegressor):
    """Support vector regression with weighted chains of two kernels.

    For the rbf and for the laplacian kernel there is an SVR for each target alone and an
    ensemble of random chains, as in `SVRRC` with ``appended="out_of_fold"``. Each target is
    predicted by a weighted mean of these four. The weights are those that fit best what the four
    predict for rows left out by the inner folds, so the data say for each target which kernel
    suits and whether chains help. This is an addition to the published methods.

    Parameters
    ----------
    n_chains : int, default=10
        Chains of each kernel at most; with few targets there are only n_targets! orders.
    prior : float, default=3.0
        How many rows equal weights are worth. A larger prior keeps the weights closer to equal
        ones, which is safer with few rows.
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
        Seed of the inner folds and of the orders.
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
    weights_ : ndarray of shape (4, n_targets)
        The weight of rbf alone, rbf in chains, laplacian alone, laplacian in chains; they sum to
        1 for each target.
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
    SVRRC : Random chains of one kernel, as published.

    References
    ----------
    .. [1] L. Breiman (1996), "Stacked regressions", Machine Learning 24, 49-64.
       https://doi.org/10.1007/BF00117832
       (weights from 0 on predictions of rows left out).

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import SVRWC
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> Y = np.column_stack([np.sin(X[:, 0]), np.abs(X[:, 0] - 1.5)])
    >>> model = SVRWC().fit(X, Y)
    >>> model.weights_.shape
    (4, 2)
    >>> bool(model.score(X, Y) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: ChainedSVR._parameter_constraints[name] for name in TUNING_PARAMETERS
    } | {
        "n_chains": POSITIVE_COUNT,
        "prior": [Interval(Real, 0.0, None, closed="left")],
    }

    _model_file = Declaration(
        {
            **TARGETS,
            "weights_": doubles("n_parts", "n_targets", minimum=0),
            "members_": Estimators((KernelChains,)),
        },
        (check_targets, _check_weights),
    )

    def __init__(
        self,
        *,
        n_chains: int = 10,
        prior: float = 3.0,
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
        self.prior = prior
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
        """Choose the parameters of all members, fit them, and weight them.

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
        random_state = check_random_state(self.random_state)
        splits = weighing_splits(self, X, Y, random_state)
        # The orders of the chains are those of both kernels.
        seed = random_state.randint(_LARGEST_SEED)
        self.members_ = new_members(self)
        found = [
            member.fit_held_out(X, Y, splits, check_random_state(seed)) for member in self.members_
        ]
        held_out = np.concatenate([one.values for one in found])
        warn_of_violation(self, max(one.violation for one in found))
        self.n_iter_ = np.concatenate([member.n_iter_ for member in self.members_])
        first = self.members_[0]
        scaled = (Y - first.target_mean_) / first.target_scale_
        self.weights_ = np.column_stack(
            [
                blend_weights(held_out[:, :, t].T, scaled[:, t], float(self.prior))
                for t in range(self.n_targets_)
            ]
        )
        return self

    def _predict_targets(self, X: Any) -> DoubleArray:
        X = check_samples(self, X)
        parts = np.concatenate([member.predict_both(X) for member in self.members_])
        return np.asarray(np.einsum("kit,kt->it", parts, self.weights_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
