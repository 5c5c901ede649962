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
    "fills_names",
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
    names : tuple of str or None
        Names of the features; ``colour=red`` is a value of the column colour.
    """

    steps: tuple[tuple[str, Any], ...]
    scaling: str
    filling: str = ""
    holding: str = ""
    names: tuple[str, ...] | None = None

    def fields(self) -> list[tuple[str, object]]:
        """Return what is done, to be shown."""
        fields = [("gaps", self.filling), ("constant", self.holding), ("scaling", self.scaling)]
        return [(name, words) for name, words in fields if words]

    def fit_transform(self, X: Any) -> Any:
        """Train the steps and return prepared features."""
        for name, step in self.steps:
            if name == "impute":
                step.fit(X)
                _fill_names(getattr(step, "transformer_", step), X, self.names)
                X = step.transform(X)
            else:
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
        filling = _describe_filling(table, names, impute)
    n_constant = 0 if scale == "none" else _count_constant(table)
    holding = describe_holding(n_constant)
    steps = preparation_steps(scale, impute, X, hold=n_constant > 0)
    scaling = describe_scaling(scale, sparse=sp.issparse(table))
    return Preparation(tuple(steps), scaling, filling, holding, names)


def fills_gaps(step: Any) -> bool:
    """Whether a step takes missing values."""
    return isinstance(step, SimpleImputer)


def fills_names(step: Any, model: Any) -> bool:
    """Whether a step fills missing names with one name, and not each of its columns by itself.

    Parameters
    ----------
    step : transformer
        A trained step of the model.
    model : estimator
        The model, which may know the names of its features.
    """
    names = getattr(model, "feature_names_in_", None)
    if not fills_gaps(step) or names is None:
        return False
    groups = _name_groups([str(name) for name in names])
    # A column of numbers may have an equals sign in its name.
    filled = [step.statistics_[group] for group in groups if len(group) > 1]
    return all(np.isin(values, (0, 1)).all() and values.sum() == 1 for values in filled)


def _name_groups(names: Sequence[str] | None, table: Any = None) -> list[list[int]]:
    """Return the features that are values of one column, for each such column of the table."""
    groups: dict[str, list[int]] = {}
    for j, name in enumerate(names or ()):
        column, equals, _ = name.partition("=")
        if equals:
            groups.setdefault(column, []).append(j)
    if table is None:
        return list(groups.values())
    return [group for group in groups.values() if _are_values(table[:, group])]


def _are_values(columns: Any) -> bool:
    """Return whether each row has a 1 in one of the columns, or gaps in all."""
    known = columns[~np.isnan(columns).all(axis=1)]
    return bool(np.isin(known, (0, 1)).all() and (known.sum(axis=1) == 1).all())


def _fill_names(imputer: Any, X: Any, names: tuple[str, ...] | None) -> None:
    """Let missing names become the most frequent name, in whatever way numbers are filled."""
    table = X.instances if isinstance(X, Bags) else X
    if sp.issparse(table):
        return
    for group in _name_groups(names, table):
        counts = np.nansum(table[:, group], axis=0)
        imputer.statistics_[group] = 0.0
        imputer.statistics_[group[int(counts.argmax())]] = 1.0


def _describe_filling(table: Any, names: tuple[str, ...] | None, impute: str) -> str:
    """Return how many cells are filled and with what."""
    if sp.issparse(table):
        return f"{_count_gaps(table)} filled with the {impute} of their column"
    groups = _name_groups(names, table)
    missing = np.isnan(table)
    # A missing name is missing in all its columns.
    n_names = sum(int(missing[:, group[0]].sum()) for group in groups)
    missing[:, [j for group in groups for j in group]] = False
    text = f"{int(missing.sum())} filled with the {impute} of their column"
    return f"{text}, {plural(n_names, 'name')} with the most frequent" if n_names else text


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
