"""The data sets: rows, features, classes."""

from __future__ import annotations

from typing import Any

from svmosaic.reports.document import Row, Section, Table
from svmosaic.reports.measure import MISSING
from svmosaic.reports.run_data import RunData

__all__ = ["data_section", "data_table"]


def data_section(run: RunData) -> Section:
    """Return a table of the data sets."""
    return Section("Data sets", "", [data_table(run)])


def data_table(run: RunData) -> Table:
    """Return rows, features and classes of each data set, and where it comes from."""
    sources = {item["name"]: item.get("path") for item in run.experiment.get("data", [])}
    rows: list[Row] = []
    for name in run.datasets:
        shape = run.shapes[name]
        sizes = [_text(shape.get(key)) for key in ("n_samples", "n_features", "n_classes")]
        rows.append([name, *sizes, sources.get(name) or "the registry of svmosaic"])
    caption = "Data sets. Without classes the targets are numbers, or nothing was noted."
    return Table(["data set", "rows", "features", "classes", "from"], rows, caption, "lrrrl")


def _text(number: Any) -> str:
    return MISSING if number is None else str(number)
