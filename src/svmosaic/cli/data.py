"""``svmosaic data``: list and fetch data sets, describe them and data files."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from svmosaic.cli import options
from svmosaic.cli.console import format_fields, format_table

if TYPE_CHECKING:
    from svmosaic.datasets import DatasetInfo

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = "List and fetch the data sets that are known by name; describe them and data files."
EPILOG = """\
examples:
  svmosaic data list
  svmosaic data list --kind bags
  svmosaic data describe sklearn-digits
  svmosaic data describe export.csv --target healthy --id patient
  svmosaic data fetch letter
"""

_TEXT_WIDTH = 78
_FIELD_WIDTH = 19
# The kinds of data sets, in words; `svmosaic.datasets` is imported only when a command runs.
_KINDS = {"rows": "rows of one class each", "targets": "several targets", "bags": "bags of rows"}
# What is shown of the size of a data set, and its name in the registry.
_SIZES = (
    ("samples", "n_samples"),
    ("instances", "n_instances"),
    ("features", "n_features"),
    ("classes", "n_classes"),
    ("targets", "n_targets"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    listing = actions.add_parser("list", help="the data sets, and where each was found")
    listing.add_argument(
        "--kind",
        choices=tuple(_KINDS),
        help="only rows with a class, rows with several targets, or bags of rows (default: all)",
    )
    fetch = actions.add_parser("fetch", help="download a data set into the cache")
    fetch.add_argument("name", metavar="NAME", help="its name")
    fetch.add_argument("--force", action="store_true", help="download it again")
    describe = actions.add_parser(
        "describe",
        help="what is in a data file: how it is written, its columns, its target; or the size, "
        "source and cautions of a data set",
    )
    options.add_data_options(describe)
    options.add_target_options(describe)
    options.add_bag_option(describe)
    options.add_column_options(describe)
    describe.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="how to write the description (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> None:
    """Run the action."""
    actions = {"list": _list, "fetch": _fetch, "describe": _describe}
    actions[args.action](args)


def _list(args: argparse.Namespace) -> None:
    from svmosaic.datasets import describe, list_datasets

    infos = [describe(name) for name in list_datasets(args.kind)]
    # A column that says nothing of the listed data sets is left out.
    sizes = [(head, name) for head, name in _SIZES if any(getattr(i, name) for i in infos)]
    rows = [
        (i.name, i.kind, *(getattr(i, name) or "" for _, name in sizes), _where(i)) for i in infos
    ]
    head = ("name", "kind", *(head for head, _ in sizes), "found in")
    print(format_table(head, rows, "ll" + "r" * len(sizes) + "l"))


def _where(info: DatasetInfo) -> str:
    """Return where a data set was found, in words."""
    from svmosaic.datasets import whereabouts
    from svmosaic.datasets.fetching import can_be_fetched

    found = whereabouts(info.name)
    if found is not None:
        return found
    return "no; can be fetched" if can_be_fetched(info) else "no"


def _fetch(args: argparse.Namespace) -> None:
    from svmosaic.datasets import fetch

    print(fetch(args.name, force=args.force))


def _describe(args: argparse.Namespace) -> None:
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.cli.data_kinds import Columns
    from svmosaic.cli.data_source import is_file, refuse_file_options
    from svmosaic.cli.file_description import describe_file
    from svmosaic.datasets import describe

    columns, as_json = Columns.of(args), args.output_format == "json"
    if is_file(args.data, None):
        print(describe_file(Path(args.data), columns, as_json=as_json))
        return
    refuse_file_options(args.data, columns)
    info = describe(args.data)
    if as_json:
        print(json.dumps({**asdict(info), "found_in": _where(info)}, indent=2, ensure_ascii=False))
        return
    _show_dataset(info)


def _show_dataset(info: DatasetInfo) -> None:
    details = {
        "n_samples": f"{info.n_positive} of them positive" if info.n_positive else "",
        "n_features": "sparse" if info.sparse else "",
    }
    if info.n_nominal:
        details["n_features"] = f"{info.n_nominal} of them nominal"
    sizes = [
        (head, ", ".join(filter(None, (str(getattr(info, name)), details.get(name, "")))))
        for head, name in (*_SIZES, ("missing", "n_missing"))
        if getattr(info, name)
    ]
    fields = [
        ("name", info.name),
        ("title", info.title),
        ("kind", _KINDS[info.kind]),
        *sizes,
        ("found in", _where(info)),
        ("source", _wrapped(info.source)),
        ("notes", _wrapped(info.cautions)),
    ]
    if info.openml is not None:
        fields.append(("OpenML number", str(info.openml.id)))
    print(format_fields(fields))


def _wrapped(text: str) -> str:
    lines = textwrap.wrap(text, _TEXT_WIDTH - _FIELD_WIDTH)
    return f"\n{' ' * _FIELD_WIDTH}".join(lines)
