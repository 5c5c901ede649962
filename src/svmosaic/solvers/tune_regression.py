"""Settings of tuning epsilon-SVR: the grid, and the links that are tuned together."""

from __future__ import annotations

from dataclasses import dataclass

from svmosaic.problem import DoubleArray, IndexArray

__all__ = ["RegressionLink", "RegressionTuneSettings", "TunedRegression"]


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


@dataclass(frozen=True)
class RegressionLink:
    """One machine to tune: a target, and columns that stand beside the inputs.

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


@dataclass(frozen=True)
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
