"""Options that several commands share, and the types of their values.

Nothing here imports the numerical libraries, so that ``--help`` is immediate.
"""

from __future__ import annotations

import argparse
import csv
import math
from typing import Any

from svmosaic.datasets.readers.dates import DATE_ORDERS
from svmosaic.datasets.readers.reader import reader_names
from svmosaic.datasets.readers.text import check_encoding

__all__ = [
    "add_bag_option",
    "add_column_options",
    "add_data_options",
    "add_estimator_options",
    "add_file_options",
    "add_id_options",
    "add_impute_option",
    "add_reading_options",
    "add_scale_option",
    "add_scheduler_option",
    "add_seed_option",
    "add_target_options",
    "byte_count",
    "column",
    "column_list",
    "column_or_none",
    "columns",
    "estimator_parameters",
    "folds",
    "gamma",
    "iteration_limit",
    "non_negative_float",
    "number_list",
    "one_source",
    "positive_float",
    "positive_int",
    "seed",
]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_KERNELS = ("rbf", "linear", "poly", "sigmoid", "laplacian")


def _float(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"expected a finite number, got {text!r}")
    return number


def positive_float(text: str) -> float:
    """Return a number above zero."""
    number = _float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def non_negative_float(text: str) -> float:
    """Return a number that is not below zero."""
    number = _float(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected 0 or more, got {text!r}")
    return number


def positive_int(text: str) -> int:
    """Return a whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def folds(text: str) -> int:
    """Return a number of folds."""
    number = positive_int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"expected at least 2 folds, got {text!r}")
    return number


def seed(text: str) -> int:
    """Return a seed of random numbers."""
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to 2^32, got {text!r}")
    return int(text)


def byte_count(text: str) -> int:
    """Return a number of bytes such as ``2000000``, ``500k``, ``20M`` or ``4G``."""
    digits, unit = (text[:-1], text[-1:].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _UNITS or not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise argparse.ArgumentTypeError(
            f"expected a number of bytes such as 2000000, 500k, 20M or 4G, got {text!r}"
        )
    return int(digits) * _UNITS[unit]


def gamma(text: str) -> float | str:
    """Return a kernel width: a rule's name or a number above zero."""
    if text in ("scale", "auto", "cbp", "cbp-radius"):
        return text
    try:
        return positive_float(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"expected 'scale', 'auto', 'cbp', 'cbp-radius' or a number above 0, got {text!r}"
        ) from None


def iteration_limit(text: str) -> float:
    """Return a number of steps (``200``) or a share of the samples (``0.5``)."""
    if text.isascii() and text.isdigit():
        return positive_int(text)
    return positive_float(text)


def number_list(text: str) -> list[float]:
    """Return the numbers of a list such as ``0.1,1,10``."""
    parts = [part for part in text.split(",") if part.strip()]
    if not parts:
        raise argparse.ArgumentTypeError("expected numbers with commas between them, got none")
    return [positive_float(part.strip()) for part in parts]


def column(text: str) -> str | int:
    """Return a column: a whole number is a position from 0 (or from -1 at the end)."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def columns(text: str) -> int | list[str | int]:
    """Return how many columns at the end, or the columns of a list such as ``price,rent``."""
    if text.strip().isdecimal():
        return positive_int(text.strip())
    return column_list(text)


def column_list(text: str) -> list[str | int]:
    """Return the columns of a list such as ``price,3``; a name with a comma is in double quotes."""
    (cells,) = csv.reader([text], skipinitialspace=True)
    parts = [cell.strip() for cell in cells]
    if not parts or not all(parts):
        raise argparse.ArgumentTypeError(f"expected columns with commas between, got {text!r}")
    return [column(part) for part in parts]


def _encoding(text: str) -> str:
    try:
        return check_encoding(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _delimiter(text: str) -> str:
    named = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}.get(text, text)
    if named != "whitespace" and (len(named) != 1 or named in '"\r\n'):
        raise argparse.ArgumentTypeError(
            f"expected one character, tab, space, comma, semicolon or whitespace, got {text!r}"
        )
    return named


def _mark(text: str) -> str:
    named = {"space": " ", "comma": ",", "point": "."}.get(text, text)
    if len(named) != 1 or named.isalnum() or named in "+-":
        raise argparse.ArgumentTypeError(f"expected one character such as , or space, got {text!r}")
    return named


def column_or_none(text: str) -> str | int | None:
    """Return a column, or None for the word ``none``."""
    return None if text == "none" else column(text)


def add_data_options(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the positional DATA, of which there may be several on a cluster, and how it is read."""
    what = "a data file, - for the standard input, or the name of a data set"
    if several:
        what += "; with --scheduler, files, folders and patterns in quotes"
        parser.add_argument("data", metavar="DATA", nargs="+", help=what)
    else:
        parser.add_argument("data", metavar="DATA", help=what)
    add_file_options(parser)
    add_reading_options(parser)


def one_source(sources: list[str]) -> str:
    """Return the only data file; several are for a cluster."""
    if len(sources) > 1:
        raise ValueError(
            f"Expected one data file, got {len(sources)}. Name one, or read several on a Dask "
            "cluster with --scheduler."
        )
    return sources[0]


def add_scheduler_option(parser: argparse.ArgumentParser, help: str) -> None:
    """Add ``--scheduler``."""
    parser.add_argument("--scheduler", metavar="ADDRESS", help=help)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--format`` and ``--max-bytes``."""
    parser.add_argument(
        "--format",
        choices=reader_names(),
        help="format of the file; by default its extension or its first lines decide",
    )
    parser.add_argument(
        "--max-bytes",
        type=byte_count,
        metavar="N",
        help="refuse a file whose unpacked text, or an array of it, takes more; 2000000 or 500k, "
        "20M, 4G (default: an eighth of the free memory; a stream may be longer)",
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how a file of text is written."""
    group = parser.add_argument_group("how the file is written (detected unless given)")
    group.add_argument(
        "--delimiter",
        type=_delimiter,
        metavar="C",
        help="what separates cells: a character, tab, space, comma, semicolon or whitespace",
    )
    group.add_argument(
        "--decimal",
        choices=(".", ","),
        help="decimal sign (default: a point; a comma if numbers have it and cells are separated "
        "otherwise)",
    )
    group.add_argument(
        "--thousands",
        type=_mark,
        metavar="C",
        help="sign between groups of three digits (default: nothing; a point or a blank "
        "may, beside a decimal comma)",
    )
    group.add_argument(
        "--encoding",
        type=_encoding,
        metavar="NAME",
        help="how text is encoded, for example cp1252 or latin-1 (default: UTF-8; UTF-16 by its "
        "byte-order mark)",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first line names the columns",
    )
    group.add_argument(
        "--dates",
        choices=DATE_ORDERS,
        help="read dates as days since 1970; the order of year, month and day in them (default: "
        "dates are refused)",
    )


def add_id_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--id`` and ``--drop``."""
    parser.add_argument(
        "--id",
        type=column,
        metavar="COL",
        help="column that identifies the rows; it is not a feature, and predictions are written "
        "beside it",
    )
    parser.add_argument(
        "--drop",
        type=column_list,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to leave out, by name or by number from 0, with commas between them",
    )


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add what says of which kind columns are, in addition to `add_id_options`."""
    add_id_options(parser)
    parser.add_argument(
        "--categorical",
        type=column_list,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to read as names though they look like numbers",
    )
    parser.add_argument(
        "--numeric",
        type=column_list,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns of numbers: anything else in them is an error",
    )


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--target`` and ``--targets``."""
    parser.add_argument(
        "--target",
        type=column,
        default=-1,
        metavar="COL",
        help="column of the labels, by name or by number from 0 (default: the last)",
    )
    parser.add_argument(
        "--targets",
        type=columns,
        metavar="COLS",
        help="several targets: their columns with commas between them, or how many are at the "
        "end (default: what Mulan's XML file or MEKA's relation says)",
    )


def add_bag_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--bag``."""
    parser.add_argument(
        "--bag",
        type=column,
        metavar="COL",
        help="bags of instances: the column of their ids, or the relational attribute of ARFF "
        "(default: the first column, the only such attribute, or qid)",
    )


def add_scale_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--scale``."""
    parser.add_argument(
        "--scale",
        choices=("minmax", "standard", "none"),
        default="minmax",
        help="how to scale the features; the scaling becomes part of the model (default: "
        "%(default)s; sparse data are scaled without losing their zeros)",
    )


def add_impute_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--impute``."""
    parser.add_argument(
        "--impute",
        choices=("none", "mean", "median", "most_frequent"),
        default="none",
        help="fill missing values with this of their column; it becomes part of the model, which "
        "then takes rows with gaps too (default: %(default)s, missing values are refused)",
    )


def add_seed_option(group: argparse._ArgumentGroup) -> None:
    """Add ``--seed``."""
    group.add_argument(
        "--seed",
        dest="random_state",
        type=seed,
        default=argparse.SUPPRESS,
        metavar="N",
        help="seed of a method that draws random numbers (default: 0, so that runs repeat)",
    )


# Options that are parameters of an estimator, by the name of the parameter.
_ESTIMATOR = (
    *("kernel", "gamma", "degree", "coef0", "margin", "C", "refine", "refine_C"),
    *("max_iter", "max_support", "multi_class", "class_weight", "max_time", "random_state"),
)


def add_estimator_options(group: argparse._ArgumentGroup) -> None:
    """Add the options of the estimator that training and tuning share.

    An option that is not given does not appear, so that the estimator's default holds and a
    method can refuse what it does not know.
    """

    def add(name: str, **options: Any) -> None:
        group.add_argument(name, default=argparse.SUPPRESS, **options)

    add("--kernel", choices=_KERNELS, help="the kernel (default: rbf)")
    add("--degree", type=positive_int, metavar="D", help="degree of the poly kernel")
    add("--coef0", type=_float, metavar="R", help="constant of poly and sigmoid")
    add(
        "--refine",
        choices=("full", "none"),
        help="what follows the selection of ollawv: the exact SVM on all samples, or nothing "
        "(default: full)",
    )
    add(
        "--max-iter",
        type=iteration_limit,
        metavar="N",
        help="limit on steps: a whole number, or for ollawv a share of the samples with a "
        "decimal point (default: 0.5; tune: 1.0)",
    )
    add(
        "--max-support",
        type=positive_int,
        metavar="K",
        help="select at most K support vectors in each binary problem",
    )
    add(
        "--multi-class",
        choices=("ovo", "ovr"),
        help="a binary classifier for each pair of classes, or for each class (default: ovo)",
    )
    add("--class-weight", choices=("balanced",), help="give all classes the same total weight")
    group.add_argument(
        "--n-jobs",
        type=int,
        default=-1,
        metavar="N",
        help="threads; -1 means all processors that the command may use (default: %(default)s)",
    )


def estimator_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """Return the estimator's parameters that were given as options."""
    given = {name: getattr(args, name) for name in _ESTIMATOR if hasattr(args, name)}
    if given.get("refine") == "none":
        given["refine"] = None
    return {**given, "n_jobs": args.n_jobs}
