"""What the user named as data: a file, or a data set of the registry."""

from __future__ import annotations

import difflib
from pathlib import Path

from svmosaic.cli.data_kinds import Columns, column_names
from svmosaic.cli.option_names import own_options
from svmosaic.datasets import describe, list_datasets, load, read_table
from svmosaic.datasets.dataset import Kind
from svmosaic.exceptions import DataNotFoundError

__all__ = ["is_file", "libsvm_width", "refuse_file_options"]

# What a data set of each kind has, and which methods of `train` take it.
_KINDS: dict[Kind, str] = {
    "rows": "rows of one class each. Use a method for such rows, for example ollawv",
    "targets": "several targets. Use --method svrcc, svrrc, svrwc, svrtc or multi-target-svr",
    "bags": "bags of instances. Use --method mirsvm, mir-set-svm or mir-mix-svm",
}


def is_file(source: str, task: Kind | None = "rows") -> bool:
    """Whether to read a file; what is neither file nor data set gets a suggestion.

    Parameters
    ----------
    source : str
        What the user named.
    task : {"rows", "targets", "bags"} or None, default="rows"
        The kind of data set that a name must have; None: any.
    """
    path = Path(source)
    if path.is_file():
        return True
    if source in list_datasets():
        kind = describe(source).kind
        if task is not None and kind != task:
            raise ValueError(f"The data set {source!r} has {_KINDS[kind]}.")
        return False
    if path.exists():
        raise IsADirectoryError(f"{source!r} is not a file. Name a data file or a data set.")
    files = [p for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(source, [*list_datasets(task), *map(str, files)], n=1)
    which = "" if task is None else f" --kind {task}"
    listing = f"List data sets with: svmosaic data list{which}"
    hint = f"Did you mean {close[0]!r}?" if close else listing
    raise DataNotFoundError(f"There is no file and no data set {source!r}. {hint}")


def refuse_file_options(source: str, columns: Columns) -> None:
    """Refuse options for files where a data set is named."""
    for name in columns.given():
        raise ValueError(f"{name} is for files, and there is no file {source!r}. Leave it out.")


def libsvm_width(source: str, columns: Columns) -> int:
    """Return the number of features in a LIBSVM file or a named data set, 0 for other files."""
    if not is_file(source):
        return load(source).n_features
    if column_names(source, columns) is not None:
        return 0
    with own_options():
        return read_table(
            source, format=columns.format, max_bytes=columns.max_bytes, **columns.reading
        ).n_features
