"""What happens to features before an estimator sees them.

Gaps are filled, constant features are held at their value, then all are scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic.bags import Bags
from svmosaic.preprocessing import ConstantHolder, preparation_steps
from svmosaic.utils.wording import plural

__all__ = [
    "Preparation",
    "describe_holding",
    "describe_scaling",
    "fills_gaps",
    "moves_zeros",
    "plan_preparation",
]


@dataclass(frozen=True)
class Preparation:
    """Steps before an estimator, in their order.

    Attributes
    ----------
    steps : tuple of (str, transformer)
        Names and transformers.
    scaling : str
        How features are scaled, in words.
    filling : str
        How gaps are filled, in words; empty where they are not.
    holding : str
        Which features are held, in words; empty where none is.
    """

    steps: tuple[tuple[str, Any], ...]
    scaling: str
    filling: str = ""
    holding: str = ""

    def fields(self) -> list[tuple[str, object]]:
        """Return what is done, to be shown."""
        fields = [("gaps", self.filling), ("constant", self.holding), ("scaling", self.scaling)]
        return [(name, words) for name, words in fields if words]

    def fit_transform(self, X: Any) -> Any:
        """Train the steps and return prepared features."""
        for _, step in self.steps:
            X = step.fit_transform(X)
        return X

    def transform(self, X: Any) -> Any:
        """Return prepared features."""
        for _, step in self.steps:
            X = step.transform(X)
        return X

    def assemble(
        self,
        estimator: Any,
        names: tuple[str, ...] | None,
        targets: Sequence[str] = (),
        roles: dict[str, list[str]] | None = None,
    ) -> Any:
        """Return one model of the trained steps and a fitted estimator that knows its columns."""
        first = self.steps[0][1] if self.steps else estimator
        if names is not None:
            first.feature_names_in_ = np.array(names, dtype=object)
        model = Pipeline([*self.steps, ("model", estimator)]) if self.steps else estimator
        if targets:
            model.target_names_in_ = np.array(targets, dtype=object)
        if roles:
            model.column_roles_in_ = roles
        return model


def plan_preparation(
    scale: str, impute: str, X: Any, names: tuple[str, ...] | None = None
) -> Preparation:
    """Return steps for `X` that are not trained yet.

    Sparse data keep their zeros: they get `MaxAbsScaler` in place of min-max, and standard
    scaling without centring. The steps of bags apply to their instances.
    """
    table = X.instances if isinstance(X, Bags) else X
    filling = ""
    if impute != "none":
        _refuse_empty_columns(table, names, impute)
        filling = f"{_count_gaps(table)} filled with the {impute} of their column"
    n_constant = 0 if scale == "none" else _count_constant(table)
    holding = describe_holding(n_constant)
    steps = preparation_steps(scale, impute, X, hold=n_constant > 0)
    scaling = describe_scaling(scale, sparse=sp.issparse(table))
    return Preparation(tuple(steps), scaling, filling, holding)


def fills_gaps(step: Any) -> bool:
    """Whether a step takes missing values."""
    return isinstance(step, SimpleImputer)


def moves_zeros(step: Any) -> bool:
    """Whether a step needs a dense table."""
    return isinstance(step, MinMaxScaler) or bool(getattr(step, "with_mean", False))


def describe_holding(n_constant: int) -> str:
    """Return how many features are held, in words; empty where none is."""
    if not n_constant:
        return ""
    return f"{plural(n_constant, 'feature')} without a range, held at one value"


def describe_scaling(kind: str, *, sparse: bool) -> str:
    """Return how features are scaled, in words."""
    if kind == "standard":
        return "standard deviation 1, zeros kept (sparse data)" if sparse else "mean 0, deviation 1"
    if kind == "minmax" and sparse:
        return "max-abs to [-1, 1], zeros kept (sparse data; min-max would fill it)"
    return "min-max to [0, 1]" if kind == "minmax" else "none"


def _count_constant(table: Any) -> int:
    """Count the columns with one value; gaps will have it too."""
    if not sp.issparse(table):
        # Of a column of gaps alone both are nan.
        return int(np.sum(np.fmin.reduce(table, axis=0) == np.fmax.reduce(table, axis=0)))
    return ConstantHolder().fit(table).held_.size


def _count_gaps(table: Any) -> int:
    return int(np.isnan(table.data if sp.issparse(table) else table).sum())


def _refuse_empty_columns(table: Any, names: tuple[str, ...] | None, impute: str) -> None:
    if sp.issparse(table):
        return  # What is not stored is zero.
    (empty,) = np.nonzero(np.isnan(table).all(axis=0))
    if empty.size:
        name = names[empty[0]] if names is not None else f"number {empty[0]}"
        raise ValueError(
            f"The column {name} has no value in any row, so that it has no {impute}. Remove it."
        )
