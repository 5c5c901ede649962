"""A cell that is to be run, without its data: what counting and reusing need."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PlannedCell"]


class PlannedCell(NamedTuple):
    """What must be known of a cell before it runs.

    Attributes
    ----------
    key, question, code, method : str
        Those of the cell.
    n_numbers : int
        Numbers in its data set: a first guess of how long cells take beside each other.
    label : str
        The name of the cell in messages.
    """

    key: str
    question: str
    code: str
    method: str
    n_numbers: int
    label: str = ""
