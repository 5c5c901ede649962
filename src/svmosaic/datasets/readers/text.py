"""Stream the bytes and lines of plain or gzip'd text files, within limits."""

from __future__ import annotations

import codecs
import gzip
import itertools
import math
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from svmosaic.exceptions import DataFileError
from svmosaic.utils.free_memory import free_memory

__all__ = [
    "BLANKS",
    "MAX_LINE_BYTES",
    "LineBlock",
    "check_encoding",
    "coding_limit",
    "file_error",
    "in_words",
    "iter_blocks",
    "iter_chunks",
    "iter_result_blocks",
    "memory_limit",
    "most_by_ratio",
    "other_advice",
    "packing_and_encoding",
    "shorten",
    "split_plain",
    "table_name",
    "too_long",
]

BLANKS = " \t"
MAX_LINE_BYTES = 1 << 24
_CHUNK_BYTES = 1 << 20
# Text, what is parsed from it and the arrays of it are in memory at the same time.
_SHARE_OF_FREE_MEMORY = 1 / 8
_LEAST_LIMIT = 1 << 24
# How much larger than the cells read their one-hot coding may be, once it is not small.
_MOST_GROWTH = 32
_SMALL_ARRAY = 1 << 28
# How much a gzip file may unpack to: (times its size, up to this many bytes). Real data shrink to
# a 20th, and rarely to a 200th; deflate reaches 1030, with nothing in the file.
_RATIOS = ((math.inf, 1 << 20), (250, 1 << 25), (25, math.inf))
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
# Byte-order marks that name an encoding; that of UTF-32 begins with one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class LineBlock:
    """Some consecutive lines of a file, without their line ends."""

    first: int  # number of the first line, from 1
    lines: list[str]


def file_error(path: Path, line: int | None, reason: str) -> DataFileError:
    """Make the error that names the file, the line and how to fix it."""
    where = path.name if line is None else f"{path.name}, line {line}"
    return DataFileError(f"{where}: {reason}")


# What messages say, by the names that `other_advice` takes.
_ADVICE = {
    "unpack": "Pass max_bytes if you trust the file.",
    "shorten": "Pass a larger max_bytes, or read the file as a stream.",
    "allow_nan": "pass allow_nan=True",
    "max_bytes": "max_bytes",
    "encoding": "pass encoding='cp1252'",
}


@contextmanager
def other_advice(**words: str) -> Iterator[None]:
    """Replace the names of the readers' options in messages, where the caller has others.

    Parameters
    ----------
    **words : str
        What to say instead of each option: ``allow_nan="pass --impute"`` for missing values,
        ``max_bytes="--max-bytes"`` for the limit; ``unpack`` and ``shorten`` where there is no
        option for the limit.
    """
    try:
        yield
    except DataFileError as error:
        message = str(error)
        for name, phrase in _ADVICE.items():
            message = message.replace(phrase, words.get(name, phrase))
        raise DataFileError(message) from None


def shorten(text: str, limit: int = 40) -> str:
    """Quote text from a file for a message: short and printable."""
    return ascii(text if len(text) <= limit else text[:limit] + "...")


def split_plain(line: str, delimiter: str) -> list[str]:
    """Cut a line without quotes into cells, without the blanks around them."""
    cells = line.split(delimiter)
    if " " in line or "\t" in line:
        return [cell.strip(BLANKS) for cell in cells]
    return cells


