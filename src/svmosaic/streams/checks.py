"""One sentence for every parameter that is out of range."""

from __future__ import annotations

import math
import numbers
import operator

__all__ = ["check_count", "check_fraction", "check_number", "check_samples"]


def check_count(owner: str, name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number in the range, or raise.

    Parameters
    ----------
    owner, name : str
        Whose parameter it is, and its name.
    value : object
        What the caller passed.
    least, most : int
        The range, ends included; None means no upper end.
    """
    wanted = f"an int >= {least}" if most is None else f"an int from {least} to {most}"
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(
            f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead."
        )
    if number < least or (most is not None and number > most):
        raise ValueError(
            f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead."
        )
    return number


def check_samples(owner: str, value: object) -> int | None:
    """Return the length that a generator was given: a positive whole number, or None.

    Parameters
    ----------
    owner : str
        Whose parameter it is.
    value : object
        What the caller passed.
    """
    return None if value is None else check_count(owner, "n_samples", value, 1)


def check_number(owner: str, name: str, value: object, least: float) -> float:
    """Return a finite float that is not below `least`, or raise.

    Parameters
    ----------
    owner, name : str
        Whose parameter it is, and its name.
    value : object
        What the caller passed.
    least : float
        The lower end of the range.
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"The {name!r} parameter of {owner} must be a float. Got {value!r}.")
    number = float(value)
    if not math.isfinite(number) or number < least:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a finite float >= {least}. "
            f"Got {value!r} instead."
        )
    return number


def check_fraction(owner: str, name: str, value: object) -> float:
    """Return a float from 0 to 1, or raise.

    Parameters
    ----------
    owner, name : str
        Whose parameter it is, and its name.
    value : object
        What the caller passed.
    """
    number = check_number(owner, name, value, 0.0)
    if number > 1.0:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a float in the range [0.0, 1.0]. "
            f"Got {value!r} instead."
        )
    return number
