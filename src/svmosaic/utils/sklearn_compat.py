"""The private parts of scikit-learn that we use, imported here and nowhere else."""

from __future__ import annotations

from typing import Any

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions", "fit_context"]

# Typed as Any: scikit-learn carries no types, and a decorator without one hides the method's.
fit_context: Any = _fit_context
