"""Files as the partitions of a table: one file each, read by the workers."""

from __future__ import annotations

import glob
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.dask.file_summaries import FileSummary, join, summarise
from svmosaic.dask.file_tables import FileOptions, align_columns, read_whole
from svmosaic.dask.workers import DaskWorkers, client_of
from svmosaic.datasets.readers.feature_matrix import to_dense
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.utils.optional import import_optional

__all__ = ["FileTable", "list_files", "load_files", "read_files", "survey_files"]

# Files that other programs put beside data begin with one of these.
_HIDDEN = (".", "_")
_Source = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class FileTable:
    """Files as one table of Dask.

    Attributes
    ----------
    X : dask array of shape (n_samples, n_features)
        The features; one block per file, dense or compressed rows.
    y : dask array of shape (n_samples,)
        Class labels or target values.
    sample_weight : dask array of shape (n_samples,) or None
        Weights of the rows, if a file carries them.
    feature_names : tuple of str or None
        The names of the columns, if the files have them.
    files : tuple of str
        The files, in the order of the rows.
    summary : FileSummary
        Sizes, classes and the range of the targets.
    """

    X: Any
    y: Any
    sample_weight: Any
    feature_names: tuple[str, ...] | None
    files: tuple[str, ...]
    summary: FileSummary

    def name_features(self, model: Any) -> Any:
        """Give a fitted model the names of the columns, by which `predict_files` finds them.

        Parameters
        ----------
        model : estimator
            A model that was fitted to this table, such as ``to_local`` returns.

        Returns
        -------
        model : estimator
            The same object.
        """
        if self.feature_names is not None:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        return model


def list_files(sources: _Source | Iterable[_Source]) -> list[str]:
    """Return the files that are meant by names of files, folders and patterns.

    Parameters
    ----------
    sources : path-like or iterable of path-like
        A file; a folder, which means the files in it whose names do not begin with a point or
        an underscore; or a pattern such as ``"part-*.csv"``, where ``**`` crosses folders.

    Returns
    -------
    list of str
        Absolute paths. Those of one folder or pattern are sorted.

    Examples
    --------
    >>> import os, pathlib, tempfile
    >>> from svmosaic.dask.files import list_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "_SUCCESS"):
    ...         _ = pathlib.Path(folder, name).write_text("")
    ...     found = list_files(folder)
    >>> [os.path.basename(name) for name in found]
    ['a.csv', 'b.csv']
    """
    if isinstance(sources, str | os.PathLike):
        sources = [sources]
    found = [os.path.abspath(name) for source in sources for name in _expand(os.fspath(source))]
    if not found:
        raise DataNotFoundError("There are no files to read. Name files, folders or patterns.")
    repeated = [name for name in dict.fromkeys(found) if found.count(name) > 1]
    if repeated:
        raise ValueError(
            f"The file {repeated[0]!r} is named twice, and its rows would count twice. Name each "
            "file once."
        )
    return found


def _expand(source: str) -> list[str]:
    path = Path(source)
    if path.is_file():
        return [source]
    if path.is_dir():
        names = [p for p in path.iterdir() if p.is_file() and not p.name.startswith(_HIDDEN)]
        if not names:
            raise DataNotFoundError(f"The folder {source!r} has no files. Name another.")
        return sorted(map(str, names))
    if glob.has_magic(source):
        matches = [name for name in glob.glob(source, recursive=True) if os.path.isfile(name)]
        if not matches:
            raise DataNotFoundError(f"No file matches {source!r}. Correct the pattern.")
        return sorted(matches)
    raise DataNotFoundError(
        f"There is no file and no folder {source!r}. Name a file, a folder or a pattern in quotes."
    )


def read_files(
    sources: _Source | Iterable[_Source],
    *,
    target: str | int = -1,
    format: str | None = None,
    is_regression: bool = False,
    max_bytes: float | None = None,
    reading: Mapping[str, Any] | None = None,
    client: Any = None,
) -> FileTable:
    r"""Let the workers of a Dask cluster read files, each of which becomes a partition.

    Workers read every file twice: first for what all files must agree on, such as the number of
    features and the names in columns of names, then for the rows, which stay with the worker. The
    client reads nothing, so the files must be where all workers see them at the same path.

    Parameters
    ----------
    sources : path-like or iterable of path-like
        Files, folders and patterns; see `list_files`. All files have one format: LIBSVM text, CSV,
        ARFF (text also with ``.gz``), parquet or Excel. An index that pandas wrote to parquet is
        neither a feature nor the target.
    target : str or int, default=-1
        Column of the targets, by name or by number from 0; -1 is the last one. In LIBSVM text the
        label comes first.
    format : {"csv", "libsvm", "arff", "parquet", "excel"}, default=None
        The format of files whose extension does not say it.
    is_regression : bool, default=False
        Whether targets are values rather than classes.
    max_bytes : float, default=None
        The most that the text of one file, and each array of it, may take. None means an eighth of
        the free memory of the worker.
    reading : dict, default=None
        More options of `svmosaic.datasets.read_table` for all files, for example
        ``{"drop": ["note"], "encoding": "cp1252", "decimal": ","}``.
    client : distributed.Client, default=None
        The client of the cluster; None means the current one.

    Returns
    -------
    FileTable
        Its `X`, `y` and `sample_weight` are what the estimators of `svmosaic.dask` take.

    Raises
    ------
    DataFileError
        A file is malformed, or files do not belong together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from distributed import Client
    >>> from svmosaic.dask.files import read_files
    >>> with (
    ...     tempfile.TemporaryDirectory() as folder,
    ...     Client(processes=False, dashboard_address=":0") as client,
    ... ):
    ...     _ = pathlib.Path(folder, "a.csv").write_text("size,colour,class\n1,red,no\n2,red,yes\n")
    ...     _ = pathlib.Path(folder, "b.csv").write_text("size,colour,class\n3,blue,yes\n")
    ...     table = read_files(folder)
    ...     y = table.y.compute()
    >>> table.feature_names, table.X.shape, y.tolist()
    (('size', 'colour=blue', 'colour=red'), (3, 3), ['no', 'yes', 'yes'])
    """
    files = list_files(sources)
    options = FileOptions(
        format=format, target=target, max_bytes=max_bytes, reading=dict(reading or {})
    )
    client = client_of(client, "read_files")
    summary = survey_files(files, options, client, is_regression=is_regression)
    return load_files(files, options, summary, client)


