"""What predictions and labels have in common: accuracy, figures by class, confusions."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.cli.console import format_table

__all__ = ["report_classes"]

# Larger tables are no longer read.
_MOST_CONFUSED = 12
_MOST_CLASSES = 30


def report_classes(labels: Any, predicted: Any) -> str:
    """Return figures for each class and the table of confusions, or less for many classes.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The classes as they are.
    predicted : ndarray of shape (n_samples,)
        The classes as they were predicted.
    """
    classes = np.unique(np.concatenate([labels.astype(str), predicted.astype(str)]))
    if classes.size > _MOST_CLASSES:
        return ""
    counts = np.zeros((classes.size, classes.size), dtype=np.int64)
    rows = np.searchsorted(classes, labels.astype(str))
    columns = np.searchsorted(classes, predicted.astype(str))
    np.add.at(counts, (rows, columns), 1)
    parts = [_figures(classes, counts)]
    if classes.size <= _MOST_CONFUSED:
        head = ["label \\ predicted", *map(str, classes)]
        table = [[name, *row] for name, row in zip(classes, counts.tolist(), strict=True)]
        parts.append(format_table(head, table, "l" + "r" * classes.size))
    return "\n\n".join(parts)


def _figures(classes: Any, counts: Any) -> str:
    right, actual, found = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    rows = [
        [
            name,
            _share(right[i], found[i]),
            _share(right[i], actual[i]),
            _share(2 * right[i], actual[i] + found[i]),
            actual[i],
        ]
        for i, name in enumerate(classes)
    ]
    return format_table(["class", "precision", "recall", "F1", "count"], rows, "lrrrr")


def _share(part: Any, whole: Any) -> str:
    return f"{part / whole:.4f}" if whole else "-"
