"""``svmosaic stats``: compare methods over data sets from a file of scores."""

from __future__ import annotations

import argparse
import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_fields, format_table, uninterrupted
from svmosaic.cli.files import Files

if TYPE_CHECKING:
    from svmosaic.stats import Comparison, ScoreTable

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "files", "run"]

DESCRIPTION = """\
Compare methods over data sets from a file of scores.

SCORES is a CSV file: the first line names the methods, the first column the data sets. With --score
it is the results.csv of a run (also packed: .csv.gz) or its folder, and folds are averaged. Shown
are average ranks, the Friedman test in Iman and Davenport's form, and the comparisons of all pairs
(Nemenyi, Holm, Shaffer) or of a control with the others (Bonferroni-Dunn, Holm, Hochberg), each
with Wilcoxon's signed-rank test."""
EPILOG = """\
examples:
  svmosaic stats accuracy.csv
  svmosaic stats accuracy.csv --control OLLAWV --plot ranks.svg --latex table.tex
  svmosaic stats seconds.csv --lower-is-better --skip Average --alpha 0.1
  svmosaic stats docs/results/3.csv.gz --score average_correlation --missing drop
"""

_TEXT_WIDTH = 92
_PICTURES = (".svg", ".png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("scores", metavar="SCORES", help="a CSV file of scores")
    parser.add_argument(
        "--score",
        metavar="NAME",
        help="SCORES has a line per fold, as results.csv has; compare this column of it",
    )
    parser.add_argument(
        "--control",
        metavar="METHOD",
        help="compare this method with each of the others; 'best' takes the best average rank "
        "(default: all pairs)",
    )
    parser.add_argument(
        "--lower-is-better", action="store_true", help="the best score is the smallest"
    )
    parser.add_argument(
        "--alpha",
        type=_level,
        default=0.05,
        metavar="A",
        help="level of the tests (default: %(default)s)",
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out a row or a column, such as an average; may be given several times",
    )
    parser.add_argument(
        "--missing",
        choices=("refuse", "drop"),
        default="refuse",
        help="what to do with empty cells: stop with an error, or leave out their data sets "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--measure",
        metavar="WORD",
        help="what the scores are, for the text (default: that of --score, or: score)",
    )
    parser.add_argument(
        "--correct-ties",
        action="store_true",
        help="correct the Friedman test for ties, as SciPy does; without it ties make the test "
        "conservative",
    )
    parser.add_argument(
        "--plot", type=_picture, metavar="FILE", help="draw the diagram into an SVG or PNG file"
    )
    parser.add_argument("--latex", metavar="FILE", help="write both tables for LaTeX")
    parser.add_argument("--csv", metavar="FILE", help="write the comparisons as CSV")


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text!r}")
    return level


def _picture(text: str) -> str:
    if Path(text).suffix.lower() not in _PICTURES:
        raise argparse.ArgumentTypeError(f"expected a file name in .svg or .png, got {text!r}")
    return text


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files((args.scores,), (args.plot, args.latex, args.csv))


def run(args: argparse.Namespace) -> None:
    """Read, compare, show, write."""
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.stats import compare

    result = compare(
        _read(args),
        not args.lower_is_better,
        control=args.control,
        alpha=args.alpha,
        correct_ties=args.correct_ties,
        measure=args.measure or args.score or "score",
    )
    # Drawn before anything is shown, so that a missing package is the only thing reported.
    picture = None if args.plot is None else _draw(result, args.plot)
    print(format_fields(_summary(result)))
    print(f"\n{_methods_table(result)}\n")
    print(f"{_pairs_table(result)}\n")
    print(textwrap.fill(result.text(), _TEXT_WIDTH))
    _write(result, picture, args)


def _read(args: argparse.Namespace) -> ScoreTable:
    if args.score is None:
        from svmosaic.stats import read_scores

        if _has_folds(args.scores):
            raise ValueError(
                f"{args.scores} has a line per fold. Name the column to compare, as in: --score "
                "accuracy."
            )
        return read_scores(args.scores, skip=args.skip, missing=args.missing)
    from svmosaic.experiments import result_table

    return result_table(args.scores, args.score, missing=args.missing, skip=args.skip)


def _has_folds(path: str) -> bool:
    """Say whether a file is the results.csv of a run."""
    from svmosaic.datasets.readers.text import iter_result_blocks

    if not Path(path).is_file():
        return False
    first = next(iter_result_blocks(path), None)
    columns = [] if first is None else first.lines[0].split(",")
    return {"dataset", "method", "fold"} <= set(columns)


# What is shown ------------------------------------------------------------------------------


def _summary(result: Comparison) -> list[tuple[str, object]]:
    test = result.friedman
    first, second = test.degrees_of_freedom
    name = "Nemenyi" if result.control is None else "Bonferroni-Dunn"
    return [
        ("methods", len(result.table.methods)),
        ("data sets", len(result.table.datasets)),
        ("Friedman", f"chi2({first}) = {test.chi2:.4f}, p = {_p(test.chi2_p_value)}"),
        ("Iman-Davenport", f"F({first}, {second}) = {test.F:.4f}, p = {_p(test.p_value)}"),
        (
            "critical difference",
            f"{result.critical_difference:.4f} ({name}, level {result.alpha:g})",
        ),
    ]


def _methods_table(result: Comparison) -> str:
    rows = [
        [
            record["method"],
            f"{record['average_rank']:.4f}",
            f"{record['mean_score']:.6g}",
            record["times_best"],
        ]
        for record in result.frame("methods")
    ]
    return format_table(("method", "average rank", "mean score", "times best"), rows, "lrrr")


def _pairs_table(result: Comparison) -> str:
    adjusted = list(result.pairs[0].adjusted)
    header = [
        *("method", "versus", "win/tie/loss", "z", "p"),
        *(name.replace("_", "-") for name in adjusted),
        *("R+", "R-", "Wilcoxon"),
    ]
    rows = [
        [
            pair.method,
            pair.versus,
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            f"{pair.z:.3f}",
            _p(pair.p_value),
            *(_p(pair.adjusted[name]) for name in adjusted),
            f"{pair.wilcoxon.r_plus:g}",
            f"{pair.wilcoxon.r_minus:g}",
            _p(pair.wilcoxon.p_value),
        ]
        for pair in result.pairs
    ]
    return format_table(header, rows, "ll" + "r" * (len(header) - 2))


def _p(p: float) -> str:
    return f"{p:.1e}" if p < 1e-4 else f"{p:.4f}"


# Writing ------------------------------------------------------------------------------------


def _draw(result: Comparison, path: str) -> bytes:
    from svmosaic.plots import plot_comparison, to_png, to_svg

    ax = plot_comparison(result)
    return to_svg(ax) if path.lower().endswith(".svg") else to_png(ax)


def _write(result: Comparison, picture: bytes | None, args: argparse.Namespace) -> None:
    from svmosaic.utils.atomic import atomic_write

    written: list[tuple[str, object]] = []
    with uninterrupted():
        if picture is not None:
            with atomic_write(args.plot, "wb") as stream:
                stream.write(picture)
            written.append(("diagram", args.plot))
        if args.latex is not None:
            with atomic_write(args.latex) as stream:
                stream.write(f"{result.latex()}\n{result.latex('pairs')}")
            written.append(("LaTeX", args.latex))
        if args.csv is not None:
            with atomic_write(args.csv) as stream:
                _write_csv(result.frame(), stream)
            written.append(("comparisons", args.csv))
    if written:
        print(f"\n{format_fields(written)}")


def _write_csv(records: list[dict[str, Any]], stream: Any) -> None:
    import csv

    writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
