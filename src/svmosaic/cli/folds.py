"""Folds of cross-validation for the commands: shuffled, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags

if TYPE_CHECKING:
    from svmosaic.datasets import Dataset

__all__ = ["check_folds", "make_folds", "splitter"]

# R2 compares with the mean of the rows, which one row is itself.
_FEWEST_FOR_R2 = 2


def splitter(y: Any, n_folds: int, *, stratified: bool, who: str) -> Any:
    """Return the splitter of scikit-learn, or say why there is none.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels or targets.
    n_folds : int
        Number of folds.
    stratified : bool
        Whether each fold has the same shares of the classes.
    who : str
        The data, for messages.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    if len(y) < n_folds:
        raise ValueError(f"{who} has {len(y)} samples, too few for {n_folds} folds. Lower --cv.")
    if not stratified:
        return KFold(n_folds, shuffle=True, random_state=0)
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < n_folds:
        raise ValueError(
            f"The class {classes[counts.argmin()]} of {who} has {counts.min()} samples, too few "
            f"for {n_folds} folds. Lower --cv."
        )
    return StratifiedKFold(n_folds, shuffle=True, random_state=0)


def make_folds(y: Any, n_folds: int, *, stratified: bool, who: str) -> list[tuple[Any, Any]]:
    """Return the rows to train on and to test on, of each fold; see `splitter`."""
    split = splitter(y, n_folds, stratified=stratified, who=who)
    return list(split.split(np.zeros(len(y)), y))


def check_folds(
    folds: Sequence[tuple[Any, Any]], data: Dataset, impute: str, *, regression: bool
) -> None:
    """Refuse folds that cannot be scored, before anything is trained.

    Parameters
    ----------
    folds : sequence of (ndarray, ndarray)
        The rows to train on and to test on.
    data : Dataset
        The data.
    impute : str
        How gaps are filled; "none": there are none.
    regression : bool
        Whether the score is R2.
    """
    fewest = min(len(test) for _, test in folds)
    if regression and fewest < _FEWEST_FOR_R2:
        raise ValueError(
            f"{data.name} has {data.n_samples} samples; {len(folds)} folds leave {fewest} in one "
            f"of them, and R2 needs {_FEWEST_FOR_R2}. Lower --cv."
        )
    if impute == "none":
        return
    for train, _ in folds:
        part = data.X[train]
        table = part.instances if isinstance(part, Bags) else part
        if sp.issparse(table):
            return  # What is not stored is zero.
        (empty,) = np.nonzero(np.isnan(table).all(axis=0))
        if empty.size:
            name = f"number {empty[0]}"
            if data.feature_names is not None:
                name = repr(data.feature_names[empty[0]])
            raise ValueError(
                f"The column {name} of {data.name} has no value in any row of a fold's training "
                f"rows, so that it has no {impute} there. Leave it out with --drop, or leave --cv "
                "out."
            )
