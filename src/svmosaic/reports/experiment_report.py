"""The report on a run: one page and its tables, from the journals alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from svmosaic.reports.document import Document, Section, Table
from svmosaic.reports.figures import Studio
from svmosaic.reports.html import write_html
from svmosaic.reports.run_data import RunData, read_run
from svmosaic.reports.sections.data_sets import data_section, data_table
from svmosaic.reports.sections.failures import failure_section
from svmosaic.reports.sections.measures import (
    MeasurePart,
    predict_part,
    score_part,
    size_part,
    time_part,
)
from svmosaic.reports.sections.overview import overview_section
from svmosaic.reports.sections.provenance import protocol_words, provenance_section
from svmosaic.reports.sections.search import search_section
from svmosaic.reports.sections.statistics import pairs_table
from svmosaic.reports.table_export import (
    file_name,
    measure_csv,
    records_csv,
    table_latex,
    table_markdown,
)
from svmosaic.stats.latex import pairs_latex
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.wording import plural
from svmosaic.version import __version__

__all__ = ["Report", "experiment_report", "page_path", "write_files", "write_report"]

PAGE = "report.html"
TABLES = "tables"


@dataclass(frozen=True)
class Report:
    """A report that is not written yet.

    Attributes
    ----------
    document : Document
        The page.
    files : dict of str to str
        The contents of the tables, by the names of their files.
    """

    document: Document
    files: dict[str, str]


def experiment_report(
    folder: str | os.PathLike[str], *, control: str | None = None, alpha: float = 0.05
) -> Report:
    """Make the report on a run. Nothing is trained: all numbers come from the journals.

    Parameters
    ----------
    folder : path-like
        The folder that `svmosaic.experiments.run_experiment` has written.
    control : str, default=None
        The method to compare the others with, or "best"; None compares all pairs.
    alpha : float, default=0.05
        The level of all tests.

    Returns
    -------
    Report
        `write_report` writes it to files.
    """
    run = read_run(folder)
    if control is not None and control != "best" and control not in run.methods:
        raise ValueError(
            f"The control {control!r} is not a method of this run. Its methods are: "
            f"{', '.join(run.methods)}; 'best' takes that of the best average rank."
        )
    if not 0 < alpha < 1:
        raise ValueError(f"The 'alpha' of a report must be between 0 and 1. Got {alpha}.")
    studio = Studio()
    scores = [score_part(run, score, control, alpha, studio) for score in run.scores]
    scores = [part for part in scores if part.values.methods]
    costs: list[MeasurePart] = []
    if scores:
        costs = [time_part(run, control, alpha, studio), predict_part(run, control, alpha, studio)]
        size = size_part(run, control, alpha, studio)
        costs += [] if size is None else [size]
    sections = _sections(run, scores, costs, studio)
    return Report(_document(run, sections, studio), _files(run, [*scores, *costs]))


def write_report(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    control: str | None = None,
    alpha: float = 0.05,
) -> list[Path]:
    """Write the report on a run: the page, and its tables in a folder beside it.

    Parameters
    ----------
    folder : path-like
        The folder that `svmosaic.experiments.run_experiment` has written.
    out : path-like, default=None
        The page, if the name ends in ``.html``; else a folder for ``report.html``, made if it
        does not exist. None means the folder of the run.
    control, alpha : optional
        As in `experiment_report`.

    Returns
    -------
    list of Path
        The files, the page first.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec, run_experiment
    >>> from svmosaic.reports import write_report
    >>> text = '''
    ... [protocol]
    ... outer = 2
    ... [[data]]
    ... name = "sklearn-iris"
    ... [[methods]]
    ... estimator = "OLLAWVClassifier"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "compare.toml")
    ...     _ = path.write_text(text)
    ...     _ = run_experiment(read_spec(path), folder)
    ...     files = write_report(folder)
    >>> files[0].name
    'report.html'
    """
    page = page_path(folder, out)
    return write_files(experiment_report(folder, control=control, alpha=alpha), page)


def write_files(report: Report, page: Path) -> list[Path]:
    """Write the page and, in a folder beside it, the tables; return the files, the page first."""
    tables = page.parent / TABLES
    tables.mkdir(parents=True, exist_ok=True)
    files = [page]
    for name, content in report.files.items():
        files.append(tables / name)
        with atomic_write(files[-1]) as stream:
            stream.write(content)
    # Last, so that a page is there only with its tables.
    write_html(report.document, page)
    return files


def page_path(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None) -> Path:
    """Return where the page goes."""
    target = Path(folder if out is None else out)
    if target.suffix.lower() in (".html", ".htm") and not target.is_dir():
        return target
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(
            f"{str(target)!r} is not a folder. Name a folder, or a file that ends in .html."
        )
    return target / PAGE


# The page -----------------------------------------------------------------------------------


def _sections(
    run: RunData, scores: Sequence[MeasurePart], costs: Sequence[MeasurePart], studio: Studio
) -> list[Section]:
    if not scores:
        middle = [Section("Results", "No cell has a result: all failed. The errors are below.")]
    else:
        of = [[part.values for part in parts] for parts in (scores, costs)]
        middle = [
            overview_section(run, *of),
            *(part.section for part in (*scores, *costs)),
            search_section(run, studio),
        ]
    return [
        *middle,
        data_section(run),
        # After all figures, because it names those that failed.
        failure_section(run, studio.failures),
        provenance_section(run),
    ]


def _document(run: RunData, sections: Sequence[Section], studio: Studio) -> Document:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    summary = [_what(run), protocol_words(run.experiment.get("protocol", {}))]
    if studio.missing:
        summary.append(f"This page has no figures. {studio.missing}")
    return Document(
        title=run.name,
        sections=sections,
        summary="\n\n".join(part for part in summary if part),
        footer=f"svmosaic {__version__}, {made}. This page loads nothing from elsewhere.",
        facts=_facts(run),
    )


def _what(run: RunData) -> str:
    scores = f", by {_listed(run.scores)}" if run.scores else ""
    return (
        f"{plural(len(run.methods), 'method')} on {plural(len(run.datasets), 'data set')}{scores}: "
        f"{_listed(run.methods)}."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _facts(run: RunData) -> list[tuple[str, str]]:
    seconds = sum(record.get("cell_seconds") or 0.0 for record in run.records)
    facts = [
        ("methods", str(len(run.methods))),
        ("data sets", str(len(run.datasets))),
        ("cells finished", str(len(run.records))),
        ("cells failed", str(len(run.failed))),
        ("cells missing", str(run.n_missing)),
        ("time of all cells", _duration(seconds)),
    ]
    return [fact for fact in facts if fact != ("cells missing", "0")]


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


# The tables ---------------------------------------------------------------------------------


def _files(run: RunData, parts: Sequence[MeasurePart]) -> dict[str, str]:
    files = _forms("datasets", data_table(run))
    files["datasets.csv"] = records_csv(
        [{"dataset": name, **run.shapes[name]} for name in run.datasets]
    )
    for part in parts:
        name = file_name(part.values.kind.field)
        files |= _forms(name, part.table)
        files[f"{name}.csv"] = measure_csv(part.values)
        result = part.findings.comparison
        if result is not None:
            files |= _forms(f"{name}-pairs", pairs_table(result))
            files[f"{name}-pairs.csv"] = records_csv(result.frame())
            files[f"{name}-pairs.tex"] = pairs_latex(result)
    return files


def _forms(name: str, table: Table) -> dict[str, str]:
    return {f"{name}.tex": table_latex(table), f"{name}.md": table_markdown(table)}
