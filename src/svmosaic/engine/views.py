"""scikit-learn's attributes of a support vector machine, as views of the expansion it is."""

from __future__ import annotations

from typing import Any

from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.problem import DoubleArray

__all__ = ["ExpansionViews"]


class ExpansionViews:
    """Mixin of the estimators whose fitted model is one kernel expansion, ``expansion_``."""

    expansion_: KernelExpansion

    @property
    def support_vectors_(self) -> Any:
        """The support vectors; empty for a precomputed kernel."""
        return self.expansion_.vectors

    @property
    def dual_coef_(self) -> DoubleArray:
        """Coefficients of the support vectors, one row per output."""
        return self.expansion_.coefficient_matrix().T.toarray()  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> DoubleArray:
        """Constant terms, one per output."""
        return self.expansion_.intercepts
