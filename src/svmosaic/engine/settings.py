"""The settings of every solver: what an engine is told besides the problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from svmosaic.engine.problem import DoubleArray

__all__ = [
    "Bounds",
    "DualDescentSettings",
    "KernelSgdSettings",
    "LearningRate",
    "Loss",
    "MinimalNormSettings",
    "NnisdaSettings",
    "OllaL2Settings",
    "OllawvSettings",
    "OnlineSvmSettings",
    "RefineSettings",
    "Refinement",
    "RegressionTuneSettings",
    "Shrinking",
    "SimpleSmoSettings",
    "SmoSettings",
    "TuneSettings",
    "UniformSettings",
    "VisitOrder",
]

Refinement = Literal["none", "selected", "full"]

LearningRate = Literal["2/sqrt(t)", "1/sqrt(t)", "1/t"]

Loss = Literal["hinge", "epsilon_insensitive"]

Bounds = Literal["per_sample", "uniform_feasible", "uniform_printed"]

VisitOrder = Literal["shuffled", "random", "given"]

Shrinking = Literal["gradient", "printed", "clipped"]


@dataclass(frozen=True)
class RefineSettings:
    """What SMO is told when it refines; mirrors ``cpp/solvers/refine.hpp``.

    Attributes
    ----------
    refinement : {"none", "selected", "full"}
        Solve the L1 dual on the selected samples, or continue until it holds on all.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    shrinking : bool
        Leave out variables that stay at a bound for a while.
    """

    refinement: Refinement = "selected"
    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    shrinking: bool = True


@dataclass(frozen=True)
class OllawvSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/solve.hpp``.

    Attributes
    ----------
    margin : float
        M / C. The loop ends when no sample has y f(x) / C below it.
    learning_rate : {"2/sqrt(t)", "1/sqrt(t)", "1/t"}
        Size of step t.
    fit_intercept : bool
        The paper's beta.
    max_iter_share : float
        The loop takes at most this share of the total weight in steps.
    max_iter : int
        If positive, the limit on steps instead of ``max_iter_share``.
    max_support : int
        If positive, the limit on different samples.
    C : float
        Scales coefficients and intercept of the plain machine.
    cache_mb : float
        Memory for kernel columns that are read again.
    refine : RefineSettings
        What follows the selection.
    """

    margin: float = 0.1
    learning_rate: LearningRate = "2/sqrt(t)"
    fit_intercept: bool = True
    max_iter_share: float = 0.5
    max_iter: int = 0
    max_support: int = 0
    C: float = 1.0
    cache_mb: float = 200.0
    refine: RefineSettings = field(default_factory=RefineSettings)


@dataclass(frozen=True)
class SmoSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/smo_machine.hpp``.

    Attributes
    ----------
    loss : {"hinge", "epsilon_insensitive"}
        Classification, or regression.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    epsilon : float
        Half the width of the tube in which errors cost nothing; regression only.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    shrinking : bool
        Leave out variables that stay at a bound for a while.
    cache_mb : float
        Memory for kernel columns.
    """

    loss: Loss = "hinge"
    C: float = 1.0
    epsilon: float = 0.1
    tol: float = 1e-3
    max_iter: int = 0
    shrinking: bool = True
    cache_mb: float = 200.0


@dataclass(frozen=True)
class SimpleSmoSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/simple_smo.hpp``.

    Attributes
    ----------
    bounds : {"per_sample", "uniform_feasible", "uniform_printed"}
        Whether C bounds each multiplier or their sum; "printed" is the thesis' formula.
    C : float
        The bound; for "per_sample", times the weight of the sample.
    tol : float
        A sweep that moves the multipliers by less, in norm, is the last.
    max_iter : int
        Limit on sweeps.
    seed : int
        Of the partners.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    bounds: Bounds = "per_sample"
    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 10_000
    seed: int = 0
    cache_mb: float = 200.0


@dataclass(frozen=True)
class MinimalNormSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/minimal_norm.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the squared slack, times the weight of its sample.
    tol : float
        Accepted spread of the gradient, relative to the squared norm.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    draw : int
        Samples looked at in one search for violators of a large problem; 0 means all.
    seed : int
        Of the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    joint_steps : bool
        Move all variables above zero to their joint minimum now and then.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    draw: int = 590
    seed: int = 0
    cache_mb: float = 200.0
    joint_steps: bool = True


@dataclass(frozen=True)
class NnisdaSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/nnisda.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the squared slack, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    joint_steps : bool
        Move all variables above zero to their joint minimum now and then.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0
    joint_steps: bool = True


@dataclass(frozen=True)
class DualDescentSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/dual_descent.hpp``.

    Attributes
    ----------
    C : float
        Bound of a coefficient, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0


@dataclass(frozen=True)
class UniformSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/uniform.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the one slack.
    tol : float
        Accepted spread of the gradients, relative to the squared distance of the hulls.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0


@dataclass(frozen=True)
class KernelSgdSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/kernel_sgd.hpp``.

    Attributes
    ----------
    C : float
        1 / lambda.
    epochs : int
        How often every sample is visited.
    average : float
        The machine is the mean over this last share of the visits; 0 means the last one.
    order : {"shuffled", "random", "given"}
        The order of the visits.
    fit_intercept : bool
        Use the kernel k(x, z) + 1.
    seed : int
        Of the shuffle or the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 100.0
    epochs: int = 2
    average: float = 0.5
    order: VisitOrder = "shuffled"
    fit_intercept: bool = False
    seed: int = 0
    cache_mb: float = 200.0


@dataclass(frozen=True)
class OllaL2Settings:
    """What the compiled solver is told; mirrors ``cpp/solvers/olla_l2.hpp``.

    Attributes
    ----------
    C : float
        Penalty; every step is proportional to it.
    epochs : int
        How often every sample is visited; e of the paper.
    order : {"shuffled", "random", "given"}
        The order of the visits.
    beta : float
        The intercept's share of a step; 0 for no intercept.
    budget : int
        If positive, the limit on support vectors.
    seed : int
        Of the shuffle or the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    epochs: int = 2
    order: VisitOrder = "shuffled"
    beta: float = 1.0
    budget: int = 0
    seed: int = 0
    cache_mb: float = 200.0


