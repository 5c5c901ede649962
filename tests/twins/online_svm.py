"""The on-line SVM in plain NumPy: Algorithms 1 and 2 of the thesis, line by line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray
from svmosaic.engine.settings import OnlineSvmSettings, Shrinking
from svmosaic.engine.tasks import OnlineSvmSolution, OnlineSvmTask
from twins.kernels import gram
from twins.sampling import sampler_of_step, visits

__all__ = ["solve"]

_ROUNDING = 1e-12


def solve(
    X: DoubleArray,
    Z: DoubleArray,
    gamma: float,
    task: OnlineSvmTask,
    settings: OnlineSvmSettings,
) -> OnlineSvmSolution:
    """Run the steps of one task on the table `X` with the boundary points `Z`."""
    kernel = KernelSpec("rbf", gamma)
    problem, lam = task.problem, settings.lam
    sums = np.cumsum(problem.weights)
    given = visits(problem, "given", 1, settings.seed)
    X_model = [X[row] for row in task.support]
    rows = list(task.support)
    alpha = np.array(task.coef, dtype=np.float64)
    t = task.t
    z = None
    n_iter = n_updates = 0

    def draws() -> Iterator[tuple[int, float, DoubleArray | None]]:
        """Yield x_i <- rand(X, 1), how much it counts, and z_j <- rand(Z, 1)."""
        done = 0
        while settings.order == "given" or done < settings.max_iter:
            sampler = sampler_of_step(settings.seed, int(t))
            drawn = sampler.unit() * sums[-1]
            i, share = int(np.searchsorted(sums[:-1], drawn, side="right")), 1.0
            if settings.order == "given":
                following = next(given, None)
                if following is None:
                    return
                i, share = following
            n_points = task.boundary.size
            yield i, share, Z[task.boundary[sampler.below(n_points)]] if n_points else None
            done += 1

    for i, share, z_j in draws():
        x, y = X[problem.samples[i]], problem.targets[i]
        z = z_j
        t += share
        n_iter += 1
        if not X_model:
            X_model, rows = [x], [problem.samples[i]]
            alpha = np.array([y])
            n_updates += 1
            continue
        k_x = gram(np.array(X_model), x[None], kernel)[:, 0]
        if y * (alpha @ k_x) < 1.0 - _ROUNDING:
            if z is None:
                alpha = (1.0 - share / t) * alpha
            else:
                k_z = gram(np.array(X_model), z[None], kernel)[:, 0]
                alpha = _toward_boundary(alpha, k_z, share / t, settings.update)
            alpha = alpha + share * y * k_x / (lam * t)
            if not any(np.array_equal(x, kept) for kept in X_model):
                X_model.append(x)
                rows.append(problem.samples[i])
                alpha = np.append(alpha, share * y / (lam * t))
            n_updates += 1
        else:
            alpha = (1.0 - share / t) * alpha

    norm = 0.0
    if z is not None:
        norm = abs(float(alpha @ gram(np.array(X_model), z[None], kernel)[:, 0]))
    return OnlineSvmSolution(
        support=np.array(rows, dtype=np.int64),
        coef=alpha,
        status="exhausted",
        n_iter=n_iter,
        counters=SolveCounters(n_updates=n_updates),
        state=alpha,
        t=t,
        norm=norm,
    )


def _toward_boundary(
    alpha: DoubleArray, k_z: DoubleArray, step: float, update: Shrinking
) -> DoubleArray:
    """Return the coefficients after the norm's part of the update (3.5)."""
    pull = float(k_z @ k_z)
    if update == "gradient":
        # (I - step k_z k_z') alpha; a longer step would turn the sign of alpha.k_z.
        step = min(step, 1.0 / pull) if pull > 0.0 else 0.0
        return np.asarray(alpha - step * float(alpha @ k_z) * k_z)
    factor = 1.0 - step * pull
    if update == "clipped":
        factor = min(max(factor, 0.0), 1.0)
    return factor * alpha
