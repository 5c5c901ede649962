"""OLLAWV with gamma, margin and C chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from svmosaic.backends import cpu
from svmosaic.base import KERNELS, kernel_spec, make_rows, resolve_gamma
from svmosaic.classification.margin_path import MachinePath, MarginPath
from svmosaic.classification.multiclass import MultiClass, combine_votes, split
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.problem import (
    CsrRows,
    DenseRows,
    DoubleArray,
    IndexArray,
    KernelSpec,
    PairwiseRows,
    Problem,
    Rows,
)
from svmosaic.solvers.ollawv import LearningRate
from svmosaic.solvers.refine import RefineTask
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_samples, check_training

__all__ = ["OLLAWVClassifierCV"]

_SCORES: dict[str, Callable[..., float]] = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1_macro": lambda y, p, sample_weight: f1_score(
        y, p, average="macro", sample_weight=sample_weight, zero_division=0.0
    ),
}


@dataclass(frozen=True)
class _Fold:
    """One split: the binary problems of its training part, and what to predict."""

    classes: IndexArray  # numbers of the classes in the training part
    problems: list[Problem]
    test: IndexArray


@dataclass(frozen=True)
class _Setting:
    """What one candidate adds to gamma. C has no meaning for the plain machine."""

    margin: float
    C: float


@dataclass(frozen=True)
class _Machine:
    """One binary machine of one candidate: its expansion over rows of the table."""

    rows: IndexArray
    coef: DoubleArray
    intercept: float


class OLLAWVClassifierCV(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """OLLAWV with gamma, margin and C chosen by cross-validation.

    Margins cost nothing: for each gamma and fold the selection runs once, to the largest margin,
    and every smaller margin is a prefix of it. Squared distances are computed once and serve all
    gammas, folds and class pairs. After the search the best machine is fitted to all data.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"}, default="rbf"
        The kernel.
    gammas : array-like of float, default=None
        Values to try. None means eight powers of 4 around 1 / (n_features * X.var()), from 4^-4
        to 4^3 times that. Kernels without gamma ignore it.
    margins : array-like of float, default=(0.1, 0.2, 0.5, 1.0)
        Values to try for the selection's margin. With ``refine="full"`` the machine does not
        depend on the margin and only the first is used.
    Cs : array-like of float, default=(0.1, 1.0, 10.0, 100.0, 1000.0)
        Values to try for the refinement's penalty. The plain machine ignores them.
    refine : {"full", "selected", None}, default="full"
        As in `OLLAWVClassifier`.
    degree, coef0, tol, fit_intercept, learning_rate : optional
        As in `OLLAWVClassifier`.
    max_iter, max_support, class_weight, multi_class : optional
        As in `OLLAWVClassifier`.
    cv : int, splitter or iterable, default=5
        The folds, as scikit-learn means them.
    scoring : {"accuracy", "balanced_accuracy", "f1_macro"}, default="accuracy"
        What is maximised. Equal scores go to the candidate with fewer support vectors.
    n_jobs : int, default=None
        Threads; -1 means all. The result does not depend on it.
    memory_limit_mb : float, default=2000
        Squared distances are stored if they fit into this; otherwise they are computed anew for
        each column.
    verbose : int, default=0
        If positive, log progress.

    Attributes
    ----------
    best_estimator_ : OLLAWVClassifier
        The best machine, fitted to all data.
    best_params_ : dict
        Its gamma, margin and C, as far as they were searched.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of ndarrays
        One entry per candidate: ``param_gamma``, ``param_margin``, ``param_C``,
        ``split0_test_score`` and so on, ``mean_test_score``, ``std_test_score`` and
        ``mean_n_support``.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_iter_ : ndarray of shape (n_machines,)
        Selection steps of each binary machine of the best estimator.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    OLLAWVClassifier : The machine itself.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from svmosaic import OLLAWVClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = OLLAWVClassifierCV(cv=3).fit(minmax_scale(X), y)
    >>> bool(search.best_score_ > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: OLLAWVClassifier._parameter_constraints[name]
            for name in (
                "degree",
                "coef0",
                "refine",
                "tol",
                "fit_intercept",
                "learning_rate",
                "max_iter",
                "max_support",
                "class_weight",
                "multi_class",
                "n_jobs",
                "verbose",
            )
        },
        "kernel": [StrOptions(set(KERNELS))],
        "gammas": ["array-like", None],
        "margins": ["array-like"],
        "Cs": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(_SCORES))],
        "memory_limit_mb": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kernel: str = "rbf",
        gammas: Sequence[float] | None = None,
        margins: Sequence[float] = (0.1, 0.2, 0.5, 1.0),
        Cs: Sequence[float] = (0.1, 1.0, 10.0, 100.0, 1000.0),
        refine: Literal["selected", "full"] | None = "full",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        fit_intercept: bool = True,
        learning_rate: LearningRate = "2/sqrt(t)",
        max_iter: float = 0.5,
        max_support: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        cv: Any = 5,
        scoring: str = "accuracy",
        n_jobs: int | None = None,
        memory_limit_mb: float = 2000.0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gammas = gammas
        self.margins = margins
        self.Cs = Cs
        self.refine = refine
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_support = max_support
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.memory_limit_mb = memory_limit_mb
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Search, then fit the best machine to all data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
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
        template = self._template()
        template._check_square(X)
        weights = template._weights(X, y, sample_weight)
        _, labels = template._encode(y, weights)

        rows = make_rows(X, self.kernel)
        samples, sample_weights = template._samples(X, rows, labels, weights)
        gammas = self._gamma_values(X, samples, sample_weights)
        settings = self._settings()
        folds = list(self._folds(X, y, rows, labels, weights))
        shared = self._share_pairs(rows)

        scores = np.empty((len(gammas), len(settings), len(folds)))
        sizes = np.empty_like(scores)
        progress = current_progress(type(self).__name__, self.verbose)
        for g, gamma in enumerate(gammas):
            kernel = kernel_spec(self.kernel, gamma, self.degree, self.coef0)
            paths = self._select(shared, kernel, folds)
            for f, (fold, path) in enumerate(zip(folds, paths, strict=True)):
                candidates = self._candidates(shared, kernel, fold, path, settings)
                predictions = self._predict(X, shared, kernel, fold, candidates)
                truth = labels[fold.test]
                for s, predicted in enumerate(predictions):
                    scores[g, s, f] = _SCORES[self.scoring](
                        truth, predicted, sample_weight=weights[fold.test]
                    )
                    parts = [machine.rows for machine in candidates[s]]
                    sizes[g, s, f] = np.unique(np.concatenate(parts)).size
                if progress is not None:
                    done = g * len(folds) + f + 1
                    progress(done, len(gammas) * len(folds), done * len(settings))

        self._report(gammas, settings, scores, sizes)
        template.set_params(**self._chosen)
        self.best_estimator_: OLLAWVClassifier = template.fit(X, y, sample_weight)
        self.classes_ = self.best_estimator_.classes_
        self.n_iter_ = self.best_estimator_.n_iter_
        return self

    # The search -----------------------------------------------------------------------------

    def _template(self) -> OLLAWVClassifier:
        names = (
            *("kernel", "degree", "coef0", "refine", "tol", "fit_intercept", "learning_rate"),
            *("max_iter", "max_support", "class_weight", "multi_class", "n_jobs", "verbose"),
        )
        return OLLAWVClassifier(**{name: getattr(self, name) for name in names})

    def _gamma_values(self, X: Any, samples: IndexArray, weights: DoubleArray) -> list[float]:
        if self.kernel in ("linear", "precomputed"):
            return [1.0]
        if self.gammas is None:
            middle = resolve_gamma("scale", X, samples, weights)
            return [middle * 4.0**k for k in range(-4, 4)]
        return _positive(self.gammas, "gammas")

    def _settings(self) -> list[_Setting]:
        margins = _positive(self.margins, "margins")
        Cs = _positive(self.Cs, "Cs")
        if self.refine is None:
            Cs = [1.0]
        if self.refine == "full":
            margins = margins[:1]
        return [_Setting(margin, C) for margin, C in product(margins, Cs)]

    def _folds(
        self, X: Any, y: Any, rows: Rows, labels: IndexArray, weights: DoubleArray
    ) -> Iterator[_Fold]:
        for train, test in check_cv(self.cv, y, classifier=True).split(X, y):
            in_training = np.zeros_like(weights)
            in_training[train] = weights[train]
            samples, sample_weights = cpu.distinct_rows(rows, labels, in_training)
            present, local = np.unique(labels[samples], return_inverse=True)
            if present.size < 2:
                raise ValueError(
                    f"{type(self).__name__} found a training fold with one class only. Use fewer "
                    "or stratified folds."
                )
            problems = split(samples, local, sample_weights, present.size, self.multi_class)
            # The first sample does not depend on gamma; look for it once.
            problems = [replace(p, start=cpu.central_sample(rows, p)) for p in problems]
            yield _Fold(present, problems, test[weights[test] > 0])

    def _share_pairs(self, rows: Rows) -> Rows:
        """Return all pairwise values if they fit the limit, else the rows themselves."""
        if not isinstance(rows, DenseRows | CsrRows):
            return rows
        n_rows = rows.values.shape[0] if isinstance(rows, DenseRows) else rows.offsets.size - 1
        if n_rows**2 * rows.values.itemsize > self.memory_limit_mb * 1e6:
            return rows
        kernel = kernel_spec(self.kernel, 1.0, self.degree, self.coef0)
        return PairwiseRows(cpu.pairwise_values(rows, kernel, resolve_threads(self.n_jobs)))

    def _select(self, rows: Rows, kernel: KernelSpec, folds: list[_Fold]) -> list[MarginPath]:
        """Run the selection of all folds to the largest margin."""
        template = self._template().set_params(refine=None, margin=float(np.max(self.margins)))
        if self.refine == "full":
            template.set_params(margin=float(np.ravel(self.margins)[0]))
        problems = [problem for fold in folds for problem in fold.problems]
        solutions = iter(
            cpu.solve_ollawv(
                rows,
                kernel,
                problems,
                template._settings(),
                n_threads=resolve_threads(self.n_jobs),
            )
        )
        paths = []
        for fold in folds:
            of_fold = [next(solutions) for _ in fold.problems]
            paths.append(MarginPath.of(of_fold, [float(p.weights.sum()) for p in fold.problems]))
        return paths

    def _candidates(
        self,
        rows: Rows,
        kernel: KernelSpec,
        fold: _Fold,
        path: MarginPath,
        settings: list[_Setting],
    ) -> list[list[_Machine]]:
        """Return the machines of each setting on one fold."""
        if self.refine is None:
            return [
                [_plain(machine, setting.margin, self.fit_intercept) for machine in path]
                for setting in settings
            ]
        # Different margins often select the same samples: solve each problem once.
        keys = [
            [
                (m, machine.length_at_margin(setting.margin), setting.C)
                for m, machine in enumerate(path)
            ]
            for setting in settings
        ]
        base = self._template()._refine_settings()
        tasks = {}
        for m, length, C in dict.fromkeys(key for of_setting in keys for key in of_setting):
            problem = fold.problems[m]
            selected = np.flatnonzero(np.isin(problem.samples, path[m].rows[:length]))
            tasks[m, length, C] = RefineTask(problem, selected, replace(base, C=C))
        solutions = cpu.refine(
            rows, kernel, list(tasks.values()), n_threads=resolve_threads(self.n_jobs)
        )
        solved = {
            key: _Machine(s.support, s.coef, s.intercept)
            for key, s in zip(tasks, solutions, strict=True)
        }
        return [[solved[key] for key in of_setting] for of_setting in keys]

    def _predict(
        self,
        X: Any,
        rows: Rows,
        kernel: KernelSpec,
        fold: _Fold,
        candidates: list[list[_Machine]],
    ) -> list[IndexArray]:
        """Return the class numbers of the test rows for each candidate.

        One pass evaluates all candidates: each kernel value is computed once.
        """
        machines = [machine for candidate in candidates for machine in candidate]
        support = np.unique(np.concatenate([machine.rows for machine in machines]))
        vectors = np.searchsorted(support, np.concatenate([m.rows for m in machines]))
        outputs = np.repeat(np.arange(len(machines)), [m.rows.size for m in machines])
        coef = np.concatenate([m.coef for m in machines])
        coefficients = csr_array((coef, (vectors, outputs)), shape=(support.size, len(machines)))
        if isinstance(rows, PairwiseRows):
            test: Rows = PairwiseRows(rows.values[fold.test], symmetric=False)
        else:
            test = make_rows(X[fold.test], self.kernel)
        decisions = cpu.decide(
            test,
            rows,
            support,
            kernel,
            coefficients,
            np.array([m.intercept for m in machines]),
            n_threads=resolve_threads(self.n_jobs),
        )
        n_machines = len(candidates[0])
        n_classes = fold.classes.size
        predictions = []
        for s in range(len(candidates)):
            part = decisions[:, s * n_machines : (s + 1) * n_machines]
            if n_classes == 2:
                local = (part[:, 0] > 0).astype(np.intp)
            elif self.multi_class == "ovo":
                local = combine_votes(part, n_classes).argmax(axis=1)
            else:
                local = part.argmax(axis=1)
            predictions.append(fold.classes[local])
        return predictions

    def _report(
        self,
        gammas: list[float],
        settings: list[_Setting],
        scores: DoubleArray,
        sizes: DoubleArray,
    ) -> None:
        n_folds = scores.shape[2]
        flat = scores.reshape(-1, n_folds)
        n_support = sizes.reshape(-1, n_folds).mean(axis=1)
        grid = list(product(gammas, settings))
        self.cv_results_ = {
            "param_gamma": np.array([gamma for gamma, _ in grid]),
            "param_margin": np.array([s.margin for _, s in grid]),
            "param_C": np.array([s.C for _, s in grid]),
            **{f"split{f}_test_score": flat[:, f] for f in range(n_folds)},
            "mean_test_score": flat.mean(axis=1),
            "std_test_score": flat.std(axis=1),
            "mean_n_support": n_support,
        }
        # Highest score, then fewest support vectors, then the first of the grid. Scores are
        # rounded so that the order of a sum does not decide.
        best = int(np.lexsort((n_support, -flat.mean(axis=1).round(12)))[0])
        gamma, setting = grid[best]
        self.best_score_ = float(flat[best].mean())
        self.best_index_ = best
        chosen: dict[str, Any] = {"margin": setting.margin}
        if self.kernel not in ("linear", "precomputed"):
            chosen["gamma"] = gamma
        if self.refine is not None:
            chosen["C"] = setting.C
        self._chosen = chosen
        self.best_params_ = dict(chosen)

    # Prediction -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> DoubleArray:
        """Return the decision values of the best machine; see `OLLAWVClassifier`."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(check_samples(self, X))

    def predict(self, X: Any) -> Any:
        """Return the class of each sample by the best machine."""
        check_is_fitted(self)
        return self.best_estimator_.predict(check_samples(self, X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _plain(machine: MachinePath, margin: float, fit_intercept: bool) -> _Machine:
    cut = machine.cut(machine.length_at_margin(margin))
    return _Machine(*cut.expansion(1.0, fit_intercept))


def _positive(values: Any, name: str) -> list[float]:
    numbers = np.ravel(np.asarray(values, dtype=np.float64))
    if numbers.size == 0 or not np.all(np.isfinite(numbers)) or not np.all(numbers > 0):
        raise ValueError(
            f"The '{name}' parameter of OLLAWVClassifierCV must be a list of positive numbers. "
            f"Got {values!r} instead."
        )
    return [float(v) for v in numbers]
