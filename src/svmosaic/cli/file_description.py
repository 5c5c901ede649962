"""A data file in words or as JSON: how it is written, what its columns hold, what to mind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from svmosaic.cli.console import file_size, format_fields, format_table
from svmosaic.cli.data_kinds import Columns, file_columns, listed_columns
from svmosaic.cli.option_names import own_options
from svmosaic.cli.training_data import FEWEST_ROWS, UNIQUE_SHARE
from svmosaic.datasets.file_survey import FileSurvey, survey_file
from svmosaic.datasets.readers.column_survey import ColumnSummary
from svmosaic.datasets.readers.dates import has_short_year
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.utils.wording import plural

__all__ = ["describe_file"]

_DELIMITERS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "pipes",
    " ": "blanks",
    "whitespace": "blanks",
}
# This many values of a column are shown, and this many are in JSON.
_VALUES_SHOWN = 4
_VALUES_IN_JSON = 100
_LONGEST_VALUE = 20


@dataclass(frozen=True)
class _Described:
    """A file with the roles of its columns: "feature", "target", "id", "bag" or "left out"."""

    path: Path
    survey: FileSurvey
    roles: tuple[str, ...]

    def of_role(self, role: str) -> list[ColumnSummary]:
        """Return the columns of a role."""
        return [c for c, own in zip(self.survey.columns, self.roles, strict=True) if own == role]


def describe_file(path: Path, columns: Columns, *, as_json: bool = False) -> str:
    """Return what the readers see in a file.

    Parameters
    ----------
    path : Path
        The file.
    columns : Columns
        What the user says of it.
    as_json : bool, default=False
        Whether to return JSON, for programs.
    """
    with own_options():
        described = _survey(path, columns)
    warnings = list(_warnings(described, columns))
    if as_json:
        return json.dumps(_record(described, warnings), indent=2, ensure_ascii=False)
    return _text(described, warnings)


def _survey(path: Path, columns: Columns) -> _Described:
    found = file_columns(str(path), columns)
    if found is not None:
        columns = columns.resolve(found.names, path)
    targets = columns.targets
    if isinstance(targets, int):
        targets = list((found.names if found is not None else ())[-targets:])
    options = replace(
        columns.options(),
        target=columns.target if targets is None else None,
        drop=columns.drop,
        nominal_columns=columns.categorical,
        numeric_columns=columns.numeric,
        id_column=columns.id if columns.bag is None else columns.bag,
    )
    survey = survey_file(path, _one_column(options, found), columns.format)
    roles = ["feature"] * len(survey.columns)
    for j, column in enumerate(survey.columns):
        if j == survey.target or column.name in (targets or ()):
            roles[j] = "target"
        elif j == survey.id_column:
            roles[j] = "id" if columns.bag is None else "bag"
        elif j in survey.dropped:
            roles[j] = "left out"
    return _Described(path, survey, tuple(roles))


def _one_column(options: TableOptions, found: Any) -> TableOptions:
    """Return options for a file of features alone, if there is but one column."""
    is_alone = found is not None and len(found.names) == 1 and options.target == -1
    return replace(options, target=None) if is_alone else options


# Text ---------------------------------------------------------------------------------------


def _text(described: _Described, warnings: Sequence[str]) -> str:
    survey = described.survey
    n_features = described.roles.count("feature") if survey.found else survey.n_features
    fields: list[tuple[str, object]] = [
        ("file", f"{described.path.name} ({file_size(str(described.path))})"),
        ("format", _written(survey)),
        ("rows", survey.n_rows),
        ("features", n_features),
    ]
    for role, words in (("id", "ids"), ("bag", "bag ids"), ("left out", "left out")):
        if own := described.of_role(role):
            names = ", ".join(column.name for column in own)
            count = f" ({plural(own[0].n_values or 0, 'bag')})" if role == "bag" else ""
            fields.append((words, f"{names}{count}"))
    targets = described.of_role("target")
    fields += [
        ("target", _target_words(c, survey.n_rows, several=len(targets) > 1)) for c in targets
    ]
    parts = [format_fields(fields)]
    if survey.found is not None:
        parts.append(_column_table(described))
    if warnings:
        parts.append("\n".join(f"warning: {text}" for text in warnings))
    return "\n\n".join(parts)


def _written(survey: FileSurvey) -> str:
    """Return how a file is written, in words."""
    found, parts = survey.found, [survey.format]
    if survey.is_packed:
        parts.append("gzip'd")
    if survey.encoding is not None:
        parts.append(survey.encoding)
    if found is not None and found.delimiter is not None:
        parts.append(f"{_DELIMITERS.get(found.delimiter, repr(found.delimiter))} between cells")
    if found is not None and found.numbers is not None:
        parts.append("decimal comma" if found.numbers.decimal == "," else "decimal point")
        if found.numbers.thousands:
            parts.append(f"{found.numbers.thousands!r} between groups of digits")
    if found is not None and found.header is not None:
        parts.append("with a header" if found.header else "without a header")
    return ", ".join(parts)


def _target_words(column: ColumnSummary, n_rows: int, *, several: bool) -> str:
    if several or column.n_values is None or _is_real(column, n_rows):
        return f"{column.name}: {_range(column)}"
    counts = _shown_values(column, separator=", ")
    return f"{column.name}: {plural(column.n_values, 'class', 'classes')} ({counts})"


def _column_table(described: _Described) -> str:
    rows = [
        (
            *(column.name, role, column.kind, column.n_missing or "-"),
            *("many" if column.n_values is None else column.n_values, _content(column)),
        )
        for column, role in zip(described.survey.columns, described.roles, strict=True)
    ]
    header = ("column", "role", "holds", "missing", "different", "range, or values with counts")
    return format_table(header, rows, "lllrrl")


def _content(column: ColumnSummary) -> str:
    if column.kind in ("numbers", "whole numbers"):
        return _range(column)
    return _shown_values(column, separator=", ")


def _range(column: ColumnSummary) -> str:
    if column.minimum is None or column.maximum is None:
        return ""
    return f"{column.minimum:.6g} to {column.maximum:.6g}"


def _shown_values(column: ColumnSummary, separator: str) -> str:
    shown = [
        f"{value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + '...'}: {count}"
        for value, count in list(column.values.items())[:_VALUES_SHOWN]
    ]
    return separator.join(shown + ["..."] * (len(column.values) > _VALUES_SHOWN))


# JSON ---------------------------------------------------------------------------------------


def _record(described: _Described, warnings: Sequence[str]) -> dict[str, Any]:
    survey = described.survey
    found = survey.found
    numbers = None if found is None else found.numbers
    return {
        "file": described.path.name,
        "format": survey.format,
        "gzip": survey.is_packed,
        "encoding": survey.encoding,
        "delimiter": None if found is None else found.delimiter,
        "decimal": None if numbers is None else numbers.decimal,
        "thousands": None if numbers is None else numbers.thousands or None,
        "header": None if found is None else found.header,
        "rows": survey.n_rows,
        "features": described.roles.count("feature") if found else survey.n_features,
        "targets": [column.name for column in described.of_role("target")],
        "columns": [
            {
                "name": column.name,
                "role": role,
                "kind": column.kind,
                "missing": column.n_missing,
                "different": column.n_values,
                "minimum": column.minimum,
                "maximum": column.maximum,
                "values": dict(list(column.values.items())[:_VALUES_IN_JSON]),
            }
            for column, role in zip(survey.columns, described.roles, strict=True)
        ],
        "warnings": list(warnings),
    }


# Warnings -----------------------------------------------------------------------------------


def _warnings(described: _Described, columns: Columns) -> Iterator[str]:
    """Say what would be refused, and what would be learned from without sense."""
    n_rows = described.survey.n_rows
    for column in described.of_role("target"):
        yield from _about_target(column, n_rows, several=columns.targets is not None)
    features = described.of_role("feature")
    yield from _about_gaps(features if described.survey.found else [])
    for column in features:
        yield from _about_values(column, columns)
        yield from _about_ids(column, n_rows)
    constant = [c.name for c in features if c.n_values == 1 and not c.n_missing]
    if constant and n_rows > 1:
        teach = "teaches" if len(constant) == 1 else "teach"
        yield f"{listed_columns(constant)} with one value only {teach} nothing. See --drop."


def _about_target(column: ColumnSummary, n_rows: int, *, several: bool) -> Iterator[str]:
    name, advice = repr(column.name), "for numbers use --method smo-regression, for classes another"
    if column.n_missing:
        yield (
            f"the target {name} has no value in {plural(column.n_missing, 'row')}. Fill them in, "
            "or remove the rows."
        )
    if column.odd is not None:
        yield _odd_values(column)
    if column.kind in ("dates", "times", "written numbers"):
        yield f"the target {name} holds {column.kind}, which are read as names: name another."
    if several:
        return
    if column.kind == "numbers":
        yield f"the target {name} has fractions: {advice} --target."
    elif n_rows >= FEWEST_ROWS and _has_many_numbers(column, n_rows):
        many = "many" if column.n_values is None else column.n_values
        yield f"the target {name} has {many} different numbers in {n_rows} rows: {advice} --target."
    if column.n_values == 1:
        yield f"the target {name} has one value only: there is nothing to learn."
        return
    rare = [value for value, count in column.values.items() if count == 1]
    if rare and not _is_real(column, n_rows):
        shown = ", ".join(map(repr, rare[:3])) + (", ..." if len(rare) > 3 else "")
        yield f"{plural(len(rare), 'class', 'classes')} of {name} with one row only: {shown}."


def _is_real(column: ColumnSummary, n_rows: int) -> bool:
    """Return whether a target is a number to predict rather than a class."""
    return column.kind == "numbers" or _has_many_numbers(column, n_rows)


def _has_many_numbers(column: ColumnSummary, n_rows: int) -> bool:
    is_many = column.n_values is None or column.n_values > UNIQUE_SHARE * n_rows
    return column.kind == "whole numbers" and is_many


def _about_gaps(features: Sequence[ColumnSummary]) -> Iterator[str]:
    gaps = [column for column in features if column.n_missing]
    if gaps:
        total = sum(column.n_missing for column in gaps)
        yield (
            f"{plural(total, 'cell')} without a value in {listed_columns([c.name for c in gaps])}. "
            "Train with --impute mean, median or most_frequent."
        )


def _about_values(column: ColumnSummary, columns: Columns) -> Iterator[str]:
    name = repr(column.name)
    instead = "or name the column with --drop or --categorical"
    if column.odd is not None:
        yield _odd_values(column)
    if column.n_infinite:
        yield f"the column {name} has {plural(column.n_infinite, 'value')} that are not finite."
    if column.kind == "dates":
        if any(has_short_year(value) for value in column.values):
            yield (
                f"the column {name} holds dates whose years have two digits. Write four, {instead}."
            )
        elif "dates" not in columns.reading:
            yield (
                f"the column {name} holds dates. Pass --dates ymd, dmy or mdy to read them as "
                f"days, {instead}."
            )
    elif column.kind == "times":
        yield (
            f"the column {name} holds times, which are not read. Write them as numbers, {instead}."
        )
    elif column.kind == "written numbers":
        example = next(iter(column.values), "5%")
        yield (
            f"the column {name} holds numbers such as {example!r}, which are not read. Pass "
            f"--decimal or --thousands, write them plainly, {instead}."
        )
    elif column.kind == "empty":
        yield f"the column {name} has no value at all. See --drop."


def _odd_values(column: ColumnSummary) -> str:
    text, line = column.odd or ("", 0)
    verb = "is not" if column.n_odd == 1 else "are not"
    return (
        f"the column {column.name!r} holds numbers, but {plural(column.n_odd, 'value')} {verb}: "
        f"{text!r} in line {line}. Correct the cell, or name the column with --categorical."
    )


def _about_ids(column: ColumnSummary, n_rows: int) -> Iterator[str]:
    advice = "It seems to identify rows: leave it out with --id or --drop."
    if n_rows < FEWEST_ROWS:
        return
    if column.counts_rows:
        yield f"the column {column.name!r} counts the rows. {advice}"
    elif column.kind == "names":
        n_values = column.n_values
        if n_values is None or n_values > UNIQUE_SHARE * n_rows:
            many = "too many" if n_values is None else n_values
            yield (
                f"the column {column.name!r} has {many} different names in {n_rows} rows. {advice}"
            )
