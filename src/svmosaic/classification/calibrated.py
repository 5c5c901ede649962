"""Probabilities for any classifier with decision values, from samples it was not trained on."""

from __future__ import annotations

import itertools
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, check_random_state, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, column_or_1d

from svmosaic.classification.class_scores import (
    class_scores,
    column_classes,
    fit_with_weights,
    has_pairs,
    settled,
)
from svmosaic.classification.held_out import HeldOutValues, blocks_of_rows
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.pair_coupling import couple_pairs
from svmosaic.classification.sigmoid import (
    fit_sigmoid,
    fit_steps,
    fit_temperature,
    step_log_odds,
)
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.declaration import (
    FEATURES,
    LAST_ROW,
    Declaration,
    Estimators,
    MayLack,
    doubles,
    expect,
)
from svmosaic.utils.foreign_arrays import require_host
from svmosaic.utils.sklearn_compat import (
    HasMethods,
    Interval,
    StrOptions,
    fit_context,
    take_rows,
)
from svmosaic.utils.splits import Split, classification_splits, tests_every_row_once
from svmosaic.utils.state_codec import Array, Labels, Real, Scope

__all__ = ["CalibratedClassifier", "with_probabilities"]

_LARGEST_SEED = np.iinfo(np.int32).max
# Rows of each class from which on half of them say as much as four fifths.
_MANY_ROWS = 100

# What each method has.
_FITTED = {"sigmoid": ("slopes_", "offsets_"), "isotonic": ("knots_", "levels_", "n_knots_")}


def _check_calibration(model: Any, sizes: Scope) -> None:
    """Compare the calibration with the classes and with the classifier inside."""
    inner = model.estimator_
    expect("features of the classifier", inner.n_features_in_, model.n_features_in_)
    if not np.array_equal(inner.classes_, model.classes_):
        refuse("the classifier has other classes than its calibration")
    for method, names in _FITTED.items():
        for name in names:
            if (getattr(model, name, None) is not None) != (method == model.method):
                refuse(f"'{name.strip('_')}' does not fit the method '{model.method}'")
    n_columns = len(column_classes(inner, model.classes_.size))
    expect("calibrated columns", sizes["n_columns"], n_columns)
    if model.method == "isotonic":
        _check_steps(model, sizes)


