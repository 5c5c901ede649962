"""Features that are constant in training, held at that value so that they change no prediction."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from svmosaic.engine.problem import IndexArray
from svmosaic.utils.array_checks import check_values
from svmosaic.utils.atomic_fit import atomic_fit
from svmosaic.utils.declaration import FEATURES, FLOATS, Declaration
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.state_codec import Array, Scope

__all__ = ["ConstantHolder"]


def _check_held(holder: Any, sizes: Scope) -> None:
    """Refuse features that do not exist."""
    check_values("held", holder.held_, maximum=holder.n_features_in_ - 1)


class ConstantHolder(OneToOneFeatureMixin, TransformerMixin, Estimator):  # type: ignore[misc]
    """Hold features that are constant in training data at that constant.

    It goes before a scaler. A feature without a range cannot be scaled, so that scalers leave it in
    its own unit: a word that no training page has keeps its raw count among features in [0, 1], and
    a page with it is far from all others. Nothing was learned about such a feature; held at its
    constant, it says nothing. LIBSVM's svm-scale leaves such features out. A feature with gaps is
    not constant: which values are missing may say something.

    Attributes
    ----------
    held_ : ndarray of shape (n_held,)
        The features that are constant in the training data.
    values_ : ndarray of shape (n_held,)
        Their values.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, if the training data had them.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.preprocessing import ConstantHolder
    >>> holder = ConstantHolder().fit(np.array([[1.0, 0.0], [2.0, 0.0]]))
    >>> holder.transform(np.array([[3.0, 61.0]]))
    array([[3., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    _model_file = Declaration(
        {
            **FEATURES,
            "held_": Array(("int64",), ("n_held",), minimum=0, ascending=True),
            "values_": Array(FLOATS, ("n_held",)),
        },
        (_check_held,),
        role="scaler",
    )

    held_: IndexArray
    values_: NDArray[Any]

    @atomic_fit
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the features that are constant.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data.
        y : None
            Not used.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X = self._check(X, reset=True)
        low, high = X.min(axis=0), X.max(axis=0)
        if sp.issparse(X):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        self.held_ = np.flatnonzero(low == high).astype(np.int64)
        self.values_ = np.asarray(low[self.held_])
        return self

    def transform(self, X: Any) -> Any:
        """Return the data with held features at their constants.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Data.

        Returns
        -------
        X : {ndarray, sparse matrix} of shape (n_samples, n_features)
            The same object where nothing is to be changed, else a copy.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        if sp.issparse(X):
            return self._hold_sparse(X)
        if np.all(X[:, self.held_] == self.values_):
            return X
        X = X.copy()
        X[:, self.held_] = self.values_
        return X

    def _hold_sparse(self, X: Any) -> Any:
        kept = np.ones(X.shape[1], dtype=X.dtype)
        kept[self.held_] = 0.0
        if not np.any(self.values_) and np.all(kept[X.indices]):
            return X
        made = X.copy()
        made.data *= kept[X.indices]
        made.eliminate_zeros()
        full = self.values_ != 0.0
        if np.any(full):
            n, k = X.shape[0], int(full.sum())
            indices, data = np.tile(self.held_[full], n), np.tile(self.values_[full], n)
            constants = type(X)((data, indices, np.arange(0, n * k + 1, k)), shape=X.shape)
            made = (made + constants).astype(X.dtype)
        return made

    def _check(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            reset=reset,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
