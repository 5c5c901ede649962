"""``svmosaic data``: list, fetch and describe data sets."""

from __future__ import annotations

import argparse
import difflib
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_fields, format_table

if TYPE_CHECKING:
    from svmosaic.datasets import DatasetInfo

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

DESCRIPTION = "List, fetch and describe the data sets that are known by name."
EPILOG = """\
examples:
  svmosaic data list
  svmosaic data list --kind bags
  svmosaic data describe sklearn-digits
  svmosaic data fetch letter
"""

_TEXT_WIDTH = 78
_FIELD_WIDTH = 19


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    listing = actions.add_parser("list", help="the data sets, and where each is at hand")
    listing.add_argument(
        "--kind",
        choices=("rows", "targets", "bags"),
        default="rows",
        help="rows with a class, rows with several targets, or bags of rows (default: %(default)s)",
    )
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

    if args.kind != "rows":
        _list_files(args.kind)
        return
    rows = []
    for name in list_datasets():
        info = describe(name)
        rows.append((name, info.n_samples, info.n_features, info.n_classes, _where(info)))
    print(format_table(("name", "rows", "features", "classes", "at hand"), rows, "lrrrl"))


def _list_files(kind: str) -> None:
    """List data sets that are files of the data folder and nothing else."""
    from svmosaic.datasets import (
        bags_at_hand,
        describe_bags,
        describe_multitarget,
        find_multitarget,
        list_bags,
        list_multitarget,
    )

    def told(found: bool) -> str:
        return "data folder" if found else "no"

    if kind == "bags":
        bags = [describe_bags(name) for name in list_bags()]
        head: tuple[str, ...] = ("name", "bags", "instances", "features", "positive", "at hand")
        rows: list[tuple[object, ...]] = [
            (
                i.name,
                i.n_bags,
                i.n_instances,
                i.n_features,
                i.n_positive,
                told(bags_at_hand(i.name)),
            )
            for i in bags
        ]
    else:
        several = [describe_multitarget(name) for name in list_multitarget()]
        head = ("name", "rows", "features", "targets", "at hand")
        rows = [
            (
                i.name,
                i.n_samples,
                i.n_features,
                i.n_targets,
                told(find_multitarget(i.name) is not None),
            )
            for i in several
        ]
    print(format_table(head, rows, "l" + "r" * (len(head) - 2) + "l"))


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
    from svmosaic.datasets import list_bags, list_datasets, list_multitarget
    from svmosaic.exceptions import DataNotFoundError

    name = args.name
    known: list[str] = []
    for names, show in (
        (list_datasets, _describe_rows),
        (list_multitarget, _describe_targets),
        (list_bags, _describe_bags),
    ):
        if name in names():
            show(name)
            return
        known += names()
    close = difflib.get_close_matches(name.lower(), known, n=3)
    near = " or ".join(map(repr, close))
    hint = f"Did you mean {near}?" if near else "List the names with: svmosaic data list"
    raise DataNotFoundError(f"No data set is called {name!r}. {hint}")


def _describe_rows(name: str) -> None:
    from svmosaic.datasets import describe

    info = describe(name)
    size: list[tuple[str, object]] = [
        ("rows", info.n_samples),
        ("features", f"{info.n_features}{', sparse' if info.sparse else ''}"),
        ("classes", info.n_classes),
        ("at hand", _where(info)),
    ]
    number = [] if info.openml is None else [("OpenML number", info.openml.id)]
    _print_description(info, info.task, size, number)


def _describe_targets(name: str) -> None:
    from svmosaic.datasets import describe_multitarget

    info = describe_multitarget(name)
    size = [
        ("rows", info.n_samples),
        ("features", f"{info.n_features}, {info.n_nominal} of them nominal"),
        ("missing", info.n_missing),
        ("targets", info.n_targets),
    ]
    _print_description(info, "several targets", size)


def _describe_bags(name: str) -> None:
    from svmosaic.datasets import describe_bags

    info = describe_bags(name)
    size = [
        ("bags", f"{info.n_bags}, {info.n_positive} of them positive"),
        ("instances", info.n_instances),
        ("features", f"{info.n_features}{', sparse' if info.sparse else ''}"),
    ]
    _print_description(info, "multi-instance", size)


def _print_description(
    info: Any,
    task: str,
    size: Sequence[tuple[str, object]],
    more: Sequence[tuple[str, object]] = (),
) -> None:
    fields = [
        ("name", info.name),
        ("title", info.title),
        ("task", task),
        *size,
        ("source", _wrapped(info.source)),
        ("notes", _wrapped(info.cautions)),
        *more,
    ]
    print(format_fields(fields))


def _wrapped(text: str) -> str:
    lines = textwrap.wrap(text, _TEXT_WIDTH - _FIELD_WIDTH)
    return f"\n{' ' * _FIELD_WIDTH}".join(lines)
