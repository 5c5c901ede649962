"""Folds of cross-validation for the commands: shuffled, the same in every run."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["make_folds", "splitter"]


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
