"""Targets in words, and whether they fit the task."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.cli.console import note
from svmosaic.cli.training_data import FEWEST_ROWS
from svmosaic.datasets import Dataset

__all__ = ["check_labels", "describe_classes", "describe_counts", "describe_values"]


def check_labels(data: Dataset, *, regression: bool) -> None:
    """Refuse numbers where classes are expected, and names where numbers are.

    Parameters
    ----------
    data : Dataset
        The training data, with one target.
    regression : bool
        Whether numbers are to be predicted.
    """
    if data.y is None or data.y.ndim != 1:
        return
    if regression:
        describe_values(data.y)
        return
    n_values, n_samples = np.unique(data.y).size, data.n_samples
    advice = "For numbers use --method smo-regression, for classes another --target"
    if data.y.dtype.kind == "f":
        raise ValueError(
            f"The target of {data.name} has fractions, such as {data.y[data.y % 1 != 0][0]:g}, "
            f"which are not classes. {advice}."
        )
    if data.y.dtype.kind in "iu" and n_samples >= FEWEST_ROWS and n_values > n_samples / 2:
        note(
            f"warning: the target of {data.name} has {n_values} different numbers in {n_samples} "
            f"rows. {advice}"
        )


def describe_values(y: Any) -> str:
    """Return range and mean of real targets."""
    if np.asarray(y).dtype.kind not in "biuf":
        raise ValueError(
            f"Regression needs numbers as targets; the first one is {y[0]!r}. Name the column by "
            "--target."
        )
    return f"{np.min(y):.6g} to {np.max(y):.6g}, mean {np.mean(y):.6g}"


def describe_classes(y: Any) -> str:
    """Return the number of classes and the first of them with their sizes."""
    return describe_counts(*np.unique(y, return_counts=True))


def describe_counts(classes: Any, counts: Any) -> str:
    """Return the number of classes and the first of them with their sizes."""
    shown = ", ".join(
        f"{label}: {count}" for label, count in list(zip(classes.tolist(), counts, strict=True))[:6]
    )
    return f"{classes.size} ({shown}{', ...' if classes.size > 6 else ''})"
