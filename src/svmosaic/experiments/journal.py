"""The journal of a run: a file of lines, to which each finished cell is added as it comes.

A process that is killed at any moment leaves a whole journal behind. One process writes; a second
one on the same journal is refused. A record that has changed since it was written is found by its
checksum: its cell counts as damaged until it has been run again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from svmosaic.exceptions import DataFileError
from svmosaic.experiments.journal_lines import FIRST, BadLine, Line, encode_lines, read_lines
from svmosaic.experiments.journal_sqlite import read_old_journal
from svmosaic.utils.atomic import atomic_write, check_writable
from svmosaic.utils.wording import plural

__all__ = [
    "Damage",
    "Entry",
    "Journal",
    "JournalContent",
    "Start",
    "cell_label",
    "damage_words",
    "find_journals",
    "read_entries",
    "read_journal",
]

SUFFIX = ".jsonl"
_OLD_SUFFIX = ".sqlite"
_FORMAT = 2
# The ids of records that are not cells.
_HEAD, _START = "journal", "start"
# The values of an entry in its record; the key is the id.
_VALUES = ("dataset", "method", "repeat", "fold", "status", "record", "finished")
# A message names this many damaged cells.
_MOST_NAMED = 5


def cell_label(method: str, dataset: str, repeat: int, fold: int) -> str:
    """Return the name of a cell in messages."""
    return f"{method} on {dataset}, repeat {repeat}, fold {fold}"


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

    @property
    def label(self) -> str:
        """The name of the cell in messages."""
        return cell_label(self.method, self.dataset, self.repeat, self.fold)


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


@dataclass(frozen=True)
class Damage:
    """A damaged record.

    Attributes
    ----------
    path : Path
        The journal.
    line : int
        The line of the record, from 1.
    key, label : str
        Which cell it was; empty if that is not known.
    """

    path: Path
    line: int
    key: str
    label: str


@dataclass(frozen=True)
class JournalContent:
    """What a journal holds.

    Attributes
    ----------
    entries : dict of str to Entry
        The intact records of finished cells, of the last plan and of others.
    plan : dict of str to str
        The labels of the planned cells by their keys, in the order of the plan.
    starts : list of Start
        All starts, the first one first.
    damaged : dict of str to Damage
        Cells whose last record is damaged, by their keys.
    unknown : dict of int to Damage
        Other damage by its line: the record of a start, or one of an unknown cell.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    plan: dict[str, str] = field(default_factory=dict)
    starts: list[Start] = field(default_factory=list)
    damaged: dict[str, Damage] = field(default_factory=dict)
    unknown: dict[int, Damage] = field(default_factory=dict)


# Writing ------------------------------------------------------------------------------------


class Journal:
    """A journal that is open for writing; use it in a ``with`` block.

    Attributes
    ----------
    damaged : list of Damage
        What was found damaged when it was opened. The cells are not among the finished ones.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: list[Damage] = []

    def __enter__(self) -> Self:
        check_writable(self.path)
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.closing(_lock(self.path)))
            if _is_empty(self.path):
                self._make()
            self._file = stack.enter_context(open(self.path, "r+b", buffering=0))
            data = self._file.read()
            content, self._size, self._last = _replay(self.path, data)
            self.damaged = [*content.damaged.values(), *content.unknown.values()]
            self._finished = {key: entry.status for key, entry in content.entries.items()}
            # A damaged start may have had another plan.
            self._plan = {} if content.unknown else content.plan
            self._file.truncate(self._size)
            if not data[: self._size].endswith(b"\n"):
                self._write(b"\n", self._last)
            self._close = stack.pop_all().close
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def begin(self, cells: Mapping[str, str], started: str, provenance: Mapping[str, Any]) -> None:
        """Note what this run is to do: the labels of its cells by their keys."""
        plan = dict(cells)
        values = {
            "started": started,
            "provenance": provenance,
            # None: that of the start before.
            "plan": None if list(plan.items()) == list(self._plan.items()) else plan,
            # These are known from here on: what they may have held is run again.
            "damaged": [damage.line for damage in self.damaged if not damage.key],
        }
        self._append([(_START, values)])
        self._plan = plan

    def finished(self) -> dict[str, str]:
        """Return the status of each finished cell by its key."""
        return dict(self._finished)

    def add(self, *entries: Entry) -> None:
        """Add finished cells together; a cell that failed before is replaced."""
        self._append((entry.key, _values(entry)) for entry in entries)
        self._finished |= {entry.key: entry.status for entry in entries}

    def _append(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self._write(*encode_lines(records, self._last))

    def _write(self, lines: bytes, last: str) -> None:
        """Append lines and wait until the disk has them; after an error none is there.

        `last` is the checksum that the next record refers to.
        """
        rest = memoryview(lines)
        try:
            self._file.seek(self._size)
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._take_back()
            raise OSError(
                f"The journal {str(self.path)!r} cannot be written: {error.strerror}. What was "
                "finished before is kept."
            ) from error
        except BaseException:
            # Ctrl-C during the wait for the disk does not take back what is written.
            if rest:
                self._take_back()
            else:
                self._size, self._last = self._size + len(lines), last
            raise
        self._size, self._last = self._size + len(lines), last

    def _take_back(self) -> None:
        with contextlib.suppress(OSError):
            self._file.truncate(self._size)

    def _make(self) -> None:
        """Make a new journal, with what a journal of an earlier version has."""
        old = self.path.with_suffix(_OLD_SUFFIX)
        records: list[tuple[str, Mapping[str, Any]]] = [(_HEAD, {"format": _FORMAT})]
        if old.exists():
            with contextlib.closing(_lock(old)):
                content = _old_content(old)
            for start in content.starts:
                values = {"started": start.started, "provenance": start.provenance}
                records.append((_START, {**values, "plan": content.plan, "damaged": []}))
            records += [(key, _values(entry)) for key, entry in content.entries.items()]
        # Whole or not at all: a journal without a part of the old one would hide the rest.
        with atomic_write(self.path, "wb") as stream:
            stream.write(encode_lines(records, FIRST)[0])


def _values(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in _VALUES}


def _is_empty(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _lock(path: Path) -> sqlite3.Connection:
    """Hold a lock that ends with the process, however it ends."""
    try:
        connection = sqlite3.connect(f"{path}.lock", isolation_level=None, timeout=0)
        try:
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("BEGIN EXCLUSIVE")
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        if "locked" not in str(error):
            raise OSError(
                f"The file {f'{path}.lock'!r} cannot be used as a lock: {error}. Remove it, or "
                "choose another folder."
            ) from error
        raise BlockingIOError(
            f"Another process is running the experiment in {str(path.parent)!r}. Wait for it, or "
            "share the work with the option shard."
        ) from None
    return connection


# Reading ------------------------------------------------------------------------------------


def find_journals(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the journals in a folder; not those of which a newer version took over the content."""
    found = {path.stem: path for path in Path(folder).glob(f"journal*{_OLD_SUFFIX}")}
    found |= {path.stem: path for path in Path(folder).glob(f"journal*{SUFFIX}")}
    return [found[stem] for stem in sorted(found)]


