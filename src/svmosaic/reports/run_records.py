"""Classifiers compared on data sets: one record per run, and tables of them."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from svmosaic.reports.document import Table
from svmosaic.utils.atomic import atomic_write

__all__ = ["Run", "comparison_table", "find_run", "write_runs"]


@dataclass(frozen=True)
class Run:
    """One classifier, trained and tested once on one data set.

    Attributes
    ----------
    data : str
        The data set.
    method : str
        The classifier.
    accuracy : float
        Share of the test rows that it labels right.
    n_support : int
        Its support vectors.
    fit_seconds, predict_seconds : float
        Time to train, and to label the test rows.
    reference : str
        The method that it is compared with, on the same data.
    """

    data: str
    method: str
    accuracy: float
    n_support: int
    fit_seconds: float
    predict_seconds: float
    reference: str


def find_run(runs: Sequence[Run], data: str, method: str) -> Run:
    """Return the run of a method on a data set."""
    for run in runs:
        if (run.data, run.method) == (data, method):
            return run
    raise LookupError(f"No run of {method!r} on {data!r} is among the results.")


_HEADER = (
    *("data", "method", "accuracy", "SVs", "SVs / SVC"),
    *("fit s", "x SVC", "predict s", "x SVC"),
)


def comparison_table(runs: Sequence[Run], caption: str = "") -> Table:
    """Return the runs as a table, grouped by data set.

    The factors compare each run with its reference on the same data: support vectors as a
    multiple of the reference's, times as how many times faster.
    """
    rows: list[Sequence[str]] = []
    for number, run in enumerate(runs):
        if number and run.data != runs[number - 1].data:
            rows.append(())
        reference = find_run(runs, run.data, run.reference)
        own = run is reference
        rows.append(
            (
                run.data,
                run.method,
                f"{run.accuracy:.4f}",
                str(run.n_support),
                "" if own else f"{run.n_support / reference.n_support:.2f}",
                _seconds(run.fit_seconds),
                "" if own else f"{reference.fit_seconds / run.fit_seconds:.1f}",
                _seconds(run.predict_seconds),
                "" if own else f"{reference.predict_seconds / run.predict_seconds:.1f}",
            )
        )
    return Table(_HEADER, rows, caption, "ll" + "r" * (len(_HEADER) - 2))


def _seconds(seconds: float) -> str:
    return f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def write_runs(runs: Sequence[Run], path: str | os.PathLike[str]) -> None:
    """Write the runs as a CSV file, with the ratios to their references."""
    with atomic_write(path) as stream:
        fields = list(Run.__dataclass_fields__)
        ratios = ["n_support_ratio", "fit_speedup", "predict_speedup"]
        writer = csv.DictWriter(stream, [*fields, *ratios], lineterminator="\n")
        writer.writeheader()
        for run in runs:
            reference = find_run(runs, run.data, run.reference)
            writer.writerow(
                asdict(run)
                | {
                    "n_support_ratio": run.n_support / reference.n_support,
                    "fit_speedup": reference.fit_seconds / run.fit_seconds,
                    "predict_speedup": reference.predict_seconds / run.predict_seconds,
                }
            )
