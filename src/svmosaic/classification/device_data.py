"""The data gate of estimators with a device: tables are checked where they are computed with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.gpu.devices import engine_on, is_device_name, is_usable
from svmosaic.engine.problem import DeviceTable, DoubleArray, FloatArray
from svmosaic.utils.foreign_arrays import gpu_number, is_foreign, to_host
from svmosaic.utils.validation import (
    check_regression,
    check_samples,
    check_training,
    note_features,
)

__all__ = [
    "DeviceScore",
    "check_classes_on",
    "check_samples_on",
    "check_targets_on",
]


class DeviceScore:
    """Mixin of estimators whose predictions follow the data, before scikit-learn's mixins."""

    if TYPE_CHECKING:

        def _check_rows(self, X: Any) -> Any:
            """Return samples to predict, validated; raise if the estimator is not fitted."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, or the R^2 of a regressor, on given samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.
        y : array-like of shape (n_samples,)
            Class labels or target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            The score; 1 is the best one.
        """
        if is_foreign(X):
            # scikit-learn's metrics compare arrays of NumPy.
            X = self._check_rows(X)
        base: Any = super()
        return float(base.score(X, to_host(y), to_host(sample_weight)))


def check_classes_on(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return training samples and class labels, validated for `estimator`.

    If it computes on a device, dense samples are a `DeviceTable` there.
    """
    if not _has_device(estimator):
        return check_training(estimator, X, y)
    return _check_on(estimator, X, y, check_training)


def check_targets_on(estimator: Any, X: Any, y: Any) -> tuple[Any, DoubleArray]:
    """Return training samples and float64 targets; see `check_classes_on`."""
    return _check_on(estimator, X, y, check_regression)


def _check_on(
    estimator: Any, X: Any, y: Any, check: Callable[[Any, Any, Any], tuple[Any, Any]]
) -> tuple[Any, Any]:
    device, y = _device_for(estimator, X), to_host(y)
    table = _read(estimator, device, X)
    if table is not None and table.is_finite:
        _, y = check(estimator, _stand_in(table), y)
        note_features(estimator, table.shape[1])
        return table, y
    # Errors and unusual data are left to the checks of all estimators.
    X, y = check(estimator, to_host(X), y)
    return _moved(estimator, device, X), y


def check_samples_on(estimator: Any, X: Any) -> Any:
    """Return samples to predict, validated against those `estimator` was fitted to.

    If it computes on a device that is there, dense samples are a `DeviceTable`.
    """
    if isinstance(X, DeviceTable):
        # It comes from here.
        return X
    if not _has_device(estimator):
        return check_samples(estimator, X)
    device = _device_for(estimator, X)
    if device is not None and not is_usable(device):
        device = None
    table = None if hasattr(estimator, "feature_names_in_") else _read(estimator, device, X)
    if table is not None and table.is_finite and table.shape[1] == estimator.n_features_in_:
        return table
    return _moved(estimator, device, check_samples(estimator, to_host(X)))


def _has_device(estimator: Any) -> bool:
    return "device" in estimator._parameter_constraints


def _device_for(estimator: Any, X: Any) -> str | None:
    """Return the device that an estimator computes on, None for the CPU.

    It is the one that its parameter names; if there is none, the one where the data are. A kernel
    function is called on the CPU.
    """
    if callable(estimator.kernel):
        return None
    device: str | None = estimator.device
    if device is not None:
        return device if is_device_name(device) else None
    if isinstance(X, DeviceTable):
        return X.device
    number = gpu_number(X)
    return None if number is None else f"cuda:{number}"


def _stand_in(table: DeviceTable) -> FloatArray:
    """Return samples of which only the number matters, to check labels with."""
    return np.zeros((table.n_rows, 1))


def _read(estimator: Any, device: str | None, X: Any) -> DeviceTable | None:
    """Return a table on the device; None if there is no device, or if `X` is no such table."""
    if device is None or isinstance(X, DeviceTable):
        return X if isinstance(X, DeviceTable) else None
    if is_foreign(X):
        # What is in the host's memory goes the way of an array; PyTorch's own device is there.
        if gpu_number(X) is None and device != "torch:cpu":
            X = to_host(X)
        elif X.ndim == 2 and 0 not in X.shape:
            return _upload(estimator, device, engine_on(device).read_foreign(X))
    is_table = (
        type(X) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
    )
    return _upload(estimator, device, X) if is_table else None


def _moved(estimator: Any, device: str | None, X: Any) -> Any:
    """Return checked samples on the device, if they are dense and there is one."""
    return X if device is None or sp.issparse(X) else _upload(estimator, device, X)


def _upload(estimator: Any, device: str, X: Any) -> DeviceTable:
    has_padding = estimator.kernel != "precomputed"
    return engine_on(device).read_table(X, has_padding=has_padding)
