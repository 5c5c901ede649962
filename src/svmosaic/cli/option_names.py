"""Messages of the readers in the words of the command line: options in place of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from svmosaic.exceptions import DataFileError

__all__ = ["option_of", "own_options"]

# Parameters of the readers whose options have another name.
_OPTIONS = {
    "nominal_columns": "--categorical",
    "numeric_columns": "--numeric",
    "id_column": "--id",
}
# What the readers say, and what to say in its place; in this order.
_PHRASES = (
    ("pass allow_nan=True", "train with --impute mean"),
    ("pass encoding='cp1252'", "pass --encoding cp1252"),
    ("Name the encoding of the file.", "Pass another --encoding."),
    (", or list the column in nominal_columns", ", or name the column with --categorical"),
    ("List the column in nominal_columns", "Name the column with --categorical"),
    ("pass decimal=',' or thousands=','", "pass --decimal , or --thousands ,"),
    ("pass decimal='.'", "pass --decimal ."),
    ("Pass decimal=',' or decimal='.'", "Pass --decimal , or --decimal ."),
    (
        "Pass dates='ymd', 'dmy' or 'mdy', the order of year, month and day, to read them as days; "
        "or list the column in drop, or in nominal_columns.",
        "Pass --dates ymd, dmy or mdy, the order of year, month and day, to read them as days; or "
        "name the column with --drop or --categorical.",
    ),
    ("Write four, and pass dates; or list", "Write four, and pass --dates; or list"),
    (
        "or list the column in drop, or in nominal_columns.",
        "or name the column with --drop or --categorical.",
    ),
    ("pass another order as dates", "pass another order as --dates"),
    ("Pass dense=False for a sparse matrix, ", ""),
    ("Pass nominal='ordinal', or raise", "Drop some with --drop, or raise"),
    (
        "is also in drop. Name another target, or pass target=None to read features only.",
        "is also in --drop. Name another --target.",
    ),
    ("is also in drop. Name other 'targets'.", "is also in --drop. Name other --targets."),
    ("which is also in drop. Name another 'bag'.", "which is also in --drop. Name another --bag."),
    ("Name another 'bag' or 'target'.", "Name another --bag or --target."),
    ("'bag' and 'target'.", "--bag and --target."),
    ("cannot be both target and id_column.", "cannot be both --target and --id."),
    ("Check the delimiter, the target and drop.", "Check --delimiter, --target and --drop."),
    ("in nominal_columns and in numeric_columns", "in --categorical and in --numeric"),
    ("or pass header=False if", "or use --no-header if"),
    ("pass n_features", "pass more rows"),
    ("Change 'targets'.", "Change --targets."),
    ("'targets' must name", "--targets must name"),
    ("Correct the list of targets.", "Correct --targets."),
    ("Name them, or put Mulan's", "Name them with --targets, or put Mulan's"),
    ("Name another target.", "Name another --target."),
    ("Name other targets.", "Name other --targets."),
    ("or name the column of bag ids.", "or name the column of bag ids with --bag."),
    ("or pass bag=.", "or name a feature with --bag."),
    ("Pass its name as bag=.", "Name it with --bag."),
    ("Read it with read_bags.", "Use a method of bags, for example --method mirsvm."),
    ("List it in drop, or in nominal_columns to", "Name it with --drop, or with --categorical to"),
    ("List it in drop.", "Name it with --drop."),
    ("Leave id_column out.", "Leave --id out."),
    ("Drop columns, or raise", "Leave columns out with --drop, or raise"),
    (
        "Drop the column if it only identifies the rows.",
        "Name it with --id if it only identifies rows.",
    ),
    ("max_bytes", "--max-bytes"),
)
# What to say where a model decides what the columns are, and no option can.
_PHRASES_FOR_MODELS = (
    (
        "List the column in nominal_columns to read it as a name.",
        "The model predicts other numbers: correct the label.",
    ),
    (", or list the column in nominal_columns", ""),
)
_DROPPED_BY_NAME = re.compile(r"Leave it out with drop=\[(.*)\]\.")
_NOT_APPLICABLE = re.compile(r"The '(\w+)' option of \w+ does not apply to (\w+) files\.")
_WRONG_VALUE = re.compile(r"The '(\w+)' (?:option|and the '(\w+)' option)( of \w+)? ")


def option_of(parameter: str) -> str:
    """Return the option of a parameter of the readers.

    Parameters
    ----------
    parameter : str
        Its name in Python.
    """
    return _OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


@contextmanager
def own_options(*, for_model: bool = False) -> Iterator[None]:
    """Let errors of the readers name options of the command line.

    Parameters
    ----------
    for_model : bool, default=False
        Whether a model decides which columns hold names.
    """
    first = _PHRASES_FOR_MODELS if for_model else ()
    try:
        yield
    except DataFileError as error:
        raise DataFileError(_reworded(str(error), first)) from None
    except (ValueError, TypeError) as error:
        # What others raise keeps its type, and subclasses their meaning.
        if type(error) not in (ValueError, TypeError):
            raise
        raise type(error)(_reworded(str(error), first)) from None


def _reworded(message: str, first: Sequence[tuple[str, str]] = ()) -> str:
    for phrase, words in (*first, *_PHRASES):
        # Twice would give ----max-bytes.
        if not words or words not in message:
            message = message.replace(phrase, words)
    message = _DROPPED_BY_NAME.sub(r"Leave it out with --drop \1.", message)
    message = _NOT_APPLICABLE.sub(
        lambda found: f"{option_of(found[1])} does not apply to {found[2]} files.", message
    )
    return _WRONG_VALUE.sub(_named_option, message)


def _named_option(found: re.Match[str]) -> str:
    both = f" and {option_of(found[2])}" if found[2] else ""
    return f"{option_of(found[1])}{both} "
