"""Kernel expansions in model files, in the arrangement that files have had from the beginning."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import Coefficients, Status
from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import (
    FEATURES,
    INTEGERS,
    LAST_ROW,
    Samples,
    doubles,
    expect,
    expect_shape,
    row_numbers,
    set_attributes,
)
from svmosaic.utils.state_codec import Array, Kind, Real, Scope, Words

__all__ = [
    "CERTIFICATE",
    "GAMMA",
    "KERNEL_ESTIMATOR",
    "POSITIVE",
    "assemble_expansion",
    "assemble_one_output",
    "check_vectors",
    "expect_samples",
]

# Where a fitted estimator has its resolved width.
GAMMA = "expansion_.kernel.gamma"
POSITIVE = Real(above=0.0)

KERNEL_ESTIMATOR: dict[str, Kind] = {
    **FEATURES,
    GAMMA: POSITIVE,
    "support_": row_numbers("n_support"),
    "dual_coef_": doubles("n_coef_rows", "n_support"),
    "intercept_": doubles("n_outputs"),
    "support_vectors_": Samples(),
    "n_iter_": Array(INTEGERS, ("n_outputs",), minimum=0),
    "stop_reason_": Words("n_outputs", get_args(Status)),
}

# nan where a problem was not solved exactly, or not to the end.
CERTIFICATE: dict[str, Kind] = {
    "dual_gap_": doubles("n_outputs", finite=False),
    "objective_": doubles("n_outputs", finite=False),
}


def check_vectors(model: Any, sizes: Scope) -> None:
    """Compare the support vectors with their numbers and with the features."""
    n_support = sizes["n_support"]
    expect("sum of n_support", int(model.n_support_.sum(dtype=np.int64)), n_support)
    if np.unique(model.support_).size != n_support:
        refuse("'support' names a row twice")
    if model.degree > LAST_ROW:
        refuse(f"degree is {model.degree}; at most {LAST_ROW} was expected")
    n_features = model.n_features_in_
    if model.kernel == "precomputed":
        expect_samples("support_vectors", model.support_vectors_, 0, 0, dense_only=True)
        check_values("support", model.support_, maximum=n_features - 1)
    else:
        expect_samples("support_vectors", model.support_vectors_, n_support, n_features)


def expect_samples(name: str, rows: Any, *shape: int, dense_only: bool = False) -> None:
    """Refuse samples of another shape, and compressed rows where there can be none."""
    expect_shape(name, rows, *shape)
    if dense_only and sp.issparse(rows):
        refuse(f"'{name}' is sparse; a precomputed kernel is dense")


def assemble_one_output(model: Any, state: dict[str, Any]) -> None:
    """Make an estimator with one function a fitted one; without support it has other parts."""
    if "dual_coef_" in state:
        assemble_expansion(model, state, Coefficients.of_matrix(state["dual_coef_"].T))
    else:
        set_attributes(model, state)


def assemble_expansion(model: Any, state: dict[str, Any], coefficients: Coefficients) -> None:
    """Make an estimator a fitted one, with its expansion in place of the views of it."""
    kernel = kernel_spec(model.kernel, state[GAMMA], model.degree, model.coef0)
    columns = state["support_"].astype(np.int64) if model.kernel == "precomputed" else None
    expansion = KernelExpansion(
        kernel, state["support_vectors_"], coefficients, state["intercept_"], columns
    )
    views = {GAMMA, "dual_coef_", "intercept_", "support_vectors_"}
    set_attributes(model, {name: value for name, value in state.items() if name not in views})
    model.expansion_ = expansion