def in_words(n_bytes: float) -> str:
    """Return a number of bytes for a message."""
    for unit, size in (("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.0f} {unit}"
    return f"{n_bytes:.0f} bytes"


def table_name(path: Path) -> str:
    """Return the name of a file without ``.gz`` and without its extension."""
    return Path(path.name.removesuffix(".gz")).stem


def memory_limit(max_bytes: float | None = None) -> float:
    """Return how many bytes of text, or of one array, are taken into memory at most.

    Parameters
    ----------
    max_bytes : float, default=None
        The caller's limit. None: an eighth of the free memory, at least 16 MB.
    """
    if max_bytes is not None:
        return max_bytes
    return max(_LEAST_LIMIT, _SHARE_OF_FREE_MEMORY * free_memory())


def coding_limit(max_bytes: float | None, parsed: int) -> float:
    """Return how many bytes the one-hot coding of cells may take that took `parsed` as numbers.

    A short file can name very many values: without a word from the caller, coding may not make
    much of little.
    """
    if max_bytes is not None:
        return max_bytes
    return min(memory_limit(), max(_SMALL_ARRAY, _MOST_GROWTH * parsed))


def check_encoding(name: str) -> str:
    """Return the name of a character encoding as Python has it, or raise.

    Parameters
    ----------
    name : str
        The caller's choice, such as ``"latin-1"`` or ``"cp1252"``.
    """
    try:
        found = codecs.lookup(name)
        # Others, such as "hex", turn bytes into bytes.
        "".encode(found.name)
    except (LookupError, ValueError):
        raise ValueError(
            f"There is no character encoding {name!r}. Use a name such as 'utf-8', 'cp1252', "
            "'latin-1' or 'utf-16'."
        ) from None
    return found.name


def iter_chunks(
    path: str | os.PathLike[str], max_bytes: float | None = None, encoding: str | None = None
) -> Iterator[bytes]:
    """Yield the content of a file as UTF-8, in chunks of about one megabyte.

    Gzip is recognised by its first bytes, whatever the name. UTF-16 is recognised by its byte-order
    mark. A byte-order mark is left out.

    Parameters
    ----------
    path : path-like
        The file.
    max_bytes : float, default=None
        Longer text is refused as soon as it is seen. None: `memory_limit`, and for gzip also a
        limit by the size of the file.
    encoding : str, default=None
        How the text is encoded; None: UTF-8, unless a byte-order mark says otherwise.
    """
    source = Path(path)
    known = None if encoding is None else check_encoding(encoding)
    with source.open("rb") as raw:
        zipped = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        chunks = _unzip(source, raw) if zipped else iter(lambda: raw.read(_CHUNK_BYTES), b"")
        if zipped and max_bytes is None:
            status = os.fstat(raw.fileno())
            _unpack_beginning(source, status.st_size, status.st_mtime_ns)
            chunks = _within_ratio(source, status.st_size, chunks)
        most, total = memory_limit(max_bytes), 0
        for chunk in _as_utf8(source, chunks, known):
            total += len(chunk)
            if total > most:
                raise too_long(source, most, max_bytes)
            yield chunk


def _as_utf8(path: Path, chunks: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    """Yield the chunks in UTF-8, without a byte-order mark."""
    first = next(chunks, b"")
    encoding = encoding or _encoding_by_mark(first)
    if encoding in ("utf-8", "utf-8-sig"):
        yield from itertools.chain([first.removeprefix(_UTF8_MARK)], chunks)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    line, is_first = 1, True
    for chunk in itertools.chain([first], chunks, [b""]):
        try:
            text = decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(encoding, "ignore")
            raise file_error(
                path,
                line + before.count("\n"),
                f"byte 0x{error.object[error.start]:02x} is not {encoding}. Name the encoding of "
                "the file.",
            ) from error
        if is_first and text:
            text, is_first = text.removeprefix("\ufeff"), False
        line += text.count("\n")
        yield text.encode("utf-8", "surrogatepass")


def _encoding_by_mark(start: bytes) -> str:
    """Return the encoding that the first bytes of a text show."""
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")


def packing_and_encoding(path: Path) -> tuple[bool, str]:
    """Return whether a file is gzip'd, and the encoding that its first bytes show.

    Parameters
    ----------
    path : Path
        A file of text.
    """
    with path.open("rb") as raw:
        is_packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        start = next(_unzip(path, raw), b"") if is_packed else raw.read(len(_MARKS[0][0]))
    return is_packed, _encoding_by_mark(start)


@lru_cache(maxsize=64)
def _unpack_beginning(path: Path, size: int, mtime_ns: int) -> None:
    """Refuse a small file that unpacks to a lot, before time is spent on reading its text."""
    total = 0
    with path.open("rb") as raw:
        for chunk in _within_ratio(path, size, _unzip(path, raw)):
            total += len(chunk)
            if total > _RATIOS[-2][1]:
                return


def _within_ratio(path: Path, size: int, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what a gzip file of a size unpacks to, unless it is too much."""
    most, total = most_by_ratio(size), 0
    for chunk in chunks:
        total += len(chunk)
        if total > most:
            raise file_error(
                path,
                None,
                f"{in_words(size)} unpack to more than {in_words(most)}. {_ADVICE['unpack']}",
            )
        yield chunk


def most_by_ratio(size: int) -> float:
    """Return how many bytes a packed file of a size may unpack to."""
    return max(min(ratio * size, most) for ratio, most in _RATIOS)


def too_long(path: Path, most: float, max_bytes: float | None) -> DataFileError:
    """Make the error for more text, or what takes its place, than the limit."""
    known = f"max_bytes={most:.0f}" if max_bytes is not None else "an eighth of the free memory"
    return file_error(
        path,
        None,
        f"the text is longer than {in_words(most)} ({known}). {_ADVICE['shorten']}",
    )


def _unzip(path: Path, raw: BinaryIO) -> Iterator[bytes]:
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
            yield chunk


def iter_blocks(
    path: str | os.PathLike[str],
    max_bytes: float | None = None,
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
    encoding: str | None = None,
) -> Iterator[LineBlock]:
    """Yield the lines of a text file, a block at a time.

    Lines end with a line feed, with or without a carriage return before it. Refused with the
    line number: bytes that are not UTF-8, NUL bytes, other carriage returns, and lines longer than
    `max_line_bytes`.
    Text longer than `max_bytes` is refused as in `iter_chunks`, which also says what `encoding` is.
    """
    source = Path(path)
    number = 1
    carry = b""
    for chunk in iter_chunks(source, max_bytes, encoding):
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


def iter_result_blocks(path: str | os.PathLike[str]) -> Iterator[LineBlock]:
    """Yield the lines of a table of results, for callers that have no option for the limit."""
    with other_advice(
        unpack="Unpack it by gunzip if you trust the file.",
        shorten="Free memory, or divide the file.",
    ):
        yield from iter_blocks(path)


def _refuse_carriage_returns(path: Path, first: int, lines: list[str]) -> None:
    """Refuse line ends of old Macintosh computers, which would make one line of the file."""
    for number, line in enumerate(lines, first):
        if "\r" in line:
            raise file_error(
                path,
                number,
                "a carriage return within the line. Save the file with line feeds as line ends.",
            )


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
            path,
            line,
            f"byte 0x{data[error.start]:02x} is not UTF-8. Save the file as UTF-8, or "
            f"{_ADVICE['encoding']} if it comes from Windows.",
        ) from error
    nul = data.find(b"\0")
    if nul >= 0:
        line = first + data.count(b"\n", 0, nul)
        raise file_error(path, line, "a NUL byte is not text. Save the file as UTF-8 text.")
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
        _refuse_carriage_returns(path, first, lines)
    return LineBlock(first, lines)
