"""Read ARFF (attribute-relation file format), dense or sparse."""

from __future__ import annotations

import enum
import itertools
import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import (
    MAX_ATTRIBUTES,
    MAX_NOMINAL_VALUES,
    Cells,
    FinishedColumn,
    NominalColumn,
    NumericColumn,
    Roles,
    TableBuilder,
    TableOptions,
    assign_roles,
    check_size,
    feature_names,
    target_values,
    to_dense,
)
from svmosaic.datasets.readers.text import file_error, iter_blocks, shorten, table_name

__all__ = ["ArffAttribute", "ArffHeader", "AttributeKind", "read_arff", "read_header"]

# Stands for an unquoted question mark. Text files with a NUL are refused, so no value equals it.
_MISSING_CELL = "\0"
_MISSING = frozenset({_MISSING_CELL})
_QUOTED = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"")
_PLAIN = re.compile(r"[^,'\"{}%]+")
_ATTRIBUTE_NAME = re.compile(r"[^\s{}%,'\"]+")
_INDEX = re.compile(r"\d{1,18}(?=[ \t])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\", "%": "%"}
_BLANKS = " \t"

_NumberedLines = Iterator[tuple[int, str]]


class AttributeKind(enum.Enum):
    """The types of attribute that ARFF knows."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    STRING = "string"
    DATE = "date"
    RELATIONAL = "relational"


_KINDS = {
    "numeric": AttributeKind.NUMERIC,
    "real": AttributeKind.NUMERIC,
    "integer": AttributeKind.NUMERIC,
    "string": AttributeKind.STRING,
    "date": AttributeKind.DATE,
    "relational": AttributeKind.RELATIONAL,
}


@dataclass(frozen=True)
class ArffAttribute:
    """One ``@attribute`` line: name, type, line number and the values of a nominal one."""

    name: str
    kind: AttributeKind
    line: int
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArffHeader:
    """What stands above ``@data``."""

    relation: str
    attributes: tuple[ArffAttribute, ...]
    last_line: int


def read_arff(path: str | os.PathLike[str], options: TableOptions | None = None) -> Dataset:
    r"""Read an ARFF file; `svmosaic.datasets.read_table` describes the options.

    A sparse file (rows in braces) gives a ``csr_array``, a dense one an ndarray, unless
    ``options.dense`` says otherwise. In a sparse row an attribute that is not named has the
    value 0 or, when it is nominal, its first declared value.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd.
    options : TableOptions, default=None
        Target, nominal coding, missing values and storage.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets.readers.arff import read_arff
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.arff")
    ...     _ = path.write_text(
    ...         "@relation toy\n@attribute size real\n@attribute class {no, yes}\n"
    ...         "@data\n1.5, yes\n2, no\n"
    ...     )
    ...     data = read_arff(path)
    >>> data.X.ravel().tolist(), data.y.tolist(), data.target_names
    ([1.5, 2.0], ['yes', 'no'], ('no', 'yes'))
    """
    options = options or TableOptions()
    source = Path(path)
    lines = _filled_lines(source)
    header = read_header(source, lines)
    roles = assign_roles([attribute.name for attribute in header.attributes], options, source)
    _refuse_unusable(source, header, roles)
    first = next(lines, None)
    if first is None:
        raise file_error(source, header.last_line, "no rows follow @data. Check the file.")
    rows = itertools.chain([first], lines)
    if first[1].startswith("{"):
        return _read_sparse(source, rows, header, roles, options)
    return _read_dense(source, rows, header, roles, options)


def _filled_lines(path: Path) -> _NumberedLines:
    """Yield the stripped lines that are neither blank nor comments."""
    for block in iter_blocks(path):
        for number, line in enumerate(block.lines, block.first):
            text = line.strip()
            if text and not text.startswith("%"):
                yield number, text


class _Scanner:
    """Cuts one line into values, quoted or not."""

    def __init__(self, path: Path, line: int, text: str, at: int = 0) -> None:
        self.path = path
        self.line = line
        self.text = text
        self.at = at

    def fail(self, reason: str) -> NoReturn:
        raise file_error(self.path, self.line, reason)

    def peek(self) -> str:
        """Skip blanks and return the next character, or "" at the end or before a comment."""
        text = self.text
        while self.at < len(text) and text[self.at] in _BLANKS:
            self.at += 1
        if self.at == len(text) or text[self.at] == "%":
            return ""
        return text[self.at]

    def accept(self, character: str) -> bool:
        """Step over the next character if it is this one."""
        if self.peek() != character:
            return False
        self.at += 1
        return True

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Step over the pattern and return its text, or return None."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def quoted(self) -> str:
        """Return the value in the quotes that begin here."""
        found = _QUOTED.match(self.text, self.at)
        if found is None:
            self.fail("a quote is not closed. Close it on the same line.")
        self.at = found.end()
        body = found[1] if found[1] is not None else found[2]
        return _ESCAPE.sub(self._unescape, body) if "\\" in body else body

    def _unescape(self, found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        if code not in _ESCAPED:
            self.fail(f"the escape \\{code} is unknown. Write a backslash as \\\\.")
        return _ESCAPED[code]

    def value(self) -> str:
        """Return the next value; a bare question mark gives the missing cell."""
        following = self.peek()
        if following in ("'", '"') and following:
            return self.quoted()
        plain = self.match(_PLAIN) if following else None
        if plain is None:
            self.fail("a value is empty. Write ? for a missing value and '' for an empty one.")
        stop = self.text[self.at : self.at + 1]
        if stop in ("'", '"') and stop:
            self.fail("a quote stands inside a value. Put the whole value in quotes.")
        if stop == "%" and plain[-1] not in _BLANKS:
            self.fail("a % stands inside a value. Put the value in quotes.")
        plain = plain.rstrip()
        return _MISSING_CELL if plain == "?" else plain

    def weight(self) -> float:
        """Return the instance weight that stands here in braces, and check that the line ends."""
        text = self.value() if self.accept("{") else ""
        try:
            weight = float(text)
        except ValueError:
            weight = -1.0
        if not 0.0 <= weight < float("inf") or not self.accept("}") or self.peek():
            self.fail("the instance weight is wrong. End the row with a weight like {2.5}.")
        return weight


def read_header(path: Path, lines: _NumberedLines) -> ArffHeader:
    """Read up to and including ``@data``; `lines` then stands at the first row.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    lines : iterator of (int, str)
        The numbered lines that are neither blank nor comments, stripped.

    Returns
    -------
    ArffHeader
    """
    relation = ""
    attributes: dict[str, ArffAttribute] = {}
    number = 1
    for number, text in lines:
        keyword = text.split(maxsplit=1)[0].lower()
        scanner = _Scanner(path, number, text, len(keyword))
        if keyword == "@relation":
            relation = scanner.value() if scanner.peek() else ""
        elif keyword == "@attribute":
            attribute = _read_attribute(scanner)
            if attribute.name in attributes:
                before = attributes[attribute.name].line
                scanner.fail(
                    f"attribute {shorten(attribute.name)} was declared in line {before}. "
                    "Rename one of them."
                )
            attributes[attribute.name] = attribute
            if len(attributes) > MAX_ATTRIBUTES:
                scanner.fail(f"more than {MAX_ATTRIBUTES} attributes. Split the file.")
        elif keyword == "@data":
            if not attributes:
                scanner.fail("@data comes before any @attribute. Declare the attributes first.")
            return ArffHeader(relation, tuple(attributes.values()), number)
        else:
            scanner.fail(
                f"expected @relation, @attribute or @data, got {shorten(keyword)}. "
                "Check that this is an ARFF file."
            )
    raise file_error(path, number, "the file ends before @data. Check that it is complete.")


def _read_attribute(scanner: _Scanner) -> ArffAttribute:
    following = scanner.peek()
    if following in ("'", '"') and following:
        name: str | None = scanner.quoted()
    else:
        name = scanner.match(_ATTRIBUTE_NAME)
    if not name:
        scanner.fail("the attribute has no name. Write @attribute name type.")
    if scanner.accept("{"):
        values = _read_nominal_values(scanner, name)
        attribute = ArffAttribute(name, AttributeKind.NOMINAL, scanner.line, values)
    else:
        attribute = ArffAttribute(name, _read_kind(scanner, name), scanner.line)
    if scanner.peek():
        rest = shorten(scanner.text[scanner.at :])
        scanner.fail(f"unexpected {rest} after the type of attribute {shorten(name)}. Remove it.")
    return attribute


def _read_kind(scanner: _Scanner, name: str) -> AttributeKind:
    scanner.peek()
    word = scanner.match(_ATTRIBUTE_NAME) or ""
    kind = _KINDS.get(word.lower())
    if kind is None:
        scanner.fail(
            f"attribute {shorten(name)} has the unknown type {shorten(word)}. Use numeric, real, "
            "integer, string or a list of values in braces."
        )
    if kind is AttributeKind.RELATIONAL:
        scanner.fail(
            f"attribute {shorten(name)} is relational: the file holds bags of rows, not one "
            "table. Flatten it to one row per line."
        )
    if kind is AttributeKind.DATE and scanner.peek():
        scanner.value()  # the date format
    return kind


def _read_nominal_values(scanner: _Scanner, name: str) -> tuple[str, ...]:
    values: dict[str, None] = {}
    while True:
        if not scanner.peek():
            scanner.fail(f"the values of attribute {shorten(name)} do not end with a brace. Add }}.")
        value = scanner.value()
        if value == _MISSING_CELL:
            scanner.fail(f"? is a value of attribute {shorten(name)}. Quote it or leave it out.")
        if value in values:
            scanner.fail(f"{shorten(value)} is twice a value of {shorten(name)}. Remove one.")
        values[value] = None
        if len(values) > MAX_NOMINAL_VALUES:
            scanner.fail(
                f"attribute {shorten(name)} has more than {MAX_NOMINAL_VALUES} values. "
                "Declare it as a string."
            )
        if scanner.accept("}"):
            return tuple(values)
        if not scanner.accept(","):
            scanner.fail(f"the values of attribute {shorten(name)} need commas between them.")


def _refuse_unusable(path: Path, header: ArffHeader, roles: Roles) -> None:
    for j, attribute in enumerate(header.attributes):
        name = attribute.name
        if j in roles.dropped or j in roles.forced_nominal:
            continue
        if attribute.kind is AttributeKind.DATE:
            raise file_error(
                path,
                attribute.line,
                f"attribute {shorten(name)} is a date, which is not a number. "
                f"Leave it out with drop=[{shorten(name)}].",
            )
        if attribute.kind is AttributeKind.STRING and j != roles.target:
            raise file_error(
                path,
                attribute.line,
                f"attribute {shorten(name)} is a string, which is not a feature. List it in "
                f"drop, or in nominal_columns to read its values as names.",
            )


def _column(
    path: Path, j: int, attribute: ArffAttribute, roles: Roles, options: TableOptions
) -> NumericColumn | NominalColumn | None:
    if j in roles.dropped:
        return None
    is_target = j == roles.target
    cells = Cells(path, attribute.name, _MISSING, options.allow_nan and not is_target, is_target)
    if attribute.kind is AttributeKind.NOMINAL:
        return NominalColumn(cells, attribute.values)
    if attribute.kind is AttributeKind.NUMERIC and j not in roles.forced_nominal:
        return NumericColumn(cells)
    return NominalColumn(cells)


def _read_dense(
    path: Path, rows: _NumberedLines, header: ArffHeader, roles: Roles, options: TableOptions
) -> Dataset:
    columns = [_column(path, j, a, roles, options) for j, a in enumerate(header.attributes)]
    builder = TableBuilder(path, columns, roles, options)
    weights = array("d")
    number = header.last_line
    for number, text in rows:
        cells, weight = _split_row(path, number, text)
        builder.add_row(cells, number)
        weights.append(weight)
    return builder.finish(
        number, sample_weight=_weights(weights), description=f"ARFF relation {header.relation!r}"
    )


def _weights(weights: array[float]) -> Any:
    values = np.array(weights)
    return None if np.all(values == 1.0) else values


def _split_row(path: Path, number: int, text: str) -> tuple[list[str], float]:
    """Return the cells of a dense row and its weight."""
    if "'" not in text and '"' not in text and "%" not in text and "{" not in text:
        cells = text.split(",")
        if "?" in text:
            cells = [_MISSING_CELL if cell.strip() == "?" else cell for cell in cells]
        return cells, 1.0
    scanner = _Scanner(path, number, text)
    if scanner.peek() == "{":
        scanner.fail("a sparse row among dense rows. Write all rows in one way.")
    cells = [scanner.value()]
    while scanner.peek():
        if not scanner.accept(","):
            scanner.fail("text follows a closing quote. Put a comma between the values.")
        if scanner.peek() == "{":
            return cells, scanner.weight()
        cells.append(scanner.value())
    return cells, 1.0


@dataclass
class _Entries:
    """The values that sparse rows name, as triplets; a nominal value is its code."""

    rows: array[int]
    columns: array[int]
    values: array[float]
    weights: array[float]


def _read_sparse(
    path: Path, rows: _NumberedLines, header: ArffHeader, roles: Roles, options: TableOptions
) -> Dataset:
    entries = _Entries(array("q"), array("q"), array("d"), array("d"))
    # Made when first used: most rows name few of the attributes.
    columns: dict[int, NumericColumn | NominalColumn | None] = {}
    for number, text in rows:
        n_rows = len(entries.weights)
        scanner = _Scanner(path, number, text)
        named_target = roles.target is None
        for j, cell in _sparse_cells(scanner, len(header.attributes)):
            if j not in columns:
                columns[j] = _column(path, j, header.attributes[j], roles, options)
            column = columns[j]
            if column is not None:
                entries.rows.append(n_rows)
                entries.columns.append(j)
                entries.values.append(column.convert(cell, number))
            named_target = named_target or j == roles.target
        if not named_target and _has_no_default(header, roles):
            scanner.fail("the target has no value. Name it in the row.")
        entries.weights.append(scanner.weight() if scanner.accept(",") else 1.0)
        if scanner.peek():
            scanner.fail("text follows the closing brace. Remove it.")
    return _SparseTable(path, header, roles, options, entries, columns).dataset()


def _has_no_default(header: ArffHeader, roles: Roles) -> bool:
    # Without a declaration there is no first value that an absent target could have.
    target = header.attributes[roles.target or 0]
    return target.kind in (AttributeKind.STRING, AttributeKind.DATE)


def _sparse_cells(scanner: _Scanner, n_attributes: int) -> Iterator[tuple[int, str]]:
    """Yield the (attribute, cell) pairs of a row in braces and step over the braces."""
    if not scanner.accept("{"):
        scanner.fail("a dense row among sparse rows. Write all rows in one way.")
    if scanner.accept("}"):
        return
    previous = -1
    while True:
        scanner.peek()
        digits = scanner.match(_INDEX)
        if digits is None:
            scanner.fail("expected an attribute number, a blank and a value. Mend the row.")
        index = int(digits)
        if index >= n_attributes:
            scanner.fail(
                f"attribute number {index} is too large; {n_attributes} attributes are declared "
                "and they count from 0. Mend the number."
            )
        if index <= previous:
            scanner.fail(
                f"attribute number {index} does not follow {previous}; numbers must ascend. "
                "Sort the values of this row."
            )
        previous = index
        yield index, scanner.value()
        if scanner.accept("}"):
            return
        if not scanner.accept(","):
            scanner.fail("the row does not end with a brace. Add } or a comma.")


class _SparseTable:
    """Makes the data set of a sparse file."""

    def __init__(
        self,
        path: Path,
        header: ArffHeader,
        roles: Roles,
        options: TableOptions,
        entries: _Entries,
        columns: dict[int, NumericColumn | NominalColumn | None],
    ) -> None:
        self._path = path
        self._header = header
        self._roles = roles
        self._options = options
        self._columns = columns
        self._n_rows = len(entries.weights)
        self._weights = _weights(entries.weights)
        # Sorted by attribute, the entries of each attribute lie side by side.
        attribute = np.array(entries.columns)
        order = np.argsort(attribute, kind="stable")
        self._rows = np.array(entries.rows)[order]
        self._values = np.array(entries.values)[order]
        n = len(header.attributes)
        self._starts = np.searchsorted(attribute[order], np.arange(n + 1))
        self._attribute = attribute[order]

    def dataset(self) -> Dataset:
        """Return the data set."""
        y, target_names = None, None
        if self._roles.target is not None:
            y, target_names = target_values(self._whole_column(self._roles.target))
        X, names = self._features()
        if self._options.dense:
            X = to_dense(X, self._path, self._options.max_dense_mb)
        return Dataset(
            X=X,
            y=y,
            feature_names=names,
            target_names=target_names,
            sample_weight=self._weights,
            name=table_name(self._path),
            description=f"ARFF relation {self._header.relation!r}",
        )

    def _whole_column(self, j: int) -> FinishedColumn:
        """Return a column with its defaults filled in: 0 or the first value."""
        attribute = self._header.attributes[j]
        part = slice(self._starts[j], self._starts[j + 1])
        values = np.zeros(self._n_rows)
        values[self._rows[part]] = self._values[part]
        if attribute.kind is AttributeKind.NOMINAL:
            return FinishedColumn(attribute.name, values.astype(np.int64), attribute.values)
        if attribute.kind is AttributeKind.NUMERIC and j not in self._roles.forced_nominal:
            return FinishedColumn(attribute.name, values)
        return self._open_column(j, values)
