"""An order of samples in which like ones are close to each other."""

from __future__ import annotations

import math

import torch

from svmosaic.engine.gpu.accelerator import Tensor

__all__ = ["neighbour_order"]

# Products with the covariance that turn a random direction to one in which samples differ much. A
# few leave it random enough for several orders to differ.
_N_TURNS = 2


def neighbour_order(points: Tensor, leaf: int, seed: int) -> Tensor:
    """Return the numbers of points in an order whose ranges are clusters.

    The points are halved again and again, each part at its median along a direction of its own,
    until parts have at most `leaf` points. Another seed gives another order.
    """
    n, d = points.shape
    depth = max(0, math.ceil(math.log2(n / leaf)))
    width = -(-n // 2**depth)
    # Numbers from n on fill up the parts. They come last in every part, so that they end up last.
    order = torch.arange(width << depth, device=points.device)
    generator = torch.Generator().manual_seed(seed)
    for level in range(depth):
        parts = order.view(1 << level, -1)
        rows = points[parts.clamp(max=n - 1)]
        rows = rows - rows.mean(dim=1, keepdim=True)
        start = torch.randn(d, 1, generator=generator, dtype=torch.float64)
        direction = start.to(rows).expand(parts.shape[0], d, 1)
        for _ in range(_N_TURNS):
            direction = rows.transpose(1, 2) @ (rows @ direction)
            length = torch.linalg.vector_norm(direction, dim=1, keepdim=True)
            direction = direction / length.clamp(min=torch.finfo(rows.dtype).tiny)
        place = (rows @ direction)[:, :, 0].masked_fill(parts >= n, torch.inf)
        order = parts.gather(1, place.argsort(dim=1, stable=True)).flatten()
    return order[:n]