def read_journal(path: Path) -> JournalContent:
    """Return what a journal holds.

    Damaged cells are listed in it. If the record of a start is damaged, or one of an unknown cell,
    it is not certain what belongs to the results, and the journal is refused.
    """
    if path.suffix == _OLD_SUFFIX:
        return _old_content(path)
    content, *_ = _replay(path, path.read_bytes())
    for line in content.unknown:
        raise DataFileError(
            f"{path}, line {line}: the record of a start or of an unknown cell is damaged or "
            "missing, which makes the results uncertain. Run the experiment again; intact cells "
            "are kept."
        )
    return content


def read_entries(path: Path) -> list[Entry]:
    """Return the finished cells of a journal's last plan, in the order of the plan."""
    content = read_journal(path)
    return [content.entries[key] for key in content.plan if key in content.entries]


def damage_words(damaged: Iterable[Damage]) -> str:
    """Return which records are damaged, in words."""
    found = list(damaged)
    named = [
        f"{one.label or 'unknown'} ({one.path.name}, line {one.line})"
        for one in found[:_MOST_NAMED]
    ]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return f"{plural(len(found), 'damaged record')} in the journal: {'; '.join(named)}{more}"


def _replay(path: Path, data: bytes) -> tuple[JournalContent, int, str]:
    """Return what the lines say, their size, and the checksum that the next one refers to."""
    lines, size, prev = read_lines(data)
    intact = [line for line in lines if not isinstance(line, BadLine)]
    if not intact:
        raise DataFileError(
            f"{path}: this is not the journal of an experiment, or it is damaged. Choose another "
            "folder."
        )
    _check_format(path, intact)
    content = JournalContent()
    labels = _labels(intact)
    # Whether the line before was damaged and is known: what follows may be the rest of it.
    known = False
    for line in lines:
        if not isinstance(line, BadLine):
            _apply(path, content, line.id, line.body)
            known = False
            continue
        names = {name for name in line.ids if name in labels or name in (_HEAD, _START)}
        for key in names & labels.keys():
            # An older record of the cell is not its result either.
            content.entries.pop(key, None)
            content.damaged.setdefault(key, Damage(path, line.number, key, labels[key]))
        # Two names: the damage has made one line of several.
        if line.missing or _START in names or len(names) > 1 or not (names or known):
            content.unknown[line.number] = Damage(path, line.number, "", "")
        known = bool(names)
    planned = frozenset(content.plan)
    content.starts[:] = [replace(start, planned=planned) for start in content.starts]
    return content, size, prev


def _check_format(path: Path, lines: Iterable[Line]) -> None:
    for line in lines:
        if line.id == _HEAD and line.body["format"] != _FORMAT:
            raise DataFileError(
                f"{path}: this journal has the format {line.body['format']}; this version of "
                f"svmosaic knows {_FORMAT}. Choose another folder."
            )


def _labels(lines: Iterable[Line]) -> dict[str, str]:
    """Return the names of all cells that intact lines know, by their keys."""
    labels: dict[str, str] = {}
    for line in lines:
        if line.id == _START:
            labels |= line.body["plan"] or {}
        elif line.id != _HEAD:
            labels[line.id] = _entry(line.id, line.body).label
    return labels


def _apply(path: Path, content: JournalContent, name: str, body: dict[str, Any]) -> None:
    if name == _START:
        if body["plan"] is not None:
            content.plan.clear()
            content.plan.update(body["plan"])
        for line in body["damaged"]:
            content.unknown.pop(line, None)
        content.starts.append(Start(path.name, body["started"], body["provenance"], frozenset()))
    elif name != _HEAD:
        content.entries[name] = _entry(name, body)
        content.damaged.pop(name, None)


def _entry(key: str, body: Mapping[str, Any]) -> Entry:
    return Entry(key, *(body[name] for name in _VALUES))


def _old_content(path: Path) -> JournalContent:
    old = read_old_journal(path)
    entries = {entry.key: entry for entry in (Entry(*values) for values in old.cells)}
    plan = {key: entries[key].label if key in entries else key for key in old.plan}
    starts = [Start(path.name, *start, frozenset(plan)) for start in old.starts]
    return JournalContent(entries, plan, starts)
