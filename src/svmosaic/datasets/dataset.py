"""The record that every reader and loader returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["KINDS", "Dataset", "Kind"]

# What a sample is: a row with one target, a row with several targets, a bag of instances.
Kind: TypeAlias = Literal["rows", "targets", "bags"]
KINDS: tuple[Kind, ...] = ("rows", "targets", "bags")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of samples with their targets.

    Attributes
    ----------
    X : {ndarray, csr_array} of shape (n_samples, n_features), or Bags
        Feature values in float64. Multi-instance data have bags, which are then the samples.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), or None
        Targets: strings for named classes, int64 for whole numbers, else float64; float64 with
        one column per target for multi-target data. None when the file was read without a target.
    feature_names : tuple of str or None
        One name per column of `X`, or None for formats without names.
    target_names : tuple of str or None
        The names of the classes. For string targets these are the values of `y`, in the order
        that the file declares or else sorted. For multi-target data, the names of the targets.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the rows, for files that carry them.
    name : str
        The name of the data set or of its file.
    description : str
        Where the data come from and what to be careful about.
    ids : ndarray of shape (n_samples,) or None
        What identifies the samples: the column of ids of a table, as text, or the ids of bags.
    date_columns : tuple of str
        The features that were dates in the file and are days since 1970.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.datasets import Dataset
    >>> Dataset(X=np.eye(3), y=np.array([0, 1, 1]), name="toy")
    Dataset(name='toy', n_samples=3, n_features=3, n_classes=2)
    """

    X: Any
    y: NDArray[Any] | None
    feature_names: tuple[str, ...] | None = None
    target_names: tuple[str, ...] | None = None
    sample_weight: NDArray[np.float64] | None = None
    name: str = ""
    description: str = ""
    ids: NDArray[Any] | None = None
    date_columns: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """What a sample is: "rows", "targets" (rows with several targets) or "bags"."""
        if len(self.X.shape) == 1:
            return "bags"
        return "targets" if self.y is not None and self.y.ndim == 2 else "rows"

    @property
    def n_samples(self) -> int:
        """Number of rows, or of bags."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        # Bags have one dimension, and features inside.
        return int(self.X.n_features if self.kind == "bags" else self.X.shape[1])

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The different values of `y`, sorted; empty without a target or with several."""
        return np.unique(self.y) if self.y is not None and self.y.ndim == 1 else np.empty(0)

    def with_features(self, X: Any, names: tuple[str, ...] | None) -> Dataset:
        """Return the same samples with other features.

        Parameters
        ----------
        X : {ndarray, sparse array} of shape (n_samples, n_features)
            The new features.
        names : tuple of str or None
            Their names.

        Returns
        -------
        Dataset
            A copy with these features.
        """
        return replace(self, X=X, feature_names=names)

    def __repr__(self) -> str:
        if self.y is not None and self.y.ndim == 2:
            targets = f"n_targets={self.y.shape[1]}"
        else:
            targets = f"n_classes={len(self.classes)}"
        return (
            f"Dataset(name={self.name!r}, n_samples={self.n_samples}, "
            f"n_features={self.n_features}, {targets})"
        )
