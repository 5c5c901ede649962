"""Data sets by name, and readers for data files.

The names below are loaded when they are first used, so that the command line can list the file
formats in its help without the numerical libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svmosaic.datasets.cache import cache_folder
    from svmosaic.datasets.dataset import Dataset
    from svmosaic.datasets.fetching import fetch
    from svmosaic.datasets.loading import data_folder, load, whereabouts
    from svmosaic.datasets.readers.bag_files import read_bags
    from svmosaic.datasets.readers.line_table import LineTable, line_reader
    from svmosaic.datasets.readers.reader import Reader, register_reader
    from svmosaic.datasets.readers.table_files import read_table
    from svmosaic.datasets.readers.target_files import read_multitarget
    from svmosaic.datasets.registry import DatasetInfo, describe, list_datasets

__all__ = [
    "Dataset",
    "DatasetInfo",
    "LineTable",
    "Reader",
    "cache_folder",
    "data_folder",
    "describe",
    "fetch",
    "line_reader",
    "list_datasets",
    "load",
    "read_bags",
    "read_multitarget",
    "read_table",
    "register_reader",
    "whereabouts",
]

_HOME = {
    "Dataset": "svmosaic.datasets.dataset",
    "DatasetInfo": "svmosaic.datasets.registry",
    "LineTable": "svmosaic.datasets.readers.line_table",
    "Reader": "svmosaic.datasets.readers.reader",
    "cache_folder": "svmosaic.datasets.cache",
    "data_folder": "svmosaic.datasets.loading",
    "describe": "svmosaic.datasets.registry",
    "fetch": "svmosaic.datasets.fetching",
    "line_reader": "svmosaic.datasets.readers.line_table",
    "list_datasets": "svmosaic.datasets.registry",
    "load": "svmosaic.datasets.loading",
    "read_bags": "svmosaic.datasets.readers.bag_files",
    "read_multitarget": "svmosaic.datasets.readers.target_files",
    "read_table": "svmosaic.datasets.readers.table_files",
    "register_reader": "svmosaic.datasets.readers.reader",
    "whereabouts": "svmosaic.datasets.loading",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'svmosaic.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
