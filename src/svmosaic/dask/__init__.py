"""Exact models from rows on a Dask cluster; see docs/dask.md."""

from svmosaic.dask.estimators import DaskOLLAWVClassifier, DaskSMOClassifier, DaskSMORegressor
from svmosaic.dask.fit_report import ClusterFitReport

__all__ = ["ClusterFitReport", "DaskOLLAWVClassifier", "DaskSMOClassifier", "DaskSMORegressor"]
