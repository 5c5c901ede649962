"""Stream the bytes and lines of plain or gzip'd text files, within limits."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from svmosaic.exceptions import DataFileError

__all__ = [
    "BLANKS",
    "MAX_LINE_BYTES",
    "LineBlock",
    "file_error",
    "gap_advice",
    "iter_blocks",
    "iter_chunks",
    "shorten",
    "split_plain",
    "table_name",
]

BLANKS = " \t"
MAX_LINE_BYTES = 1 << 24
_CHUNK_BYTES = 1 << 20
_MAX_RATIO = 1000
# A tiny file of blanks may honestly shrink a lot; below this size a high ratio does no harm.
_RATIO_FREE_BYTES = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class LineBlock:
    """Some consecutive lines of a file, without their line ends."""

    first: int  # number of the first line, from 1
    lines: list[str]


def file_error(path: Path, line: int | None, reason: str) -> DataFileError:
    """Make the error that names the file, the line and the mend."""
    where = path.name if line is None else f"{path.name}, line {line}"
    return DataFileError(f"{where}: {reason}")


@contextmanager
def gap_advice(advice: str) -> Iterator[None]:
    """Tell another way to mend a gap than the readers' own option, which not every caller has."""
    try:
        yield
    except DataFileError as error:
        raise DataFileError(str(error).replace("pass allow_nan=True", advice)) from None


def shorten(text: str, limit: int = 40) -> str:
    """Quote text from a file for a message: short and printable."""
    return ascii(text if len(text) <= limit else text[:limit] + "...")


def split_plain(line: str, delimiter: str) -> list[str]:
    """Cut a line without quotes into cells, without the blanks around them."""
    cells = line.split(delimiter)
    if " " in line or "\t" in line:
        return [cell.strip(BLANKS) for cell in cells]
    return cells


def table_name(path: Path) -> str:
    """Return the name of a file without ``.gz`` and without its extension."""
    return Path(path.name.removesuffix(".gz")).stem


def iter_chunks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the content of a file in chunks of about one megabyte.

    Gzip is recognised by its first bytes, whatever the name. A file that unpacks to more than
    1000 times its size is refused. A UTF-8 byte order mark is left out.
    """
    source = Path(path)
    with source.open("rb") as raw:
        zipped = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        chunks = _unzip(source, raw) if zipped else iter(lambda: raw.read(_CHUNK_BYTES), b"")
        first = next(chunks, b"")
        yield first.removeprefix(_UTF8_MARK)
        yield from chunks


def _unzip(path: Path, raw: BinaryIO) -> Iterator[bytes]:
    most = max(_RATIO_FREE_BYTES, _MAX_RATIO * os.fstat(raw.fileno()).st_size)
    total = 0
    with gzip.GzipFile(fileobj=raw) as stream:
        while True:
            try:
                chunk = stream.read(_CHUNK_BYTES)
            except (OSError, EOFError, zlib.error) as error:
                raise file_error(
                    path, None, f"the gzip data are damaged ({error}). Copy the file again."
                ) from error
            if not chunk:
                return
            total += len(chunk)
            if total > most:
                raise file_error(
                    path,
                    None,
                    f"the file unpacks to more than {_MAX_RATIO} times its size. "
                    "Unpack it yourself if you trust it.",
                )
            yield chunk


def iter_blocks(
    path: str | os.PathLike[str], max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[LineBlock]:
    """Yield the lines of a UTF-8 text file, a block at a time.

    Lines end with a line feed, with or without a carriage return before it. Refused with the
    line number: bytes that are not UTF-8, NUL bytes, and lines longer than `max_line_bytes`.
    """
    source = Path(path)
    number = 1
    carry = b""
    for chunk in iter_chunks(source):
        body, newline, tail = chunk.rpartition(b"\n")
        if newline:
            block = _decode(source, number, carry + body, max_line_bytes)
            yield block
            number += len(block.lines)
            carry = tail
        else:
            carry += tail
        if len(carry) > max_line_bytes:
            raise _long_line(source, number, max_line_bytes)
    if carry:
        yield _decode(source, number, carry, max_line_bytes)


def _long_line(path: Path, line: int, limit: int) -> DataFileError:
    return file_error(
        path, line, f"the line is longer than {limit} bytes. Check that this is a text table."
    )


def _decode(path: Path, first: int, data: bytes, max_line_bytes: int) -> LineBlock:
    if len(data) > max_line_bytes:
        for offset, part in enumerate(data.split(b"\n")):
            if len(part) > max_line_bytes:
                raise _long_line(path, first + offset, max_line_bytes)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first + data.count(b"\n", 0, error.start)
        raise file_error(
            path, line, f"byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8."
        ) from error
    nul = data.find(b"\0")
    if nul >= 0:
        line = first + data.count(b"\n", 0, nul)
        raise file_error(path, line, "a NUL byte is not text. Save the file as UTF-8 text.")
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return LineBlock(first, lines)
