"""The data gate of estimators with a device: tables are checked where they are computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.gpu.devices import engine_on, is_device_name, is_usable
from svmosaic.engine.problem import DeviceTable, DoubleArray
from svmosaic.utils.validation import (
    check_regression,
    check_samples,
    check_training,
    has_simple_labels,
    note_features,
)

__all__ = ["check_classes_on", "check_samples_on", "check_targets_on", "runs_on_device"]


def runs_on_device(device: str | None) -> bool:
    """Return whether `device` names a device of PyTorch, and not the CPU."""
    return device is not None and is_device_name(device)


def check_classes_on(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return training samples and class labels, validated for `estimator`.

    If it computes on a device, dense samples are a `DeviceTable` there.
    """
    table = _read(estimator, X)
    if table is not None and table.is_finite and has_simple_labels(y, table.n_rows):
        note_features(estimator, table.shape[1])
        return table, y
    # What is wrong, or unusual, is said or done by the gate of all estimators.
    X, y = check_training(estimator, X, y)
    return _moved(estimator, X, table), y


def check_targets_on(estimator: Any, X: Any, y: Any) -> tuple[Any, DoubleArray]:
    """Return training samples and float64 targets; see `check_classes_on`."""
    table = _read(estimator, X)
    if table is not None and table.is_finite and _are_simple_targets(y, table.n_rows):
        note_features(estimator, table.shape[1])
        return table, np.ascontiguousarray(y, dtype=np.float64)
    X, y = check_regression(estimator, X, y)
    return _moved(estimator, X, table), y


def check_samples_on(estimator: Any, X: Any) -> Any:
    """Return samples to predict, validated against those `estimator` was fitted to.

    If it computes on a device that is there, dense samples are a `DeviceTable`.
    """
    if runs_on_device(estimator.device) and not is_usable(estimator.device):
        return check_samples(estimator, X)
    table = None if hasattr(estimator, "feature_names_in_") else _read(estimator, X)
    if table is not None and table.is_finite and table.shape[1] == estimator.n_features_in_:
        return table
    return _moved(estimator, check_samples(estimator, X), table)


def _are_simple_targets(y: Any, n_samples: int) -> bool:
    return (
        type(y) is np.ndarray
        and y.dtype.kind in "fiu"
        and y.shape == (n_samples,)
        and bool(np.isfinite(y).all())
    )


def _read(estimator: Any, X: Any) -> DeviceTable | None:
    """Return a table on the estimator's device; None if it has none, or if `X` is no such table."""
    if not runs_on_device(estimator.device) or callable(estimator.kernel):
        return None
    is_table = (
        type(X) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
    )
    return _upload(estimator, X) if is_table else None


def _moved(estimator: Any, X: Any, table: DeviceTable | None) -> Any:
    """Return checked samples on the estimator's device, if they are dense and it has one."""
    if not runs_on_device(estimator.device) or callable(estimator.kernel) or sp.issparse(X):
        return X
    # A check that found nothing returns what it was given.
    return table if table is not None and table.host is X else _upload(estimator, X)


def _upload(estimator: Any, X: Any) -> DeviceTable:
    has_padding = estimator.kernel != "precomputed"
    return engine_on(estimator.device).read_table(X, has_padding=has_padding)
