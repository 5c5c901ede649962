"""Checks of what a model file holds: first each array by itself, then the arrays together.

Every check raises `ModelFileError` with one sentence; the caller adds the name of the file. No
check allocates more than a few times the size of the arrays it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.utils.array_checks import (
    AnyArray,
    check_csr,
    check_dtype,
    check_values,
    refuse,
)

__all__ = [
    "GAMMA",
    "AnyArray",
    "Sizes",
    "check_boundary",
    "check_chains",
    "check_csr",
    "check_dtype",
    "check_expansion",
    "check_held",
    "check_imputer",
    "check_min_max_range",
    "check_path",
    "check_planes",
    "check_positive_scale",
    "check_regression_expansion",
    "check_selected",
    "check_shape",
    "check_standard_parts",
    "check_state",
    "check_stream",
    "check_values",
    "check_weighted_chains",
    "expect",
    "refuse",
]

# Where a fitted estimator has its resolved width.
GAMMA = "expansion_.kernel.gamma"

_INT32_MAX = int(np.iinfo(np.int32).max)


class Sizes:
    """Lengths by name, such as ``"n_support"``; the first array with a name fixes its length."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}

    def bind(self, size: str, length: int, who: str) -> None:
        """Fix the length of `size`, or compare with what another array fixed."""
        known, first = self._known.setdefault(size, (length, who))
        if known != length:
            refuse(
                f"'{who}' has {length} entries where {known} were expected: "
                f"'{first}' sets {size} = {known}"
            )

    def __getitem__(self, size: str) -> int:
        return self._known[size][0]

    def __contains__(self, size: str) -> bool:
        return size in self._known


# One array ----------------------------------------------------------------------------------


def check_shape(name: str, array: AnyArray, shape: Sequence[str], sizes: Sizes) -> None:
    """Refuse an array of another number of axes, or of lengths that contradict other arrays."""
    if array.ndim != len(shape):
        refuse(f"'{name}' has {array.ndim} axes; expected {len(shape)}")
    for size, length in zip(shape, array.shape, strict=True):
        sizes.bind(size, length, name)


# The arrays of a kernel expansion -----------------------------------------------------------


def check_expansion(model: Any, sizes: Sizes) -> None:
    """Compare the support vectors, coefficients and intercepts of a kernel classifier."""
    n_classes = sizes["n_classes"]
    one_vs_one = n_classes > 2 and model.multi_class == "ovo"
    n_machines = _count_machines(n_classes, model.multi_class)
    expect("intercept", sizes["n_machines"], n_machines)
    expect("rows of dual_coef", sizes["n_coef_rows"], n_classes - 1 if one_vs_one else n_machines)
    _check_vectors(model, sizes)


def _count_machines(n_classes: int, multi_class: str) -> int:
    # Counted, not listed: a list of pairs for a false number of classes would fill the memory.
    if n_classes == 2:
        return 1
    return n_classes * (n_classes - 1) // 2 if multi_class == "ovo" else n_classes


def check_regression_expansion(model: Any, sizes: Sizes) -> None:
    """Compare the support vectors, coefficients and intercept of a kernel regressor."""
    expect("intercept", sizes["n_machines"], 1)
    expect("rows of dual_coef", sizes["n_coef_rows"], 1)
    _check_vectors(model, sizes)


def _check_vectors(model: Any, sizes: Sizes) -> None:
    n_support = sizes["n_support"]
    expect("sum of n_support", int(model.n_support_.sum(dtype=np.int64)), n_support)
    if np.unique(model.support_).size != n_support:
        refuse("'support' names a row twice")
    if model.degree > _INT32_MAX:
        refuse(f"degree is {model.degree}; at most {_INT32_MAX} was expected")

    n_features = model.n_features_in_
    if model.kernel == "precomputed":
        _check_rows("support_vectors", model.support_vectors_, (0, 0), dense_only=True)
        check_values("support", model.support_, maximum=n_features - 1)
    else:
        _check_rows("support_vectors", model.support_vectors_, (n_support, n_features))


