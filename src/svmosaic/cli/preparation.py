"""What happens to features before a machine sees them: gaps are filled, then they are scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.bags import Bags
from svmosaic.multi_instance.bag_transformer import BagTransformer

__all__ = ["Preparation", "fills_gaps", "moves_zeros", "plan_preparation"]


@dataclass(frozen=True)
class Preparation:
    """Steps before a machine, in their order.

    Attributes
    ----------
    steps : tuple of (str, transformer)
        Names and transformers.
    scaling : str
        How features are scaled, in words.
    filling : str
        How gaps are filled, in words; empty where they are not.
    """

    steps: tuple[tuple[str, Any], ...]
    scaling: str
    filling: str = ""

    def fields(self) -> list[tuple[str, object]]:
        """Return what is done, to be shown."""
        filling = [("gaps", self.filling)] if self.filling else []
        return [*filling, ("scaling", self.scaling)]

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

    def assemble(self, machine: Any, names: tuple[str, ...] | None) -> Any:
        """Return one model of the trained steps and a fitted machine that knows its columns."""
        first = self.steps[0][1] if self.steps else machine
        if names is not None:
            first.feature_names_in_ = np.array(names, dtype=object)
        return Pipeline([*self.steps, ("model", machine)]) if self.steps else machine


def plan_preparation(
    scale: str, impute: str, X: Any, names: tuple[str, ...] | None = None
) -> Preparation:
    """Return steps for `X` that are not trained yet.

    Sparse data keep their zeros: they get `MaxAbsScaler` in place of min-max, and standard
    scaling without centring. The steps of bags apply to their instances.
    """
    table = X.instances if isinstance(X, Bags) else X
    steps: list[tuple[str, Any]] = []
    filling = ""
    if impute != "none":
        _refuse_empty_columns(table, names, impute)
        steps.append(("impute", SimpleImputer(strategy=impute)))
        filling = f"{_count_gaps(table)} filled with the {impute} of their column"
    scaler, scaling = _make_scaler(scale, sparse=sp.issparse(table))
    if scaler is not None:
        steps.append(("scale", scaler))
    if isinstance(X, Bags):
        steps = [(name, BagTransformer(step, allow_nan=name == "impute")) for name, step in steps]
    return Preparation(tuple(steps), scaling, filling)


def fills_gaps(step: Any) -> bool:
    """Whether a step takes missing values."""
    return isinstance(step, SimpleImputer)


def moves_zeros(step: Any) -> bool:
    """Whether a step needs a dense table."""
    return isinstance(step, MinMaxScaler) or bool(getattr(step, "with_mean", False))


def _make_scaler(kind: str, *, sparse: bool) -> tuple[Any, str]:
    if kind == "none":
        return None, "none"
    if kind == "standard":
        text = "standard deviation 1, zeros kept (sparse data)" if sparse else "mean 0, deviation 1"
        return StandardScaler(with_mean=not sparse), text
    if sparse:
        return MaxAbsScaler(), "max-abs to [-1, 1], zeros kept (sparse data; min-max would fill it)"
    return MinMaxScaler(), "min-max to [0, 1]"


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
