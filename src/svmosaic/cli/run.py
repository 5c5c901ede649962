"""``svmosaic run``: run an experiment, or resume one."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmosaic.cli.console import format_fields, format_table, note, uninterrupted
from svmosaic.cli.files import Files, OutputFolder, check_files
from svmosaic.utils.wording import plural

if TYPE_CHECKING:
    from svmosaic.experiments.journal import Entry
    from svmosaic.experiments.run_progress import Progress
    from svmosaic.experiments.runner import RunSummary

__all__ = [
    "DESCRIPTION",
    "EPILOG",
    "WRITTEN",
    "add_arguments",
    "add_reuse_option",
    "files",
    "finished_cells",
    "positive_seconds",
    "report_lines",
    "run",
]

DESCRIPTION = """\
Run an experiment: several methods on several data sets, evaluated alike.

SPEC is a TOML file of data sets, methods and a protocol. Every finished fold is kept at once: stop
or kill the run at any time, and the same command resumes with what is missing. At the end you have
tables of scores, what the statistics say of them, and a page with figures (report.html)."""
EPILOG = """\
examples:
  svmosaic run compare.toml
  svmosaic run compare.toml --out results --n-jobs 4
  svmosaic run compare.toml --out results --shard 3/8
  svmosaic run compare.toml --scheduler tcp://host:8786
"""

_TEXT_WIDTH = 92
_PROGRESS_SECONDS = 5.0
# The files of a run, as patterns in its folder.
WRITTEN = ("journal*.jsonl*", "results.csv", "scores-*.csv", "report.html", "tables/*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("spec", metavar="SPEC", help="the TOML file of the experiment")
    parser.add_argument(
        "--out", metavar="FOLDER", help="where the results go (default: the name of SPEC + .run)"
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
        help="stop a cell that takes longer and record it as failed (default: the spec's "
        "time_limit, or no limit)",
    )
    parser.add_argument(
        "--shard",
        type=_shard,
        default=(1, 1),
        metavar="I/N",
        help="do the I-th of N shares of the work, for job arrays",
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run cells again that failed before"
    )
    add_reuse_option(parser)
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run the cells on the Dask cluster of this scheduler, such as tcp://host:8786; "
        "results are written here",
    )


def add_reuse_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the results of another run."""
    parser.add_argument(
        "--reuse",
        metavar="RESULTS",
        help="take cells with the same data, split, method and parameters from the results.csv "
        "(or .csv.gz) of another run, whatever code computed them",
    )


def finished_cells(summary: RunSummary) -> str:
    """Return the number of cells and how many of them were there before."""
    reused = f", {summary.n_reused} reused" if summary.n_reused else ""
    return f"{summary.n_cells}, of them {summary.n_before} finished before{reused}"


