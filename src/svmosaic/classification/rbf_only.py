"""What the classifiers of the boundary-point thesis share: the rbf kernel by sigma, dense rows."""

from __future__ import annotations

from typing import Any, ClassVar

from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.parameters import MULTICLASS_PARAMETERS, POSITIVE_REAL, RUN_PARAMETERS
from svmosaic.engine.class_pairs import MultiClass

__all__ = ["RbfClassifier"]


class RbfClassifier(KernelClassifier):
    """Base of the classifiers with k(x, z) = exp(-|x - z|^2 / (2 sigma^2)), one-vs-one.

    A subclass has `sigma` for its width, and no other parameter of the kernel.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RUN_PARAMETERS,
        "decision_function_shape": MULTICLASS_PARAMETERS["decision_function_shape"],
        "lam": POSITIVE_REAL,
    }

    # No parameters; model files name the kernel by them.
    kernel = "rbf"
    degree = 3
    coef0 = 0.0
    multi_class: MultiClass = "ovo"

    _takes_sparse = False

    lam: float
