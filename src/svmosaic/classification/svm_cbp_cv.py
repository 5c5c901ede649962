"""SVM-CBP with lam chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from svmosaic.boundary.kernel_widths import RIDGE
from svmosaic.classification.kernel_estimator import expansion_of_rows
from svmosaic.classification.multiclass import gather, predict_by_votes
from svmosaic.classification.scores import SCORES
from svmosaic.classification.svm_cbp import (
    CBP_PARAMETERS,
    CbpFit,
    CbpParameters,
    SVMCBPClassifier,
    solve_cbp,
)
from svmosaic.classification.training import Training, prepare_training
from svmosaic.engine.class_pairs import choose_classes
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.number_list import check_numbers
from svmosaic.utils.sklearn_compat import StrOptions, fit_context
from svmosaic.utils.splits import classification_splits
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_samples, check_training

__all__ = ["SVMCBPClassifierCV"]


class SVMCBPClassifierCV(ClassifierMixin, Estimator):  # type: ignore[misc]
    """SVM-CBP with lam chosen by cross-validation, and a width of its own for every lam.

    It tries what `GridSearchCV` over `lam` tries, with the same scores on the same folds. The
    boundary points of a training part, its distances and the matrices of a width are computed once
    and serve all values of lam, so seven of them cost about twice the time of one. After the search
    the best model is fitted to all data.

    Parameters
    ----------
    lams : array-like of float, default=(0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
        Values to try.
    sigma, sigmas, after_peak, ridge, tol, max_iter : optional
        As in `SVMCBPClassifier`. With ``sigma="peak"`` every lam has its own width, found on the
        training part.
    cv : int, splitter or iterable, default=5
        The folds. A number means stratified folds that are shuffled with a fixed seed,
        ``StratifiedKFold(cv, shuffle=True, random_state=0)``. scikit-learn does not shuffle them,
        but the rows of many files are ordered. Splitters and iterables are taken as they are.
    scoring : {"accuracy", "balanced_accuracy", "f1_macro"}, default="accuracy"
        What is maximised. Ties go to the smallest lam.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it. Threads find the
        boundary points and predict.
    memory_limit_mb : float, default=2000.0
        As in `SVMCBPClassifier`.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    best_estimator_ : SVMCBPClassifier
        The best model, fitted to all data.
    best_params_ : dict
        Its lam.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of ndarrays
        One entry per lam: ``param_lam``, ``split0_test_score`` and so on, ``mean_test_score``,
        ``std_test_score``, and ``mean_sigma``, the mean width over the folds.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem of the best estimator.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVMCBPClassifier : The classifier itself.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import SVMCBPClassifierCV
    >>> X, y = make_moons(80, noise=0.2, random_state=0)
    >>> search = SVMCBPClassifierCV(cv=3).fit(X, y)
    >>> bool(search.best_score_ > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CBP_PARAMETERS,
        "lams": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(SCORES))],
    }

    def __init__(
        self,
        *,
        lams: Sequence[float] = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
        sigma: float | str = "peak",
        sigmas: Any = None,
        after_peak: bool = False,
        ridge: float = RIDGE,
        tol: float = 1e-3,
        max_iter: int | None = None,
        cv: Any = 5,
        scoring: str = "accuracy",
        n_jobs: int | None = None,
        memory_limit_mb: float = 2000.0,
        verbose: int = 0,
    ) -> None:
        self.lams = lams
        self.sigma = sigma
        self.sigmas = sigmas
        self.after_peak = after_peak
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.memory_limit_mb = memory_limit_mb
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search, then fit the best model to all data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition, in training and in the scores.

        Returns
        -------
        self : object
            The fitted search.
        """
        X, y = check_training(self, X, y)
        who = type(self).__name__
        training = prepare_training(X, y, sample_weight, who=who, dense_only=True)
        labels, weights = training.labels, training.row_weights
        n_classes = training.classes.size
        parameters = {name: getattr(self, name) for name in CBP_PARAMETERS}
        lams = np.unique(check_numbers(self.lams, "lams", type(self).__name__))

        splits = classification_splits(self.cv, X, y)
        confusion = np.zeros((lams.size, len(splits), n_classes, n_classes))
        sigmas = np.zeros((lams.size, len(splits)))
        for f, (train, test) in enumerate(splits):
            part = prepare_training(
                np.ascontiguousarray(X[train]), labels[train], weights[train], who=who
            )
            solved = solve_cbp(part, lams.tolist(), CbpParameters(**parameters), who=who)
            for number, found in enumerate(solved):
                predicted = _predict(part, found, X[test], resolve_threads(self.n_jobs))
                np.add.at(confusion[number, f], (labels[test], predicted), weights[test])
                sigmas[number, f] = found.sigma
        self._report(lams, SCORES[self.scoring](confusion), sigmas)

        best = SVMCBPClassifier(**parameters, lam=self.best_params_["lam"])
        self.best_estimator_ = best.fit(X, y, sample_weight)
        self.classes_ = training.classes
        self.n_iter_ = best.n_iter_
        return self

    def _report(self, lams: DoubleArray, scores: DoubleArray, sigmas: DoubleArray) -> None:
        mean = scores.mean(axis=1)
        self.cv_results_ = {
            "param_lam": lams,
            **{f"split{f}_test_score": scores[:, f] for f in range(scores.shape[1])},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "mean_sigma": sigmas.mean(axis=1),
        }
        # Rounded so that the order of a sum does not decide; of equal ones the first.
        best = int(mean.round(12).argmax())
        self.best_score_ = float(mean[best])
        self.best_index_ = best
        self.best_params_ = {"lam": float(lams[best])}

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the best model; see `SVMCBPClassifier`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(check_samples(self, X))

    def predict(self, X: Any) -> Any:
        """Return the class of each sample by the best model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted classes.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(check_samples(self, X))


def _predict(training: Training, found: CbpFit, X: Any, n_threads: int) -> IndexArray:
    """Return the labels that the binary classifiers of one lam predict.

    A class can be missing from a training part, whose classes are therefore some of the labels.
    """
    joined = gather(found.solutions, training.labels, training.classes.size)
    expansion = expansion_of_rows(
        found.kernel, training.X, joined.support, joined.coefficients, joined.intercepts
    )
    decide = partial(expansion.decide, n_threads=n_threads)
    n_classes = training.classes.size
    if n_classes > 2:
        chosen = predict_by_votes(decide, X, n_classes)
    else:
        chosen = choose_classes(decide(X), n_classes, "ovo")
    predicted: IndexArray = training.classes[chosen]
    return predicted
