"""``svmosaic data``: list, fetch and describe data sets."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from svmosaic.cli.console import format_fields, format_table

if TYPE_CHECKING:
    from svmosaic.datasets import DatasetInfo

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = "List, fetch and describe the data sets that are known by name."
EPILOG = """\
examples:
  svmosaic data list
  svmosaic data describe sklearn-digits
  svmosaic data fetch letter
"""

_TEXT_WIDTH = 78
_FIELD_WIDTH = 19


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    actions.add_parser("list", help="all data sets, and where each is at hand")
    fetch = actions.add_parser("fetch", help="download a data set from OpenML into the cache")
    fetch.add_argument("name", metavar="NAME", help="its name")
    fetch.add_argument("--force", action="store_true", help="download it again")
    describe = actions.add_parser("describe", help="size, source and cautions of a data set")
    describe.add_argument("name", metavar="NAME", help="its name")


def run(args: argparse.Namespace) -> None:
    """Run the action."""
    actions = {"list": _list, "fetch": _fetch, "describe": _describe}
    actions[args.action](args)


def _list(args: argparse.Namespace) -> None:
    from svmosaic.datasets import describe, list_datasets

    rows = []
    for name in list_datasets():
        info = describe(name)
        rows.append((name, info.n_samples, info.n_features, info.n_classes, _where(info)))
    print(format_table(("name", "rows", "features", "classes", "at hand"), rows, "lrrrl"))


def _where(info: DatasetInfo) -> str:
    """Return where a data set is at hand, in words."""
    from svmosaic.datasets import whereabouts

    found = whereabouts(info.name)
    if found is not None:
        return found
    return "no; can be fetched" if info.openml is not None else "no"


def _fetch(args: argparse.Namespace) -> None:
    from svmosaic.datasets import fetch

    print(fetch(args.name, force=args.force))


def _describe(args: argparse.Namespace) -> None:
    from svmosaic.datasets import describe

    info = describe(args.name)
    fields: list[tuple[str, object]] = [
        ("name", info.name),
        ("title", info.title),
        ("task", info.task),
        ("rows", info.n_samples),
        ("features", f"{info.n_features}{', sparse' if info.sparse else ''}"),
        ("classes", info.n_classes),
        ("at hand", _where(info)),
        ("source", _wrapped(info.source)),
        ("notes", _wrapped(info.cautions)),
    ]
    if info.openml is not None:
        fields.append(("OpenML number", info.openml.id))
    print(format_fields(fields))


def _wrapped(text: str) -> str:
    lines = textwrap.wrap(text, _TEXT_WIDTH - _FIELD_WIDTH)
    return f"\n{' ' * _FIELD_WIDTH}".join(lines)
