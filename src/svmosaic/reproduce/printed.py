"""The printed numbers of a table, from a CSV file of the package.

Columns: dataset, metric, method, value; and spread, the standard deviation where one was printed.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

__all__ = ["Printed", "read_printed", "read_rows"]

# (data set, metric, method) -> value
Printed = dict[tuple[str, str, str], float]


@cache
def read_printed(file: str) -> Printed:
    """Return the printed values by data set, metric and method."""
    return {
        (row["dataset"], row["metric"], row["method"]): float(row["value"])
        for row in read_rows(file)
    }


def read_rows(file: str) -> list[dict[str, str]]:
    """Return the rows of a file of printed numbers."""
    path = resources.files("svmosaic.reproduce") / "printed" / file
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
