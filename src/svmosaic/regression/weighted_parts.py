"""The parts that regressors with weights have in common: chains of SVRs of each kernel."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.regression.chain_building import ChainBuilder
from svmosaic.regression.chain_orders import random_orders
from svmosaic.regression.svrrc import SVRRC
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import expect
from svmosaic.utils.splits import Split, regression_splits, tests_every_row_once

__all__ = [
    "TUNING_PARAMETERS",
    "HeldOut",
    "KernelChains",
    "check_members",
    "check_part",
    "new_members",
    "tuning_parameters",
    "weighing_splits",
]

KERNELS: tuple[Literal["rbf", "laplacian"], ...] = ("rbf", "laplacian")
# The parameters that a regressor with weights has in common with the SVRs within it.
TUNING_PARAMETERS = (
    *("Cs", "epsilons", "cv", "tol", "max_iter", "random_state", "n_jobs"),
    *("memory_limit_mb", "verbose"),
)


class HeldOut(NamedTuple):
    """What a part predicts for rows left out, on scaled targets, and its largest violation."""

    values: DoubleArray
    violation: float


class KernelChains(SVRRC):
    """Links without a chain and random chains of one kernel: what `SVRWC` weights.

    Parameters and attributes are those of `SVRRC`; the first row of `chains_` and `links_` are the
    links without a chain.
    """

    def _build(
        self, builder: ChainBuilder, Y: DoubleArray, random_state: Any
    ) -> tuple[IndexArray, IndexArray]:
        orders = random_orders(Y.shape[1], int(self.n_chains), random_state)
        builder.build_alone(lead_on=True)
        alone = np.arange(Y.shape[1])[np.newaxis]
        links = builder.build_chains(orders)
        return np.vstack([alone, orders]), np.vstack([alone, links])

    def fit_held_out(
        self, X: Any, Y: DoubleArray, splits: list[Split], random_state: Any
    ) -> HeldOut:
        """Fit on given splits and return what is predicted for rows that they leave out.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        Y : ndarray of shape (n_samples, n_targets)
            Target values.
        splits : list of (ndarray, ndarray)
            The inner folds, in place of `cv`.
        random_state : RandomState instance
            Draws the orders.

        Returns
        -------
        HeldOut
            Predictions of the links without a chain, and of the chains on average, shape
            (2, n_samples, n_targets).
        """
        builder = self._train(X, Y, splits, random_state)
        values = np.array([link.tuned.held_out for link in builder.links])
        # All links are part of a chain here, so that the model has the numbers of the builder.
        by_chain = values[:, builder.tuner.table.sample_of][self.links_].transpose(0, 2, 1)
        both = np.array([by_chain[0], by_chain[1:].mean(axis=0)])
        return HeldOut(both, builder.worst_violation)

    def predict_both(self, X: Any) -> DoubleArray:
        """Return the values without a chain, and those of the chains on average."""
        values = self.predict_chains(X)
        return np.array([values[0], values[1:].mean(axis=0)])


def weighing_splits(model: Any, X: Any, Y: DoubleArray, random_state: Any) -> list[Split]:
    """Return the inner folds of a regressor that weights what it predicts for rows left out."""
    splits = regression_splits(model.cv, X, Y, random_state, type(model).__name__)
    if not tests_every_row_once(splits, X.shape[0]):
        raise ValueError(
            f"{type(model).__name__} needs a 'cv' that tests every row once, for its weights. Got "
            "one that does not; pass a number of folds."
        )
    return splits


def tuning_parameters(model: Any) -> dict[str, Any]:
    """Return what a regressor that weights has in common with the SVRs within it."""
    return {name: getattr(model, name) for name in TUNING_PARAMETERS}


def new_members(model: Any) -> list[KernelChains]:
    """Return the chains that a regressor weights, one for each kernel, not fitted."""
    members = [
        KernelChains(
            n_chains=model.n_chains,
            appended="out_of_fold",
            kernel=kernel,
            **tuning_parameters(model),
        )
        for kernel in KERNELS
    ]
    for member in members:
        member.part_of = type(model).__name__
    return members


def check_members(model: Any) -> None:
    """Refuse members that are not those of `new_members`."""
    expect("members", len(model.members_), len(KERNELS))
    for member, kernel in zip(model.members_, KERNELS, strict=True):
        if member.kernel != kernel:
            refuse("the members have other kernels")
        # The first row is the links without a chain.
        if len(member.chains_) < 2:
            refuse("a member has no chain")
        check_part(model, member, model.n_targets_)


def check_part(model: Any, part: Any, n_targets: int) -> None:
    """Refuse an SVR within a regressor that predicts other targets, or from other features."""
    expect("targets of a member", part.n_targets_, n_targets)
    expect("dimensions of the targets of a member", part._y_ndim, 2)
    expect("features of a member", part.n_features_in_, model.n_features_in_)
