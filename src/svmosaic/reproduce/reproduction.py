"""Run a table's experiment, or what is missing of it, and put ours beside the paper's."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from svmosaic.datasets import describe, fetch, list_datasets
from svmosaic.datasets.fetching import can_be_fetched
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.experiments import reuse_results, run_experiment
from svmosaic.experiments.results import read_cells, warn_of_damage, write_records
from svmosaic.experiments.run_progress import Progress
from svmosaic.experiments.runner import RunSummary
from svmosaic.experiments.spec import ExperimentSpec, ProtocolSpec
from svmosaic.reproduce.environment import provenance
from svmosaic.reproduce.page import figure_page, table_page
from svmosaic.reproduce.paper_comparison import Numbers, ours_beside_printed
from svmosaic.reproduce.paper_spec import Missing, Size, TableSpec, find_table
from svmosaic.reproduce.statements import statements
from svmosaic.utils.atomic import atomic_write

__all__ = ["Reproduction", "default_folder", "reproduce"]


@dataclass(frozen=True)
class Reproduction:
    """A table or figure that was run again.

    Attributes
    ----------
    spec : TableSpec
        What it is.
    size : {"full", "quick", "large"}
        How much of it was run.
    folder : Path
        Where the run and the files are.
    missing : Missing
        Data sets and methods that were left out.
    failures : tuple of str
        Cells that failed, in words.
    summary : RunSummary or None
        What the run did; None where there is no experiment.
    numbers : Numbers or None
        Ours beside the printed ones.
    words : dict of str to list of str
        What the statistics say, by metric.
    files : tuple of Path
        What was written.
    """

    spec: TableSpec
    size: str
    folder: Path
    missing: Missing
    failures: tuple[str, ...]
    summary: RunSummary | None
    numbers: Numbers | None
    words: Mapping[str, Sequence[str]]
    files: tuple[Path, ...]


def default_folder(spec: TableSpec, size: str, repeats: int | None = None) -> Path:
    """Return the folder of a run; a figure that shows a table shares that of the table."""
    table = spec.id if spec.figure is None else spec.figure.get("table", spec.id)
    return Path(f"reproduce-{table}-{size}" + (f"-{repeats}-repeats" if repeats else ""))


def _command(spec: TableSpec, size: str, repeats: int | None = None) -> str:
    """Return the command that does the same."""
    words = ["svmosaic reproduce", spec.id]
    words += [f"--{size}"] if size != "full" else []
    words += [f"--repeats {repeats}"] if repeats else []
    return " ".join(words)


def reproduce(
    table: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    size: Size = "full",
    n_jobs: int | None = None,
    time_limit: float | None = None,
    retry_failed: bool = False,
    reuse: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    only_finished: bool = False,
    fetch_missing: bool = False,
    repeats: int | None = None,
) -> Reproduction:
    """Run a table or figure of a paper again and put ours beside the printed numbers.

    Finished cells are kept: the same call resumes with what is missing. Data sets that are not
    available and methods whose package is not installed are skipped and reported.

    Parameters
    ----------
    table : str
        One of `list_tables`.
    folder : path-like, default=None
        Where the run and the files go; None means ``reproduce-TABLE-SIZE``.
    size : {"full", "quick", "large"}, default="full"
        "quick" takes minutes; "large" has the data sets that take hours, where a table has them.
    n_jobs, time_limit, retry_failed, reuse, progress : optional
        As in `svmosaic.experiments.run_experiment`.
    only_finished : bool, default=False
        Run nothing; show the data sets of the folder on which all methods are finished. Methods
        without any finished cell are left out and named.
    fetch_missing : bool, default=False
        Download data sets that are missing and have a public home, as `svmosaic.datasets.fetch`
        does. Without a network they are skipped, and `missing.not_fetched` says why.
    repeats : int, default=None
        How many times a nested cross-validation is repeated, each time with a seed of its own. The
        page then has deviations over the repeats. None means as the table is defined, mostly once.

    Returns
    -------
    Reproduction
        Ours, beside the printed numbers, and the files.

    Examples
    --------
    >>> import tempfile
    >>> from svmosaic.reproduce import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     figure = reproduce("fig-3.3", folder)  # doctest: +SKIP
    """
    spec = find_table(table)
    target = default_folder(spec, size, repeats) if folder is None else Path(folder)
    options = {
        "n_jobs": n_jobs,
        "time_limit": time_limit,
        "retry_failed": retry_failed,
        "reuse": reuse,
        "progress": progress,
        "only_finished": only_finished,
        "fetch_missing": fetch_missing,
        "repeats": repeats,
    }
    if spec.figure is None:
        return _table(spec, target, size, options)
    if "table" in spec.figure:
        return _figure_of_table(spec, find_table(spec.figure["table"]), target, size, options)
    if repeats is not None:
        raise ValueError(f"repeats={repeats!r}: {spec.id} is a figure without cross-validation.")
    return _figure(spec, target, size)


# Tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """A run of a table's experiment."""

    experiment: ExperimentSpec
    summary: RunSummary | None
    records: list[dict[str, Any]]
    failures: tuple[str, ...]
    numbers: Numbers
    missing: Missing


