"""How the scalers and the imputer of scikit-learn are stored, as far as model files hold them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, QuantileTransformer, StandardScaler

from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import FEATURES, FLOATS, Declaration, doubles, expect
from svmosaic.utils.state_codec import Array, Kind, Maybe, Scope, Whole

__all__ = ["SKLEARN_STEPS"]


def _check_scale(scaler: Any, sizes: Scope) -> None:
    """Refuse a scale that would divide by zero or turn a feature around."""
    if scaler.scale_ is not None:
        check_values("scale", scaler.scale_, above=0.0)


def _check_range(scaler: Any, sizes: Scope) -> None:
    """Refuse a range of a MinMaxScaler that is not two ascending numbers."""
    low_high = scaler.feature_range
    numbers = all(type(value) in (int, float) for value in low_high)
    if len(low_high) != 2 or not numbers or not -np.inf < low_high[0] < low_high[1] < np.inf:
        refuse("feature_range of MinMaxScaler must be two ascending finite numbers")


def _check_standard(scaler: Any, sizes: Scope) -> None:
    """Refuse a StandardScaler without the mean or the scale that its parameters ask for."""
    if (scaler.with_mean and scaler.mean_ is None) or (scaler.with_std and scaler.scale_ is None):
        refuse("a StandardScaler lacks its mean or its scale")


def _check_quantiles(scaler: Any, sizes: Scope) -> None:
    """Refuse quantiles that descend, or shares that are not those between 0 and 1."""
    expect("quantiles", sizes["n_quantiles"], int(scaler.n_quantiles_))
    if np.any(np.diff(scaler.quantiles_, axis=0) < 0.0):
        refuse("the quantiles of a QuantileTransformer descend")
    if not np.array_equal(scaler.references_, np.linspace(0.0, 1.0, int(scaler.n_quantiles_))):
        refuse("the references of a QuantileTransformer are no even shares")
    if scaler.output_distribution not in ("uniform", "normal"):
        refuse("a QuantileTransformer has an unknown distribution")


def _check_imputer(imputer: Any, sizes: Scope) -> None:
    """Refuse an imputer that adds columns, or that fills anything but numbers that are missing."""
    missing = imputer.missing_values
    if imputer.add_indicator or not (isinstance(missing, float) and np.isnan(missing)):
        refuse("an imputer must fill nan and add no columns")


def _fit_imputer(imputer: Any, state: dict[str, Any]) -> None:
    """Train on one row, the values to fill in: that is their mean, median and mode."""
    imputer.fit(state["statistics_"][None, :])
    if "feature_names_in_" in state:
        imputer.feature_names_in_ = state["feature_names_in_"]


_PER_FEATURE = Array(FLOATS, ("n_features",))
_COUNTS = Array(("int64", "float64"), ("n_features",), minimum=0, scalar=True)


def _scaler(kind: Kind, *attributes: str) -> dict[str, Kind]:
    return {**FEATURES, "n_samples_seen_": _COUNTS, **dict.fromkeys(attributes, kind)}


_step = partial(Declaration, role="scaler")

SKLEARN_STEPS: dict[type, Declaration] = {
    MinMaxScaler: _step(
        _scaler(_PER_FEATURE, "min_", "scale_", "data_min_", "data_max_", "data_range_"),
        (_check_scale, _check_range),
    ),
    StandardScaler: _step(
        _scaler(Maybe(_PER_FEATURE), "mean_", "var_", "scale_"), (_check_scale, _check_standard)
    ),
    MaxAbsScaler: _step(_scaler(_PER_FEATURE, "max_abs_", "scale_"), (_check_scale,)),
    QuantileTransformer: _step(
        {
            **FEATURES,
            "n_quantiles_": Whole(1),
            "quantiles_": Array(FLOATS, ("n_quantiles", "n_features")),
            "references_": doubles("n_quantiles"),
        },
        (_check_quantiles,),
    ),
    SimpleImputer: _step(
        {**FEATURES, "statistics_": _PER_FEATURE}, (_check_imputer,), _fit_imputer
    ),
}