def _check_steps(model: Any, sizes: Scope) -> None:
    """Refuse steps that do not rise from knot to knot, or that are no probabilities."""
    expect("knots", sizes["n_knots"], int(model.n_knots_.sum(dtype=np.int64)))
    check_values("levels", model.levels_, above=0.0)
    between = np.cumsum(model.n_knots_)[:-1] - 1
    falls = np.delete(np.diff(model.knots_) <= 0.0, between)
    if np.any(falls) or np.any(model.levels_ >= 1.0):
        refuse("the knots do not ascend, or a level is not a probability")


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with probabilities, calibrated on samples that it was not trained on.

    The classifier is fitted to all rows. For the calibration it is also fitted to the other rows
    of each fold, and its decision values for the rows left out are turned into log-odds by a
    sigmoid (Platt), or by rising steps (isotonic regression). Two fits to half of the rows cost
    about as much as the fit to all of them.

    With more than two classes, one-vs-one classifiers have a sigmoid for each pair, and the pairs
    are coupled: p_i = 1 / (1 + sum_j exp(-z_ij)) for log-odds z_ij of the pairs. Other classifiers
    have a sigmoid for each class against the rest. Either way the logarithms are divided by the
    temperature that suits the rows left out best, and their softmax is the probability.

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier with `decision_function`, or a pipeline that ends in one; None means
        ``OLLAWVClassifier()``. A search, such as `OLLAWVClassifierCV`, searches once on all rows;
        the folds use what it has found.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        How decision values become log-odds. Isotonic steps assume no form, and need about a
        thousand rows of each class.
    cv : int, splitter or iterable, default=None
        The folds, which must test every row once. None means 2, or 5 if a class has fewer than 100
        rows. A number means that many stratified and shuffled folds, or fewer where a class has
        fewer rows; the only row of a class is never left out. More folds cost more and are closer
        to the classifier of all rows.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    estimator_ : estimator
        The classifier fitted to all rows; of a search, its best model.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    slopes_, offsets_ : ndarray of shape (n_columns,)
        Log-odds are slope * value + offset, for each pair of classes or each class; for
        ``method="sigmoid"``.
    knots_, levels_ : ndarray of shape (n_knots,)
        Values and their probabilities, for all pairs or classes one after another; for
        ``method="isotonic"``.
    n_knots_ : ndarray of shape (n_columns,)
        Number of knots of each pair or class; for ``method="isotonic"``.
    temperature_ : float
        What scores are divided by; 1 with two classes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    svmosaic.plots.plot_reliability : Compare probabilities with what happened.

    Notes
    -----
    `predict` returns the most probable class. Near the boundary that may be another class than
    that of ``estimator_.predict``.

    References
    ----------
    .. [1] J. C. Platt (1999), "Probabilistic outputs for support vector machines and comparisons
       to regularized likelihood methods", Advances in Large Margin Classifiers, 61-74.
    .. [2] H.-T. Lin, C.-J. Lin, R. C. Weng (2007), "A note on Platt's probabilistic outputs for
       support vector machines", Machine Learning 68, 267-276.
       https://doi.org/10.1007/s10994-007-5018-6
    .. [3] D. Price, S. Knerr, L. Personnaz, G. Dreyfus (1995), "Pairwise neural network classifiers
       with probabilistic outputs", Advances in Neural Information Processing Systems 7, 1109-1116
       (the coupling).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import CalibratedClassifier, OLLAWVClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedClassifier(OLLAWVClassifier()).fit(X, y)
    >>> model.predict_proba(X[:1]).argmax()
    np.int64(0)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "decision_function"]), HasMethods(["fit", "steps"]), None],
        "method": [StrOptions({"sigmoid", "isotonic"})],
        "cv": [Interval(Integral, 2, None, closed="left"), "cv_object"],
        "random_state": ["random_state"],
    }

    _model_file = Declaration(
        {
            **FEATURES,
            "classes_": Labels(),
            "slopes_": MayLack(doubles("n_columns")),
            "offsets_": MayLack(doubles("n_columns")),
            "knots_": MayLack(doubles("n_knots")),
            "levels_": MayLack(doubles("n_knots")),
            "n_knots_": MayLack(Array(("int64",), ("n_columns",), minimum=1, maximum=LAST_ROW)),
            "temperature_": Real(above=0.0),
            "estimator_": Estimators("model", alone=True),
        },
        (_check_calibration,),
        copied={"estimator": "estimator"},
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: Literal["sigmoid", "isotonic"] = "sigmoid",
        cv: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.random_state = random_state

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to all rows, and its calibration to rows left out.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, or what else the estimator takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the classifier and for the calibration.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        require_host(type(self).__name__, X, y)
        template = OLLAWVClassifier() if self.estimator is None else self.estimator
        # This fit looks at the data; what follows relies on it.
        self.estimator_ = settled(fit_with_weights(clone(template), X, y, sample_weight))
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        X, y = indexable(X, column_or_1d(y))
        kept = np.arange(len(y))
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight, dtype=np.float64)
            if self.cv is None or isinstance(self.cv, Integral):
                # A weight of 0 leaves a row out. Folds that were given count all rows.
                kept = np.flatnonzero(sample_weight > 0.0)
            sample_weight = sample_weight[kept]
        if kept.size < len(y):
            X, y = take_rows(X, kept), y[kept]
        weights = np.ones(len(y)) if sample_weight is None else np.maximum(sample_weight, 0.0)
        # Classes without weight are none of the model's.
        labels = np.minimum(np.searchsorted(self.classes_, y), self.classes_.size - 1)
        values = self._held_out_values(X, y, labels, sample_weight, kept)
        self._calibrate(values, labels, weights)
        return self

    def _held_out_values(
        self, X: Any, y: Any, labels: IndexArray, sample_weight: Any, columns: IndexArray
    ) -> HeldOutValues:
        """Return the decision values of each row by a classifier that has not seen it.

        `columns` names the column of each row in kernel values, which have one for rows without
        weight as well.
        """
        template = clone(self.estimator_)
        pairwise = get_tags(self.estimator_).input_tags.pairwise
        if pairwise:
            X = np.asarray(X)
        n_classes = int(self.classes_.size)
        sides = column_classes(self.estimator_, n_classes)
        values = HeldOutValues(X, labels, sides, n_classes)
        splits, alone = self._splits(X, y)
        if alone.size:
            values.add(self.estimator_, alone)
        for train, test in splits:
            rows = take_rows(X, train)
            if pairwise:
                rows = rows[:, columns[train]]
            weights = None if sample_weight is None else sample_weight[train]
            model = fit_with_weights(clone(template), rows, y[train], weights)
            if not np.array_equal(model.classes_, self.classes_):
                raise ValueError(
                    f"{type(self).__name__} needs every class in the training part of every fold. "
                    f"Got one with {model.classes_.size} of {self.classes_.size} classes; pass a "
                    "number of folds as 'cv', or fewer of them."
                )
            values.add(model, test, columns[train] if pairwise else None)
        return values

    def _splits(self, X: Any, y: Any) -> tuple[list[Split], IndexArray]:
        """Return the folds, and the rows that none of them tests."""
        if not (self.cv is None or isinstance(self.cv, Integral)):
            splits = classification_splits(self.cv, X, y)
            if not tests_every_row_once(splits, len(y)):
                raise ValueError(
                    f"{type(self).__name__} needs a 'cv' that tests every row once. Got one that "
                    "does not; pass a number of folds."
                )
            return splits, np.empty(0, dtype=np.int64)
        _, labels, counts = np.unique(y, return_inverse=True, return_counts=True)
        # The only row of its class cannot be left out.
        alone, shared = np.flatnonzero(counts[labels] == 1), np.flatnonzero(counts[labels] > 1)
        if shared.size == 0:
            raise ValueError(
                f"{type(self).__name__} calibrates on rows left out. Got {len(y)} rows of as many "
                "classes; at least one class needs 2 rows."
            )
        smallest = int(counts[counts > 1].min())
        by_default = 2 if smallest >= _MANY_ROWS else 5
        n_splits = min(by_default if self.cv is None else int(self.cv), smallest)
        seed = check_random_state(self.random_state).randint(_LARGEST_SEED)
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
        splits = [
            (np.sort(np.concatenate([alone, shared[train]])), shared[test])
            for train, test in folds.split(shared, labels[shared])
        ]
        return splits, alone

    def _calibrate(self, values: HeldOutValues, labels: IndexArray, weights: DoubleArray) -> None:
        """Fit a sigmoid or steps to each column, then the temperature."""
        sides = column_classes(self.estimator_, self.classes_.size)
        fit = fit_sigmoid if self.method == "sigmoid" else fit_steps
        found: list[Any] = []
        for column, (positive, _) in enumerate(sides):
            of_column, rows = values.of_column(column)
            found.append(fit(of_column, labels[rows] == positive, weights[rows]))
        first, second = ([pair[side] for pair in found] for side in (0, 1))
        for name in itertools.chain(*_FITTED.values()):
            self.__dict__.pop(name, None)
        if self.method == "sigmoid":
            self.slopes_, self.offsets_ = np.array(first), np.array(second)
        else:
            self.knots_, self.levels_ = np.concatenate(first), np.concatenate(second)
            self.n_knots_ = np.array([knots.size for knots in first], dtype=np.int64)
        self.temperature_ = 1.0
        if self.classes_.size > 2:
            scores = np.empty((labels.size, self.classes_.size))
            for rows, of_rows in values.blocks():
                scores[rows] = self._scores(of_rows)
            self.temperature_ = fit_temperature(scores, labels, weights)

    # Prediction -----------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> DoubleArray:
        """Return the probabilities of all classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`; each row sums to 1.
        """
        check_is_fitted(self)
        require_host(type(self).__name__, X)
        if not hasattr(X, "shape"):
            return self._probabilities(X)
        # With many classes the values of all pairs are a table far larger than the result.
        n_columns = len(column_classes(self.estimator_, self.classes_.size))
        blocks = list(blocks_of_rows(np.arange(X.shape[0]), n_columns))
        if len(blocks) <= 1:
            return self._probabilities(X)
        X = X.tocsr() if sp.issparse(X) else X
        return np.concatenate([self._probabilities(take_rows(X, rows)) for rows in blocks])

    def _probabilities(self, X: Any) -> DoubleArray:
        values = class_scores(self.estimator_, X)
        if self.classes_.size == 2:
            z = self._log_odds(values)[:, 0]
            return np.column_stack([expit(-z), expit(z)])
        return np.asarray(softmax(self._scores(values) / self.temperature_, axis=1))

    def predict_log_proba(self, X: Any) -> DoubleArray:
        """Return the logarithms of the probabilities; see `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of the probabilities.
        """
        return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)]

    def _log_odds(self, values: DoubleArray) -> DoubleArray:
        """Return the log-odds of the positive side of each column."""
        if self.method == "sigmoid":
            return np.asarray(values * self.slopes_ + self.offsets_)
        ends = np.cumsum(self.n_knots_)
        return np.column_stack(
            [
                step_log_odds(column, self.knots_[end - n : end], self.levels_[end - n : end])
                for column, n, end in zip(values.T, self.n_knots_, ends, strict=True)
            ]
        )

    def _scores(self, values: DoubleArray) -> DoubleArray:
        """Return log-probabilities of three classes and more, up to a constant and a factor."""
        log_odds, n_classes = self._log_odds(values), int(self.classes_.size)
        return couple_pairs(log_odds, n_classes) if has_pairs(self.estimator_) else log_odds

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(OLLAWVClassifier() if self.estimator is None else self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags


def with_probabilities(model: Any, **parameters: Any) -> Any:
    """Return a model that is not fitted yet with its classifier in a `CalibratedClassifier`.

    Parameters
    ----------
    model : estimator or Pipeline
        A classifier, or a pipeline that ends in one; the steps before stay, so that the pipeline
        can be saved as a model file.
    **parameters : dict
        Parameters of `CalibratedClassifier`.

    Returns
    -------
    model : CalibratedClassifier or Pipeline
        The same steps, with probabilities.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.classification.calibrated import with_probabilities
    >>> model = with_probabilities(make_pipeline(MinMaxScaler(), OLLAWVClassifier()), cv=5)
    >>> type(model.steps[-1][1]).__name__
    'CalibratedClassifier'
    """
    if isinstance(model, Pipeline):
        *before, (name, final) = model.steps
        return Pipeline([*before, (name, with_probabilities(final, **parameters))])
    return CalibratedClassifier(model, **parameters)