def _run(spec: TableSpec, folder: Path, size: Size, options: dict[str, Any]) -> _Run:
    not_fetched = _fetch_missing(spec, size) if options["fetch_missing"] else {}
    try:
        experiment = _with_repeats(spec.experiment(size), spec.id, options["repeats"])
    except DataNotFoundError as error:
        reasons = [str(error), *not_fetched.values()]
        raise DataNotFoundError(reasons[-1]) from error
    missing = replace(spec.missing(size), not_fetched=not_fetched)
    summary = None
    if options["only_finished"]:
        if options["reuse"] is not None:
            reuse_results(experiment, folder, options["reuse"])
    else:
        given = ("n_jobs", "time_limit", "retry_failed", "reuse", "progress")
        summary = run_experiment(experiment, folder, **{name: options[name] for name in given})
    cells = read_cells(folder)
    warn_of_damage(cells.damaged, stacklevel=4)
    if options["only_finished"]:
        experiment, missing = _finished(experiment, missing, cells.records, folder)
    write_records(folder, cells.records, experiment.protocol.scoring)
    names = {item.name for item in experiment.data}
    records = [record for record in cells.records if record["dataset"] in names]
    failures = tuple(
        f"{entry.method} on {entry.dataset}, repeat {entry.repeat}, fold {entry.fold}: "
        f"{entry.record['error']}"
        for entry in cells.failed
    )
    numbers = ours_beside_printed(
        spec,
        records,
        [item.name for item in experiment.data],
        [item.name for item in experiment.methods],
    )
    return _Run(experiment, summary, records, failures, numbers, missing)


def _with_repeats(experiment: ExperimentSpec, table: str, repeats: int | None) -> ExperimentSpec:
    protocol = experiment.protocol
    if repeats is None:
        return experiment
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats!r}.")
    if protocol.kind != "nested":
        raise ValueError(
            f"repeats={repeats!r}: {table} in this size is no nested cross-validation but "
            f"{protocol.kind!r}. Leave it out."
        )
    return replace(experiment, protocol=replace(protocol, repeats=repeats))


def _fetch_missing(spec: TableSpec, size: Size) -> dict[str, str]:
    """Download the missing data sets that can be; return those that could not, with the reason."""
    registered = spec.data_names(size)
    failed = {}
    for name in spec.missing(size).data:
        if registered[name] in list_datasets() and can_be_fetched(describe(registered[name])):
            try:
                fetch(registered[name])
            except (DataNotFoundError, DataFileError) as error:
                failed[name] = str(error)
    return failed


