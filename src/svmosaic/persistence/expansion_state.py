"""Kernel expansions in model files, in the arrangement that files have had from the beginning."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.classification.multiclass import unarrange
from svmosaic.classification.nlsgd import linear_expansion
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import Coefficients
from svmosaic.persistence.fields import set_attributes
from svmosaic.persistence.validation import GAMMA

__all__ = ["assemble_classifier", "assemble_linear_sgd", "assemble_one_output"]


def assemble_classifier(model: Any, state: dict[str, Any]) -> None:
    """Make a kernel classifier a fitted one."""
    dual_coef = state.pop("dual_coef_")
    coefficients = unarrange(
        dual_coef, state["n_support_"], state["classes_"].size, model.multi_class
    )
    _set_expansion(model, state, coefficients)


def assemble_one_output(model: Any, state: dict[str, Any]) -> None:
    """Make an estimator with one function a fitted one; without support it has other parts."""
    if "dual_coef_" in state:
        dual_coef = state.pop("dual_coef_")
        _set_expansion(model, state, Coefficients.of_matrix(dual_coef.T))
    else:
        set_attributes(model, state)


def assemble_linear_sgd(model: Any, state: dict[str, Any]) -> None:
    """Make an NL-SGD classifier a fitted one: with a linear kernel it has weights of features."""
    assemble_classifier(model, state)
    if model.kernel == "linear":
        model.expansion_ = linear_expansion(
            model._weights_of_features, model.expansion_.vectors, model.expansion_.intercepts
        )


def _set_expansion(model: Any, state: dict[str, Any], coefficients: Coefficients) -> None:
    kernel = kernel_spec(model.kernel, state.pop(GAMMA), model.degree, model.coef0)
    columns = state["support_"].astype(np.int64) if model.kernel == "precomputed" else None
    vectors, intercepts = state.pop("support_vectors_"), state.pop("intercept_")
    set_attributes(model, state)
    model.expansion_ = KernelExpansion(kernel, vectors, coefficients, intercepts, columns)
