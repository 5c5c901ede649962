"""What of kernel classifiers model files hold, and how it is compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.classification.multiclass import unarrange
from svmosaic.engine.expansion_state import (
    GAMMA,
    KERNEL_ESTIMATOR,
    POSITIVE,
    assemble_expansion,
    check_vectors,
)
from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import INTEGERS, Declaration, doubles, expect, row_numbers
from svmosaic.utils.state_codec import Array, Kind, Labels, Scope, Whole

__all__ = [
    "BOUNDARY_WIDTH",
    "KERNEL_CLASSIFIER",
    "STREAM",
    "assemble_classifier",
    "check_boundary",
    "check_stream",
    "count_problems",
]


def count_problems(n_classes: int, multi_class: str) -> int:
    """Return the number of binary problems.

    Counted, not listed: a list of pairs for a false number of classes would fill the memory.
    """
    if n_classes == 2:
        return 1
    return n_classes * (n_classes - 1) // 2 if multi_class == "ovo" else n_classes


def _check_expansion(model: Any, sizes: Scope) -> None:
    n_classes = sizes["n_classes"]
    one_vs_one = n_classes > 2 and model.multi_class == "ovo"
    n_problems = count_problems(n_classes, model.multi_class)
    expect("intercept", sizes["n_outputs"], n_problems)
    expect("rows of dual_coef", sizes["n_coef_rows"], n_classes - 1 if one_vs_one else n_problems)
    check_vectors(model, sizes)


def assemble_classifier(model: Any, state: dict[str, Any]) -> None:
    """Make a kernel classifier a fitted one."""
    coefficients = unarrange(
        state["dual_coef_"], state["n_support_"], state["classes_"].size, model.multi_class
    )
    assemble_expansion(model, state, coefficients)


KERNEL_CLASSIFIER = Declaration(
    {**KERNEL_ESTIMATOR, "classes_": Labels(), "n_support_": row_numbers("n_classes")},
    (_check_expansion,),
    assemble_classifier,
)

# Learners of streams -------------------------------------------------------------------------

STREAM: dict[str, Kind] = {
    "t_": doubles("n_outputs", minimum=0),
    "n_samples_seen_": Whole(1),
}


def check_stream(model: Any, sizes: Scope) -> None:
    """Refuse support vectors that come after the last row of the stream."""
    check_values("support", model.support_, maximum=model.n_samples_seen_ - 1)


# Boundary points -----------------------------------------------------------------------------

# The width that boundary points give, and the search for it; nan where none was possible.
BOUNDARY_WIDTH: dict[str, Kind] = {
    "sigma_": POSITIVE,
    "sigmas_": doubles("n_sigmas", above=0),
    "norms_": doubles("n_sigmas", finite=False),
    "n_boundary_": Array(INTEGERS, ("n_outputs",), minimum=0),
}


def check_boundary(model: Any, sizes: Scope) -> None:
    """Compare the boundary points with their numbers, and the width with gamma."""
    expect("sum of n_boundary", int(model.n_boundary_.sum(dtype=np.int64)), sizes["n_points"])
    if not np.isclose(2.0 * getattr(model, GAMMA) * model.sigma_ * model.sigma_, 1.0, rtol=1e-6):
        refuse("'sigma' and 'gamma' are widths of different kernels")
