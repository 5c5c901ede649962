"""MIRSVM, the multi-instance representative SVM: one instance speaks for each bag."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.convergence import warn_if_violated
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.expansion_state import GAMMA, POSITIVE, assemble_one_output
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.engine.views import ExpansionViews
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.bag_state import bag_declaration, check_support
from svmosaic.multi_instance.bag_statistics import max_score_in_bags
from svmosaic.multi_instance.inner_folds import Splits, alike_but_for
from svmosaic.multi_instance.instance_kernel import (
    GAMMA_RULES,
    INSTANCE_KERNELS,
    make_kernel,
    one_output,
)
from svmosaic.multi_instance.instance_scorer import InstanceScorer
from svmosaic.multi_instance.kernel_rows import KernelRows, known_rows
from svmosaic.multi_instance.representatives import (
    Alternation,
    BagProblem,
    Rule,
    StopReason,
    best_of_starts,
    decide_bags,
    draw_start,
)
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.declaration import Samples, doubles, expect, expect_shape, row_numbers
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.state_codec import Scope, Whole, Word
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user
from svmosaic.utils.validation import canonical_csr

__all__ = ["MIRSVMClassifier", "bag_weights", "warn_if_not_settled"]


def _check_representatives(model: Any, sizes: Scope) -> None:
    """Compare the representatives, support vectors and coefficients."""
    n_support = sizes["n_support"]
    expect("sum of n_support", int(model.n_support_.sum(dtype=np.int64)), n_support)
    check_support(model, sizes["n_bags"])
    expect_shape("support_vectors", model.support_vectors_, n_support, sizes["n_features"])


class MIRSVMClassifier(ExpansionViews, InstanceScorer):
    r"""Multi-instance representative SVM: an SVM on one representative of each bag.

    Every bag, positive or negative, is represented by its most positive instance under the present
    SVM. The SVM is solved for the representatives, the representatives are chosen again, and so on
    until a choice repeats. A bag has the class of its most positive instance.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training bags more closely.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"} or callable, default="rbf"
        The kernel between instances. A callable gets two arrays of instances and returns their
        kernel values.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels; 1 / (2 sigma^2) in the paper's notation.
        ``"scale"`` is 1 / (n_features * variance of all instances), ``"auto"`` is 1 / n_features.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    n_init : int, default=5
        Random starts. The SVM with the least training objective is kept. The paper has 1.
    positive : {"second", "first"}, default="second"
        The class that a single instance can prove: ``classes_[1]`` or ``classes_[0]``. Classes are
        in sorted order, so that of "active" and "inactive" it is the first. With more than two
        classes, each against the rest, ``"first"`` means the rest.
    rule : {"equation", "algorithm"}, default="equation"
        How the representative of a negative bag is chosen: its most positive instance, by the
        equation of the paper, or its most negative one, as its algorithm is printed. See Notes.
    max_passes : int, default=50
        The most SVMs to solve from one start. If the representatives still change then, the SVM
        with the least objective is kept, with a warning.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    class_weight : {"balanced"} or None, default=None
        With ``"balanced"``, C of a class is multiplied by n_bags / (2 * bags of the class).
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    cache_mb : float, default=400
        Memory in MB for kernel rows of representatives. They are kept between passes and starts
        if those of all distinct instances fit, 8 bytes for each pair. If not, none is kept and they
        are computed again in each pass.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    representatives_ : ndarray of shape (n_bags,)
        For each training bag the row of its representative among the given instances.
    support_ : ndarray of shape (n_support,)
        The training bags whose representatives are support vectors.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        These representatives.
    n_support_ : ndarray of shape (2,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients :math:`\alpha_I Y_I`, where Y is +1 for the positive class.
    intercept_ : ndarray of shape (1,)
        The constant term, from the free support vectors.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    n_passes_ : int
        SVMs solved from the start that was kept.
    agreement_ : ndarray of shape (n_passes_,)
        For each pass the share of bags whose representative it left as it was (figure 4.2).
    stop_reason_ : {"fixed", "cycle", "max_passes"}
        The representatives stayed, came back after some passes, or changed until the end.
    objective_ : float
        :math:`\frac12 |w|^2 + C \sum_I \xi_I` over the training bags.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        More than two classes: one classifier for each class against the rest. The attributes from
        `representatives_` to `objective_` are then theirs.

    See Also
    --------
    svmosaic.multi_instance.BagTransformer : Scales the instances of bags.

    Notes
    -----
    With the representatives :math:`s_I` fixed, it is an L1-SVM,

    .. math:: \max_\alpha \sum_I \alpha_I - \tfrac12 \sum_{I,K} \alpha_I \alpha_K Y_I Y_K
       k(x_{s_I}, x_{s_K}), \quad 0 \le \alpha_I \le C, \quad \sum_I Y_I \alpha_I = 0,

    and with the SVM fixed, :math:`s_I = \arg\max_{i \in I} f(x_i)`. Unlike Algorithm 4.1, which
    waits for the representatives to stay, any set of representatives that comes again ends the
    search, because they can go in a cycle; the constant term comes from the free support vectors,
    not from the bounded ones too; and what is returned are the representatives that the SVM was
    solved for. Each pass begins with the coefficients of the pass before.

    Lines 13 and 14 of the printed algorithm multiply the outputs by the label of the bag. That
    chooses the most negative instance of a negative bag, against the equation and the text
    (``rule="algorithm"``). It settles within a few passes, as in figure 4.2. By the equation the
    representative of a negative bag is pushed below the others of its bag as soon as it is chosen,
    so that the passes nearly always end in a cycle.

    The order of bags and of instances does not matter. The roles of the classes are not symmetric;
    `positive` says which is which.

    References
    ----------
    .. [1] G. Melki, A. Cano, S. Ventura (2018), "MIRSVM: Multi-instance support vector machine with
       bag representatives", Pattern Recognition 79, 228-241, Algorithm 1;
       doi:10.1016/j.patcog.2018.02.007.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import MIRSVMClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(4, 2)) for _ in range(20)]
    >>> for bag in bags[:10]:
    ...     bag[rng.integers(4)] += 6.0
    >>> y = [1] * 10 + [0] * 10
    >>> model = MIRSVMClassifier(gamma=0.1, C=10.0, random_state=0).fit(bags, y)
    >>> model.predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": POSITIVE_REAL,
        "kernel": [StrOptions(set(INSTANCE_KERNELS)), callable],
        "gamma": [StrOptions(set(GAMMA_RULES)), *POSITIVE_REAL],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_init": POSITIVE_COUNT,
        "positive": [StrOptions({"second", "first"})],
        "rule": [StrOptions({"equation", "algorithm"})],
        "max_passes": POSITIVE_COUNT,
        "tol": POSITIVE_REAL,
        "class_weight": [StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "cache_mb": [Interval(Real, 0.0, None, closed="left")],
    }

    _model_file = bag_declaration(
        {
            GAMMA: POSITIVE,
            "support_": row_numbers("n_support"),
            "support_vectors_": Samples(),
            "n_support_": row_numbers(2),
            "dual_coef_": doubles(1, "n_support"),
            "intercept_": doubles(1),
            "representatives_": row_numbers("n_bags"),
            "n_passes_": Whole(1, size="n_passes"),
            "agreement_": doubles("n_passes", minimum=0, maximum=1),
            "stop_reason_": Word(get_args(StopReason)),
            "objective_": doubles(scalar=True),
        },
        _check_representatives,
        assemble_one_output,
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_init: int = 5,
        positive: Literal["second", "first"] = "second",
        rule: Rule = "equation",
        max_passes: int = 50,
        tol: float = 1e-3,
        class_weight: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        cache_mb: float = 400.0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.positive = positive
        self.rule = rule
        self.max_passes = max_passes
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb

    def _fit_binary(self, data: TrainingBags) -> None:
        bags = data.bags.with_instances(canonical_csr(data.bags.instances))
        everyone = np.arange(len(bags), dtype=np.int64)
        rows = self._rows(data, bags)
        problem = self._problem(bags, rows, everyone, self._side() * data.signs)
        end = self._alternate(problem, float(self.C), self._starts(bags))
        warn_if_not_settled(self, end)
        self._record(end, data, rows.kernel.spec)

    def _side(self) -> float:
        """Return 1 where the second class is the positive one, else -1."""
        return -1.0 if self.positive == "first" else 1.0

    def _rows(self, data: TrainingBags, bags: Bags) -> KernelRows:
        kernel = make_kernel(
            self.kernel, self.gamma, self.degree, self.coef0, bags.instances, self.n_jobs
        )
        return known_rows(data, kernel, bags.instances, float(self.cache_mb))

    def _problem(
        self, bags: Bags, rows: KernelRows, chosen: IndexArray, signs: DoubleArray
    ) -> BagProblem:
        """Return what is to be learned from some of the bags."""
        return BagProblem(
            bags=bags,
            rows=rows,
            chosen=chosen,
            signs=signs[chosen],
            weights=bag_weights(signs[chosen], self.class_weight),
            rule=self.rule,
        )

    def _starts(self, bags: Bags) -> list[IndexArray]:
        rng = check_random_state(self.random_state)
        return [draw_start(bags, rng) for _ in range(self.n_init)]

    def _alternate(self, problem: BagProblem, C: float, starts: list[IndexArray]) -> Alternation:
        return best_of_starts(
            problem,
            starts,
            SmoSettings(loss="hinge", C=C, tol=float(self.tol)),
            int(self.max_passes),
        )

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        Parameters
        ----------
        data : TrainingBags
            The training bags.
        splits : list of (ndarray, ndarray)
            Numbers of training and left-out bags of each split.
        candidates : sequence of dict
            The parameters to try.

        Returns
        -------
        list of list of ndarray
            For each candidate and split, one score per left-out bag.
        """
        bags = data.bags.with_instances(canonical_csr(data.bags.instances))
        found: list[list[DoubleArray]] = [[] for _ in candidates]
        for shared, numbers in alike_but_for(candidates, "C"):
            one = copy.copy(self).set_params(**shared)
            # Kernel rows that are kept serve all penalties and folds.
            rows, side = one._rows(data, bags), one._side()
            problems = [one._problem(bags, rows, train, side * data.signs) for train, _ in splits]
            # A seed means the same starts wherever they are drawn.
            known = one._starts(bags) if isinstance(self.random_state, Integral) else None
            for i in numbers:
                C = float(candidates[i].get("C", self.C))
                for problem, (_, test) in zip(problems, splits, strict=True):
                    end = one._alternate(problem, C, known or one._starts(bags))
                    found[i].append(side * decide_bags(problem, end, test))
        return found

    def _record(self, end: Alternation, data: TrainingBags, kernel: KernelSpec) -> None:
        n_bags = len(data.bags)
        rows = np.empty(n_bags, dtype=np.int64)
        rows[data.bag_order] = data.row_order[end.representatives]
        self.representatives_ = rows
        # In the order of the given bags, as the caller knows them.
        used = np.flatnonzero(end.coef)
        used = used[np.argsort(data.bag_order[used])]
        self.support_ = data.bag_order[used]
        vectors = canonical_csr(data.bags.instances[end.representatives[used]])
        self.expansion_ = one_output(kernel, vectors, end.coef[used], end.intercept)
        self.n_support_ = np.bincount(data.labels[used], minlength=2)
        self.n_passes_ = end.agreement.size
        self.agreement_ = end.agreement
        self.stop_reason_ = end.stop_reason
        self.objective_ = end.objective

    # Prediction -----------------------------------------------------------------------------

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        side = self._side()
        return side * max_score_in_bags(bags, side * self._score(bags.instances))

    def _score(self, X: Any) -> DoubleArray:
        """Return a score for each instance; above zero means the second class."""
        values = self.expansion_.decide(X, n_threads=resolve_threads(self.n_jobs))
        return self._side() * values[:, 0]


def bag_weights(signs: DoubleArray, class_weight: str | None) -> DoubleArray:
    """Return what C is multiplied by for each bag."""
    weights = np.ones(signs.size)
    if class_weight == "balanced":
        for sign in (-1.0, 1.0):
            weights[signs == sign] = signs.size / (2.0 * np.sum(signs == sign))
    return weights


def warn_if_not_settled(estimator: Any, end: Alternation) -> None:
    """Warn with the measurement when the representatives still changed, or the solver gave up."""
    name = type(estimator).__name__
    if end.stop_reason == "max_passes":
        warn_user(
            f"{name} stopped at max_passes={estimator.max_passes} with {end.agreement[-1]:.0%} of "
            "the representatives unchanged. The model with the least objective is kept; raise "
            "max_passes, or lower C or gamma.",
            ConvergenceWarning,
        )
    warn_if_violated(estimator, end.violation, "Scale the features or raise tol")
