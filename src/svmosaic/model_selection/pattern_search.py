"""Pattern search: follow the best neighbour on a grid of parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import GridSearchCV

from svmosaic.utils.estimator import DocumentationLink
from svmosaic.utils.sklearn_compat import Interval

__all__ = ["PatternSearchCV"]

# A point of the grid: the place on each axis.
Point = tuple[int, ...]
# Scores points, several at a time; a point is scored once however often it is asked for.
ScorePoints = Callable[[Sequence[Point]], dict[Point, float]]


class PatternSearchCV(DocumentationLink, GridSearchCV):  # type: ignore[misc]
    """Search a grid of parameters by following the best neighbour.

    The search starts in the middle of the grid and scores a cross around it: one step to either
    side along each axis. It moves to the best point of the cross if that is better than the
    middle, and halves the steps if none is. When the smallest step finds nothing better it starts
    again, at the point that is farthest from all that were scored. Of a grid of 8 x 8 it scores
    about a third.

    The best score over a search is optimistic; `nested_cv` gives an honest one.

    Parameters
    ----------
    estimator : estimator
        The estimator to tune.
    param_grid : dict of str to sequence
        Values of each parameter **in order**: the search takes neighbours for similar.
    n_restarts : int, default=1
        How often to start again. More cost more and find more.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score : optional
        As in `sklearn.model_selection.GridSearchCV`. With several scores, `refit` names the one
        to follow. Shuffled folds are drawn once and serve all candidates.

    Attributes
    ----------
    n_evaluations_ : int
        Points of the grid that were scored, each in all folds.
    grid_size_ : int
        Points of the grid.
    path_ : list of dict
        The middles of the crosses, in order.
    cv_results_, best_estimator_, best_params_, best_score_, best_index_ : Any
        As in `sklearn.model_selection.GridSearchCV`; `cv_results_` has the points in the order in
        which they were scored.
    scorer_, n_splits_, refit_time_, multimetric_ : Any
        As in `sklearn.model_selection.GridSearchCV`.

    See Also
    --------
    nested_cv : Evaluates an estimator together with its search.

    References
    ----------
    M. Momma and K. P. Bennett, "A Pattern Search Method for Model Selection of Support Vector
    Regression", SIAM International Conference on Data Mining (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from sklearn.svm import SVC
    >>> from svmosaic.model_selection import PatternSearchCV
    >>> X, y = load_wine(return_X_y=True)
    >>> grid = {"C": [4.0**i for i in range(-2, 6)], "gamma": [4.0**i for i in range(-5, 3)]}
    >>> search = PatternSearchCV(SVC(), grid).fit(minmax_scale(X), y)
    >>> bool(search.best_score_ > 0.97), search.n_evaluations_ < search.grid_size_ / 2
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GridSearchCV._parameter_constraints,
        "param_grid": [dict],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Mapping[str, Sequence[Any]],
        *,
        n_restarts: int = 1,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.n_restarts = n_restarts

    def _run_search(self, evaluate_candidates: Callable[..., Any]) -> None:
        axes = _checked_axes(self.param_grid)
        sizes = tuple(len(values) for values in axes.values())
        cv = _FrozenSplits(self.cv) if hasattr(self.cv, "split") else None
        metric = self._followed_metric()
        known: dict[Point, float] = {}

        def make_params(point: Point) -> dict[str, Any]:
            return {name: axes[name][i] for name, i in zip(axes, point, strict=True)}

        def score(points: Sequence[Point]) -> dict[Point, float]:
            new = [point for point in dict.fromkeys(points) if point not in known]
            if new:
                means = measure([make_params(point) for point in new])
                # A candidate that failed is worse than any other.
                known.update(zip(new, np.nan_to_num(means, nan=-np.inf).tolist(), strict=True))
            return {point: known[point] for point in points}

        def measure(candidates: list[dict[str, Any]]) -> Any:
            try:
                results = evaluate_candidates(candidates, cv=cv)
            except ValueError:
                # Raised where all of these candidates fail. Later in a search that says no more
                # than that this is not the way to go.
                if not known or self.error_score == "raise":
                    raise
                return np.full(len(candidates), np.nan)
            # A function may return several scores, which is known only now.
            name = metric if f"mean_test_{metric}" in results else self._named_metric()
            return results[f"mean_test_{name}"][-len(candidates) :]

        middles = list(_search(sizes, score, known, self.n_restarts))
        self.path_ = [make_params(point) for point in middles]
        self.n_evaluations_ = len(known)
        self.grid_size_ = math.prod(sizes)

    def _followed_metric(self) -> str:
        several = isinstance(self.scoring, list | tuple | set | dict)
        return self._named_metric() if several else "score"

    def _named_metric(self) -> str:
        if not isinstance(self.refit, str):
            raise ValueError(
                "The 'refit' parameter of PatternSearchCV must name the score to follow where "
                f"there are several. Got {self.refit!r} instead."
            )
        return self.refit


