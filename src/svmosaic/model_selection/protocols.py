"""Nested cross-validation, Monte-Carlo cross-validation, and hold-out with cross-validation."""

from __future__ import annotations

from typing import Any

from svmosaic.model_selection.evaluation import Evaluation, evaluate
from svmosaic.model_selection.plans import (
    Grid,
    Plan,
    SearchName,
    Tuning,
    plan_nested,
    plan_random,
)

__all__ = ["holdout_cv", "monte_carlo_cv", "nested_cv"]


def nested_cv(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    grid: Grid | None = None,
    search: SearchName = "grid",
    outer: Any = 5,
    inner: Any = 5,
    repeats: int = 1,
    scoring: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    dataset: str = "",
    method: str = "",
) -> Evaluation:
    """Estimate how good a method is together with the search for its parameters.

    Each outer fold is held out in turn. On the others the parameters are chosen by inner
    cross-validation, the model is trained with them, and the held-out fold scores it. No choice
    ever sees a row that scores it.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn estimator; put scaling into a pipeline. With ``grid=None`` it is trained
        as it is: one that searches by itself, such as `GridSearchCV` or `OLLAWVClassifierCV`, is
        nested too, and one that does not gets plain cross-validation.
    X : array-like, sparse matrix, DataFrame or list
        Samples; anything that scikit-learn can take rows of.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets.
    grid : mapping of str to sequence, default=None
        Values to try for each parameter, for example ``{"svc__C": [1, 10]}``.
    search : {"grid", "pattern"}, default="grid"
        Try all of the grid, or follow the best by `PatternSearchCV`.
    outer, inner : int or splitter, default=5
        The folds. A number means that many folds, shuffled, and stratified for classifiers. `outer`
        may also be a list of splits.
    repeats : int, default=1
        How often to go through with other outer folds. Only if `outer` is a number.
    scoring : str, callable, list or dict, default=None
        What to report, as scikit-learn takes it; the first one also chooses the parameters. None
        means the estimator's own score.
    random_state : int, default=0
        The root of all seeds. The same one gives all methods the same splits.
    n_jobs : int, default=None
        Splits at a time. The results do not depend on it.
    dataset, method : str
        Names for the records.

    Returns
    -------
    Evaluation
        Scores, chosen parameters, times and model sizes of each outer fold.

    See Also
    --------
    svmosaic.stats.compare : Compares methods over data sets.

    References
    ----------
    S. Varma and R. Simon, "Bias in error estimation when using cross-validation for model
    selection", BMC Bioinformatics 7 (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from sklearn.svm import SVC
    >>> from svmosaic.model_selection import nested_cv
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), SVC())
    >>> result = nested_cv(model, X, y, grid={"svc__C": [1, 100]}, scoring="accuracy")
    >>> len(result.splits), bool(result.mean("accuracy") > 0.9)
    (5, True)
    """
    tuning = Tuning(grid, search, inner, scoring)
    plan = plan_nested(
        estimator, X, y, tuning, outer=outer, repeats=repeats, random_state=random_state
    )
    return _run(plan, X, y, scoring, random_state, n_jobs, (dataset, method))


def monte_carlo_cv(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    grid: Grid | None = None,
    search: SearchName = "grid",
    n_splits: int = 100,
    test_size: float = 0.25,
    stratify: bool = True,
    inner: Any = 5,
    scoring: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    dataset: str = "",
    method: str = "",
) -> Evaluation:
    """Train and test on random splits, the same ones for all methods.

    The test parts overlap, so scores of different splits are not independent: tests that treat
    them as if they were, with each split as a sample, overstate the evidence.

    Parameters
    ----------
    estimator, X, y, grid, search : optional
        As in `nested_cv`.
    n_splits : int, default=100
        Number of splits.
    test_size : float, default=0.25
        Share of the rows to test on.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes, for classifiers.
    inner, scoring, random_state, n_jobs, dataset, method : optional
        As in `nested_cv`.

    Returns
    -------
    Evaluation
        One record per split.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from svmosaic.model_selection import monte_carlo_cv
    >>> X, y = load_iris(return_X_y=True)
    >>> result = monte_carlo_cv(KNeighborsClassifier(), X, y, n_splits=10)
    >>> len(result.splits), result.splits[0].n_test
    (10, 38)
    """
    plan = plan_random(
        estimator,
        X,
        y,
        Tuning(grid, search, inner, scoring),
        n_splits=n_splits,
        test_size=test_size,
        stratify=stratify,
        random_state=random_state,
    )
    return _run(plan, X, y, scoring, random_state, n_jobs, (dataset, method))


def holdout_cv(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    grid: Grid | None = None,
    search: SearchName = "grid",
    test_size: float = 0.2,
    stratify: bool = True,
    inner: Any = 5,
    scoring: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    dataset: str = "",
    method: str = "",
) -> Evaluation:
    """Hold a part of the rows out, cross-validate on the rest, and test once on the part.

    Parameters
    ----------
    estimator, X, y : optional
        As in `nested_cv`.
    grid : mapping of str to sequence, default=None
        Values to try for each parameter. Without a grid the estimator itself is cross-validated
        on the rest, and ``inner_score`` is its mean score there.
    search : {"grid", "pattern"}, default="grid"
        As in `nested_cv`.
    test_size : float, default=0.2
        Share of the rows to hold out.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes, for classifiers.
    inner, scoring, random_state : optional
        As in `nested_cv`.
    n_jobs : int, default=None
        Inner fits at a time. The results do not depend on it.
    dataset, method : str, default=""
        As in `nested_cv`.

    Returns
    -------
    Evaluation
        It has one split: ``scores`` are those on the rows held out, ``inner_score`` is that of the
        cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from svmosaic.model_selection import holdout_cv
    >>> result = holdout_cv(SVC(), *load_iris(return_X_y=True), grid={"C": [1, 10, 100]})
    >>> result.splits[0].n_test, result.splits[0].n_candidates
    (30, 3)
    """
    plan = plan_random(
        estimator,
        X,
        y,
        # A grid of nothing has one candidate: the estimator as it is.
        Tuning({} if grid is None else grid, search, inner, scoring, n_jobs),
        n_splits=1,
        test_size=test_size,
        stratify=stratify,
        random_state=random_state,
    )
    return _run(plan, X, y, scoring, random_state, None, (dataset, method))


def _run(
    plan: Plan,
    X: Any,
    y: Any,
    scoring: Any,
    random_state: int,
    n_jobs: int | None,
    names: tuple[str, str],
) -> Evaluation:
    results, digest = evaluate(plan.make_estimator, X, y, plan.splits, scoring, n_jobs)
    return Evaluation(plan.text, *names, random_state, results, digest)