def positive_seconds(text: str) -> float:
    """Return the seconds that a word of the command line gives."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text!r}")
    return seconds


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"expected a share such as 3/8, got {text!r}")
    return int(found[1]), int(found[2])


def files(args: argparse.Namespace) -> Files:
    """Return what is read and written."""
    return Files((args.spec, args.reuse), folder=OutputFolder(_folder(args), WRITTEN))


def _folder(args: argparse.Namespace) -> Path:
    return Path(args.out or f"{Path(args.spec).stem}.run")


def run(args: argparse.Namespace) -> None:
    """Run what is missing, write the tables, show them."""
    # Imported here: the numerical libraries take a second, and the help does not need them.
    from svmosaic.experiments import read_spec, run_experiment
    from svmosaic.experiments.results import read_cells, warn_of_damage, write_records

    # Estimators may be in modules beside the spec. Workers take the path over.
    beside = str(Path(args.spec).resolve().parent)
    if beside not in sys.path:
        sys.path.append(beside)
    spec = read_spec(args.spec)
    folder = _folder(args)
    # The spec names more files that are read.
    read = [data.path or data.dataset or data.name for data in spec.data]
    check_files(Files(read, folder=OutputFolder(folder, WRITTEN)))
    try:
        with _backend(args) as n_jobs:
            summary = run_experiment(
                spec,
                folder,
                n_jobs=n_jobs,
                shard=args.shard,
                retry_failed=args.retry_failed,
                time_limit=args.cell_limit,
                reuse=args.reuse,
                progress=report_lines(),
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "finished cells are kept; the same command resumes with the others"
        ) from None
    with uninterrupted():
        cells = read_cells(folder)
        warn_of_damage(cells.damaged, stacklevel=1)
        files = write_records(folder, cells.records, spec.protocol.scoring)
    print(format_fields(_summary(summary, folder, files)))
    _show_failures(cells.failed)
    for score in spec.protocol.scoring:
        _show_scores(cells.records, score)
    _write_page(folder)


@contextlib.contextmanager
def _backend(args: argparse.Namespace) -> Iterator[int | None]:
    """Return how many cells run at a time; on a cluster that is not ours to say."""
    if args.scheduler is None:
        yield args.n_jobs
        return
    if args.n_jobs != 1:
        raise ValueError(
            "--n-jobs is for processes on this computer, and the workers of --scheduler run one "
            "cell for each of their threads. Leave one of them out."
        )
    import joblib

    from svmosaic.cli.cluster import connect

    with connect(args.scheduler), joblib.parallel_config("dask"):
        yield None


def _write_page(folder: Path) -> None:
    """Write the report. The results are safe by now, so whatever goes wrong here is a warning."""
    again = f"'svmosaic report {folder}' makes it"
    try:
        from svmosaic.reports import write_report

        page, *_ = write_report(folder)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"all results are written and only the report is not; {again}"
        ) from None
    except Exception as error:
        note(f"warning: the report was not written: {type(error).__name__}: {error}; {again}")
    else:
        print(f"\n{format_fields([('report', page)])}")


def report_lines() -> Callable[[Progress], None]:
    """Return what writes a line of progress every few seconds."""
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_SECONDS:
            last = now
            failed = f", {progress.failed} failed" if progress.failed else ""
            seconds = progress.remaining_seconds
            left = f"about {seconds:.0f} s left" if math.isfinite(seconds) else "time left unknown"
            note(f"{progress.done} of {plural(progress.total, 'cell')}{failed}, {left}")

    return report


# What is shown ------------------------------------------------------------------------------


def _summary(summary: RunSummary, folder: Path, files: list[Path]) -> list[tuple[str, object]]:
    return [
        ("cells", summary.n_cells),
        ("finished before", summary.n_before),
        *([("reused", summary.n_reused)] if summary.n_reused else []),
        ("finished now", summary.n_done),
        ("failed now", summary.n_failed),
        ("seconds", f"{summary.seconds:.1f}"),
        ("folder", folder),
        ("files", ", ".join(path.name for path in files)),
    ]


def _show_failures(failed: Sequence[Entry]) -> None:
    for entry in failed[:3]:
        note(f"warning: failed: {entry.label}: {entry.record['error']}")
    if failed:
        note(
            f"warning: {plural(len(failed), 'cell')} failed in all; --retry-failed runs them again"
        )


def _show_scores(records: list[dict[str, Any]], score: str) -> None:
    methods = list(dict.fromkeys(record["method"] for record in records))
    datasets = list(dict.fromkeys(record["dataset"] for record in records))
    rows = [
        [dataset, *(_mean(records, dataset, method, score) for method in methods)]
        for dataset in datasets
    ]
    print(f"\n{format_table([score, *methods], rows, 'l' + 'r' * len(methods))}")
    if len(methods) < 2 or len(datasets) < 2:
        return
    from svmosaic.stats import compare, table_of_records

    try:
        table = table_of_records(records, score, missing="drop")
    except ValueError:
        note("warning: too few complete data sets for the statistics")
        return
    # All named scores are better when they are higher.
    text = compare(table, measure=score).text()
    print(f"\n{textwrap.fill(text, _TEXT_WIDTH)}")


def _mean(records: list[dict[str, Any]], dataset: str, method: str, score: str) -> str:
    values = [r[score] for r in records if (r["dataset"], r["method"]) == (dataset, method)]
    return f"{sum(values) / len(values):.4f}" if values else ""
