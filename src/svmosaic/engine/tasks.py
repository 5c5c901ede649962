"""Problems with more than samples: what a solver continues from, and what it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution
from svmosaic.engine.settings import OllawvSettings

__all__ = [
    "DualPart",
    "OnlineSolution",
    "OnlineSvmSolution",
    "OnlineSvmTask",
    "OnlineTask",
    "RegressionLink",
    "RegressionTuneSettings",
    "TuneSettings",
    "TunedRegression",
]


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


def _no_value() -> DoubleArray:
    return np.empty(0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DualPart:
    """Some variables of an exact dual, to be solved while the others stay where they are.

    Attributes
    ----------
    samples : ndarray of int64
        Rows of the table, one per variable.
    lower, upper, beta : ndarray of float64
        The bounds of the signed coefficients, and where they are.
    gradient : ndarray of float64
        The values of the expansion over all variables, those elsewhere included, less the targets.
    epsilon : float
        Half the width of the tube; 0 for classification.
    """

    samples: IndexArray
    lower: DoubleArray
    upper: DoubleArray
    beta: DoubleArray
    gradient: DoubleArray
    epsilon: float = 0.0


@dataclass(frozen=True, eq=False)
class OnlineTask:
    """A problem and the model to start from.

    Attributes
    ----------
    problem : Problem
        The samples to visit.
    support : ndarray of int64
        Rows of the same table that have a coefficient already.
    coef : ndarray of float64
        Their raw coefficients; of the features, for a linear model.
    intercept : float
        The raw constant term.
    t : float
        The weight visited before.
    """

    problem: Problem
    support: IndexArray = field(default_factory=_no_index)
    coef: DoubleArray = field(default_factory=_no_value)
    intercept: float = 0.0
    t: float = 0.0


@dataclass(frozen=True, eq=False)
class OnlineSolution(Solution):
    """A model and what its solver needs to continue.

    Attributes
    ----------
    state : ndarray of float64
        Raw coefficients of `support`, or of the features for a linear model.
    state_intercept : float
        The raw constant term.
    t : float
        The weight visited so far.
    weights : ndarray of float64
        Feature weights of a linear model; else empty.
    """

    state: DoubleArray = field(default_factory=_no_value)
    state_intercept: float = 0.0
    t: float = 0.0
    weights: DoubleArray = field(default_factory=_no_value)


@dataclass(frozen=True, eq=False)
class OnlineSvmTask:
    """A problem, the model to continue from, and its boundary points.

    Attributes
    ----------
    problem : Problem
        The samples to visit.
    support : ndarray of int64
        Rows of the same table that are kept already.
    coef : ndarray of float64
        Their coefficients.
    t : float
        The weight visited before.
    boundary : ndarray of int64
        Rows of the table of boundary points; none for the plain SVM.
    """

    problem: Problem
    support: IndexArray = field(default_factory=_no_index)
    coef: DoubleArray = field(default_factory=_no_value)
    t: float = 0.0
    boundary: IndexArray = field(default_factory=_no_index)


@dataclass(frozen=True, eq=False)
class OnlineSvmSolution(OnlineSolution):
    """A model and what it needs to continue.

    Attributes
    ----------
    norm : float
        |f(z)| after the last visit, z being the boundary point of that visit.
    """

    norm: float = 0.0


@dataclass(frozen=True, eq=False)
class RegressionLink:
    """One model to tune: a target, and columns that are added to the inputs.

    Attributes
    ----------
    target : int
        Row of the targets.
    columns : ndarray of int64
        Rows of the table of columns.
    start : int
        Number of a link tuned before that is much like this one, or -1.
    first : int
        The best candidate of that link, which is tried first; -1 means that the whole
        grid is tried.
    """

    target: int
    columns: IndexArray
    start: int = -1
    first: int = -1


@dataclass(frozen=True, eq=False)
class TunedRegression:
    """A tuned link, fitted to all samples.

    Attributes
    ----------
    errors : ndarray of float64
        Squared error of each candidate over all test samples; infinite where it was given up.
    best : int
        The first candidate of least error.
    held_out : ndarray of float64
        What the best candidate predicts for each sample while it is tested.
    coef : ndarray of float64
        Coefficients, one per sample.
    intercept : float
        The constant term.
    violation, objective : float
        Where the final fit stopped.
    n_updates : int
        Its updates.
    """

    errors: DoubleArray
    best: int
    held_out: DoubleArray
    coef: DoubleArray
    intercept: float
    violation: float
    n_updates: int
    objective: float


@dataclass(frozen=True, eq=False)
class TuneSettings:
    """A search for parameters of OLLAWV: the grid, and everything else.

    Attributes
    ----------
    gammas, margins, Cs : ndarray of float64
        The grid; the Cs are those of the refinement.
    multi_class : {"ovo", "ovr"}
        One problem per pair of classes, or one per class.
    solver : OllawvSettings
        Everything else. Its margin and C are not used.
    memory_mb : float
        Memory for kernel values that are read again.
    """

    gammas: DoubleArray
    margins: DoubleArray
    Cs: DoubleArray
    multi_class: Literal["ovo", "ovr"] = "ovo"
    solver: OllawvSettings = field(default_factory=OllawvSettings)
    memory_mb: float = 2000.0


@dataclass(frozen=True, eq=False)
class RegressionTuneSettings:
    """A search for parameters of epsilon-SVR: the grid, and how it is walked.

    Attributes
    ----------
    gammas, Cs, epsilons : ndarray of float64
        The grid. Candidates are numbered with C slowest and gamma fastest.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on the updates of a problem; 0 means max(10 million, 100 n).
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
