"""MIR-Mix-SVM, multi-instance representatives in a mixture: MIRSVM and SVMs of whole bags.

It is not in the papers. MIRSVM sees one instance of each bag. Others see the whole bag, each in its
way, and which way is right depends on the data; this classifier weighs them by what they say
of left-out training bags.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_learner import BagLearner, Candidate
from svmosaic.multi_instance.bag_search import mean_scores
from svmosaic.multi_instance.bag_state import bag_declaration
from svmosaic.multi_instance.base_classifiers import seeded_copy
from svmosaic.multi_instance.inner_folds import Splits, fold_score, inner_splits
from svmosaic.multi_instance.mirsvm import MIRSVMClassifier
from svmosaic.multi_instance.node_count_svm import NodeCountSVMClassifier
from svmosaic.multi_instance.peers.bag_kernel_svm import BagKernelSVM, share_bag_kernels
from svmosaic.multi_instance.peers.mi_graph import MIGraphClassifier
from svmosaic.multi_instance.peers.set_kernel_svm import SetKernelClassifier
from svmosaic.multi_instance.summary_svm import SummarySVMClassifier
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import Estimators, Settings, doubles, expect
from svmosaic.utils.number_list import check_numbers
from svmosaic.utils.sklearn_compat import HasMethods, Interval
from svmosaic.utils.spreading import current_spread
from svmosaic.utils.state_codec import Scope

__all__ = ["VIEWS", "MIRMixSVMClassifier"]

VIEWS = (
    "representatives",
    "opposite representatives",
    "set",
    "graph",
    "mean",
    "min-max",
    "mean-size",
    "profile",
    "nodes",
)
# MIRSVM takes hundreds of times as long as these for a candidate, and its kernel is theirs on the
# same features. So it tries what was best for them, and not the whole grid.
_LEADERS = ("set", "mean")

# Left-out scores are few, and the best cut between them follows chance; so each is blurred by a
# normal distribution, this wide in units of their standard deviation over the root of their number.
# Chosen on synthetic bags like the defaults of `sharpness` and `mixing_cv`: benchmarks/mixture.py.
_BLUR = 3.0
_CUTS = 201


class _Choice(NamedTuple):
    """The best candidate of a view: its parameters and score."""

    params: Candidate
    score: float


class Mixture(NamedTuple):
    """How views are mixed: a factor for each, the cut, and the scores that they are weighed by."""

    weights: DoubleArray
    threshold: float
    scores: DoubleArray


_MEMBERS = (
    MIRSVMClassifier,
    SetKernelClassifier,
    MIGraphClassifier,
    SummarySVMClassifier,
    NodeCountSVMClassifier,
)


def _check_mixture(model: Any, sizes: Scope) -> None:
    """Compare the members with the views and their weights."""
    views = list(model.views)
    if not views or len(set(views)) < len(views) or not set(views) <= set(VIEWS):
        refuse("'views' names a view twice, or one that does not exist")
    expect("weights", sizes["n_views"], len(views))
    expect("members", len(model.members_), len(views))
    for view, member in zip(views, model.members_, strict=True):
        wanted = model.new_member(view)
        if type(member) is not type(wanted):
            refuse(f"the member of the view '{view}' is a {type(member).__name__}")
        if getattr(member, "summary", None) != getattr(wanted, "summary", None):
            refuse(f"the member of the view '{view}' has another summary")
        expect("features of a member", member.n_features_in_, model.n_features_in_)
        expect("classes of a member", member.classes_.size, 2)
    scores, params = model.member_scores_, model.best_params_
    if list(scores) != views or not all(type(score) is float for score in scores.values()):
        refuse("'member_scores' does not have a number for each view")
    if list(params) != views or not all(isinstance(one, dict) for one in params.values()):
        refuse("'best_params' does not have parameters for each view")


class MIRMixSVMClassifier(BagClassifier):
    r"""A weighted mean of MIRSVM and SVMs of whole bags, tuned and weighed by itself.

    Each view of a bag has an SVM of its own, whose C and gamma are chosen by cross-validation over
    the training bags. The scores of left-out bags of further folds then say how much each SVM
    counts and where the mixture is cut.

    Parameters
    ----------
    C : list of float, default=(0.1, 1.0, 10.0, 100.0, 1000.0)
        Penalties of errors to choose from, for each view. MIRSVM, which takes longest, tries the
        pairs of C and gamma that are best for the views ``"set"`` and ``"mean"``; without those,
        all pairs.
    gamma : list of float, default=(50.0, 2.0, 0.5, 0.125, 0.02, 0.005)
        Widths to choose from, for each view. They suit features in [0, 1].
    views : list of str, default=VIEWS
        Which SVMs take part: ``"representatives"`` is MIRSVM, ``"opposite representatives"`` MIRSVM
        with ``classes_[0]`` as the class that an instance proves, ``"set"`` the normalised set
        kernel, ``"graph"`` the miGraph kernel, ``"mean"``, ``"min-max"``, ``"mean-size"`` and
        ``"profile"`` are the summaries of `SummarySVMClassifier`, and ``"nodes"`` is
        `NodeCountSVMClassifier`.
    sharpness : float, default=3.0
        How fast the weight of a view falls with its score, in units of the standard error of
        scores, which falls with the root of the number of bags. 0 weighs all alike, a very large
        value takes the best alone.
    cv : int or splitter, default=3
        Folds of the search for C and gamma; a number means stratified folds, as many as the smaller
        class allows. If that class has one bag, the first C and gamma are taken and all views weigh
        the same.
    mixing_cv : int or splitter, default=10
        Folds that weigh the views and cut the mixture. Many, because an SVM that lacks a third of
        the bags has another constant term than the final one, and the cut would be misplaced.
    n_init : int, default=1
        Random starts of MIRSVM.
    max_passes : int, default=10
        The most SVMs that MIRSVM solves from one start. As one view of several it need not settle,
        and `fit` does not warn about it.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts and of the folds.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    cache_mb : float, default=400
        Memory in MB for kernel rows of representatives; see `MIRSVMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    members_ : list of BagClassifier
        The SVM of each view; their classes are False and True.
    weights_ : ndarray of shape (n_views,)
        What the decision value of each is multiplied by.
    threshold_ : float
        What is taken from the weighted sum.
    member_scores_ : dict of str to float
        For each view the mean of accuracy and area under the ROC curve on left-out bags, averaged
        over the search and the folds of `mixing_cv`; nan without folds.
    best_params_ : dict of str to dict
        For each view the chosen C and gamma.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        More than two classes: one mixture for each class against the rest, which has the other
        attributes.

    See Also
    --------
    MIRSVMClassifier : The published classifier.

    Notes
    -----
    With the SVM :math:`f_v` of view v, its score :math:`q_v` (accuracy and AUC on left-out bags,
    averaged) and the standard deviation :math:`\sigma_v` of its decision values on left-out bags
    of `mixing_cv`,

    .. math:: f(B) = \sum_v \frac{u_v}{\sigma_v} f_v(B) - t, \qquad
       u_v = \frac{e^{\lambda \sqrt n (q_v - \max_w q_w)}}
       {\sum_w e^{\lambda \sqrt n (q_w - \max_z q_z)}},

    where :math:`\lambda` is `sharpness`, n the number of bags, and t is the cut of the same sum of
    left-out scores with the largest accuracy plus Cohen's kappa, each score blurred by a normal
    distribution of :math:`3 / \sqrt n` of their standard deviation. With a class far larger than
    the other, the zero of a mean of SVMs calls all bags alike; t corrects that.

    No bag that is predicted later takes part in any of it. Kernels between bags and kernel rows
    are computed once for each view and width.

    References
    ----------
    .. [1] G. Melki, A. Cano, S. Ventura (2018), "MIRSVM: Multi-instance support vector machine with
       bag representatives", Pattern Recognition 79, 228-241; doi:10.1016/j.patcog.2018.02.007.
    .. [2] T. Gärtner, P. Flach, A. Kowalczyk, A. Smola (2002), "Multi-instance kernels", ICML,
       179-186.
    .. [3] Z.-H. Zhou, Y.-Y. Sun, Y.-F. Li (2009), "Multi-instance learning by treating instances
       as non-i.i.d. samples", ICML, 1249-1256; doi:10.1145/1553374.1553534.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import MIRMixSVMClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(4, 2)) + 2.0 * (i < 10) for i in range(20)]
    >>> y = [1] * 10 + [0] * 10
    >>> model = MIRMixSVMClassifier(C=[1.0, 10.0], gamma=[0.1, 0.5], random_state=0).fit(bags, y)
    >>> model.predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": ["array-like"],
        "gamma": ["array-like"],
        "views": [list, tuple],
        "sharpness": [Interval(Real, 0.0, None, closed="left")],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "mixing_cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "n_init": POSITIVE_COUNT,
        "max_passes": POSITIVE_COUNT,
        "tol": POSITIVE_REAL,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "cache_mb": [Interval(Real, 0.0, None, closed="left")],
    }

    members_: list[Any]
    weights_: DoubleArray
    threshold_: float
    member_scores_: dict[str, float]
    best_params_: dict[str, dict[str, Any]]

    _model_file = bag_declaration(
        {
            "members_": Estimators(_MEMBERS),
            "weights_": doubles("n_views"),
            "threshold_": doubles(scalar=True),
            "member_scores_": Settings(),
            "best_params_": Settings(),
        },
        _check_mixture,
    )

    def __init__(
        self,
        *,
        C: Any = (0.1, 1.0, 10.0, 100.0, 1000.0),
        gamma: Any = (50.0, 2.0, 0.5, 0.125, 0.02, 0.005),
        views: Any = VIEWS,
        sharpness: float = 3.0,
        cv: Any = 3,
        mixing_cv: Any = 10,
        n_init: int = 1,
        max_passes: int = 10,
        tol: float = 1e-3,
        random_state: Any = None,
        n_jobs: int | None = None,
        cache_mb: float = 400.0,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.views = views
        self.sharpness = sharpness
        self.cv = cv
        self.mixing_cv = mixing_cv
        self.n_init = n_init
        self.max_passes = max_passes
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb

    def _fit_binary(self, data: TrainingBags) -> None:
        # The classes of its members are False and True.
        data = data.against_rest(1)
        signs = data.signs
        views = self._checked_views()
        candidates = self._candidates()
        rng = check_random_state(self.random_state)
        bases = {view: seeded_copy(self.new_member(view), rng) for view in views}
        splits = inner_splits(self.cv, signs, rng)
        mixing_splits = inner_splits(self.mixing_cv, signs, rng)
        choices = _choose_all(bases, data, splits, candidates)
        self.best_params_ = {view: choice.params for view, choice in choices.items()}
        self.members_ = [
            _fitted(clone(base).set_params(**choices[view].params), data)
            for view, base in bases.items()
        ]
        found = Mixture(
            np.full(len(views), 1.0 / len(views)), 0.0, np.full(len(views), float("nan"))
        )
        if splits and mixing_splits:
            tested = np.unique(np.concatenate([test for _, test in mixing_splits]))
            left_out = np.array(
                [
                    _left_out_scores(base, data, mixing_splits, choices[view].params)
                    for view, base in bases.items()
                ]
            )
            searched = np.array([choice.score for choice in choices.values()])
            found = mix(left_out[:, tested], searched, signs[tested], float(self.sharpness))
        self.weights_, self.threshold_ = found.weights, found.threshold
        self.member_scores_ = dict(zip(views, map(float, found.scores), strict=True))

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        scores = np.array([member.decide_bags(bags) for member in self.members_])
        return np.asarray(self.weights_ @ scores - self.threshold_, dtype=np.float64)

    def new_member(self, view: str) -> BagClassifier:
        """Return the SVM of a view, not tuned and not fitted.

        Parameters
        ----------
        view : str
            Name of the view.

        Returns
        -------
        BagClassifier
            The estimator of this view.
        """
        tol = float(self.tol)
        if view.endswith("representatives"):
            return MIRSVMClassifier(
                n_init=self.n_init,
                positive="first" if view.startswith("opposite") else "second",
                max_passes=self.max_passes,
                tol=tol,
                n_jobs=self.n_jobs,
                cache_mb=self.cache_mb,
            )
        if view == "set":
            return SetKernelClassifier(tol=tol, n_jobs=self.n_jobs)
        if view == "graph":
            return MIGraphClassifier(tol=tol, n_jobs=self.n_jobs)
        if view == "nodes":
            return NodeCountSVMClassifier(tol=tol)
        return SummarySVMClassifier(summary=view, tol=tol)  # type: ignore[arg-type]

    def _checked_views(self) -> list[str]:
        views = list(self.views)
        for view in views:
            if view not in VIEWS:
                raise ValueError(
                    f"The 'views' parameter of {type(self).__name__} must be a list of some of "
                    f"{', '.join(map(repr, VIEWS))}. Got {view!r}."
                )
        if not views or len(set(views)) < len(views):
            raise ValueError(
                f"The 'views' parameter of {type(self).__name__} must name at least one view and "
                f"none twice. Got {views!r}."
            )
        return views

    def _candidates(self) -> list[Candidate]:
        who = type(self).__name__
        return list(
            ParameterGrid(
                {
                    name: check_numbers(getattr(self, name), name, who).tolist()
                    for name in ("C", "gamma")
                }
            )
        )


def _choose_all(
    bases: dict[str, Any], data: TrainingBags, splits: Splits, candidates: list[Candidate]
) -> dict[str, _Choice]:
    """Return the best candidate of each view; MIRSVM tries those of the others."""
    if splits and current_spread() is None:
        share_bag_kernels(
            [
                clone(base).set_params(gamma=gamma)
                for base in bases.values()
                if isinstance(base, BagKernelSVM)
                for gamma in dict.fromkeys(candidate["gamma"] for candidate in candidates)
            ],
            data,
        )
    choices = {
        view: _choose(base, data, splits, candidates)
        for view, base in bases.items()
        if not isinstance(base, MIRSVMClassifier)
    }
    leaders = [choices[view].params for view in _LEADERS if view in choices]
    fewer = [candidate for candidate in candidates if candidate in leaders]
    for view, base in bases.items():
        if view not in choices:
            choices[view] = _choose(base, data, splits, fewer or candidates)
    return {view: choices[view] for view in bases}


def _choose(
    base: BagLearner, data: TrainingBags, splits: Splits, candidates: list[Candidate]
) -> _Choice:
    """Return the candidate with the best mean score on left-out bags."""
    if not splits:
        return _Choice(candidates[0], float("nan"))
    means = mean_scores(base, data, splits, candidates)
    best = int(np.argmax(means))
    return _Choice(candidates[best], means[best])


def _fitted(member: Any, data: TrainingBags) -> Any:
    """Return a member fitted to all training bags."""
    with warnings.catch_warnings():
        # Representatives that still change are one opinion of several, whose weight was measured.
        warnings.filterwarnings("ignore", ".*stopped at max_passes", ConvergenceWarning)
        return member.fit_bags(data)


def _left_out_scores(
    base: BagLearner, data: TrainingBags, splits: Splits, params: Candidate
) -> DoubleArray:
    """Return a score for each bag by a model that has not seen it; 0 for bags never left out."""
    (found,) = base.score_left_out(data, splits, [params])
    left_out = np.zeros(len(data.bags))
    for (_, test), scores in zip(splits, found, strict=True):
        left_out[test] = scores
    return left_out


def mix(
    left_out: DoubleArray, searched: DoubleArray, signs: DoubleArray, sharpness: float
) -> Mixture:
    """Weigh views and cut their sum.

    `left_out` has a row of scores of left-out bags for each view, `searched` the score that each
    view had in the search for its parameters.
    """
    spreads = left_out.std(axis=1)
    spreads[spreads == 0.0] = 1.0
    # Two estimates from different folds err less than one.
    scores = (searched + [fold_score(signs, row) for row in left_out]) / 2.0
    shares = np.exp(sharpness * np.sqrt(signs.size) * (scores - scores.max()))
    weights = shares / shares.sum() / spreads
    return Mixture(weights, _best_cut(weights @ left_out, signs > 0), scores)


def _best_cut(scores: DoubleArray, truth: NDArray[np.bool_]) -> float:
    """Return the cut with the largest accuracy plus kappa of blurred scores, nearest to zero."""
    cuts = np.append(np.linspace(scores.min(), scores.max(), _CUTS), 0.0)
    width = _BLUR / np.sqrt(scores.size) * scores.std()
    # How sure it is that a bag like this one is above the cut.
    above = (
        ndtr((scores - cuts[:, np.newaxis]) / width)
        if width > 0.0
        else (scores > cuts[:, np.newaxis]).astype(np.float64)
    )
    agreed = np.mean(np.where(truth, above, 1.0 - above), axis=1)
    by_chance = above.mean(axis=1) * truth.mean() + (1.0 - above.mean(axis=1)) * (
        1.0 - truth.mean()
    )
    kappa = np.divide(
        agreed - by_chance, 1.0 - by_chance, out=np.zeros_like(agreed), where=by_chance < 1.0
    )
    values = agreed + kappa
    best = cuts[values >= values.max() - 1e-12]
    return float(best[np.argmin(np.abs(best))])
