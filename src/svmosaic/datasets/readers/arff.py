"""Read ARFF (attribute-relation file format), dense or sparse."""

from __future__ import annotations

import dataclasses
import enum
import itertools
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import Roles, assign_roles
from svmosaic.datasets.readers.columns import (
    MAX_ATTRIBUTES,
    MAX_NOMINAL_VALUES,
    Cells,
    DoubleArray,
    FinishedColumn,
    IndexArray,
    NominalColumn,
    NumericColumn,
    TextColumn,
)
from svmosaic.datasets.readers.feature_matrix import (
    Triplets,
    feature_names,
    to_csr,
    to_dense,
    triplets,
)
from svmosaic.datasets.readers.reader import ColumnNames
from svmosaic.datasets.readers.table_builder import TableBuilder
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import target_values
from svmosaic.datasets.readers.text import (
    BLANKS,
    coding_limit,
    file_error,
    in_words,
    iter_blocks,
    shorten,
    split_plain,
    table_name,
)

__all__ = [
    "ArffAttribute",
    "ArffHeader",
    "AttributeKind",
    "filled_lines",
    "is_open",
    "make_column",
    "read_arff",
    "read_columns",
    "read_dense_rows",
    "read_header",
    "read_sparse_rows",
    "refuse_unusable",
    "split_row",
]

# Stands for an unquoted question mark. Text files with a NUL are refused, so no value equals it.
_MISSING_CELL = "\0"
_MISSING = frozenset({_MISSING_CELL})
_QUOTED = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"")
_PLAIN = re.compile(r"[^,'\"{}%]+")
_ATTRIBUTE_NAME = re.compile(r"[^\s{}%,'\"]+")
_INDEX = re.compile(r"[0-9]{1,18}")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\", "%": "%"}
_QUOTES = ("'", '"')
# MEKA: "-C 3" in the name of the relation says that the first three attributes are the targets,
# "-C -3" the last three.
_MEKA = re.compile(r"(?:^|[\s:])-[cC]\s+(-?\d{1,7})(?=\s|$)")

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
    """One ``@attribute`` line: name, type, line number and the values of a nominal one.

    A relational one has the attributes of the rows inside it.
    """

    name: str
    kind: AttributeKind
    line: int
    values: tuple[str, ...] = ()
    inside: tuple[ArffAttribute, ...] = ()


@dataclass(frozen=True)
class ArffHeader:
    """What comes before ``@data``."""

    relation: str
    attributes: tuple[ArffAttribute, ...]
    last_line: int


def read_arff(path: Path, options: TableOptions) -> Dataset:
    """Read an ARFF file.

    A sparse file (rows in braces) gives a ``csr_array``, a dense one an ndarray, unless
    ``options.dense`` says otherwise. In a sparse row an attribute that is not named has the
    value 0 or, when it is nominal, its first declared value.
    """
    lines = filled_lines(path, options)
    header = read_header(path, lines)
    roles = assign_roles([attribute.name for attribute in header.attributes], options, path)
    refuse_unusable(path, header, roles)
    first = next(lines, None)
    if first is None:
        raise file_error(path, header.last_line, "no rows follow @data. Check the file.")
    rows = itertools.chain([first], lines)
    if first[1].startswith("{"):
        if roles.id_column is not None:
            raise file_error(path, None, "sparse rows have no column of ids. Leave id_column out.")
        return read_sparse_rows(path, rows, header, roles, options)
    return read_dense_rows(path, rows, header, roles, options)


def read_columns(path: Path, options: TableOptions) -> ColumnNames:
    """Return the names of the attributes, and how many of them MEKA declares as targets."""
    header = read_header(path, filled_lines(path, options), relational=True)
    declared = _MEKA.search(header.relation)
    names = tuple(attribute.name for attribute in header.attributes)
    return ColumnNames(names, None if declared is None else int(declared[1]))


def filled_lines(path: Path, options: TableOptions) -> _NumberedLines:
    """Yield the stripped lines that are neither blank nor comments."""
    for block in iter_blocks(path, options.max_bytes, encoding=options.encoding):
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
        while self.at < len(text) and text[self.at] in BLANKS:
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
        if following in _QUOTES:
            return self.quoted()
        plain = self.match(_PLAIN) if following else None
        if plain is None:
            self.fail("a value is empty. Write ? for a missing value and '' for an empty one.")
        stop = self.text[self.at : self.at + 1]
        if stop in _QUOTES:
            self.fail("a quote is inside a value. Put the whole value in quotes.")
        if stop == "%" and plain[-1] not in BLANKS:
            self.fail("a % is inside a value. Put the value in quotes.")
        plain = plain.rstrip(BLANKS)
        return _MISSING_CELL if plain == "?" else plain

    def weight(self) -> float:
        """Return the instance weight in braces, and check that the line ends."""
        text = self.value() if self.accept("{") else ""
        try:
            weight = float(text)
        except ValueError:
            weight = -1.0
        if not 0.0 <= weight < float("inf") or not self.accept("}") or self.peek():
            self.fail("the instance weight is wrong. End the row with a weight like {2.5}.")
        return weight


