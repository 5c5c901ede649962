"""A parameter that is a list of numbers to try."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_numbers"]


def check_numbers(values: Any, name: str, who: str, *, zero: bool = False) -> NDArray[np.float64]:
    """Return the values of a parameter to try, which must be positive, or from 0 with `zero`.

    Examples
    --------
    >>> from svmosaic.utils.number_list import check_numbers
    >>> check_numbers([1, 10], "Cs", "OLLAWVClassifierCV")
    array([ 1., 10.])
    """
    try:
        # NumPy would read numbers in strings.
        is_text = np.asarray(values).dtype.kind in "USO"
        numbers = np.empty(0) if is_text else np.ravel(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.empty(0)
    in_range = np.all(numbers >= 0) if zero else np.all(numbers > 0)
    if numbers.size == 0 or not np.all(np.isfinite(numbers)) or not in_range:
        kind = "numbers from 0" if zero else "positive numbers"
        raise ValueError(
            f"The '{name}' parameter of {who} must be a list of {kind}. Got {values!r} instead."
        )
    return np.ascontiguousarray(numbers)