def expect(what: str, found: int, expected: int) -> None:
    """Refuse another number than expected."""
    if found != expected:
        refuse(f"{what}: {found} where {expected} was expected")


def _check_rows(name: str, rows: Any, shape: tuple[int, int], dense_only: bool = False) -> None:
    if rows.shape != shape:
        refuse(f"'{name}' has shape {rows.shape}; expected {shape}")
    if dense_only and sp.issparse(rows):
        refuse(f"'{name}' is sparse; a precomputed kernel is dense")


# The arrays of the margin path --------------------------------------------------------------


def check_path(model: Any, sizes: Sizes) -> None:
    """Compare the recorded path with the machines; a model from elsewhere has no path."""
    path = model._path
    offsets = path["offsets"]
    n_path_machines = sizes["n_path_machines"]
    if n_path_machines not in (0, sizes["n_machines"]):
        refuse(f"the path has {n_path_machines} machines; the model has {sizes['n_machines']}")
    expect("offsets of the path", offsets.size, n_path_machines + 1)
    if offsets[0] != 0 or offsets[-1] != sizes["n_steps"] or np.any(offsets[1:] < offsets[:-1]):
        refuse(f"the offsets of the path do not ascend from 0 to {sizes['n_steps']}")
    if model.refine is None and not np.isin(path["rows"], model.support_).all():
        refuse("the path takes a row that is no support vector; 'refine' was not None in the fit")


def check_selected(model: Any, sizes: Sizes) -> None:
    """Compare the selected samples with the path that takes them."""
    selected = model._selected
    if not selected:
        if model.refine == "selected" and sizes["n_path_machines"] > 0:
            refuse("refine='selected' needs the selected samples, which are missing")
        return
    n_selected = sizes["n_selected"]
    pairwise = model.kernel == "precomputed"
    n_columns = n_selected if pairwise else model.n_features_in_
    _check_rows("selected.vectors", selected["vectors"], (n_selected, n_columns), pairwise)
    check_values("selected.labels", selected["labels"], maximum=sizes["n_classes"] - 1)
    if np.unique(selected["rows"]).size != n_selected:
        refuse("'selected.rows' names a row twice")
    if not np.isin(model._path["rows"], selected["rows"]).all():
        refuse("the path takes a row that is not among the selected samples")


# The arrays of an online machine -------------------------------------------------------------


def check_stream(model: Any, sizes: Sizes) -> None:
    """Refuse support vectors that come after the last row of the stream."""
    check_values("support", model.support_, maximum=model.n_samples_seen_ - 1)


def check_state(model: Any, sizes: Sizes) -> None:
    """Compare the raw sums with the machine: of features when it is linear, else of vectors."""
    per_feature = (sizes["n_machines"], model.n_features_in_)
    if model.kernel == "linear":
        expect("support vectors of a linear machine", sizes["n_support"], 0)
        _check_rows("state", model._state, per_feature)
        _check_rows("feature_weights", model._weights_of_features, per_feature)
    else:
        _check_rows("state", model._state, model.dual_coef_.shape)
        _check_rows("feature_weights", model._weights_of_features, (0, 0))


# The arrays of boundary points ---------------------------------------------------------------


def check_boundary(model: Any, sizes: Sizes) -> None:
    """Compare the boundary points with their numbers, and the width with gamma."""
    expect("sum of n_boundary", int(model.n_boundary_.sum(dtype=np.int64)), sizes["n_points"])
    if "two" in sizes:
        expect("columns of boundary_pairs", sizes["two"], 2)
    if not np.isclose(2.0 * getattr(model, GAMMA) * model.sigma_**2, 1.0, rtol=1e-6):
        refuse("'sigma' and 'gamma' are widths of different kernels")


def check_planes(model: Any, sizes: Sizes) -> None:
    """Compare the planes of an ensemble with their numbers and with the classes."""
    expect("threshold", sizes["n_machines"], _count_machines(sizes["n_classes"], "ovo"))
    expect("sum of n_planes", int(model.n_planes_.sum(dtype=np.int64)), sizes["n_planes"])


