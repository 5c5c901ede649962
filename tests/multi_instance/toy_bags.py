"""Bags for tests: in a positive bag one instance stands apart, the others are noise."""

from __future__ import annotations

import numpy as np


def needle_bags(n_bags=24, n_features=3, seed=0, shift=5.0):
    """Return bags and labels; the first half of the bags is positive."""
    rng = np.random.default_rng(seed)
    bags = [rng.normal(size=(rng.integers(1, 6), n_features)) for _ in range(n_bags)]
    for bag in bags[: n_bags // 2]:
        bag[rng.integers(bag.shape[0]), 0] += shift
    return bags, np.array([1] * (n_bags // 2) + [0] * (n_bags - n_bags // 2))
