"""``svmosaic demo``: the whole library in a minute, and a page to keep."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from svmosaic.cli.console import format_table, uninterrupted
from svmosaic.cli.files import Files, OutputFolder
from svmosaic.version import __version__

if TYPE_CHECKING:
    from svmosaic.demo import Chapter, Scale
    from svmosaic.reports import Document
    from svmosaic.reports.run_records import Run

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Show the library in about a minute: the exact SVM beside scikit-learn's SVC, several targets, bags
of instances, a stream with drift, and a comparison of five methods. Writes report.html and
results.csv."""
EPILOG = """\
examples:
  svmosaic demo
  svmosaic demo --out /tmp/demo --quick
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--out",
        default="svmosaic-demo",
        metavar="DIR",
        help="folder for report.html and results.csv (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="small data; takes a few seconds")


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files(folder=OutputFolder(args.out, ()))


def run(args: argparse.Namespace) -> None:
    """Measure, draw, write, and show the results."""
    folder = Path(args.out)
    begin = time.perf_counter()

    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.demo import FULL, QUICK
    from svmosaic.reports import write_html
    from svmosaic.reports.run_records import write_runs

    scale = QUICK if args.quick else FULL
    runs: list[Run] = []
    chapters = []
    for chapter in _chapters(scale, runs):
        print(chapter.sentence, flush=True)
        chapters.append(chapter)
    print("\n" + _terminal_table(runs))
    with uninterrupted():
        folder.mkdir(parents=True, exist_ok=True)
        write_runs(runs, folder / "results.csv")
        write_html(_document(chapters), folder / "report.html")
        print(f"\n{time.perf_counter() - begin:.0f} s in all. Results: {folder / 'results.csv'}")
        print(f"Report: {folder / 'report.html'}")


def _chapters(scale: Scale, runs: list[Run]) -> Iterator[Chapter]:
    """Yield the chapters in the order of the page; fills the runs beside SVC."""
    from svmosaic.demo.bags import show_bags
    from svmosaic.demo.comparison import compare_with_svc, show_comparison
    from svmosaic.demo.drift import show_drift
    from svmosaic.demo.growth import show_growth
    from svmosaic.demo.ranking import show_ranking
    from svmosaic.demo.targets import show_targets

    yield show_growth(scale)
    runs += compare_with_svc(scale)
    yield show_comparison(scale, runs)
    yield show_targets(scale)
    yield show_bags(scale)
    yield show_drift(scale)
    yield show_ranking(scale)


def _terminal_table(runs: Sequence[Run]) -> str:
    from svmosaic.reports.run_records import comparison_table

    table = comparison_table(runs)
    return format_table(table.header, table.rows, table.align)


def _document(chapters: Sequence[Chapter]) -> Document:
    import sklearn

    from svmosaic.reports import Document

    made = datetime.now(UTC).strftime("%d %B %Y")
    return Document(
        title="svmosaic in a minute",
        summary=(
            "Support vector machines for tables, several targets, bags and streams. Every number "
            "on this page was measured on this computer a moment before the page was written. Run "
            "svmosaic demo again to repeat it."
        ),
        sections=[chapter.section for chapter in chapters],
        footer=f"svmosaic {__version__} with scikit-learn {sklearn.__version__}, {made}.",
        facts=[chapter.fact for chapter in chapters],
    )
