"""Data sets of the registry that scikit-learn brings along, value for value those of the files."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.datasets.dataset import Dataset

__all__ = ["is_bundled", "load_bundled"]

# The UCI text of iris has these errors, which scikit-learn corrects: row, column, value.
_IRIS_TEXT = ((34, 3, 0.1), (37, 1, 3.1), (37, 2, 1.5))
_LOADERS = {"iris": "load_iris", "wine": "load_wine"}


def is_bundled(name: str) -> bool:
    """Return whether `load_bundled` has a data set.

    Parameters
    ----------
    name : str
        Its name in the registry.
    """
    return name in _LOADERS


def load_bundled(name: str) -> Dataset | None:
    """Return a data set as its file in the data folder has it; None if scikit-learn lacks it.

    Parameters
    ----------
    name : str
        Its name in the registry.
    """
    if not is_bundled(name):
        return None
    # Imported here: scikit-learn takes seconds to import, and most data do not need it.
    import sklearn.datasets

    bunch: Any = getattr(sklearn.datasets, _LOADERS[name])()
    X = np.array(bunch.data, dtype=np.float64)
    if name == "iris":
        for row, column, value in _IRIS_TEXT:
            X[row, column] = value
    # The files count classes from 1.
    return Dataset(X=X, y=bunch.target.astype(np.int64) + 1)
