"""The data gate: after it, arrays are finite, contiguous and of one float type."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from svmosaic.utils.foreign_arrays import require_host
from svmosaic.utils.labels import distinct_labels

__all__ = [
    "canonical_csr",
    "check_regression",
    "check_samples",
    "check_training",
    "check_unlabelled",
    "match_form",
    "note_features",
    "take_as_is",
]

# float32 and float64 are kept as they are, anything else becomes float64.
_TABLE = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_large_sparse": True,
}


def _is_ready(X: Any) -> bool:
    """Whether `X` is already what `validate_data` would return."""
    return (
        type(X) is np.ndarray
        and X.dtype in (np.float64, np.float32)
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] > 0
        and X.flags.c_contiguous
        and _is_finite(X)
    )


def _is_finite(X: Any) -> bool:
    # The sum tells without a mask, unless it overflows.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()) or np.isfinite(X).all())


def _has_simple_labels(y: Any, n_samples: int) -> bool:
    """Whether `y` needs no check: integers or strings, two samples to a class at least."""
    return (
        type(y) is np.ndarray
        and y.dtype.kind in "iubU"
        and y.shape == (n_samples,)
        and n_samples > 1
        # More classes would earn scikit-learn's warning, so let it speak.
        and 2 * distinct_labels(y).size <= n_samples
    )


def take_as_is(estimator: Any, X: Any, y: Any, *, reset: bool) -> bool:
    """Take samples and labels without a check, if they need none; return whether that was so.

    The features are noted if they are the first. scikit-learn's checks take longer than a fit to a
    small table.
    """
    if not _is_ready(X):
        return False
    if not reset:
        # Of a later chunk the labels are compared with the known classes anyway.
        return (
            not hasattr(estimator, "feature_names_in_")
            and X.shape[1] == estimator.n_features_in_
            and type(y) is np.ndarray
            and y.dtype.kind in "iubU"
            and y.shape == (X.shape[0],)
        )
    if not _has_simple_labels(y, X.shape[0]):
        return False
    note_features(estimator, X.shape[1])
    return True


def note_features(estimator: Any, n_features: int) -> None:
    """Set how many features the training samples have; they have no names."""
    estimator.n_features_in_ = n_features
    vars(estimator).pop("feature_names_in_", None)


def check_training(estimator: Any, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
    """Return training samples and class labels, validated for `estimator`.

    With ``reset=False`` they must have the features of those it has seen before.
    """
    if take_as_is(estimator, X, y, reset=reset):
        return X, y
    require_host(type(estimator).__name__, X, y)
    X, y = validate_data(estimator, X, y, reset=reset, **_TABLE)
    check_classification_targets(y)
    return canonical_csr(X), y


def check_regression(
    estimator: Any, X: Any, y: Any, *, multi_output: bool = False
) -> tuple[Any, Any]:
    """Return training samples and float64 targets, validated for `estimator`."""
    require_host(type(estimator).__name__, X, y)
    X, y = validate_data(estimator, X, y, y_numeric=True, multi_output=multi_output, **_TABLE)
    return canonical_csr(X), np.ascontiguousarray(y, dtype=np.float64)


def check_unlabelled(estimator: Any, X: Any) -> Any:
    """Return training samples without labels, validated for `estimator`."""
    require_host(type(estimator).__name__, X)
    return canonical_csr(validate_data(estimator, X, **_TABLE))


def check_samples(estimator: Any, X: Any) -> Any:
    """Return samples to predict, validated against those `estimator` was fitted to."""
    knows_names = hasattr(estimator, "feature_names_in_")
    if not knows_names and _is_ready(X) and X.shape[1] == estimator.n_features_in_:
        return X
    require_host(type(estimator).__name__, X)
    return canonical_csr(validate_data(estimator, X, reset=False, **_TABLE))


def canonical_csr(X: Any) -> Any:
    """Return a CSR matrix with sorted indices and no duplicates; the caller's is left as it is."""
    if not sp.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def match_form(X: Any, vectors: Any) -> Any:
    """Return `X` dense or sparse and of the type that `vectors` has."""
    if sp.issparse(vectors):
        return canonical_csr(sp.csr_array(X, dtype=vectors.dtype))
    if sp.issparse(X):
        X = X.toarray()
    return np.ascontiguousarray(X, dtype=vectors.dtype)