# The arrays of chains -------------------------------------------------------------------------


def check_chains(model: Any, sizes: Sizes) -> None:
    """Refuse chains whose machines do not fit them, or look at what is not known yet."""
    _check_rows(
        "support_vectors", model.support_vectors_, (sizes["n_support"], sizes["n_features"])
    )
    expect("columns of candidates", sizes["n_parameters"], 3)
    if model._y_ndim > 2 or (model._y_ndim == 1 and model.n_targets_ != 1):
        refuse("'y_ndim' does not fit the number of targets")
    check_values("machines", model.machines_, maximum=sizes["n_machines"] - 1)
    check_values("machine_columns", model.machine_columns_, maximum=sizes["n_columns"] - 1)
    targets = np.arange(model.n_targets_)
    for order, machines in zip(model.chains_, model.machines_, strict=True):
        if not np.array_equal(np.sort(order), targets):
            refuse("a chain does not name every target once")
        if not np.array_equal(model.machine_targets_[machines], targets):
            refuse("a chain has the machine of another target")
        for position, target in enumerate(order):
            seen = np.flatnonzero(model.machine_columns_[machines[target]] >= 0)
            if not np.isin(seen, order[:position]).all():
                refuse("a machine looks at a target that comes later in its chain")


def check_weighted_chains(model: Any, sizes: Sizes) -> None:
    """Refuse weights that are no weighted mean of the members' two values each."""
    expect("rows of weights", sizes["n_parts"], 2 * len(model.members_))
    if not np.allclose(model.weights_.sum(axis=0), 1.0):
        refuse("the weights of a target do not sum to 1")
    for member in model.members_:
        expect("targets of a member", member.n_targets_, model.n_targets_)
        expect("features of a member", member.n_features_in_, model.n_features_in_)
        # The first row are the machines without a chain.
        if len(member.chains_) < 2:
            refuse("a member has no chain")
    if model._y_ndim > 2 or (model._y_ndim == 1 and model.n_targets_ != 1):
        refuse("'y_ndim' does not fit the number of targets")
    expect("updates", sizes["n_machines"], sum(len(m.n_iter_) for m in model.members_))


# Scalers ------------------------------------------------------------------------------------


def check_positive_scale(scaler: Any, sizes: Sizes) -> None:
    """Refuse a scale that would divide by zero or turn a feature around."""
    if scaler.scale_ is not None:
        check_values("scale", scaler.scale_, above=0.0)


def check_min_max_range(scaler: Any, sizes: Sizes) -> None:
    """Refuse a range of a MinMaxScaler that is not two ascending numbers."""
    low_high = scaler.feature_range
    numbers = all(type(value) in (int, float) for value in low_high)
    if len(low_high) != 2 or not numbers or not -np.inf < low_high[0] < low_high[1] < np.inf:
        refuse("feature_range of MinMaxScaler must be two ascending finite numbers")


def check_imputer(imputer: Any, sizes: Sizes) -> None:
    """Refuse an imputer that adds columns, or that fills anything but numbers that are missing."""
    expect("statistics", imputer.statistics_.size, imputer.n_features_in_)
    missing = imputer.missing_values
    if imputer.add_indicator or not (isinstance(missing, float) and np.isnan(missing)):
        refuse("an imputer must fill nan and add no columns")


def check_held(holder: Any, sizes: Sizes) -> None:
    """Refuse held features that are not there or are named twice."""
    check_values("held", holder.held_, minimum=0, maximum=holder.n_features_in_ - 1)
    check_values("values", holder.values_)
    if np.any(np.diff(holder.held_) <= 0):
        refuse("held features are not in ascending order")


def check_standard_parts(scaler: Any, sizes: Sizes) -> None:
    """Refuse a StandardScaler without the mean or the scale that its parameters ask for."""
    if (scaler.with_mean and scaler.mean_ is None) or (scaler.with_std and scaler.scale_ is None):
        refuse("a StandardScaler lacks its mean or its scale")
