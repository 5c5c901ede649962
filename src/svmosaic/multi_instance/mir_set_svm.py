"""MIR-Set-SVM, multi-instance representatives and sets: MIRSVM with a kernel of whole bags added.

It is not in the papers. MIRSVM sees one instance of each bag, which fails where the whole bag
decides, as in mutagenesis; this machine holds both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from svmosaic.bags import Bags, CanonicalBags
from svmosaic.engine.kernels import KernelFunction, kernel_spec
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_search import search_table
from svmosaic.multi_instance.bag_statistics import largest_of_bags
from svmosaic.multi_instance.bag_summary import SUMMARIES, Summary, summarise
from svmosaic.multi_instance.inner_folds import Splits, fold_score, inner_splits
from svmosaic.multi_instance.instance_kernel import (
    GAMMA_RULES,
    INSTANCE_KERNELS,
    InstanceKernel,
    make_kernel,
)
from svmosaic.multi_instance.kernel_rows import KernelRows
from svmosaic.multi_instance.mirsvm import bag_weights, warn_if_not_settled
from svmosaic.multi_instance.representatives import (
    Alternation,
    BagProblem,
    best_of_starts,
    decide_bags,
    draw_start,
)
from svmosaic.multi_instance.set_kernel import normalise, set_norms, set_sums
from svmosaic.utils.sklearn_compat import HasMethods, Interval, StrOptions
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import canonical_csr

__all__ = ["MIRSetSVMClassifier"]

_POSITIVES = ("second", "first")


@dataclass(frozen=True)
class _Candidate:
    """One choice of the parameters."""

    gamma: float | str
    C: float
    mu: float
    positive: str
    summary: Summary

    def params(self) -> dict[str, Any]:
        return {
            "C": self.C,
            "gamma": self.gamma,
            "mu": self.mu,
            "positive": self.positive,
            "summary": self.summary,
        }

    @property
    def uses_whole_bags(self) -> bool:
        return self.mu < 1.0


@dataclass(frozen=True)
class _Training:
    """Training bags in canonical order, their classes, and where the search begins."""

    bags: Bags
    signs: DoubleArray
    starts: list[IndexArray]


class _Whole(NamedTuple):
    """The normalised kernel between whole bags, and their norms."""

    values: DoubleArray
    norms: DoubleArray


@dataclass(frozen=True)
class _Width:
    """What all candidates with one gamma share; `wholes` has an entry for each summary."""

    kernel: InstanceKernel
    rows: KernelRows
    wholes: dict[Summary, _Whole]


class MIRSetSVMClassifier(BagClassifier):
    r"""MIRSVM with a kernel of whole bags added, tuned by itself where there is a choice.

    The kernel of two bags is a mixture: that of their representatives, as in MIRSVM, and one to
    which all their instances contribute. Either class may be the one that a single instance can
    prove. Where a parameter is a list, cross-validation over the
    training bags chooses; kernel values are shared by all candidates and folds.

    Parameters
    ----------
    C : float or list of float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    mu : float or list of float, default=(0.0, 0.5, 1.0)
        The share of the representatives, from 0 to 1. 1 is MIRSVM, 0 an SVM of whole bags.
    summary : {"set", "mean", "min-max"} or list of them, default=("set", "mean", "min-max")
        What stands for a whole bag: all its instances (the normalised set kernel), their mean, or
        the minimum and the maximum of each feature.
    positive : {"second", "first"} or list of them, default=("second", "first")
        The class whose instances are sought: ``classes_[1]`` or ``classes_[0]``.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"} or callable, default="rbf"
        The kernel between instances.
    gamma : {"scale", "auto"}, float or list of them, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels, as in `MIRSVMClassifier`.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    cv : int or splitter, default=3
        Folds of the search; a number means stratified folds, as many as the smaller class allows.
        If that class has one bag, the first value of each list is taken.
    n_init : int, default=3
        Random starts. The machine with the least training objective is kept.
    max_passes : int, default=50
        The most machines to solve from one start.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that the solver accepts.
    class_weight : {"balanced"} or None, default=None
        With ``"balanced"``, C of a class is multiplied by n_bags / (2 * bags of the class).
    random_state : int, RandomState instance or None, default=None
        Seed of the starts and of the folds.
    n_jobs : int, default=None
        Threads for kernel values. None means 1, -1 all. The model does not depend on it.
    cache_mb : float, default=400
        Memory in MB for kernel rows of representatives; see `MIRSVMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    best_params_ : dict
        The chosen `C`, `gamma`, `mu`, `positive` and `summary`.
    best_score_ : float
        Mean of accuracy and area under the ROC curve over the inner folds; nan without a search.
    cv_results_ : dict
        Candidates and their mean scores in the form of ``GridSearchCV``; only after a search.
    n_splits_ : int
        Inner folds; only after a search.
    representatives_ : ndarray of shape (n_bags,)
        For each training bag the row of its representative among the instances bag after bag.
    support_ : ndarray of shape (n_support,)
        The training bags with a coefficient.
    n_support_ : ndarray of shape (2,)
        Their number in each class.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        Their representatives.
    support_bags_ : Bags
        They themselves, or what stands for them; None for ``mu=1``.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients, positive for the class that is sought.
    intercept_ : ndarray of shape (1,)
        The constant term.
    n_passes_ : int
        Machines solved from the start that was kept.
    agreement_ : ndarray of shape (n_passes_,)
        For each pass the share of bags whose representative it left as it was.
    stop_reason_ : {"fixed", "cycle", "max_passes"}
        Why the passes ended.
    objective_ : float
        Training objective.
    n_features_in_ : int
        Number of features.
    machines_ : list
        More than two classes: one machine for each class against the rest, which has the other
        attributes.

    See Also
    --------
    MIRSVMClassifier : The published machine.

    Notes
    -----
    The kernel of two bags with representatives :math:`s_I` and :math:`s_K` is

    .. math:: \mu \, k(x_{s_I}, x_{s_K}) + (1 - \mu) \frac{\sigma(I, K)}
       {\sqrt{\sigma(I, I) \, \sigma(K, K)}}, \qquad
       \sigma(I, K) = \sum_{i \in I} \sum_{j \in K} k(x_i, x_j).

    The second part does not depend on the representatives, so they are chosen as in MIRSVM. With
    ``summary="set"`` it costs one kernel value for each pair of instances. With a mean or extremes
    in place of I and K it is the kernel between those.

    Candidates that are the same machine are tried once: `positive` does not matter for ``mu=0``,
    nor `summary` for ``mu=1``.

    References
    ----------
    .. [1] G. Melki, A. Cano, S. Ventura (2018), "MIRSVM: Multi-instance support vector machine with
       bag representatives", Pattern Recognition 79, 228-241; doi:10.1016/j.patcog.2018.02.007.
    .. [2] T. Gärtner, P. Flach, A. Kowalczyk, A. Smola (2002), "Multi-instance kernels", ICML,
       179-186.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import MIRSetSVMClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(4, 2)) + 2.0 * (i < 10) for i in range(20)]
    >>> y = [1] * 10 + [0] * 10
    >>> model = MIRSetSVMClassifier(C=[1.0, 10.0], random_state=0).fit(bags, y)
    >>> model.predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="neither"), "array-like"],
        "mu": [Interval(Real, 0.0, 1.0, closed="both"), "array-like"],
        "positive": [StrOptions(set(_POSITIVES)), list, tuple],
        "summary": [StrOptions(set(SUMMARIES)), list, tuple],
        "kernel": [StrOptions(set(INSTANCE_KERNELS)), callable],
        "gamma": [
            StrOptions(set(GAMMA_RULES)),
            Interval(Real, 0.0, None, closed="neither"),
            "array-like",
        ],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_passes": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "cache_mb": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        C: Any = 1.0,
        mu: Any = (0.0, 0.5, 1.0),
        positive: Any = ("second", "first"),
        summary: Any = ("set", "mean", "min-max"),
        kernel: str | KernelFunction = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        cv: Any = 3,
        n_init: int = 3,
        max_passes: int = 50,
        tol: float = 1e-3,
        class_weight: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        cache_mb: float = 400.0,
    ) -> None:
        self.C = C
        self.mu = mu
        self.positive = positive
        self.summary = summary
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.cv = cv
        self.n_init = n_init
        self.max_passes = max_passes
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb

    # Training -------------------------------------------------------------------------------

    def _fit_bags(self, data: CanonicalBags, signs: DoubleArray) -> None:
        rng = check_random_state(self.random_state)
        bags = data.bags.with_instances(canonical_csr(data.bags.instances))
        training = _Training(bags, signs, [draw_start(bags, rng) for _ in range(self.n_init)])
        candidates = self._candidates()
        splits = inner_splits(self.cv, signs, rng) if len(candidates) > 1 else []
        chosen, self.best_score_ = candidates[0], float("nan")
        if splits:
            scores = self._search(training, candidates, splits)
            best = int(np.argmax(scores))
            chosen, self.best_score_ = candidates[best], float(scores[best])
            self.n_splits_ = len(splits)
            self.cv_results_ = search_table([one.params() for one in candidates], scores)
        self.best_params_ = chosen.params()
        width = self._width(training, chosen.gamma, [chosen])
        everyone = np.arange(len(bags), dtype=np.int64)
        problem = self._problem(training, width, chosen, everyone)
        end = self._train(training, problem, chosen)
        warn_if_not_settled(self, end)
        self._record(end, data, training, width)

    def _candidates(self) -> list[_Candidate]:
        """Return all choices, those with one gamma together."""
        gammas = _checked_list("gamma", self.gamma, lambda v: v in GAMMA_RULES or _above_zero(v))
        Cs = _checked_list("C", self.C, _above_zero)
        mus = _checked_list("mu", self.mu, lambda v: _is_number(v) and 0.0 <= v <= 1.0)
        positives = _checked_list("positive", self.positive, lambda v: v in _POSITIVES)
        summaries = _checked_list("summary", self.summary, lambda v: v in SUMMARIES)
        return [
            _Candidate(gamma, C, mu, positive, summary)
            for gamma, C, mu in itertools.product(gammas, Cs, mus)
            for positive in (positives if mu > 0.0 else positives[:1])
            for summary in (summaries if mu < 1.0 else summaries[:1])
        ]

    def _search(
        self,
        training: _Training,
        candidates: list[_Candidate],
        splits: list[tuple[IndexArray, IndexArray]],
    ) -> DoubleArray:
        """Return the mean score of each candidate over the folds."""
        scores: list[float] = []
        for gamma, group in itertools.groupby(candidates, key=lambda one: one.gamma):
            members = list(group)
            width = self._width(training, gamma, members)
            for one in members:
                found = self._fold_scores(training, width, one, splits)
                scores.append(float(np.mean(list(found))))
        return np.array(scores)

    def _fold_scores(
        self, training: _Training, width: _Width, candidate: _Candidate, splits: Splits
    ) -> Iterator[float]:
        for train, test in splits:
            problem = self._problem(training, width, candidate, train)
            end = self._train(training, problem, candidate)
            values = decide_bags(problem, end, test) * _sign_of(candidate.positive)
            yield fold_score(training.signs[test], values)

    def _width(
        self, training: _Training, gamma: float | str, candidates: list[_Candidate]
    ) -> _Width:
        bags = training.bags
        kernel = make_kernel(
            self.kernel, gamma, self.degree, self.coef0, bags.instances, self.n_jobs
        )
        rows = KernelRows(kernel, bags.instances, float(self.cache_mb))
        wholes = {}
        for summary in dict.fromkeys(one.summary for one in candidates if one.uses_whole_bags):
            whole = summarise(bags, summary)
            sums = set_sums(kernel, whole, whole)
            norms = np.sqrt(np.maximum(0.0, np.diagonal(sums)))
            wholes[summary] = _Whole(normalise(sums, norms, norms), norms)
        return _Width(kernel, rows, wholes)

    def _problem(
        self, training: _Training, width: _Width, candidate: _Candidate, chosen: IndexArray
    ) -> BagProblem:
        signs = training.signs[chosen] * _sign_of(candidate.positive)
        whole = width.wholes[candidate.summary] if candidate.uses_whole_bags else None
        return BagProblem(
            bags=training.bags,
            rows=width.rows,
            chosen=chosen,
            signs=signs,
            weights=bag_weights(signs, self.class_weight),
            share=float(candidate.mu),
            set_values=None if whole is None else whole.values,
        )

    def _train(
        self, training: _Training, problem: BagProblem, candidate: _Candidate
    ) -> Alternation:
        return best_of_starts(
            problem,
            # Without representatives the starts are all the same.
            training.starts if candidate.mu > 0.0 else training.starts[:1],
            SmoSettings(loss="hinge", C=float(candidate.C), tol=float(self.tol)),
            int(self.max_passes),
        )

    def _record(
        self, end: Alternation, data: CanonicalBags, training: _Training, width: _Width
    ) -> None:
        bags = training.bags
        rows = np.empty(len(bags), dtype=np.int64)
        rows[data.bag_order] = data.row_order[end.representatives]
        self.representatives_ = rows
        used = np.flatnonzero(end.coef)
        used = used[np.argsort(data.bag_order[used])]
        self.support_ = data.bag_order[used]
        self.n_support_ = np.array([np.sum(training.signs[used] == sign) for sign in (-1, 1)])
        self.support_vectors_ = canonical_csr(bags.instances[end.representatives[used]])
        self.support_bags_, self._support_norms = None, np.empty(0)
        summary = self.best_params_["summary"]
        if summary in width.wholes:
            self.support_bags_ = summarise(bags, summary)[used]
            self._support_norms = width.wholes[summary].norms[used]
        self.dual_coef_ = end.coef[used][None, :]
        self.intercept_ = np.array([end.intercept])
        self.n_passes_ = end.agreement.size
        self.agreement_ = end.agreement
        self.stop_reason_ = end.stop_reason
        self.objective_ = end.objective
        self._gamma = width.kernel.spec.gamma

    # Prediction -----------------------------------------------------------------------------

    def _decide(self, bags: Bags) -> DoubleArray:
        mu = float(self.best_params_["mu"])
        spec = kernel_spec(self.kernel, self._gamma, self.degree, self.coef0)
        kernel = InstanceKernel(self.kernel, spec, resolve_threads(self.n_jobs))
        coef = self.dual_coef_[0]
        scores = np.full(len(bags), float(self.intercept_[0]))
        if mu > 0.0:
            of_instances = kernel.expand(bags.instances, self.support_vectors_, coef, 0.0)
            scores += mu * largest_of_bags(bags, of_instances)
        if self.support_bags_ is not None and coef.size:
            whole = summarise(bags, self.best_params_["summary"])
            sums = set_sums(kernel, whole, self.support_bags_)
            own = set_norms(kernel, whole)
            scores += (1.0 - mu) * (normalise(sums, own, self._support_norms) @ coef)
        return scores * _sign_of(self.best_params_["positive"])


def _sign_of(positive: str) -> float:
    return 1.0 if positive == "second" else -1.0


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _above_zero(value: Any) -> bool:
    return _is_number(value) and 0.0 < value < float("inf")


def _checked_list(name: str, given: Any, is_right: Any) -> list[Any]:
    """Return the values to try, one or several."""
    values = [given] if isinstance(given, (str, Real)) else list(given)
    for value in values:
        if not is_right(value):
            raise ValueError(
                f"The {name!r} parameter of MIRSetSVMClassifier must be a value or a list of "
                f"values. {value!r} is none; see its documentation."
            )
    if not values:
        raise ValueError(
            f"The {name!r} parameter of MIRSetSVMClassifier is an empty list. Give it a value."
        )
    return values