class _FrozenSplits:
    """A splitter that draws its splits once, so that all candidates are scored on the same."""

    def __init__(self, cv: Any) -> None:
        self._cv = cv
        self._splits: list[Any] | None = None

    def split(self, X: Any, y: Any = None, **params: Any) -> list[Any]:
        if self._splits is None:
            self._splits = list(self._cv.split(X, y, **params))
        return self._splits


def _checked_axes(param_grid: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    if not param_grid:
        raise ValueError("The 'param_grid' of PatternSearchCV is empty. Give values to try.")
    axes = {}
    for name, values in param_grid.items():
        if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
            raise ValueError(
                f"The values of {name!r} in the 'param_grid' of PatternSearchCV must be a sequence "
                f"that is not empty. Got {values!r}."
            )
        axes[name] = list(values)
    return axes


# The search on places -----------------------------------------------------------------------


def _search(
    sizes: Point, score: ScorePoints, known: Mapping[Point, float], n_restarts: int
) -> Iterator[Point]:
    """Yield the middles of the crosses, from all starts."""
    start: Point | None = tuple(size // 2 for size in sizes)
    for _ in range(n_restarts + 1):
        if start is None:
            return
        yield from _descend(start, sizes, score)
        start = _farthest(sizes, known)


def _descend(start: Point, sizes: Point, score: ScorePoints) -> Iterator[Point]:
    """Follow the best neighbour until the smallest step finds nothing better."""
    middle = start
    steps = [math.ceil((size - 1) / 4) for size in sizes]
    yield middle
    while True:
        cross = [middle, *_cross(middle, steps, sizes)]
        scores = score(cross)
        best = max(cross, key=lambda point: scores[point])
        if scores[best] > scores[middle]:
            middle = best
            yield middle
        elif max(steps) <= 1:
            return
        else:
            # Short axes wait with a step of 1 for the long ones.
            steps = [max(step // 2, min(step, 1)) for step in steps]


def _cross(middle: Point, steps: Sequence[int], sizes: Point) -> list[Point]:
    """Return the points one step away along each axis; the grid's edge stops a step."""
    points = []
    for axis, step in enumerate(steps):
        for side in (-step, step):
            place = min(max(middle[axis] + side, 0), sizes[axis] - 1)
            if place != middle[axis]:
                points.append((*middle[:axis], place, *middle[axis + 1 :]))
    return points


def _farthest(sizes: Point, known: Mapping[Point, float]) -> Point | None:
    """Return the point whose nearest scored point is farthest; None if all were scored."""
    # Axes of different length count the same.
    scale = np.array([max(1, size - 1) for size in sizes])
    scored = np.array(list(known)) / scale
    best, distance = None, 0.0
    for point in product(*(range(size) for size in sizes)):
        if point not in known:
            nearest = float(np.min(np.sum((scored - np.array(point) / scale) ** 2, axis=1)))
            # Equally far points: the first in the order of the grid. 1e-12 is for rounding errors.
            if nearest > distance + 1e-12:
                best, distance = point, nearest
    return best
