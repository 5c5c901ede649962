"""The steps before an estimator, trained on what is known of the columns of many files."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from svmosaic.dask.file_summaries import ColumnMoments, FileSummary
from svmosaic.preprocessing import preparation_steps

__all__ = ["count_constant", "scaling_steps"]


def count_constant(summary: FileSummary) -> int:
    """Return how many columns have one value in all files."""
    moments = summary.moments
    return 0 if moments is None else int(np.sum(moments.low == moments.high))


def scaling_steps(scale: str, summary: FileSummary) -> list[tuple[str, Any]]:
    """Return names and trained transformers: those that all rows together would give.

    Parameters
    ----------
    scale : {"minmax", "standard", "none"}
        How features are scaled.
    summary : FileSummary
        What the files hold, with moments unless `scale` is "none".
    """
    moments = summary.moments
    if scale == "none" or moments is None:
        return []
    # Two rows with the range of every column: to most steps they say as much as all rows.
    bounds: Any = np.stack([moments.low, moments.high])
    if summary.stays_sparse:
        bounds = sp.csr_array(bounds)
    steps = preparation_steps(scale, "none", bounds, hold=count_constant(summary) > 0)
    for _, step in steps:
        step.fit(bounds)
        if isinstance(step, StandardScaler):
            _set_moments(step, moments, summary.n_rows)
        elif hasattr(step, "n_samples_seen_"):
            step.n_samples_seen_ = summary.n_rows
    return steps


def _set_moments(scaler: Any, moments: ColumnMoments, n_rows: int) -> None:
    variance = moments.squares / n_rows
    scaler.mean_, scaler.var_ = moments.mean.copy(), variance
    scaler.n_samples_seen_ = np.int64(n_rows)
    # As in scikit-learn: a variance within the rounding of its sum is none.
    eps = np.finfo(np.float64).eps
    bound = n_rows * eps * variance + (n_rows * moments.mean * eps) ** 2
    scaler.scale_ = np.where(variance <= bound, 1.0, np.sqrt(variance))
