"""A transformer of instances, applied to bags."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from svmosaic.bags import Bags, check_bags
from svmosaic.utils.declaration import FEATURES, Declaration, Estimators, expect
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.sklearn_compat import HasMethods, fit_context
from svmosaic.utils.state_codec import Scope

__all__ = ["BagTransformer"]


def _check_features(transformer: Any, sizes: Scope) -> None:
    """Compare the features with those of the transformer inside."""
    inside = transformer.transformer_.n_features_in_
    expect("features of the transformer", inside, transformer.n_features_in_)


class BagTransformer(TransformerMixin, Estimator):  # type: ignore[misc]
    """Apply a transformer of scikit-learn to the instances of bags.

    It goes before a classifier of bags in a pipeline, so that scaling sees training bags only.

    Parameters
    ----------
    transformer : estimator
        A transformer that gives one row for each row, such as ``MinMaxScaler()``. It is trained on
        the instances of all training bags together. A copy is used.
    allow_nan : bool, default=False
        Let missing values through to the transformer, for an imputer.

    Attributes
    ----------
    transformer_ : estimator
        The trained copy.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from svmosaic.multi_instance import BagTransformer
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[10.0]])]
    >>> BagTransformer(MinMaxScaler()).fit_transform(bags)[0].ravel().tolist()
    [0.0, 0.5]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "transformer": [HasMethods(["fit", "transform"])],
        "allow_nan": ["boolean"],
    }

    _model_file = Declaration(
        {**FEATURES, "transformer_": Estimators("scaler", alone=True)},
        (_check_features,),
        role="scaler",
        of_bags=True,
        copied={"transformer": "transformer"},
    )

    def __init__(self, transformer: Any, *, allow_nan: bool = False) -> None:
        self.transformer = transformer
        self.allow_nan = allow_nan

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, bags: Any = None) -> Self:
        """Train the transformer on the instances of all bags.

        Parameters
        ----------
        X : Bags, list of arrays, or array of shape (n_instances, n_features)
            The bags; flat instances need `bags`.
        y : array of shape (n_bags,), default=None
            A label per bag. The transformer gets it for each instance of the bag.
        bags : array of shape (n_instances,), default=None
            The bag of each instance, where `X` is flat.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        found = self._check(X, bags)
        labels = None
        # With ids there is a label for each instance already, in an order that bags do not keep.
        if y is not None and bags is None:
            labels = np.asarray(y)[found.bag_of]
        self.transformer_ = clone(self.transformer).fit(found.instances, labels)
        self.n_features_in_ = found.n_features
        return self

    def transform(self, X: Any, bags: Any = None) -> Bags:
        """Return the bags with their instances transformed.

        Parameters
        ----------
        X : Bags, list of arrays, or array of shape (n_instances, n_features)
            The bags; flat instances need `bags`.
        bags : array of shape (n_instances,), default=None
            The bag of each instance, where `X` is flat.

        Returns
        -------
        bags : Bags
            The same bags with other instances.
        """
        check_is_fitted(self)
        found = self._check(X, bags, self.n_features_in_)
        instances = self.transformer_.transform(found.instances)
        if instances.shape[0] != found.n_instances:
            raise ValueError(
                f"BagTransformer expects a transformer that gives a row for each row. "
                f"{type(self.transformer).__name__} made {instances.shape[0]} rows of "
                f"{found.n_instances}."
            )
        return found.with_instances(instances)

    def _check(self, X: Any, bags: Any, n_features: int | None = None) -> Bags:
        return check_bags(
            X, bags=bags, n_features=n_features, allow_nan=self.allow_nan, who="BagTransformer"
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        return tags
