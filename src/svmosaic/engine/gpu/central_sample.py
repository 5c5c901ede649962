"""Where a selection begins: the sample nearest to the mean of its class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from svmosaic.engine import cpu
from svmosaic.engine.gpu.device_table import DeviceTable
from svmosaic.engine.problem import PairwiseRows, Problem, Rows

__all__ = ["central_sample"]

# Squared distances that differ by less, relative to the largest one, differ by rounding only.
_ROUNDING = 1e-12


def central_sample(rows: Rows, problem: Problem) -> int:
    """Return the position of the sample nearest to its class mean, larger class first.

    Of samples that are equally near the first one is taken. Tables in the host's memory are left
    to the CPU.
    """
    if isinstance(rows, PairwiseRows) and not isinstance(rows.values, np.ndarray):
        rows = replace(rows, values=rows.values.cpu().numpy())
    if not isinstance(rows, DeviceTable):
        return cpu.central_sample(rows, problem)
    totals = {sign: problem.weights[problem.targets == sign].sum() for sign in (1.0, -1.0)}
    largest = max(totals.values())
    distances = np.full(problem.samples.size, np.inf)
    for sign, total in totals.items():
        if total == largest:
            of_class = np.flatnonzero(problem.targets == sign)
            values = rows.values[problem.samples[of_class]].double()
            weights = torch.as_tensor(problem.weights[of_class], device=values.device)
            mean = weights @ values / total
            distances[of_class] = (values - mean).square_().sum(1).cpu().numpy()
    known = distances[np.isfinite(distances)]
    return int(np.argmax(distances <= known.min() + _ROUNDING * known.max()))
