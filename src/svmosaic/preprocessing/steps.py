"""The steps before a method: gaps are filled, constant features held, all of them scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.bags import Bags
from svmosaic.multi_instance import BagTransformer
from svmosaic.preprocessing.constant_holder import ConstantHolder

__all__ = ["holds_features", "preparation_steps", "refuse_infinities"]


def preparation_steps(scale: str, impute: str, X: Any, *, hold: bool) -> list[tuple[str, Any]]:
    """Return names and transformers for data like `X`, not trained yet.

    With `hold`, features that are constant in the training part are held at that value before they
    are scaled. Sparse data keep their zeros. The steps of bags apply to their instances.

    Parameters
    ----------
    scale : {"minmax", "standard", "none"}
        How to scale.
    impute : {"mean", "median", "most_frequent", "none"}
        How to fill gaps.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or Bags
        Data of the kind that the steps are for.
    hold : bool
        Whether to hold constant features.

    Returns
    -------
    list of tuple
        Steps for a pipeline.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.preprocessing import preparation_steps
    >>> [name for name, _ in preparation_steps("minmax", "mean", np.eye(2), hold=True)]
    ['impute', 'hold', 'scale']
    """
    in_bags = isinstance(X, Bags)
    sparse = sp.issparse(X.instances if in_bags else X)
    steps: list[tuple[str, Any]] = []
    if impute != "none":
        steps.append(("impute", SimpleImputer(strategy=impute)))
    if scale != "none" and hold:
        steps.append(("hold", ConstantHolder()))
    if scale == "standard":
        steps.append(("scale", StandardScaler(with_mean=not sparse)))
    elif scale == "minmax":
        steps.append(("scale", MaxAbsScaler() if sparse else MinMaxScaler()))
    if in_bags:
        steps = [(name, BagTransformer(step, allow_nan=name == "impute")) for name, step in steps]
    return steps


def refuse_infinities(X: Any, name: str) -> None:
    """Raise if a value is infinite, which unlike a gap cannot be filled.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or Bags
        The data.
    name : str
        What to call them in the message.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.preprocessing import refuse_infinities
    >>> refuse_infinities(np.array([[1.0, np.inf]]), "iris")
    Traceback (most recent call last):
    ...
    ValueError: iris has an infinite value, in row 0 and feature 1, counted from 0. Only gaps can \
be filled: correct the value, or leave it empty.
    """
    table = X.instances if isinstance(X, Bags) else X
    if not np.isinf(table.data if sp.issparse(table) else table).any():
        return
    cells = sp.coo_array(table)
    first = int(np.flatnonzero(np.isinf(cells.data))[0])
    raise ValueError(
        f"{name} has an infinite value, in row {cells.row[first]} and feature {cells.col[first]}, "
        "counted from 0. Only gaps can be filled: correct the value, or leave it empty."
    )


def holds_features(impute: str, train: Any, test: Any) -> bool:
    """Whether test data change where features that are constant in training data are held.

    Parameters
    ----------
    impute : {"mean", "median", "most_frequent", "none"}
        How gaps are filled before.
    train, test : {array-like, sparse matrix} of shape (n_samples, n_features) or Bags
        Training data and test data.

    Returns
    -------
    bool
        True if a feature that is constant in `train` has another value in `test`.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.preprocessing import holds_features
    >>> holds_features("none", np.array([[1.0], [1.0]]), np.array([[2.0]]))
    True
    """
    if isinstance(train, Bags):
        train, test = train.instances, test.instances
    if impute != "none":
        imputer = SimpleImputer(strategy=impute).fit(train)
        train, test = imputer.transform(train), imputer.transform(test)
    holder = ConstantHolder().fit(train)
    held = holder.transform(test)[:, holder.held_] != test[:, holder.held_]
    return bool(held.nnz if sp.issparse(held) else np.any(held))
