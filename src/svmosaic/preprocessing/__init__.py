"""What happens to features before an estimator sees them."""

from __future__ import annotations

from svmosaic.preprocessing.constant_holder import ConstantHolder
from svmosaic.preprocessing.steps import holds_features, preparation_steps, refuse_infinities

__all__ = ["ConstantHolder", "holds_features", "preparation_steps", "refuse_infinities"]
