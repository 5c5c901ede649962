"""What stands for a whole bag: all its instances, their mean, or their extremes."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.multi_instance.bag_statistics import (
    maxima_of_bags,
    means_of_bags,
    minima_of_bags,
)
from svmosaic.utils.validation import canonical_csr

__all__ = ["SUMMARIES", "Summary", "summarise"]

Summary = Literal["set", "mean", "min-max"]
SUMMARIES: tuple[Summary, ...] = ("set", "mean", "min-max")


def summarise(bags: Bags, summary: Summary) -> Bags:
    """Return the bags themselves, or bags of one instance: the mean, or all minima and maxima."""
    if summary == "set":
        return bags
    if summary == "mean":
        rows = means_of_bags(bags, bags.instances)
    else:
        parts = [minima_of_bags(bags), maxima_of_bags(bags)]
        is_sparse = sp.issparse(bags.instances)
        rows = sp.hstack(parts, format="csr") if is_sparse else np.hstack(parts)
    if sp.issparse(rows):
        rows = canonical_csr(sp.csr_array(rows))
    else:
        rows = np.ascontiguousarray(rows)
    return Bags(rows, np.arange(len(bags) + 1))
