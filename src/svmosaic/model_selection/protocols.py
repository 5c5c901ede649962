"""Nested cross-validation, Monte-Carlo cross-validation, and hold-out with cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

from svmosaic.model_selection.evaluation import (
    Evaluation,
    MakeEstimator,
    Split,
    evaluate,
    name_scores,
)
from svmosaic.model_selection.pattern_search import PatternSearchCV
from svmosaic.model_selection.seeds import derive_seed

__all__ = ["holdout_cv", "monte_carlo_cv", "nested_cv"]

Grid = Mapping[str, Sequence[Any]]
SearchName = Literal["grid", "pattern"]

_SEARCHES = {"grid": GridSearchCV, "pattern": PatternSearchCV}


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
    outer, inner : int, splitter or iterable, default=5
        The folds. A number means that many folds, shuffled, and stratified for classifiers.
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
    check_consistent_length(X, y)
    if repeats < 1 or (repeats > 1 and not isinstance(outer, int)):
        raise ValueError(
            "The 'repeats' of nested_cv must be 1, or more if 'outer' is a number of folds. Got "
            f"{repeats}."
        )
    splits = [
        Split(repeat, fold, train, test)
        for repeat in range(repeats)
        for fold, (train, test) in enumerate(
            _folds(outer, estimator, y, derive_seed(random_state, "outer", repeat)).split(X, y)
        )
    ]
    make = _make_estimators(estimator, y, grid, search, inner, scoring, random_state)
    results, digest = evaluate(make, X, y, splits, scoring, n_jobs)
    tuned = "" if grid is None else f", parameters by {search} search over {inner} inner folds"
    protocol = f"{len(splits)} outer folds{tuned}"
    return Evaluation(protocol, dataset, method, random_state, results, digest)


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
    estimator, X, y, grid, search, inner, scoring, random_state, n_jobs, dataset, method : optional
        As in `nested_cv`.
    n_splits : int, default=100
        Number of splits.
    test_size : float, default=0.25
        Share of the rows to test on.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes, for classifiers.

    Returns
    -------
    Evaluation

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
    return _random_splits(
        f"{n_splits} random splits, {test_size:g} of the rows to test on",
        estimator,
        X,
        y,
        n_splits=n_splits,
        test_size=test_size,
        stratify=stratify,
        make=_make_estimators(estimator, y, grid, search, inner, scoring, random_state),
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        names=(dataset, method),
    )


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
    estimator, X, y, search, inner, scoring, random_state, dataset, method : optional
        As in `nested_cv`.
    grid : mapping of str to sequence, default=None
        Values to try for each parameter. Without a grid the estimator itself is cross-validated
        on the rest, and ``inner_score`` is its mean score there.
    test_size : float, default=0.2
        Share of the rows to hold out.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes, for classifiers.
    n_jobs : int, default=None
        Inner fits at a time. The results do not depend on it.

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
    # A grid of nothing has one candidate: the estimator as it is.
    chosen: Grid = {} if grid is None else grid
    return _random_splits(
        f"{test_size:g} of the rows held out, cross-validation on the others",
        estimator,
        X,
        y,
        n_splits=1,
        test_size=test_size,
        stratify=stratify,
        make=_make_estimators(estimator, y, chosen, search, inner, scoring, random_state, n_jobs),
        scoring=scoring,
        random_state=random_state,
        n_jobs=None,
        names=(dataset, method),
    )


# Splits -------------------------------------------------------------------------------------


def _random_splits(
    protocol: str,
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int,
    test_size: float,
    stratify: bool,
    make: MakeEstimator,
    scoring: Any,
    random_state: int,
    n_jobs: int | None,
    names: tuple[str, str],
) -> Evaluation:
    check_consistent_length(X, y)
    kind = StratifiedShuffleSplit if stratify and _has_classes(estimator, y) else ShuffleSplit
    splitter = kind(
        n_splits, test_size=test_size, random_state=derive_seed(random_state, "random splits")
    )
    splits = [Split(i, 0, train, test) for i, (train, test) in enumerate(splitter.split(X, y))]
    results, digest = evaluate(make, X, y, splits, scoring, n_jobs)
    return Evaluation(protocol, *names, random_state, results, digest)


def _folds(folds: Any, estimator: Any, y: Any, seed: int) -> Any:
    """Return a splitter; a number means shuffled folds, stratified for classifiers."""
    if isinstance(folds, int) and not isinstance(folds, bool):
        if folds < 2:
            raise ValueError(f"Cross-validation needs at least 2 folds. Got {folds}.")
        kind = StratifiedKFold if _has_classes(estimator, y) else KFold
        return kind(folds, shuffle=True, random_state=seed)
    if not hasattr(folds, "split") and not isinstance(folds, Iterable):
        raise ValueError(
            f"The folds must be a number, a splitter or a list of splits. Got {folds!r}."
        )
    return check_cv(folds)


def _has_classes(estimator: Any, y: Any) -> bool:
    return is_classifier(estimator) and type_of_target(y) in ("binary", "multiclass")


# Searches -----------------------------------------------------------------------------------


def _make_estimators(
    estimator: Any,
    y: Any,
    grid: Grid | None,
    search: SearchName,
    inner: Any,
    scoring: Any,
    random_state: int,
    n_jobs: int | None = None,
) -> MakeEstimator:
    """Return what makes the estimator of a split; a search gets inner folds of its own."""
    if search not in _SEARCHES:
        raise ValueError(f"The 'search' must be 'grid' or 'pattern'. Got {search!r}.")
    if grid is None:
        return lambda split: estimator
    first = next(iter(name_scores(scoring).values()))

    def make(split: Split) -> Any:
        seed = derive_seed(random_state, "inner", split.repeat, split.fold)
        folds = _folds(inner, estimator, y, seed)
        # Nothing to choose from is one candidate, whatever the search.
        kind = _SEARCHES[search] if grid else GridSearchCV
        return kind(clone(estimator), dict(grid), scoring=first, cv=folds, n_jobs=n_jobs)

    return make
