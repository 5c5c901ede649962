"""What the machines of the boundary-point thesis share: the rbf kernel by sigma, dense rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import scipy.sparse as sp

from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.multiclass import MultiClass
from svmosaic.utils.sklearn_compat import Interval, StrOptions

__all__ = ["RbfClassifier"]


class RbfClassifier(KernelClassifier):
    """Base of the classifiers with k(x, z) = exp(-|x - z|^2 / (2 sigma^2)), one-vs-one.

    No parameters: what the common road asks of every kernel machine is fixed here.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "lam": [Interval(Real, 0.0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "n_jobs": [Integral, None],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "verbose": ["verbose"],
    }

    kernel = "rbf"
    gamma: float | str = "scale"
    degree = 3
    coef0 = 0.0
    cache_mb = 200.0
    multi_class: MultiClass = "ovo"
    lam: float

    def _check_square(self, X: Any) -> None:
        self._refuse_sparse(X)

    def _refuse_sparse(self, X: Any) -> None:
        if sp.issparse(X):
            raise TypeError(
                f"{type(self).__name__} takes dense arrays only. Got a sparse matrix; use "
                "X.toarray() if it fits into memory."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
