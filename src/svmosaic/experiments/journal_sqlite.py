"""Journals of earlier versions: SQLite files, without checksums. They are only read."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from svmosaic.exceptions import DataFileError

__all__ = ["OldJournal", "read_old_journal"]

_FORMAT = 1
_CELLS = "SELECT key, dataset, method, repeat, fold, status, record, finished FROM cells"


class OldJournal(NamedTuple):
    """What an old journal holds.

    Attributes
    ----------
    cells : list of tuple
        The values of each entry.
    plan : list of str
        Keys of the last plan.
    starts : list of (str, dict)
        When each run started, and its provenance.
    """

    cells: list[tuple[Any, ...]]
    plan: list[str]
    starts: list[tuple[str, dict[str, Any]]]


def read_old_journal(path: Path) -> OldJournal:
    """Return the content of an old journal."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with _told(path), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != _FORMAT:
            raise DataFileError(
                f"{path}: this journal has the format {version}; this version of svmosaic knows "
                f"{_FORMAT}. Choose another folder."
            )
        cells = [
            (*names, json.loads(record), finished)
            for *names, record, finished in connection.execute(_CELLS)
        ]
        plan = [key for (key,) in connection.execute("SELECT key FROM plan ORDER BY position")]
        rows = connection.execute("SELECT started, provenance FROM runs ORDER BY rowid")
        starts = [(started, json.loads(text)) for started, text in rows]
    return OldJournal(cells, plan, starts)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what goes wrong in a damaged file into one sentence that names it."""
    try:
        yield
    except DataFileError:
        raise
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise DataFileError(
            f"{path}: this is not the journal of an experiment, or it is damaged ({error}). Choose "
            "another folder."
        ) from error
