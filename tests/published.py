"""The papers' result tables, read from CSV files beside the project."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("SVMOSAIC_PAPERS", ROOT.parent / "shared" / "papers")) / "tables"


def rows_of(name):
    """Return the cells of the table whose file begins so; skip the test where there is none."""
    found = sorted(FOLDER.glob(f"{name}-*.csv"))
    if not found:
        pytest.skip(f"needs the papers' tables: no {name} in {FOLDER}")
    with found[0].open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def number(cell):
    """Return a printed number: ``1,094``, ``97.33 +- 1.49`` or ``3.4E^{-2}``."""
    text = cell.partition("+-")[0].replace(",", "").strip()
    power = re.fullmatch(r"([\d.]+)E\^\{(-?\d+)\}", text)
    return float(f"{power[1]}e{power[2]}") if power else float(text)


def scores_of(name):
    """Return scores, printed average ranks and methods of a table of results."""
    header, *rows = rows_of(name)
    data = [row for row in rows if len(row) > 1 and row[1] and row[0]]
    body = [row for row in data if not row[0].lower().startswith(("average", "rank"))]
    (ranks,) = (row for row in data if row[0].lower().startswith("rank"))
    scores = np.array([[number(cell) for cell in row[1:]] for row in body])
    return scores, np.array([number(cell) for cell in ranks[1:]]), header[1:]
