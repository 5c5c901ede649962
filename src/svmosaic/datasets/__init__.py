"""Data sets by name, and readers for data files."""

from __future__ import annotations

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.fetch import cache_folder, fetch
from svmosaic.datasets.loading import data_folder, load, whereabouts
from svmosaic.datasets.multi_instance import (
    BagsInfo,
    bags_at_hand,
    describe_bags,
    list_bags,
    load_bags,
)
from svmosaic.datasets.multi_target import (
    MultiTargetInfo,
    describe_multitarget,
    find_multitarget,
    list_multitarget,
    load_multitarget,
)
from svmosaic.datasets.readers import read_table
from svmosaic.datasets.readers.multi_instance import read_bags
from svmosaic.datasets.readers.multi_target import read_multitarget
from svmosaic.datasets.registry import DatasetInfo, describe, list_datasets

__all__ = [
    "BagsInfo",
    "Dataset",
    "DatasetInfo",
    "MultiTargetInfo",
    "bags_at_hand",
    "cache_folder",
    "data_folder",
    "describe",
    "describe_bags",
    "describe_multitarget",
    "fetch",
    "find_multitarget",
    "list_bags",
    "list_datasets",
    "list_multitarget",
    "load",
    "load_bags",
    "load_multitarget",
    "read_bags",
    "read_multitarget",
    "read_table",
    "whereabouts",
]
