"""Data sets by name, and readers for data files."""

from __future__ import annotations

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.fetch import cache_folder, fetch
from svmosaic.datasets.loading import data_folder, load, whereabouts
from svmosaic.datasets.readers import read_table
from svmosaic.datasets.readers.multi_instance import read_bags
from svmosaic.datasets.readers.multi_target import read_multitarget
from svmosaic.datasets.registry import DatasetInfo, describe, list_datasets

__all__ = [
    "Dataset",
    "DatasetInfo",
    "cache_folder",
    "data_folder",
    "describe",
    "fetch",
    "list_datasets",
    "load",
    "read_bags",
    "read_multitarget",
    "read_table",
    "whereabouts",
]
