"""Results of another run: cells that ask the same question need not be run again.

The file is the ``results.csv`` that every run writes, or that file packed by gzip. It says what
was asked (``question``: a hash of the data, the split, the method, its parameters and the scores)
and which code answered (``code``). A cell with the same question takes the answer over, even if
the code has changed since; its record then says so.

Each row ends with a checksum over its values and their names, so that a changed row is refused.
Rows may be left out or put in another order. Files of 0.1 have no checksums and are still read.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmosaic.datasets.readers.text import file_error, iter_result_blocks, shorten
from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.planned import PlannedCell

__all__ = ["CHECKSUM", "entries_from", "read_known", "reuse_words", "to_csv_row"]

# The column of the checksums; what they begin with tells them from all other values.
CHECKSUM = "checksum"
_PREFIX = "blake2b:"

# Columns that are names and not values of a record.
_NAMES = ("dataset", "method", "finished")
# Values that stay text, whatever they look like.
_TEXTS = frozenset({"question", "code", "reused_from"})
_NEEDED = (*_NAMES, "question", "code", "repeat", "fold")


def to_csv_row(record: Mapping[str, Any]) -> dict[str, str]:
    """Return a record as texts for a CSV file, with their checksum; `read_known` reads it back."""
    texts = {
        name: value if isinstance(value, str) else _text(value)
        for name, value in record.items()
        if value is not None
    }
    return {**texts, CHECKSUM: _checksum(texts)}


def _text(value: Any) -> str:
    # What json.dumps gives for most values of a record, without its cost.
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    return json.dumps(value)


def _checksum(texts: Mapping[str, str]) -> str:
    # Programs that copy text files may write the ends of lines in another way.
    pairs = [[name, text.replace("\r\n", "\n")] for name, text in sorted(texts.items()) if text]
    return _PREFIX + hashlib.blake2b(json.dumps(pairs).encode(), digest_size=16).hexdigest()


def read_known(path: str | os.PathLike[str]) -> dict[str, Entry]:
    """Return the finished cells of a ``results.csv`` or ``results.csv.gz`` by their questions.

    The key of an entry is empty: it belongs to the code that runs now.
    """
    source = Path(path)
    if not source.is_file():
        raise DataNotFoundError(f"There is no file {str(path)!r}. Name the results.csv of a run.")
    lines = (f"{line}\n" for block in iter_result_blocks(source) for line in block.lines)
    rows = csv.DictReader(lines)
    try:
        return _read_rows(source, rows)
    except csv.Error as error:
        raise file_error(
            source, rows.line_num + 1, f"this is not CSV: {error}. Write the file again."
        ) from None


def _read_rows(source: Path, rows: csv.DictReader[str]) -> dict[str, Entry]:
    missing = [name for name in _NEEDED if name not in (rows.fieldnames or ())]
    if missing:
        raise file_error(
            source,
            1,
            f"expected the columns of a results.csv, and {missing[0]!r} is not there. Name a file "
            "that svmosaic has written.",
        )
    return {row["question"]: _entry(source, rows.line_num, row) for row in rows}


def _entry(source: Path, line: int, row: dict[str, str]) -> Entry:
    # Python has no name for values beyond the columns, and no value for columns beyond them.
    if None in row or None in row.values():
        raise file_error(
            source,
            line,
            "expected as many values as there are columns. The file may have been cut off; write "
            "it again.",
        )
    _check_row(source, line, row)
    row.pop(CHECKSUM, None)
    record = {name: _value(name, text) for name, text in row.items() if name not in _NAMES}
    repeat, fold = record["repeat"], record["fold"]
    if type(repeat) is not int or type(fold) is not int:
        raise file_error(
            source,
            line,
            f"expected whole numbers as repeat and fold, got {shorten(row['repeat'])} and "
            f"{shorten(row['fold'])}. Name a file that svmosaic has written.",
        )
    return Entry("", row["dataset"], row["method"], repeat, fold, "done", record, row["finished"])


def _check_row(source: Path, line: int, row: Mapping[str, str]) -> None:
    """Refuse a row that is not what was written."""
    texts = {name: text for name, text in row.items() if name != CHECKSUM}
    if CHECKSUM in row:
        intact = row[CHECKSUM] == _checksum(texts)
    else:
        # Either the file is of 0.1, or the name of the column has changed.
        intact = not any(text.startswith(_PREFIX) for text in texts.values())
    if not intact:
        raise file_error(
            source,
            line,
            "this row has changed since it was written: its checksum is another. Copy the file "
            "again, name the folder of the run, or delete the row.",
        )


def entries_from(
    known: dict[str, Entry], source: str, planned: Iterable[PlannedCell]
) -> list[Entry]:
    """Return the entries of planned cells whose questions are answered in a file."""
    return [
        _taken_over(known[cell.question], source, cell)
        for cell in planned
        if cell.question in known
    ]


def reuse_words(records: Sequence[Mapping[str, Any]]) -> str:
    """Return how many cells come from the results of another run, in words; nothing if none."""
    reused = [record for record in records if record.get("reused_from")]
    if not reused:
        return ""
    files = ", ".join(sorted({record["reused_from"] for record in reused}))
    dates = sorted({record["finished"][:10] for record in reused})
    n_other = sum(record["other_code"] for record in reused)
    code = {0: "all by this code", len(reused): "all by an earlier or later code"}.get(
        n_other, f"{n_other} of them by an earlier or later code"
    )
    return (
        f"{len(reused)} of {len(records)} cells were taken from {files}: computed "
        f"{' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, {code}."
    )


def _taken_over(entry: Entry, source: str, cell: PlannedCell) -> Entry:
    origin = {"reused_from": source, "other_code": entry.record["code"] != cell.code}
    return Entry(
        *(cell.key, entry.dataset, entry.method, entry.repeat, entry.fold),
        *(entry.status, {**entry.record, **origin}, entry.finished),
    )


def _value(name: str, text: str) -> Any:
    if name in _TEXTS:
        return text
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
