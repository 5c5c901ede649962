"""The methods that multi-target regression is compared with, around any regressor.

ST (single target), MTS and MTSC (stacking, and corrected stacking), RC and RCC (one regressor
chain), ERC and ERCC (ensembles of chains). A multi-output random forest, MORF, is scikit-learn's
``RandomForestRegressor(n_estimators=100)``.
"""

from __future__ import annotations

from svmosaic.regression.peers.regressor_chains import ERC, ERCC, RC, RCC
from svmosaic.regression.peers.single_target import ST
from svmosaic.regression.peers.stacking import MTS, MTSC

__all__ = ["ERC", "ERCC", "MTS", "MTSC", "RC", "RCC", "ST"]
