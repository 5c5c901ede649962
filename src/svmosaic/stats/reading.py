"""Read a table of scores from a CSV file."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from svmosaic.datasets.readers.text import file_error, iter_blocks, shorten
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
    rows = _rows(source)
    if len(rows) < 2:
        raise file_error(
            source,
            None,
            "a table of scores needs a line that names the methods and a line per data set.",
        )
    (_, header), *body = rows
    methods = [name.strip() for name in header[1:]]
    for line, row in body:
        if len(row) != len(header):
            raise file_error(
                source,
                line,
                f"{len(row)} cells where the first line has {len(header)}. Every line needs as "
                "many.",
            )
    for name in skip:
        if name not in methods and name not in [row[0].strip() for _, row in body]:
            raise file_error(
                source, None, f"there is no row and no column {shorten(name)} to leave out."
            )
    kept = [(row[0].strip(), row[1:]) for _, row in body if row[0].strip() not in skip]
    for name, _ in kept:
        if is_summary(name):
            raise file_error(
                source,
                None,
                f"the row {shorten(name)} is a summary of the others, not a data set. Leave it out "
                f"with the option skip: {name}.",
            )
    columns = {}
    for j, name in enumerate(methods):
        if not name:
            raise file_error(source, None, f"column {j + 2} has no name. Name its method.")
        if name in columns:
            raise file_error(source, None, f"two columns are called {shorten(name)}. Rename one.")
        columns[name] = [cells[j] for _, cells in kept]
    wanted = [name for name in methods if name not in skip]
    try:
        return score_table(
            columns, methods=wanted, datasets=[name for name, _ in kept], missing=missing
        )
    except ValueError as error:
        raise file_error(source, None, str(error)) from None


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, cut into cells, with their numbers."""
    lines = [
        (block.first + i, line)
        for block in iter_blocks(path)
        for i, line in enumerate(block.lines)
        if line.strip()
    ]
    if not lines:
        return []
    delimiter = max(_DELIMITERS, key=lines[0][1].count)
    return [(n, next(csv.reader([line], delimiter=delimiter))) for n, line in lines]