@dataclass(frozen=True)
class OnlineSvmSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/online_svm.hpp``.

    Attributes
    ----------
    lam : float
        lambda of the thesis; a step is 1 / (lam t).
    max_iter : int
        Visits, when they are drawn at random.
    order : {"random", "given"}
        Drawn by weight, or one pass over the samples as they come.
    update : {"gradient", "printed", "clipped"}
        Whether a violator takes a step along the gradient of the norm, or shrinks the coefficients
        by a factor, as it is printed or cut to [0, 1].
    seed : int
        Of the draws.
    """

    lam: float = 1.0
    max_iter: int = 20_000
    order: VisitOrder = "random"
    update: Shrinking = "gradient"
    seed: int = 0


@dataclass(frozen=True)
class TuneSettings:
    """What the compiled tuner is told; mirrors ``cpp/solvers/tune_ollawv.hpp``.

    Attributes
    ----------
    gammas, margins, Cs : ndarray of float64
        The grid; the Cs are those of the refinement.
    multi_class : {"ovo", "ovr"}
        One machine per pair of classes, or one per class.
    machine : OllawvSettings
        Everything else. Its margin and C are not used.
    memory_mb : float
        Memory for kernel values that are read again.
    """

    gammas: DoubleArray
    margins: DoubleArray
    Cs: DoubleArray
    multi_class: Literal["ovo", "ovr"] = "ovo"
    machine: OllawvSettings = field(default_factory=OllawvSettings)
    memory_mb: float = 2000.0


@dataclass(frozen=True)
class RegressionTuneSettings:
    """What the compiled tuner is told; mirrors ``cpp/solvers/tune_regression.hpp``.

    Attributes
    ----------
    gammas, Cs, epsilons : ndarray of float64
        The grid. Candidates are numbered with C slowest and gamma fastest.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on the updates of a machine; 0 means max(10 million, 100 n).
    complete : bool
        Whether to try the whole grid for links with a `first` candidate, too, and not only what
        leads from it to a candidate that is better than its neighbours.
    absolute : bool
        Whether distances are sums of absolute differences (the laplacian kernel) and not of
        squares (rbf).
    race : float
        How much of the best candidate's error on the folds to come a neighbour is expected to
        have, 0 to 1. A larger value gives up neighbours earlier; with 0 only those are given up
        that cannot win.
    """

    gammas: DoubleArray
    Cs: DoubleArray
    epsilons: DoubleArray
    tol: float = 1e-3
    max_iter: int = 0
    complete: bool = False
    absolute: bool = False
    race: float = 0.0

    @property
    def n_candidates(self) -> int:
        """Number of points of the grid."""
        return int(self.Cs.size * self.epsilons.size * self.gammas.size)

    def candidate(self, number: int) -> tuple[float, float, float]:
        """Return gamma, C and epsilon of a candidate."""
        rest, g = divmod(number, self.gammas.size)
        c, e = divmod(rest, self.epsilons.size)
        return float(self.gammas[g]), float(self.Cs[c]), float(self.epsilons[e])