def _finished(
    experiment: ExperimentSpec,
    missing: Missing,
    records: Sequence[Mapping[str, Any]],
    folder: Path,
) -> tuple[ExperimentSpec, Missing]:
    """Return the experiment with the data sets on which all methods are finished.

    A method that nobody has run yet hides no data set; it is left out by itself.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        groups.setdefault((record["dataset"], record["method"]), []).append(record)
    begun = {method for _, method in groups}
    methods = tuple(method for method in experiment.methods if method.name in begun)
    if not methods:
        raise DataNotFoundError(f"No data set is finished in {str(folder)!r}. Run the table there.")
    not_begun = {
        method.name: "none of its cells is finished"
        for method in experiment.methods
        if method.name not in begun
    }
    experiment = replace(experiment, methods=methods)
    left_out = {
        data.name: "it is not finished"
        for data in experiment.data
        if not all(
            _is_finished(experiment.protocol, groups.get((data.name, method.name), []))
            for method in experiment.methods
            if data.name not in method.not_on
        )
    }
    kept = tuple(data for data in experiment.data if data.name not in left_out)
    if not kept:
        raise DataNotFoundError(f"No data set is finished in {str(folder)!r}. Run the table there.")
    return (
        replace(experiment, data=kept),
        replace(missing, methods={**missing.methods, **not_begun}, unfinished=left_out),
    )


def _is_finished(protocol: ProtocolSpec, records: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether one method has all its splits of one data set."""
    if protocol.kind != "nested":
        return len(records) >= (protocol.n_splits if protocol.kind == "monte-carlo" else 1)
    # The folds of a repeat share the rows out; a small class may leave fewer folds than asked for.
    tested = sum(record["n_test"] for record in records)
    return bool(records) and tested >= records[0]["n_samples"] * protocol.repeats


def _table(spec: TableSpec, folder: Path, size: Size, options: dict[str, Any]) -> Reproduction:
    run = _run(spec, folder, size, options)
    missing = run.missing
    page = table_page(
        spec,
        _command(spec, size, options["repeats"]),
        run.experiment,
        missing,
        run.numbers,
        run.records,
        run.failures,
        provenance(options["n_jobs"]),
    )
    rows = [cell.record() for metric in spec.metrics for cell in run.numbers.of(metric.name)]
    files = (folder / "comparison.csv", folder / f"{spec.id}.md")
    _write_csv(files[0], rows)
    _write(files[1], page.encode())
    words = {
        metric.name: statements(spec, run.numbers, run.records, metric) for metric in spec.metrics
    }
    return Reproduction(
        *(spec, size, folder, missing, run.failures, run.summary, run.numbers, words, files)
    )


# Figures ------------------------------------------------------------------------------------


def _figure_of_table(
    spec: TableSpec, table: TableSpec, folder: Path, size: Size, options: dict[str, Any]
) -> Reproduction:
    from svmosaic.reproduce.paper_figures import draw_of_table

    run = _run(table, folder, size, options)
    drawing = draw_of_table(spec, table, run.numbers)
    missing = run.missing
    made = provenance(options["n_jobs"])
    command = _command(spec, size, options["repeats"])
    pictures = [f"{spec.id}.svg"]
    page = figure_page(*(spec, command, pictures, missing, run.records, run.failures, made))
    files = _write_figure(spec, folder, drawing, page)
    return Reproduction(*(spec, size, folder, missing, run.failures, run.summary, None, {}, files))


def _figure(spec: TableSpec, folder: Path, size: Size) -> Reproduction:
    from svmosaic.reproduce.paper_figures import draw_alone

    if size == "large":
        raise ValueError(f"{spec.id} has no size 'large'; it has full, quick.")
    drawing = draw_alone(spec, quick=size == "quick")
    folder.mkdir(parents=True, exist_ok=True)
    command, made = _command(spec, size), provenance(None)
    page = figure_page(*(spec, command, [f"{spec.id}.svg"], Missing({}, {}), (), (), made))
    files = _write_figure(spec, folder, drawing, page)
    return Reproduction(*(spec, size, folder, Missing({}, {}), (), None, None, {}, files))


def _write_figure(spec: TableSpec, folder: Path, drawing: Any, page: str) -> tuple[Path, ...]:
    files = [folder / f"{spec.id}.{suffix}" for suffix in ("svg", "png", "md")]
    contents = (drawing.svg, drawing.png, page.encode())
    for path, content in zip(files, contents, strict=True):
        _write(path, content)
    for suffix, rows in drawing.tables.items():
        files.append(folder / f"{spec.id}{suffix}.csv")
        _write_csv(files[-1], rows)
    return tuple(files)


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path, "wb") as stream:
        stream.write(content)


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with atomic_write(path) as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
