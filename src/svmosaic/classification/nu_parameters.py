"""What the nu-SVMs and the one-class SVM share: their parameters, settings and status."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from svmosaic.classification.parameters import MEMORY_LIMIT, POSITIVE_REAL
from svmosaic.engine.settings import NuSettings
from svmosaic.utils.sklearn_compat import Interval

__all__ = ["NU_PARAMETERS", "NuEstimator"]

NU_PARAMETERS: dict[str, list[Any]] = {
    **MEMORY_LIMIT,
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "tol": POSITIVE_REAL,
    "max_iter": [Interval(Integral, -1, None, closed="left")],
    "shrinking": ["boolean"],
}


class NuEstimator:
    """Mixin of the estimators that `NuSettings` solve."""

    nu: float
    tol: float
    max_iter: int
    shrinking: bool
    stop_reason_: npt.NDArray[np.str_]

    @property
    def fit_status_(self) -> int:
        """0 if all problems converged, else 1."""
        return int(np.any(self.stop_reason_ != "converged"))

    def _nu_settings(
        self, task: Literal["classification", "regression", "one_class"], C: float = 1.0
    ) -> NuSettings:
        return NuSettings(
            task=task,
            nu=float(self.nu),
            C=C,
            tol=float(self.tol),
            max_iter=max(0, int(self.max_iter)),
            shrinking=bool(self.shrinking),
        )
