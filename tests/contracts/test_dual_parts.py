"""A part of the dual, solved while the other variables stay, beside an interior-point method."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from scipy import sparse

from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CsrRows, DenseRows
from svmosaic.engine.settings import PartSettings
from svmosaic.engine.tasks import DualPart
from twins.kernels import gram

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 3))
KERNEL = KernelSpec("rbf", 0.5)
K = gram(X, X, KERNEL)
SAMPLES = np.sort(RNG.permutation(N)[:25])


def variables(epsilon):
    """Return targets, bounds and coefficients that sum to zero over all samples."""
    targets = RNG.normal(size=N) if epsilon else np.where(X[:, 0] > 0, 1.0, -1.0)
    upper = RNG.uniform(0.5, 2.0, N)
    low = -upper if epsilon else np.where(targets > 0, 0.0, -upper)
    high = upper if epsilon else np.where(targets > 0, upper, 0.0)
    beta = low + RNG.uniform(0.1, 0.9, N) * (high - low)
    return targets, low, high, beta


def part_of(targets, low, high, beta, epsilon):
    gradient = K @ beta - targets
    arrays = (np.ascontiguousarray(a[SAMPLES]) for a in (low, high, beta, gradient))
    return DualPart(SAMPLES, *arrays, epsilon)


def best_objective(part):
    """Return the least objective over the part: |beta| by a second variable for each."""
    n = SAMPLES.size
    own = K[np.ix_(SAMPLES, SAMPLES)]
    linear = part.gradient - own @ part.beta
    zero = np.zeros((n, n))
    P = sparse.csc_matrix(np.triu(np.block([[own, zero], [zero, zero]])))
    q = np.concatenate([linear, np.full(n, part.epsilon)])
    eye = sparse.identity(n)
    sums = sparse.csc_matrix(np.concatenate([np.ones(n), np.zeros(n)])[None])
    blocks = [[eye, None], [-eye, None], [eye, -eye], [-eye, -eye]]
    A = sparse.vstack([sums, sparse.bmat(blocks)]).tocsc()
    b = np.concatenate([[part.beta.sum()], part.upper, -part.lower, np.zeros(2 * n)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(4 * n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solution = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
    assert solution.status == clarabel.SolverStatus.Solved
    return solution.obj_val


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_part_reaches_the_objective_of_the_interior_point_method(form, epsilon):
    part = part_of(*variables(epsilon), epsilon)
    table = sparse.csr_array(X)
    rows = (
        DenseRows(X)
        if form == "dense"
        else CsrRows(table.data, table.indices, table.indptr, X.shape[1])
    )

    one, two = (
        cpu.solve(rows, KERNEL, [part], PartSettings(tol=1e-9), n_threads=n)[0] for n in (1, 2)
    )

    beta = np.zeros(N)
    beta[one.support] = one.coef
    beta = beta[SAMPLES]
    own = K[np.ix_(SAMPLES, SAMPLES)]
    linear = part.gradient - own @ part.beta
    found = 0.5 * beta @ own @ beta + linear @ beta + epsilon * np.abs(beta).sum()
    assert found == pytest.approx(best_objective(part), rel=1e-6, abs=1e-7)
    assert beta.sum() == pytest.approx(part.beta.sum())
    assert np.all((beta >= part.lower) & (beta <= part.upper))
    assert one.violation <= 1e-9
    np.testing.assert_array_equal(one.coef, two.coef)


def test_a_part_that_time_leaves_no_room_for_stays_where_it_is():
    part = part_of(*variables(0.0), 0.0)

    (found,) = cpu.solve(DenseRows(X), KERNEL, [part], PartSettings(tol=1e-9), max_time=1e-9)

    assert found.coef.sum() == pytest.approx(part.beta.sum())


@pytest.mark.parametrize("field", ["lower", "upper", "beta", "gradient"])
def test_arrays_of_other_sizes_are_refused(field):
    part = part_of(*variables(0.0), 0.0)
    object.__setattr__(part, field, np.zeros(3))

    with pytest.raises(ValueError, match="for each sample"):
        cpu.solve(DenseRows(X), KERNEL, [part], PartSettings())
