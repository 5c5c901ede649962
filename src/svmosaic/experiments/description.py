"""What is noted of a run beside its scores: the data, the computer, the versions, the spec.

A report reads it back; nothing here changes a result.
"""

from __future__ import annotations

import platform
import re
import warnings
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import type_of_target

from svmosaic.bags import Bags
from svmosaic.experiments.spec import ExperimentSpec
from svmosaic.streams import Stream

__all__ = ["count_numbers", "describe_data", "describe_setup", "rename_search"]

_PACKAGES = ("svmosaic", "scikit-learn", "numpy", "scipy", "joblib", "river", "capymoa")


def describe_data(X: Any, y: Any) -> dict[str, int | None]:
    """Return rows, features and classes of a data set; no classes where targets are numbers.

    The rows of multi-instance data are bags, the features those of an instance. A stream has no
    `y` and says what it is.
    """
    if isinstance(X, Stream):
        return {
            "n_samples": X.length,
            "n_features": X.n_features,
            "n_classes": int(X.classes.size),
        }
    n_samples = X.shape[0]
    n_features = X.n_features if isinstance(X, Bags) else X.shape[1]
    with warnings.catch_warnings():
        # Many classes with few rows each are no concern of a description.
        warnings.simplefilter("ignore")
        has_classes = type_of_target(y) in ("binary", "multiclass")
    return {
        "n_samples": int(n_samples),
        "n_features": int(n_features),
        "n_classes": int(np.unique(y).size) if has_classes else None,
    }


def count_numbers(X: Any, y: Any) -> int:
    """Return how many numbers a data set has: rows or instances, times features, times targets.

    Those of a sparse matrix are its entries. At least 1.
    """
    if isinstance(X, Stream):
        return int(X.n_features * (X.length or 1))
    table = X.instances if isinstance(X, Bags) else X
    n_targets = 1 if np.ndim(y) < 2 else np.shape(y)[1]
    return max(1, int((table.nnz if sp.issparse(table) else table.size) * n_targets))


def describe_setup(spec: ExperimentSpec) -> dict[str, Any]:
    """Return the spec as plain values, the versions of packages and the processor's name."""
    return {
        "experiment": _plain(asdict(spec)),
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
        "processor": _processor(),
    }


def rename_search(scores: dict[str, Any] | None, prefix: str) -> dict[str, Any] | None:
    """Return the scores of a search with parameters named as in the spec."""
    if scores is None:
        return None
    params = {name.removeprefix(prefix): values for name, values in scores["params"].items()}
    return {**scores, "params": params}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the processor's name, as Linux tells it; elsewhere what Python knows."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()
