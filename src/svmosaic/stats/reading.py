"""Read a table of scores from a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from svmosaic.datasets.readers.text import file_error, iter_result_blocks, shorten
from svmosaic.stats.table import Missing, ScoreTable, is_summary, score_table

__all__ = ["read_scores"]

_DELIMITERS = ",;\t"


def read_scores(
    path: str | os.PathLike[str], *, skip: Sequence[str] = (), missing: Missing = "refuse"
) -> ScoreTable:
    r"""Read scores: the first line names the methods, the first column the data sets.

    Parameters
    ----------
    path : path-like
        A CSV file with commas, semicolons or tabs, plain or gzip'd.
    skip : sequence of str, default=()
        Rows and columns to leave out, by name: averages, say.
    missing : {"refuse", "drop"}, default="refuse"
        What to do about empty cells, as in `score_table`.

    Returns
    -------
    ScoreTable
        The scores, for `compare`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.stats import read_scores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("set,SVC,tree\niris,0.95,0.93\nwine,0.98,0.90\n")
    ...     table = read_scores(path)
    >>> table.methods, table.datasets
    (('SVC', 'tree'), ('iris', 'wine'))
    """
    source = Path(path)
    header, body = _rows(source)
    _check_skipped(source, skip, [*header, *(row[0] for row in body)])
    rows = [row for row in body if row[0] not in skip]
    _refuse_summaries(source, rows)
    columns = _columns(source, header, rows)
    try:
        return score_table(
            columns,
            methods=[name for name in columns if name not in skip],
            datasets=[row[0] for row in rows],
            missing=missing,
        )
    except ValueError as error:
        raise file_error(source, None, str(error)) from None


def _rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns, and the lines below them, cut into cells."""
    lines = [
        (block.first + i, line)
        for block in iter_result_blocks(path)
        for i, line in enumerate(block.lines)
        if line.strip()
    ]
    if len(lines) < 2:
        raise file_error(
            path,
            None,
            "a table of scores needs a line that names the methods and a line per data set.",
        )
    delimiter = max(_DELIMITERS, key=lines[0][1].count)
    header, *body = ((number, _cut(path, number, line, delimiter)) for number, line in lines)
    for number, cells in body:
        if len(cells) != len(header[1]):
            raise file_error(
                path,
                number,
                f"{len(cells)} cells where the first line has {len(header[1])}. Every line needs "
                "as many.",
            )
    return header[1], [cells for _, cells in body]


def _cut(path: Path, number: int, line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error as error:
        raise file_error(path, number, f"the line is not CSV ({error}). Correct it.") from None


def _check_skipped(path: Path, skip: Sequence[str], names: Sequence[str]) -> None:
    for name in skip:
        if name not in names:
            raise file_error(
                path, None, f"there is no row and no column {shorten(name)} to leave out."
            )


def _refuse_summaries(path: Path, rows: Sequence[Sequence[str]]) -> None:
    for name, *_ in rows:
        if is_summary(name):
            raise file_error(
                path,
                None,
                f"the row {shorten(name)} is a summary of the others, not a data set. Leave it out "
                f"with the option skip: {name}.",
            )


def _columns(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for j, name in enumerate(header[1:], 1):
        if not name:
            raise file_error(path, None, f"column {j + 1} has no name. Name its method.")
        if name in columns:
            raise file_error(path, None, f"two columns are called {shorten(name)}. Rename one.")
        columns[name] = [row[j] for row in rows]
    return columns
