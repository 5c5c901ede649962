"""The dual of one binary problem on the device, and what its gradients say.

    min  1/2 b'Kb - t'b + epsilon |b|_1   subject to  sum b = 0  and  lower <= b <= upper

Vectors have one entry more than there are samples: padding, whose bounds are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.block_smo import ROUNDING, slopes
from svmosaic.engine.gpu.features import with_padding
from svmosaic.engine.gpu.kernel_values import KernelValues
from svmosaic.engine.problem import Problem

__all__ = [
    "Dual",
    "Standing",
    "best_length",
    "boxes",
    "feasible",
    "packed",
    "standing_of",
    "standings",
]


@dataclass(frozen=True)
class Dual:
    """Variables of the dual in signed form, b_i = y_i alpha_i; all vectors are float64.

    Attributes
    ----------
    kernel : KernelValues
        The kernel matrix of the samples.
    target, lower, upper : Tensor
        t and the bounds.
    beta, gradient : Tensor
        b and Kb - t, changed in place.
    diagonal : Tensor
        k(x, x).
    epsilon : float
        The cost of |b|; 0 for classification.
    is_regression : bool
        Whether the loss is that of epsilon-SVR.
    """

    kernel: KernelValues
    target: Tensor
    lower: Tensor
    upper: Tensor
    beta: Tensor
    gradient: Tensor
    diagonal: Tensor
    epsilon: float
    is_regression: bool

    @classmethod
    def of(
        cls,
        problem: Problem,
        kernel: KernelValues,
        C: float,
        epsilon: float | None,
        place: Accelerator,
    ) -> Dual:
        """Return the variables of a problem, whose samples are those of the kernel matrix.

        Without `epsilon` it is the L1-SVM; its targets are +1 and -1.
        """
        target = _with_zero(place.tensor(problem.targets, torch.float64))
        bound = _with_zero(C * place.tensor(problem.weights, torch.float64))
        lower, upper = boxes(target, bound, epsilon)
        start = None if problem.initial is None else place.tensor(problem.initial, torch.float64)
        dual = cls(
            kernel,
            target,
            lower,
            upper,
            torch.zeros_like(target)
            if start is None
            else feasible(_with_zero(start), lower, upper),
            -target,
            kernel.diagonal,
            epsilon or 0.0,
            epsilon is not None,
        )
        if start is not None:
            dual.refresh()
        return dual

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.kernel.n

    def slopes(self) -> tuple[Tensor, Tensor]:
        """Return the slopes for growing and for shrinking; infinite where a bound is in the way."""
        return slopes(self.beta, self.gradient, self.lower, self.upper, self.epsilon)

    def take(self, index: Tensor) -> Dual:
        """Return copies of some variables; the others stay where they are."""
        at = with_padding(index, self.n)
        return Dual(
            self.kernel.take(index),
            self.target[at],
            self.lower[at],
            self.upper[at],
            self.beta[at],
            self.gradient[at],
            self.diagonal[at],
            self.epsilon,
            self.is_regression,
        )

    def refresh(self) -> Tensor:
        """Recompute the gradient; return the number of support vectors, on the device."""
        index, coef, count = packed(
            torch.arange(self.n + 1, device=self.beta.device), self.beta, self.n
        )
        self.gradient.copy_(self.kernel.products(index, coef, count) - self.target)
        return count

    def go(self, index: Tensor, goal: Tensor, length: Tensor | None, product: Tensor) -> None:
        """Move variables towards `goal` by a share of the way, and the gradient with them.

        A length of None is the whole way. `product` is K (goal - b).
        """
        if length is None:
            self.beta[index] = goal
            self.gradient.add_(product)
        else:
            old, lower, upper = self.beta[index], self.lower[index], self.upper[index]
            new = torch.clamp(old + length * (goal - old), lower, upper)
            # Where the way was cut short at zero, only rounding tells it from zero.
            new = new.masked_fill(new.abs() <= ROUNDING * (upper - lower), 0.0)
            self.beta[index] = torch.where(length < 1.0, new, goal)
            self.gradient.add_(length * product)


def _with_zero(values: Tensor) -> Tensor:
    return torch.cat([values, values.new_zeros(1)])


def boxes(target: Tensor, bound: Tensor, epsilon: float | None) -> tuple[Tensor, Tensor]:
    """Return the bounds of b."""
    if epsilon is not None:
        return -bound, bound
    return torch.where(target < 0, -bound, 0.0), torch.where(target > 0, bound, 0.0)


def feasible(beta: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Return coefficients within the bounds whose sum over the last axis is zero.

    Those of the heavier side shrink; zeros stay zero.
    """
    beta = torch.clamp(beta, lower, upper)
    positive, negative = beta.clamp(min=0.0), beta.clamp(max=0.0)
    gain, loss = (side.sum(-1, keepdim=True) for side in (positive, -negative))
    least = torch.minimum(gain, loss)
    tiny = torch.finfo(beta.dtype).tiny
    return positive * (least / gain.clamp(min=tiny)) + negative * (least / loss.clamp(min=tiny))


