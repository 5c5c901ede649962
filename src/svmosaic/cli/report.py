"""``svmosaic report``: one page and tables of what a run has given."""

from __future__ import annotations

import argparse
import math

from svmosaic.cli.console import file_size, format_fields, uninterrupted
from svmosaic.cli.files import Files, OutputFolder
from svmosaic.utils.wording import plural

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Write a report on a run: one HTML page that needs no network, and its tables as CSV, LaTeX and
Markdown in the folder 'tables' beside it.

RUN is the folder that 'svmosaic run' has written. Nothing is trained: a run that is not finished
has a report too."""
EPILOG = """\
examples:
  svmosaic report compare.run
  svmosaic report compare.run --control OLLAWV --out report
  svmosaic report compare.run --out compare.html --alpha 0.1
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", metavar="RUN", help="the folder of a run")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="a folder for report.html, or a file that ends in .html (default: RUN)",
    )
    parser.add_argument(
        "--control",
        metavar="METHOD",
        help="compare this method with each of the others; 'best' takes the best average rank "
        "(default: all pairs)",
    )
    parser.add_argument(
        "--alpha",
        type=_level,
        default=0.05,
        metavar="A",
        help="level of the tests (default: %(default)s)",
    )


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text!r}")
    return level


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    from svmosaic.reports.experiment_report import TABLES, page_path

    page = page_path(args.folder, args.out)
    return Files((args.folder,), folder=OutputFolder(page.parent, (page.name, f"{TABLES}/*")))


def run(args: argparse.Namespace) -> None:
    """Read the journals, write the page and its tables."""
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.reports.experiment_report import experiment_report, page_path, write_files

    page = page_path(args.folder, args.out)
    report = experiment_report(args.folder, control=args.control, alpha=args.alpha)
    with uninterrupted():
        files = write_files(report, page)
    facts = [
        *report.document.facts,
        ("page", f"{page} ({file_size(str(page))})"),
        ("tables", f"{plural(len(files) - 1, 'file')} in {page.parent / 'tables'}"),
    ]
    print(format_fields(facts))
