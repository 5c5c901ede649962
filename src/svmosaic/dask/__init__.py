"""Exact models from rows on a Dask cluster; see docs/dask.md."""

from svmosaic.dask.estimators import DaskOLLAWVClassifier, DaskSMOClassifier, DaskSMORegressor
from svmosaic.dask.file_prediction import predict_files
from svmosaic.dask.files import read_files
from svmosaic.dask.fit_report import ClusterFitReport
from svmosaic.dask.search import spread_search

__all__ = [
    "ClusterFitReport",
    "DaskOLLAWVClassifier",
    "DaskSMOClassifier",
    "DaskSMORegressor",
    "predict_files",
    "read_files",
    "spread_search",
]