def survey_files(
    files: Sequence[str],
    options: FileOptions,
    client: Any,
    *,
    is_regression: bool,
    float32: bool = False,
    with_moments: bool = False,
) -> FileSummary:
    """Return what files hold together, after a first pass over them on the workers."""
    with DaskWorkers(client, "read_files") as workers:
        parts = [
            workers.submit(
                summarise,
                path,
                options,
                is_regression=is_regression,
                float32=float32,
                with_moments=with_moments,
            )
            for path in files
        ]
        # In pairs, on workers: of wide tables the client takes the joined summary alone.
        while len(parts) > 1:
            last = parts[len(parts) // 2 * 2 :]
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [*(workers.submit(join, *pair) for pair in pairs), *last]
        (summary,) = workers.gather(parts)
    if summary.fault is not None:
        more = f" ({summary.n_faults - 1} more files have faults.)" if summary.n_faults > 1 else ""
        raise DataFileError(f"{summary.fault}{more}")
    assert isinstance(summary, FileSummary)
    return summary


@dataclass(frozen=True, eq=False)
class _Agreement:
    """What every partition is made to be."""

    names: tuple[str, ...] | None
    n_features: int
    is_sparse: bool
    dtype: Any
    target_dtype: Any
    steps: tuple[Any, ...]


def load_files(
    files: Sequence[str],
    options: FileOptions,
    summary: FileSummary,
    client: Any,
    *,
    steps: Sequence[Any] = (),
    float32: bool = False,
) -> FileTable:
    """Let workers read files and keep the rows.

    Parameters
    ----------
    files : sequence of str
        The files.
    options : FileOptions
        How to read them.
    summary : FileSummary
        What they hold together, from `survey_files`.
    client : distributed.Client
        The client of the cluster.
    steps : sequence of fitted transformers, default=()
        What is done to the features on the workers.
    float32 : bool, default=False
        Whether to keep single precision only.
    """
    delayed = import_optional("dask", "read files on a cluster").delayed
    array = import_optional("dask.array", "read files on a cluster")
    assert summary.target is not None
    dtype = np.dtype(np.float32 if float32 else np.float64)
    agreement = _Agreement(
        summary.names,
        summary.n_features,
        summary.stays_sparse,
        dtype,
        summary.target.dtype,
        tuple(steps),
    )
    name = uuid.uuid4().hex[:8]
    parts = client.persist(
        [
            delayed(_load)(
                path, options, agreement, dask_key_name=f"svmosaic-read-file-{name}-{number}"
            )
            for number, path in enumerate(files)
        ]
    )

    def joined(place: int, width: tuple[int, ...], dtype: Any, meta: Any = None) -> Any:
        blocks = [
            array.from_delayed(part[place], (size, *width), dtype=dtype, meta=meta)
            for part, size in zip(parts, summary.sizes, strict=True)
        ]
        return array.concatenate(blocks) if len(blocks) > 1 else blocks[0]

    meta = sp.csr_array((0, 0), dtype=dtype) if agreement.is_sparse else np.empty((0, 0), dtype)
    return FileTable(
        joined(0, (summary.n_features,), dtype, meta),
        joined(1, (), summary.target.dtype),
        joined(2, (), np.dtype(np.float64)) if summary.has_weights else None,
        summary.names,
        tuple(files),
        summary,
    )


def _load(path: str, options: FileOptions, agreed: _Agreement) -> tuple[Any, Any, Any]:
    """Return the features, targets and weights of a file. Runs on a worker."""
    data = read_whole(Path(path), options, n_features=agreed.n_features)
    X = data.X
    if data.feature_names is not None and agreed.names is not None:
        X = align_columns(X, data.feature_names, agreed.names)
    if sp.issparse(X) and not agreed.is_sparse:
        X = to_dense(X, Path(path), options.max_bytes)
    X = X.astype(agreed.dtype, copy=False)
    for step in agreed.steps:
        X = step.transform(X)
    weights = data.sample_weight
    if weights is None:
        weights = np.ones(data.n_samples)
    return X, np.asarray(data.y).astype(agreed.target_dtype, copy=False), weights
