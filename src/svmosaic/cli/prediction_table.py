"""Predictions as a table: its columns, and the formats in which it is written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.utils.optional import import_optional

__all__ = ["OUTPUT_FORMATS", "PredictionTable", "class_columns", "output_format", "render"]

OUTPUT_FORMATS = ("csv", "jsonl", "parquet", "labels")
# By the extension of the file; others get CSV.
_EXTENSIONS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}
_PLAIN_EXTENSIONS = {".txt": "labels"}


@dataclass
class PredictionTable:
    """Columns of the same length, by their names.

    Attributes
    ----------
    columns : dict
        The columns, in their order.
    answers : tuple of str
        Those of them that hold what is predicted.
    """

    columns: dict[str, list[Any]]
    answers: tuple[str, ...]

    def add(self, name: str, values: Any) -> None:
        """Add a column; a name that is taken gets an underscore.

        Parameters
        ----------
        name : str
            What to call it.
        values : array-like
            Its values.
        """
        while name in self.columns:
            name += "_"
        self.columns[name] = np.asarray(values).tolist()

    def rows(self) -> Any:
        """Return an iterator over the rows."""
        return zip(*self.columns.values(), strict=True)


def class_columns(
    prefix: str, classes: Sequence[Any], values: Any, *, pairs: bool = False
) -> list[tuple[str, Any]]:
    """Return the columns of values by class, or by pair of classes.

    Parameters
    ----------
    prefix : str
        What the values are: the columns are called ``prefix_class``.
    classes : sequence
        The classes of the model.
    values : ndarray of shape (n_samples,) or (n_samples, n_columns)
        One value for two classes, which is for the second of them; one for each class; or one for
        each pair of classes, which is for the first of the pair.
    pairs : bool, default=False
        Whether there is one for each pair of classes. Three classes have three pairs, so that the
        number of columns does not tell.
    """
    if values.ndim == 1:
        return [(f"{prefix}_{classes[-1]}", values)]
    names = [str(label) for label in classes]
    if pairs or values.shape[1] != len(names):
        names = [f"{a}_vs_{b}" for i, a in enumerate(names) for b in names[i + 1 :]]
    return [(f"{prefix}_{name}", values[:, j]) for j, name in enumerate(names)]


def output_format(given: str | None, path: str | None) -> str:
    """Return the format to write: what was asked for, or what the extension says, or CSV.

    Parameters
    ----------
    given : str or None
        What the user asked for.
    path : str or None
        The file to write; None: the standard output.
    """
    if given is not None:
        return given
    extension = "" if path is None else Path(path).suffix.lower()
    return (_EXTENSIONS | _PLAIN_EXTENSIONS).get(extension, "csv")


def render(table: PredictionTable, format: str) -> bytes:
    """Return the content of the file.

    Parameters
    ----------
    table : PredictionTable
        The predictions.
    format : {"csv", "jsonl", "parquet", "labels"}
        How to write them.
    """
    writers: dict[str, Callable[[PredictionTable], bytes]] = {
        "csv": _csv,
        "jsonl": _json_lines,
        "parquet": _parquet,
        "labels": _labels,
    }
    return writers[format](table)


def _csv(table: PredictionTable) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows())
    return stream.getvalue().encode()


def _json_lines(table: PredictionTable) -> bytes:
    names = list(table.columns)
    lines = (json.dumps(dict(zip(names, row, strict=True))) for row in table.rows())
    return "".join(f"{line}\n" for line in lines).encode()


def _parquet(table: PredictionTable) -> bytes:
    purpose = "write parquet files"
    arrow = import_optional("pyarrow", purpose)
    stream = io.BytesIO()
    import_optional("pyarrow.parquet", purpose).write_table(arrow.table(table.columns), stream)
    return stream.getvalue()


def _labels(table: PredictionTable) -> bytes:
    """Return what is predicted alone, with tabs between several targets."""
    answers = zip(*(table.columns[name] for name in table.answers), strict=True)
    return "".join("\t".join(map(str, row)) + "\n" for row in answers).encode()