def packed(index: Tensor, values: Tensor, padding: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the entries that are not zero first, the others as padding, and how many there are.

    Nothing waits for the device.
    """
    n = values.numel()
    is_zero = values == 0
    place = torch.cumsum(~is_zero, 0)
    count = place[-1:]
    place = (place - 1).masked_fill_(is_zero, n)
    where = index.new_full((n + 1,), padding).scatter_(0, place, index)
    what = values.new_zeros(n + 1).scatter_(0, place, values)
    return where[:n], what[:n], count


def best_length(dual: Dual, index: Tensor, goal: Tensor, product: Tensor) -> Tensor:
    """Return how far to go from b towards `goal`: where the objective is least, 1 at most.

    Its derivative at length t is  slope + t curve + epsilon sum_i sign(b_i + t d_i) d_i:  it jumps
    where a variable passes zero. Between jumps number k and k + 1, at t_k and t_(k+1), it is
    s_k + t curve, which is zero at r_k. As s_k grows with k, the least of max(t_k, r_k) is where
    the derivative changes its sign.
    """
    old = dual.beta[index]
    way = goal - old
    slope = (dual.gradient[index] * way).sum()
    curve = (product[index] * way).sum()
    if dual.epsilon == 0.0:
        return (-slope / curve).masked_fill(curve <= 0, 1.0).clamp(0.0, 1.0)
    sign = torch.where(old != 0, torch.sign(old), torch.sign(way))
    slope = slope + dual.epsilon * (sign * way).sum()
    passes = old * goal < 0
    at = (-old / way).masked_fill(~passes, torch.inf)
    jump = (2.0 * dual.epsilon * way.abs()).masked_fill(~passes, 0.0)
    at, order = at.sort()
    at = torch.cat([at.new_zeros(1), at])
    slopes = slope + torch.cat([jump.new_zeros(1), jump[order].cumsum(0)])
    # Without curvature the objective falls for ever or never.
    curve = curve.clamp(min=torch.finfo(curve.dtype).tiny)
    root = -slopes / curve
    return torch.maximum(at, root).min().clamp(0.0, 1.0)


@dataclass(frozen=True)
class Standing:
    """What the gradients say of a solution.

    Attributes
    ----------
    violation : float
        Of the optimality conditions, over all samples.
    intercept, objective, gap : float
        The constant term, the dual objective, and the primal one minus it.
    """

    violation: float
    intercept: float
    objective: float
    gap: float


def standing_of(dual: Dual) -> Standing:
    """Return violation, intercept and objectives, from the gradient as it is."""
    return standings(
        dual.beta[None],
        dual.gradient[None],
        dual.target[None],
        dual.lower[None],
        dual.upper[None],
        dual.epsilon,
        dual.is_regression,
    )[0]


def standings(
    beta: Tensor,
    gradient: Tensor,
    target: Tensor,
    lower: Tensor,
    upper: Tensor,
    epsilon: float,
    is_regression: bool,
) -> list[Standing]:
    """Return the standings of several duals, a row each."""
    up, low = slopes(beta, gradient, lower, upper, epsilon)
    lowest, highest = up.amin(1), low.amax(1)
    is_free = (beta != 0) & (beta > lower) & (beta < upper)
    sum_free = torch.where(is_free, gradient + epsilon * torch.sign(beta), 0.0).sum(1)
    n_free = is_free.sum(1)
    # With samples of one class only, one end of the interval is infinite and the other has to do.
    ends = torch.stack([lowest, highest])
    middle = torch.where(ends.isfinite(), ends, 0.0).sum(0) / ends.isfinite().sum(0).clamp(min=1)
    intercept = -torch.where(n_free > 0, sum_free / n_free.clamp(min=1), middle)
    value = gradient + target
    decision = value + intercept[:, None]
    if is_regression:
        loss = ((decision - target).abs() - epsilon).clamp(min=0.0)
    else:
        loss = (1.0 - target * decision).clamp(min=0.0)
    square = 0.5 * (beta * value).sum(1)
    objective = (beta * target).sum(1) - epsilon * beta.abs().sum(1) - square
    primal = square + (torch.maximum(-lower, upper) * loss).sum(1)
    # Both are below zero by rounding only.
    violation = (highest - lowest).clamp(min=0.0)
    gap = (primal - objective).clamp(min=0.0)
    figures = torch.stack([violation, intercept, objective, gap], dim=1)
    return [Standing(*row) for row in figures.tolist()]
