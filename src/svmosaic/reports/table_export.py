"""Tables as files for other programs: CSV, LaTeX, Markdown."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

from svmosaic.reports.document import Cell, Row, Table
from svmosaic.reports.measure import Measure
from svmosaic.stats.latex import bold, escape_latex, tabular

__all__ = ["file_name", "measure_csv", "records_csv", "table_latex", "table_markdown"]

# Signs that Markdown or the HTML inside it would read as more than themselves.
_MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")


def file_name(name: str) -> str:
    """Return a name that is safe in every folder.

    Examples
    --------
    >>> from svmosaic.reports.table_export import file_name
    >>> file_name("../f1 macro")
    'f1_macro'
    """
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._") or "table"


def measure_csv(values: Measure) -> str:
    """Return the means with all digits; a cell is empty where folds are missing."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", *values.methods])
    for name, means, complete in zip(
        values.datasets, values.means.tolist(), values.complete.tolist(), strict=True
    ):
        cells = [
            repr(mean) if whole and math.isfinite(mean) else ""
            for mean, whole in zip(means, complete, strict=True)
        ]
        writer.writerow([name, *cells])
    return stream.getvalue()


def records_csv(records: Sequence[dict[str, Any]]) -> str:
    """Return plain records of the same entries, one per line."""
    stream = StringIO()
    writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


def table_latex(table: Table) -> str:
    """Return a table for the package booktabs; names are escaped."""
    groups: list[list[list[str]]] = [[]]
    for row in table.rows:
        if row:
            groups[-1].append([_latex_cell(cell) for cell in row])
        else:
            groups.append([])
    left = len(table.align) - len(table.align.lstrip("l")) or 1
    header = [escape_latex(name) for name in table.header]
    return tabular(header, [group for group in groups if group], left)


def _latex_cell(cell: str | Cell) -> str:
    plain = Cell(cell) if isinstance(cell, str) else cell
    text = bold(escape_latex(plain.text), plain.bold)
    if not plain.note:
        return text
    note = escape_latex(plain.note).replace("±", r"$\pm$")
    return rf"{text} {{\footnotesize {note}}}"


def table_markdown(table: Table) -> str:
    """Return a table as GitHub's Markdown writes it; names are escaped."""
    align = table.align or "l" * len(table.header)
    lines = [
        _markdown_row(table.header),
        "|" + "|".join("---:" if side == "r" else "---" for side in align) + "|",
        *(_markdown_row(row) for row in table.rows if row),
    ]
    return "\n".join(lines) + "\n"


def _markdown_row(row: Row) -> str:
    return f"| {' | '.join(_markdown_cell(cell) for cell in row)} |"


def _markdown_cell(cell: str | Cell) -> str:
    plain = Cell(cell) if isinstance(cell, str) else cell
    text = _escape_markdown(plain.text)
    text = f"**{text}**" if plain.bold else text
    return f"{text} {_escape_markdown(plain.note)}" if plain.note else text


def _escape_markdown(text: str) -> str:
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", text)
