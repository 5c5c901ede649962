"""Copies of records whose fields are shared."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["shallow_copy"]

Record = TypeVar("Record")


def shallow_copy(record: Record) -> Record:
    """Return an object of the same type with the same attributes.

    It does what `copy.copy` does for an object without methods of its own for that, at a tenth of
    the time.

    Examples
    --------
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.utils.shallow_copy import shallow_copy
    >>> first = OLLAWVClassifier(C=1.0)
    >>> second = shallow_copy(first)
    >>> second.C = 2.0
    >>> first.C
    1.0
    """
    other: Record = object.__new__(type(record))
    other.__dict__.update(vars(record))
    return other
