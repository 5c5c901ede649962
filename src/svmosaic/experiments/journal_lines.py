"""Lines of a journal: a checksum for each record, and a chain over all of them.

A line is the JSON array ``["CHECKSUM","ID",{"prev": "...", ..., "id": "ID"}]``. The checksum covers
everything after it, and ``prev`` repeats the checksum of the record before. The first finds a
record that has changed, the second a record that is missing, repeated or out of place. The id is at
both ends, so that one damaged byte never hides whose record it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

__all__ = ["FIRST", "BadLine", "Line", "encode_lines", "read_lines"]

# What the first record has as `prev`.
FIRST = "0" * 32

_CHECKSUM = slice(2, 34)
_CONTENT = slice(36, -1)
# A new record also begins where the end of the line before was damaged. No record has this text
# inside: between the values of a record there are blanks.
_BEGIN = re.compile(rb'\["[0-9a-f]{32}","')
_IDS = (
    re.compile(rb'^.{35},"([^"]*)"', re.DOTALL),
    re.compile(rb'"id": "([^"]*)"\}.?$', re.DOTALL),
)


class Line(NamedTuple):
    """An intact record.

    Attributes
    ----------
    number : int
        Its line, from 1.
    id : str
        What it is about.
    body : dict
        Its values.
    checksum : str
        What the next record has as its `prev`.
    """

    number: int
    id: str
    body: dict[str, Any]
    checksum: str


class BadLine(NamedTuple):
    """A damaged record, or a place where records are missing.

    Attributes
    ----------
    number : int
        Its line, from 1.
    ids : tuple of str
        The ids that it may have.
    missing : bool
        Whether records are missing before this line.
    """

    number: int
    ids: tuple[str, ...]
    missing: bool = False


def encode_lines(records: Iterable[tuple[str, Mapping[str, Any]]], prev: str) -> tuple[bytes, str]:
    """Return the lines of records, by id and values, and the checksum of the last one.

    Parameters
    ----------
    records : iterable of (str, mapping)
        The records.
    prev : str
        The checksum of the record before them.
    """
    lines = []
    for name, values in records:
        body = json.dumps({"prev": prev, **values, "id": name})
        content = f"{json.dumps(name)},{body}".encode()
        prev = _checksum(content)
        lines.append(b'["%b",%b]\n' % (prev.encode(), content))
    return b"".join(lines), prev


def read_lines(data: bytes) -> tuple[list[Line | BadLine], int, str]:
    """Return all records, the size of the whole lines, and the `prev` of the next record.

    A last line without an end that is not intact is what a killed process leaves behind. It is left
    out.
    """
    lines: list[Line | BadLine] = []
    # Bad lines since the last intact record, and the checksums that they may have had.
    bad: list[BadLine] = []
    checksums: set[str] = set()
    last = prev = FIRST
    for number, begin, piece in _pieces(data):
        line = _decode(number, piece)
        if line is None:
            if begin + len(piece) == len(data):
                return [*lines, *bad], begin, prev
            prev = _checksum(piece[_CONTENT])
            bad.append(BadLine(number, _ids(piece)))
            checksums |= {_text(piece[_CHECKSUM]), prev}
            continue
        # If the chain continues as if they were not there, the bad lines were never records.
        if line.body["prev"] != last:
            lines += bad
            if line.body["prev"] not in checksums:
                lines.append(BadLine(number, (), missing=True))
        lines.append(line)
        bad, checksums, last = [], set(), line.checksum
        prev = last
    return [*lines, *bad], len(data), prev


def _pieces(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, the begin and the content of each line."""
    offset = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        begins = [found.start() for found in _BEGIN.finditer(line)]
        for begin, end in pairwise(sorted({0, *begins, len(line)})):
            yield number, offset + begin, line[begin:end]
        offset += len(line) + 1


def _decode(number: int, piece: bytes) -> Line | None:
    # The second is a line whose end was damaged.
    for text in (piece, piece[:-1]):
        content = text[_CONTENT]
        checksum = _checksum(content)
        if text == b'["%b",%b]' % (checksum.encode(), content):
            name, body = json.loads(b"[%b]" % content)
            return Line(number, name, body, checksum)
    return None


def _ids(piece: bytes) -> tuple[str, ...]:
    return tuple(_text(found[1]) for pattern in _IDS if (found := pattern.search(piece)))


def _text(content: bytes) -> str:
    return content.decode("ascii", "replace")


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
