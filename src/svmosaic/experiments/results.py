"""What a run gave: records, tables of scores, and files of both."""

from __future__ import annotations

import csv
import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.journal import (
    Damage,
    Entry,
    Start,
    damage_words,
    find_journals,
    read_journal,
)
from svmosaic.experiments.reuse import CHECKSUM, read_known, to_csv_row
from svmosaic.stats.table import Missing, ScoreTable, table_of_records
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.shown_table import ShownTable

__all__ = [
    "Cells",
    "damaged_cells",
    "failed_cells",
    "read_cells",
    "read_history",
    "read_results",
    "result_table",
    "warn_of_damage",
    "write_records",
    "write_results",
]

# Too long for a cell of a CSV file; the report draws it.
_NOT_IN_CSV = "search_scores"


def read_results(source: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return one plain record per finished cell.

    Parameters
    ----------
    source : path-like
        The folder of a run, with all its shards, or a ``results.csv`` that `write_results` wrote,
        packed by gzip or not.

    Returns
    -------
    list of dict
        Cells that failed are left out; `failed_cells` has them. So are cells whose records are
        damaged, with a warning that names them; `damaged_cells` has them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_results, read_spec, run_experiment
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
    ...     records = read_results(folder)
    >>> len(records), records[0]["accuracy"] > 0.8
    (2, True)
    """
    cells = read_cells(source)
    warn_of_damage(cells.damaged, stacklevel=3)
    return cells.records


class Cells(NamedTuple):
    """The cells of a run, read once.

    Attributes
    ----------
    records : list of dict
        One plain record per finished cell, as `read_results` returns them.
    failed : list of Entry
        The cells that failed, with their errors.
    damaged : list of Damage
        The planned cells whose records are damaged; the next run runs them again.
    """

    records: list[dict[str, Any]]
    failed: list[Entry]
    damaged: list[Damage]

    def _shown(self) -> ShownTable:
        score = _first_score(self.records)
        title = f"{len(self.records)} cells finished, {len(self.failed)} failed"
        if score is None:
            return ShownTable(title, ["data set"], [])
        header, *rows = _score_rows(self.records, score)
        return ShownTable(
            title,
            ["data set", *header[1:]],
            [[row[0], *(f"{float(v):.4g}" if v else "" for v in row[1:])] for row in rows],
            f"means of {score}" + (f"; damaged: {len(self.damaged)} cells" if self.damaged else ""),
        )

    def __repr__(self) -> str:
        return self._shown().cut().text()

    def _repr_html_(self) -> str:
        return self._shown().cut().html()


def read_cells(source: str | os.PathLike[str]) -> Cells:
    """Return the cells of a run; `source` is as in `read_results`."""
    entries, damaged = _read(source)
    records = [
        {"dataset": entry.dataset, "method": entry.method, **entry.record}
        | {"finished": entry.finished}
        for entry in entries
        if entry.status == "done"
    ]
    return Cells(records, [entry for entry in entries if entry.status == "failed"], damaged)


def warn_of_damage(damaged: Sequence[Damage], *, stacklevel: int) -> None:
    """Name the damaged cells in a warning, if there are any."""
    if damaged:
        warnings.warn(
            f"{damage_words(damaged)}. Damaged cells are left out; 'svmosaic run' runs them again.",
            stacklevel=stacklevel,
        )


def failed_cells(folder: str | os.PathLike[str]) -> list[Entry]:
    """Return the cells that failed, with their errors."""
    return read_cells(folder).failed


def damaged_cells(folder: str | os.PathLike[str]) -> list[Damage]:
    """Return the planned cells whose records are damaged; the next run runs them again."""
    return read_cells(folder).damaged


def read_history(folder: str | os.PathLike[str]) -> list[Start]:
    """Return all starts of the run, of all shards in the folder, the first one first."""
    starts: list[tuple[str, Start]] = []
    for path in _journals(folder):
        latest = ""
        for start in read_journal(path).starts:
            # The order within a journal is certain, whatever the clock showed.
            latest = max(latest, start.started)
            starts.append((latest, start))
    return [start for _, start in sorted(starts, key=lambda pair: pair[0])]


def result_table(
    source: str | os.PathLike[str],
    score: str,
    *,
    missing: Missing = "refuse",
    skip: Sequence[str] = (),
) -> ScoreTable:
    """Return a table of one score, data sets by methods, as `svmosaic.stats.compare` takes it.

    Parameters
    ----------
    source : path-like
        A folder or a file, as in `read_results`.
    score : str
        An entry of the records that is a number.
    missing : {"refuse", "drop"}, default="refuse"
        As in `svmosaic.stats.table_of_records`.
    skip : sequence of str, default=()
        Names of data sets and methods to leave out.

    Returns
    -------
    ScoreTable
        Means over the folds.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec, result_table, run_experiment
    >>> text = '''
    ... [protocol]
    ... outer = 2
    ... [[data]]
    ... name = "sklearn-iris"
    ... [[data]]
    ... name = "sklearn-wine"
    ... [[methods]]
    ... estimator = "OLLAWVClassifier"
    ... [[methods]]
    ... estimator = "sklearn.dummy.DummyClassifier"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "compare.toml")
    ...     _ = path.write_text(text)
    ...     _ = run_experiment(read_spec(path), folder)
    ...     table = result_table(folder, "accuracy")
    >>> table.datasets, table.methods
    (('sklearn-iris', 'sklearn-wine'), ('OLLAWVClassifier', 'DummyClassifier'))
    """
    records = read_results(source)
    names = {name for record in records for name in (record["dataset"], record["method"])}
    if unknown := [name for name in skip if name not in names]:
        raise ValueError(
            f"There is no data set or method {unknown[0]!r} to skip in {str(source)!r}."
        )
    if records and score not in records[0]:
        numbers = [k for k, v in records[0].items() if isinstance(v, float)]
        raise ValueError(
            f"The results in {str(source)!r} have no score {score!r}. They have "
            f"{', '.join(numbers)}."
        )
    kept = [r for r in records if r["dataset"] not in skip and r["method"] not in skip]
    return table_of_records(kept, score, missing=missing)


def write_results(folder: str | os.PathLike[str], scores: Sequence[str]) -> list[Path]:
    """Write all records to ``results.csv`` and each score to a table of its own.

    The tables, ``scores-accuracy.csv`` and so on, are what ``svmosaic stats`` reads. A cell of a
    table is empty where a fold is missing.

    Parameters
    ----------
    folder : path-like
        The folder of a run.
    scores : sequence of str
        Entries of the records that are numbers.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec, run_experiment, write_results
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
    ...     files = write_results(folder, ["accuracy"])
    >>> [file.name for file in files]
    ['results.csv', 'scores-accuracy.csv']
    """
    return write_records(folder, read_results(folder), scores)


def write_records(
    folder: str | os.PathLike[str], records: Sequence[dict[str, Any]], scores: Sequence[str]
) -> list[Path]:
    """Write what `write_results` writes, of records that were read before."""
    files = [Path(folder) / "results.csv"]
    names = dict.fromkeys(name for record in records for name in record)
    fields = [name for name in names if name != _NOT_IN_CSV]
    with atomic_write(files[0]) as stream:
        writer = csv.DictWriter(stream, [*fields, CHECKSUM], lineterminator="\n")
        writer.writeheader()
        for record in records:
            writer.writerow(to_csv_row({k: v for k, v in record.items() if k != _NOT_IN_CSV}))
    for score in scores:
        files.append(Path(folder) / f"scores-{score}.csv")
        with atomic_write(files[-1]) as stream:
            csv.writer(stream, lineterminator="\n").writerows(_score_rows(records, score))
    return files


def _journals(folder: str | os.PathLike[str]) -> list[Path]:
    journals = find_journals(folder)
    if not journals:
        raise DataNotFoundError(f"There is no journal of an experiment in {str(folder)!r}.")
    return journals


def _read(source: str | os.PathLike[str]) -> tuple[list[Entry], list[Damage]]:
    """Return the finished cells of the last plans, and those that are damaged."""
    if Path(source).is_file():
        return list(read_known(source).values()), []
    entries: dict[str, Entry] = {}
    damaged: dict[str, Damage] = {}
    for path in _journals(source):
        content = read_journal(path)
        entries |= {key: content.entries[key] for key in content.plan if key in content.entries}
        damaged |= {key: content.damaged[key] for key in content.plan if key in content.damaged}
    return list(entries.values()), [one for key, one in damaged.items() if key not in entries]


def _first_score(records: Sequence[dict[str, Any]]) -> str | None:
    """Return the first number of a record that is a score and not a time."""
    first = records[0] if records else {}
    scores = (k for k, v in first.items() if isinstance(v, float) and not k.endswith("seconds"))
    return next(scores, None)


def _score_rows(records: Sequence[dict[str, Any]], score: str) -> list[list[str]]:
    methods = list(dict.fromkeys(record["method"] for record in records))
    datasets = list(dict.fromkeys(record["dataset"] for record in records))
    values: dict[tuple[str, str], list[float]] = {}
    for record in records:
        values.setdefault((record["dataset"], record["method"]), []).append(record[score])
    most = {d: max(len(values.get((d, m), ())) for m in methods) for d in datasets}
    rows = [["dataset", *methods]]
    for dataset in datasets:
        folds = [values.get((dataset, method), []) for method in methods]
        # Means over different folds are not comparable.
        means = [
            repr(math.fsum(cell) / len(cell)) if len(cell) == most[dataset] else ""
            for cell in folds
        ]
        rows.append([dataset, *means])
    return rows