def read_header(path: Path, lines: _NumberedLines, *, relational: bool = False) -> ArffHeader:
    """Read up to and including ``@data``; the next of `lines` is then the first row.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    lines : iterator of (int, str)
        The numbered lines that are neither blank nor comments, stripped.
    relational : bool, default=False
        Accept relational attributes, each of which ends with ``@end``.

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
            attribute = _read_attribute(scanner, relational)
            if attribute.kind is AttributeKind.RELATIONAL:
                inside = _read_inside(path, lines, attribute)
                attribute = dataclasses.replace(attribute, inside=inside)
            _add_attribute(scanner, attribute, attributes)
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


def _add_attribute(
    scanner: _Scanner, attribute: ArffAttribute, attributes: dict[str, ArffAttribute]
) -> None:
    if attribute.name in attributes:
        before = attributes[attribute.name].line
        scanner.fail(
            f"attribute {shorten(attribute.name)} was declared in line {before}. "
            "Rename one of them."
        )
    attributes[attribute.name] = attribute
    if len(attributes) > MAX_ATTRIBUTES:
        scanner.fail(f"more than {MAX_ATTRIBUTES} attributes. Split the file.")


def _read_inside(
    path: Path, lines: _NumberedLines, outer: ArffAttribute
) -> tuple[ArffAttribute, ...]:
    """Read the attributes of a relational one, up to and including ``@end``."""
    attributes: dict[str, ArffAttribute] = {}
    for number, text in lines:
        keyword = text.split(maxsplit=1)[0].lower()
        scanner = _Scanner(path, number, text, len(keyword))
        if keyword == "@end":
            if not attributes:
                scanner.fail(f"attribute {shorten(outer.name)} has no attributes. Declare some.")
            return tuple(attributes.values())
        if keyword != "@attribute":
            break
        _add_attribute(scanner, _read_attribute(scanner, relational=False), attributes)
    raise file_error(
        path, outer.line, f"attribute {shorten(outer.name)} is not ended. Add @end after its last."
    )


def _read_attribute(scanner: _Scanner, relational: bool) -> ArffAttribute:
    following = scanner.peek()
    if following in _QUOTES:
        name: str | None = scanner.quoted()
    else:
        name = scanner.match(_ATTRIBUTE_NAME)
    if not name:
        scanner.fail("the attribute has no name. Write @attribute name type.")
    if scanner.accept("{"):
        values = _read_nominal_values(scanner, name)
        attribute = ArffAttribute(name, AttributeKind.NOMINAL, scanner.line, values)
    else:
        attribute = ArffAttribute(name, _read_kind(scanner, name, relational), scanner.line)
    if scanner.peek():
        rest = shorten(scanner.text[scanner.at :])
        scanner.fail(f"unexpected {rest} after the type of attribute {shorten(name)}. Remove it.")
    return attribute


def _read_kind(scanner: _Scanner, name: str, relational: bool) -> AttributeKind:
    scanner.peek()
    word = scanner.match(_ATTRIBUTE_NAME) or ""
    kind = _KINDS.get(word.lower())
    if kind is None:
        scanner.fail(
            f"attribute {shorten(name)} has the unknown type {shorten(word)}. Use numeric, real, "
            "integer, string or a list of values in braces."
        )
    if kind is AttributeKind.RELATIONAL and not relational:
        scanner.fail(
            f"attribute {shorten(name)} is relational: the file holds bags of rows, not one "
            "table. Read it with read_bags."
        )
    if kind is AttributeKind.DATE and scanner.peek():
        scanner.value()  # the date format
    return kind


def _read_nominal_values(scanner: _Scanner, name: str) -> tuple[str, ...]:
    values: dict[str, None] = {}
    while True:
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
            scanner.fail(
                f"the values of attribute {shorten(name)} need commas between them and a brace "
                "at the end. Add what is missing."
            )


def refuse_unusable(path: Path, header: ArffHeader, roles: Roles) -> None:
    """Say which attributes cannot be used."""
    for j, attribute in enumerate(header.attributes):
        name = attribute.name
        if j in roles.dropped or j in roles.forced_nominal or j == roles.id_column:
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


def make_column(
    path: Path, j: int, attribute: ArffAttribute, roles: Roles, options: TableOptions
) -> NumericColumn | NominalColumn | None:
    """Return what collects the cells of an attribute; None for one that is left out."""
    if j in roles.dropped:
        return None
    is_target = j == roles.target
    allow_nan = options.allow_nan and not is_target
    cells = Cells(path, attribute.name, _MISSING, allow_nan, is_target, options.gap_option)
    if _is_numeric(j, attribute, roles):
        return NumericColumn(cells)
    return NominalColumn(cells, None if is_open(j, attribute, roles) else attribute.values)


def _is_numeric(j: int, attribute: ArffAttribute, roles: Roles) -> bool:
    return attribute.kind is AttributeKind.NUMERIC and j not in roles.forced_nominal


def is_open(j: int, attribute: ArffAttribute, roles: Roles) -> bool:
    """Whether the attribute holds names of which no list is declared."""
    return attribute.kind is not AttributeKind.NOMINAL and not _is_numeric(j, attribute, roles)


def read_dense_rows(
    path: Path, rows: _NumberedLines, header: ArffHeader, roles: Roles, options: TableOptions
) -> Dataset:
    """Read rows that give every value."""
    columns = [
        TextColumn() if j == roles.id_column else make_column(path, j, a, roles, options)
        for j, a in enumerate(header.attributes)
    ]
    builder = TableBuilder(path, columns, roles, options)
    weights = array("d")
    number = header.last_line
    for number, text in rows:
        cells, weight = split_row(path, number, text)
        builder.add_row(cells, number)
        weights.append(weight)
    return builder.finish(
        number, sample_weight=_weights(weights), description=f"ARFF relation {header.relation!r}"
    )


def _weights(weights: array[float]) -> Any:
    values = np.array(weights)
    return None if np.all(values == 1.0) else values


def split_row(path: Path, number: int, text: str) -> tuple[list[str], float]:
    """Return the cells of a dense row and its weight."""
    if "'" not in text and '"' not in text and "%" not in text and "{" not in text:
        cells = split_plain(text, ",")
        if "?" in text:
            cells = [_MISSING_CELL if cell == "?" else cell for cell in cells]
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


def read_sparse_rows(
    path: Path, rows: _NumberedLines, header: ArffHeader, roles: Roles, options: TableOptions
) -> Dataset:
    """Read rows that give numbers and values of some columns."""
    table = _SparseTable(path, header, roles, options)
    for number, text in rows:
        table.add_row(_Scanner(path, number, text))
    return table.finish()


def _sparse_cells(scanner: _Scanner, n_attributes: int) -> Iterator[tuple[int, str]]:
    """Yield the (attribute, cell) pairs of a row in braces and step over the braces."""
    if not scanner.accept("{"):
        scanner.fail("a dense row among sparse rows. Write all rows in one way.")
    previous = -1
    for digits, cell in _sparse_pairs(scanner):
        index = int(digits)
        if index >= n_attributes:
            scanner.fail(
                f"attribute number {index} is too large; {n_attributes} attributes are declared "
                "and they count from 0. Correct the number."
            )
        if index <= previous:
            scanner.fail(
                f"attribute number {index} does not follow {previous}; numbers must ascend. "
                "Sort the values of this row."
            )
        previous = index
        yield index, cell


def _sparse_pairs(scanner: _Scanner) -> Iterator[tuple[str, str]]:
    """Yield the (digits, cell) pairs up to the closing brace."""
    text = scanner.text
    end = text.find("}", scanner.at)
    body = text[scanner.at : end]
    if end < 0 or "'" in body or '"' in body or "%" in body or "{" in body:
        yield from _scanned_pairs(scanner)
        return
    scanner.at = end + 1
    if not body or body.isspace():
        return
    for item in body.split(","):
        pair = item.split(maxsplit=1)
        if len(pair) != 2 or not _INDEX.fullmatch(pair[0]):
            _fail_pair(scanner)
        cell = pair[1].rstrip(BLANKS)
        yield pair[0], _MISSING_CELL if cell == "?" else cell


def _scanned_pairs(scanner: _Scanner) -> Iterator[tuple[str, str]]:
    if scanner.accept("}"):
        return
    while True:
        scanner.peek()
        digits = scanner.match(_INDEX)
        if digits is None or scanner.text[scanner.at : scanner.at + 1] not in BLANKS:
            _fail_pair(scanner)
        yield digits, scanner.value()
        if scanner.accept("}"):
            return
        if not scanner.accept(","):
            scanner.fail("the row does not end with a brace. Add } or a comma.")


def _fail_pair(scanner: _Scanner) -> NoReturn:
    scanner.fail("expected an attribute number, a blank and a value. Correct the row.")


class _SparseTable:
    """Collects the rows of a sparse file and makes the data set of them."""

    def __init__(self, path: Path, header: ArffHeader, roles: Roles, options: TableOptions) -> None:
        self._path = path
        self._header = header
        self._roles = roles
        self._options = options
        # Made when first used: a file may declare many more attributes than its rows name.
        self._columns: dict[int, NumericColumn | NominalColumn | None] = {}
        # Without a declaration there is no first value that an absent cell could have.
        self._required = [
            j
            for j, attribute in enumerate(header.attributes)
            if j not in roles.dropped and is_open(j, attribute, roles)
        ]
        self._rows = array("q")
        self._attributes = array("q")
        self._values = array("d")  # a nominal value is its code
        self._weights = array("d")

    def _column(self, j: int) -> NumericColumn | NominalColumn | None:
        if j not in self._columns:
            attribute = self._header.attributes[j]
            self._columns[j] = make_column(self._path, j, attribute, self._roles, self._options)
        return self._columns[j]

    def add_row(self, scanner: _Scanner) -> None:
        """Take the row that the scanner is about to read."""
        row = len(self._weights)
        first = len(self._attributes)
        for j, cell in _sparse_cells(scanner, len(self._header.attributes)):
            column = self._column(j)
            if column is not None:
                self._rows.append(row)
                self._attributes.append(j)
                self._values.append(column.convert(cell, scanner.line))
        named = set(self._attributes[first:]) if self._required else set()
        for j in self._required:
            if j not in named:
                name = shorten(self._header.attributes[j].name)
                scanner.fail(f"attribute {name} has no value. Name it in the row.")
        self._weights.append(scanner.weight() if scanner.accept(",") else 1.0)
        if scanner.peek():
            scanner.fail("text follows the closing brace. Remove it.")

    def finish(self) -> Dataset:
        """Return the data set."""
        entries = _Entries.sorted(
            self._rows, self._attributes, self._values, len(self._header.attributes)
        )
        y, target_names = None, None
        if self._roles.target is not None:
            y, target_names = target_values(self._whole_column(self._roles.target, entries))
        X, names = self._features(entries)
        if self._options.dense:
            X = to_dense(X, self._path, self._options.max_bytes)
        return Dataset(
            X=X,
            y=y,
            feature_names=names,
            target_names=target_names,
            sample_weight=_weights(self._weights),
            name=table_name(self._path),
            description=f"ARFF relation {self._header.relation!r}",
        )

    def _whole_column(self, j: int, entries: _Entries) -> FinishedColumn:
        """Return a column with its defaults filled in: 0 or the first value."""
        values = np.zeros(len(self._weights))
        part = slice(entries.starts[j], entries.starts[j + 1])
        values[entries.rows[part]] = entries.values[part]
        column = self._column(j)
        if isinstance(column, NominalColumn):
            return column.name_codes(values.astype(np.int64))
        return FinishedColumn(self._header.attributes[j].name, values)

    def _features(self, entries: _Entries) -> tuple[Any, tuple[str, ...]]:
        onehot = self._options.nominal == "onehot"
        if onehot:
            self._check_onehot_size()
        names: list[str] = []
        parts: list[Triplets] = []
        position = np.full(len(self._header.attributes), -1)  # of the numeric features
        for j, attribute in enumerate(self._header.attributes):
            if not self._roles.is_feature(j):
                continue
            if _is_numeric(j, attribute, self._roles):
                position[j] = len(names)
                names.append(attribute.name)
            else:
                column = self._whole_column(j, entries)
                parts.append(triplets(column, len(names), onehot))
                names += feature_names(column, onehot)
        columns = position[entries.attributes]
        kept = columns >= 0
        parts.append((entries.rows[kept], columns[kept], entries.values[kept]))
        return to_csr(parts, (len(self._weights), len(names))), tuple(names)

    def _check_onehot_size(self) -> None:
        # One-hot coding has a 1 for every nominal cell, also for those that the rows leave out.
        n_nominal = sum(
            self._roles.is_feature(j) and not _is_numeric(j, attribute, self._roles)
            for j, attribute in enumerate(self._header.attributes)
        )
        needed = n_nominal * len(self._weights) * 16
        parsed = 8 * (len(self._values) + len(self._weights))
        most = coding_limit(self._options.max_bytes, parsed)
        if needed > most:
            raise file_error(
                self._path,
                None,
                f"one-hot coding of {n_nominal} nominal attributes needs {in_words(needed)}; "
                f"the limit is {in_words(most)}. Pass nominal='ordinal', or raise max_bytes.",
            )


@dataclass(frozen=True)
class _Entries:
    """The cells that sparse rows name, sorted by attribute; `starts` says where each begins."""

    rows: IndexArray
    attributes: IndexArray
    values: DoubleArray
    starts: IndexArray

    @classmethod
    def sorted(
        cls, rows: array[int], attributes: array[int], values: array[float], n_attributes: int
    ) -> _Entries:
        columns = np.array(attributes, dtype=np.int64)
        order = np.argsort(columns, kind="stable")
        columns = columns[order]
        return cls(
            np.array(rows, dtype=np.int64)[order],
            columns,
            np.array(values, dtype=np.float64)[order],
            np.searchsorted(columns, np.arange(n_attributes + 1)),
        )
