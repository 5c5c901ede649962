"""The journal of a run: finished cells in an SQLite file, each committed as it comes.

A process that is killed at any moment leaves a whole journal behind. One process writes; a second
one on the same journal is refused.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from svmosaic.exceptions import DataFileError

__all__ = ["Entry", "Journal", "Start", "read_entries", "read_starts"]

_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY, dataset TEXT NOT NULL, method TEXT NOT NULL,
    repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('done', 'failed')),
    record TEXT NOT NULL, finished TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS plan (position INTEGER PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (started TEXT NOT NULL, provenance TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Entry:
    """A finished cell.

    Attributes
    ----------
    key, dataset, method, repeat, fold : str and int
        Which cell it is.
    status : {"done", "failed"}
        Whether it has a result or an error.
    record : dict
        What it gave.
    finished : str
        When, in UTC.
    """

    key: str
    dataset: str
    method: str
    repeat: int
    fold: int
    status: str
    record: dict[str, Any]
    finished: str


@dataclass(frozen=True)
class Start:
    """A start of a run.

    Attributes
    ----------
    journal : str
        The file's name.
    started : str
        When, in UTC.
    provenance : dict
        What ran, on what, with which versions.
    planned : frozenset of str
        Keys of the cells of the journal's last plan.
    """

    journal: str
    started: str
    provenance: dict[str, Any]
    planned: frozenset[str]


class Journal:
    """A journal that is open for writing; use it in a ``with`` block."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_told(self.path))
            self._lock = stack.enter_context(contextlib.closing(_lock(self.path)))
            self._connection = stack.enter_context(
                contextlib.closing(sqlite3.connect(self.path, isolation_level=None))
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Each commit reaches the disk before the next cell is counted as finished.
            self._connection.execute("PRAGMA synchronous = FULL")
            _check_format(self.path, self._connection)
            self._connection.executescript(_SCHEMA)
            self._connection.execute(f"PRAGMA user_version = {_FORMAT}")
            self._close = stack.pop_all().close
        return self

    def __exit__(self, *_: object) -> None:
        # Leaves one file behind; after a kill there are two more, which the next start folds in.
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._close()

    def begin(self, keys: Iterable[str], started: str, provenance: dict[str, Any]) -> None:
        """Note what this run is to do."""
        with _told(self.path), self._transaction():
            self._connection.execute("DELETE FROM plan")
            self._connection.executemany("INSERT INTO plan VALUES (?, ?)", enumerate(keys))
            self._connection.execute(
                "INSERT INTO runs VALUES (?, ?)", (started, json.dumps(provenance))
            )

    def finished(self) -> dict[str, str]:
        """Return the status of each finished cell by its key."""
        with _told(self.path):
            return dict(self._connection.execute("SELECT key, status FROM cells"))

    def add(self, *entries: Entry) -> None:
        """Commit finished cells together; a cell that failed before is replaced."""
        values = [
            (
                *(entry.key, entry.dataset, entry.method, entry.repeat, entry.fold),
                *(entry.status, json.dumps(entry.record), entry.finished),
            )
            for entry in entries
        ]
        with _told(self.path), self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
            )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def read_entries(path: Path) -> list[Entry]:
    """Return the finished cells of a journal's last plan, in the order of the plan."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with _told(path), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        _check_format(path, connection)
        rows = connection.execute(
            "SELECT key, dataset, method, repeat, fold, status, record, finished "
            "FROM plan JOIN cells USING (key) ORDER BY position"
        ).fetchall()
    return [
        Entry(key, dataset, method, repeat, fold, status, json.loads(record), finished)
        for key, dataset, method, repeat, fold, status, record, finished in rows
    ]


def read_starts(path: Path) -> list[Start]:
    """Return all starts of the run of a journal, the first one first."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with _told(path), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        _check_format(path, connection)
        rows = connection.execute("SELECT started, provenance FROM runs ORDER BY rowid").fetchall()
        planned = frozenset(key for (key,) in connection.execute("SELECT key FROM plan"))
    return [Start(path.name, started, json.loads(text), planned) for started, text in rows]


def _lock(path: Path) -> sqlite3.Connection:
    """Hold a lock that ends with the process, however it ends."""
    connection = sqlite3.connect(f"{path}.lock", isolation_level=None, timeout=0)
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" not in str(error):
            raise
        raise BlockingIOError(
            f"Another process is running the experiment in {str(path.parent)!r}. Wait for it, or "
            "share the work with the option shard."
        ) from None
    return connection


def _check_format(path: Path, connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if version not in (0, _FORMAT) or (version == 0 and n_tables):
        raise DataFileError(
            f"{path}: this journal has the format {version}; this version of svmosaic knows "
            f"{_FORMAT}. Choose another folder."
        )


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences that name the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise OSError(
            f"The journal {str(path)!r} cannot be written or read: {error}. What was finished "
            "before is kept."
        ) from error
    except sqlite3.DatabaseError as error:
        raise DataFileError(
            f"{path}: this is not the journal of an experiment, or it is damaged ({error}). Choose "
            "another folder."
        ) from error
