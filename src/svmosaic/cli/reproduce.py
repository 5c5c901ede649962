"""``svmosaic reproduce``: a table or figure of the papers, ours beside the printed one."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_fields, format_table, note
from svmosaic.cli.files import Files, OutputFolder
from svmosaic.cli.run import (
    WRITTEN,
    add_reuse_option,
    finished_cells,
    positive_seconds,
    report_lines,
)
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.reproduce import Reproduction
    from svmosaic.reproduce.paper_comparison import Numbers
    from svmosaic.reproduce.paper_spec import Metric, Size

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Run a table or figure of the papers again and show ours beside the printed numbers.

TABLE is an id such as 5.3, or the word list. The experiment runs on the data sets available: those
that come with svmosaic, those in the data folder (SVMOSAIC_DATA) and those fetched. What is missing
is skipped and reported; --fetch downloads what can be. Finished folds are kept: the same command
resumes. The folder then has comparison.csv and a page TABLE.md, or the figure as SVG and PNG with
its numbers."""
EPILOG = """\
examples:
  svmosaic reproduce list
  svmosaic reproduce 5.3 --quick --n-jobs 2
  svmosaic reproduce fig-5.6 --quick
  svmosaic reproduce 3 --reuse docs/results/3.csv.gz --only-finished
"""

_TEXT_WIDTH = 92


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("table", metavar="TABLE", help="the id of a table or figure, or: list")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="a smaller experiment that takes minutes"
    )
    size.add_argument(
        "--large", action="store_true", help="the large data sets of the table; takes hours"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="repeat a nested cross-validation with N seeds and show the deviation over them",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="where the results go (default: reproduce-TABLE-SIZE)"
    )
    parser.add_argument(
        "--n-jobs",
        type=int,
        default=1,
        metavar="N",
        help="cells at a time, in processes of their own; -1 means one per processor "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--cell-limit",
        type=positive_seconds,
        metavar="SECONDS",
        help="stop a cell that takes longer and record it as failed",
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run cells again that failed before"
    )
    parser.add_argument(
        "--fetch",
        action="store_true",
        help="download data sets that are missing and have a public home, each once and with a "
        "checksum",
    )
    add_reuse_option(parser)
    parser.add_argument(
        "--only-finished",
        action="store_true",
        help="run nothing; show the data sets that are finished in the folder",
    )


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    from svmosaic.reproduce import find_table
    from svmosaic.reproduce.reproduction import default_folder

    if args.table == "list":
        return Files()
    folder = args.out or default_folder(find_table(args.table), _size(args), args.repeats)
    return Files((args.reuse,), folder=OutputFolder(folder, (*WRITTEN, "comparison.csv")))


def _size(args: argparse.Namespace) -> Size:
    return "quick" if args.quick else "large" if args.large else "full"


def run(args: argparse.Namespace) -> None:
    """List, or run and show."""
    if args.table == "list":
        _list()
        return
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.reproduce import reproduce

    try:
        result = reproduce(
            args.table,
            args.out,
            size=_size(args),
            n_jobs=args.n_jobs,
            time_limit=args.cell_limit,
            retry_failed=args.retry_failed,
            reuse=args.reuse,
            only_finished=args.only_finished,
            fetch_missing=args.fetch,
            repeats=args.repeats,
            progress=report_lines(),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "finished cells are kept; the same command resumes with the others"
        ) from None
    _show(result)


def _list() -> None:
    from svmosaic.reproduce import find_table, list_tables

    rows = []
    for name in list_tables():
        spec = find_table(name)
        shown = find_table(spec.figure["table"]) if spec.figure and "table" in spec.figure else spec
        missing = shown.missing("full").data
        there = len(shown.data_names("full")) - len(missing)
        minutes = [spec.minutes.get(size) for size in ("quick", "full", "large")]
        rows.append(
            (
                *(name, spec.title, there, ", ".join(missing) or "-"),
                *("-" if value is None else f"{value:g}" for value in minutes),
            )
        )
    header = ("id", "title", "data available", "missing", "quick", "full", "large")
    print(format_table(header, rows, "llrlrrr"))
    print("\nThe last columns are estimated minutes on two quiet cores (--n-jobs 2).")


def _show(result: Reproduction) -> None:
    fields: list[tuple[str, object]] = [
        ("table", f"{result.spec.id}: {result.spec.title}"),
        ("printed in", result.spec.source),
        ("size", result.size),
    ]
    if result.summary is not None:
        summary = result.summary
        fields += [
            ("cells", finished_cells(summary)),
            ("failed", len(result.failures)),
            ("seconds", f"{summary.seconds:.1f}"),
        ]
    fields += [
        ("folder", result.folder),
        ("files", ", ".join(path.name for path in result.files)),
    ]
    print(format_fields(fields))
    for failure in result.failures[:3]:
        note(f"warning: failed: {failure}")
    if result.missing.data:
        count = plural(len(result.missing.data), "data set")
        note(f"{count} left out, not available: {', '.join(result.missing.data)}")
        _show_fetching(result)
    if result.missing.unfinished:
        count = plural(len(result.missing.unfinished), "data set")
        note(f"{count} left out, not finished: {', '.join(result.missing.unfinished)}")
    for name, reason in result.missing.methods.items():
        note(f"the method {name} was left out: {reason}")
    if result.numbers is not None:
        for metric in result.numbers.metrics:
            print(f"\n{_metric_table(result.numbers, metric)}")
            for text in result.words[metric.name]:
                print(f"\n{textwrap.fill(text, _TEXT_WIDTH)}")
    for text in result.spec.notes:
        print(f"\n{textwrap.fill(f'Note: {text}', _TEXT_WIDTH)}")


def _show_fetching(result: Reproduction) -> None:
    """Say how to get what is missing, or why it could not be downloaded."""
    from svmosaic.datasets import describe, list_datasets
    from svmosaic.datasets.fetching import can_be_fetched

    for reason in result.missing.not_fetched.values():
        note(f"warning: {reason}")
    names = [name for name in result.missing.data if name not in result.missing.not_fetched]
    known = [name for name in names if name in list_datasets()]
    there = [name for name in known if can_be_fetched(describe(name))]
    if there:
        note(f"with a network, --fetch downloads {', '.join(there)}")
    if others := [name for name in names if name not in there]:
        note(f"the data folder SVMOSAIC_DATA may hold {', '.join(others)}")


def _metric_table(numbers: Numbers, metric: Metric) -> str:
    """Return a line per data set and method: ours, the paper's, the difference, the ranks."""
    rows: list[list[Any]] = []
    for dataset in numbers.datasets:
        for method in numbers.methods:
            cell = numbers.cells[dataset, metric.name, method]
            rows.append(
                [
                    dataset,
                    method,
                    _number(cell.ours, metric.digits),
                    _number(cell.paper, metric.digits),
                    _number(cell.difference, metric.digits, sign="+"),
                    _number(cell.rank, 1),
                    _number(cell.paper_rank, 1),
                ]
            )
        rows.append([])
    for method in numbers.methods:
        ranks = [numbers.mean_rank(metric.name, method, paper=paper) for paper in (False, True)]
        rows.append(["mean rank", method, "", "", "", *(_number(rank, 2) for rank in ranks)])
    header = (metric.label, "method", "ours", "paper", "difference", "rank", "paper's rank")
    return format_table(header, rows, "llrrrrr")


def _number(value: float | None, digits: int, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.{digits}f}"
