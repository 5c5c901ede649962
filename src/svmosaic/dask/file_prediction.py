"""Predictions for files of any length, block by block, into parquet files. Workers do all of it."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_regressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from svmosaic.dask.file_tables import FileOptions, align_columns, find_columns, iter_tables
from svmosaic.dask.files import list_files
from svmosaic.dask.parquet_files import write_parquet
from svmosaic.dask.workers import DaskWorkers, client_of
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.dates import DATE_ORDERS
from svmosaic.datasets.readers.feature_matrix import match_codes
from svmosaic.datasets.readers.text import file_error
from svmosaic.exceptions import DataFileError
from svmosaic.utils.atomic import atomic_write, check_folder
from svmosaic.utils.optional import import_optional

__all__ = ["PredictedFile", "predict_files"]

# A block has at most this many rows, and at most this many bytes as a dense array.
_BLOCK_ROWS = 50_000
_BLOCK_BYTES = 1 << 26


@dataclass(frozen=True)
class PredictedFile:
    """A file of predictions.

    Attributes
    ----------
    source, path : str
        The file that was read and the parquet file that was written.
    n_rows : int
        Rows of both.
    n_right : int or None
        Rows whose class was predicted; None without labels, or for values.
    """

    source: str
    path: str
    n_rows: int
    n_right: int | None


def predict_files(
    model: Any,
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    target: str | int | None = -1,
    format: str | None = None,
    decision: bool = False,
    reading: Mapping[str, Any] | None = None,
    client: Any = None,
) -> list[PredictedFile]:
    r"""Predict files on a Dask cluster, each into a parquet file of its own.

    A worker has one block of a file in memory at a time, so files may be larger than that. Workers
    read and write, so files and folder must be where all of them see them at the same path.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that predicts one value or class per row, such as
        `svmosaic.persistence.load` or ``to_local`` returns.
    sources : path-like or iterable of path-like
        Files, folders and patterns; see `list_files`.
    folder : path-like
        Where predictions go: a new or an empty folder. ``part.csv`` gives ``part.csv.parquet``,
        with one row per row of the file, in its order, in the column ``prediction``.
    target : str, int or None, default=-1
        Column of the labels, or None if there is none. The default is the last column, if it is not
        among the features of the model.
    format : {"csv", "libsvm", "arff"}, default=None
        The format of text files whose extension does not say it.
    decision : bool, default=False
        Also write decision values: the column ``decision``, or ``decision_0`` and so on.
    reading : dict, default=None
        More options of `svmosaic.datasets.read_table` for all files. The model decides which
        columns hold numbers, names and dates.
    client : distributed.Client, default=None
        The client of the cluster; None means the current one.

    Returns
    -------
    list of PredictedFile
        One per file, with the number of right predictions where the file has labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from distributed import Client
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.dask.file_prediction import predict_files
    >>> model = OLLAWVClassifier().fit(np.array([[0.0], [1.0]]), ["low", "high"])
    >>> with (
    ...     tempfile.TemporaryDirectory() as folder,
    ...     Client(processes=False, dashboard_address=":0") as client,
    ... ):
    ...     _ = pathlib.Path(folder, "a.svm").write_text("0 1:0.9\n0 1:0.1\n0 1:0.8\n")
    ...     (done,) = predict_files(model, folder + "/a.svm", folder + "/out")
    >>> done.n_rows
    3
    """
    import_optional("pyarrow.parquet", "write predictions as parquet")
    _check_model(model, decision)
    files = list_files(sources)
    outputs = _outputs(files, Path(folder))
    options = FileOptions(format, target, _fills_gaps(model), reading=dict(reading or {}))
    with DaskWorkers(client_of(client, "predict_files"), "predict_files") as workers:
        held = workers.hold(model)
        found = workers.gather(
            [
                workers.submit(
                    predict_file, *paths, held, options, decision=decision, has_threads=True
                )
                for paths in zip(files, outputs, strict=True)
            ]
        )
    faults = [one for one in found if isinstance(one, str)]
    if faults:
        more = f" ({len(faults) - 1} more files have faults.)" if len(faults) > 1 else ""
        raise DataFileError(f"{faults[0]}{more}")
    return found


# Before anything is read --------------------------------------------------------------------


def _check_model(model: Any, decision: bool) -> None:
    check_is_fitted(model)
    if not hasattr(model, "n_features_in_"):
        raise TypeError(
            f"predict_files takes models of rows. Got {type(model).__name__}, which has no "
            "n_features_in_."
        )
    if decision and is_regressor(model):
        raise ValueError("The model predicts values, not classes. Leave 'decision' out.")


def _outputs(files: list[str], folder: Path) -> list[str]:
    """Return where the predictions of each file go; make the folder."""
    names = [f"{Path(name).name}.parquet" for name in files]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"Two of the files are called {repeated[0].removesuffix('.parquet')!r}, and their "
            "predictions would have the same name. Predict them into folders of their own."
        )
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{str(folder)!r} is not a folder. Name another for the output.")
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(
            f"The folder {str(folder)!r} is not empty, and nothing in it is overwritten. Name a "
            "new folder for the output."
        )
    check_folder(folder if folder.exists() else folder.absolute().parent)
    folder.mkdir(exist_ok=True)
    return [str(folder.absolute() / name) for name in names]


def _steps(model: Any) -> list[Any]:
    return [step for _, step in model.steps[:-1]] if isinstance(model, Pipeline) else []


def _fills_gaps(model: Any) -> bool:
    return any(isinstance(step, SimpleImputer) for step in _steps(model))


# On a worker --------------------------------------------------------------------------------


def predict_file(
    source: str,
    output: str,
    model: Any,
    options: FileOptions,
    *,
    decision: bool,
    n_threads: int = 1,
) -> PredictedFile | str:
    """Predict one file; errors are returned, not raised, so that the others finish."""
    try:
        return _predict(source, output, model, options, decision, n_threads)
    except FileNotFoundError as error:
        return (
            f"A worker cannot find {error.filename or output!r}. Put the files and the folder "
            "where all workers see them at the same path."
        )
    except OSError as error:
        return f"{error.filename or output}: {error.strerror or error}"
    except (ValueError, TypeError, LookupError) as error:
        return str(error)


def _predict(
    source: str,
    output: str,
    model: Any,
    options: FileOptions,
    decision: bool,
    n_threads: int,
) -> PredictedFile:
    right: list[int] = []
    predictor = _predictor(model, n_threads)

    def columns() -> Iterator[dict[str, Any]]:
        for block in _blocks(Path(source), model, options):
            found = predictor.predict(block.X)
            if block.y is not None and not is_regressor(predictor):
                right.append(int(np.sum(found == block.y)))
            yield {"prediction": found, **(_decisions(predictor, block.X) if decision else {})}

    with atomic_write(output, "wb") as stream:
        n_rows = write_parquet(stream, columns())
    return PredictedFile(source, output, n_rows, sum(right) if right else None)


def _predictor(model: Any, n_threads: int) -> Any:
    """Return a copy of a model that uses this many threads and asks for no names of columns.

    Columns are compared here, and other calls on this worker may use the same model.
    """
    steps = model.steps if isinstance(model, Pipeline) else [("model", model)]
    copies = [(name, copy.copy(step)) for name, step in steps]
    for _, step in copies:
        vars(step).pop("feature_names_in_", None)
    last = copies[-1][1]
    if hasattr(last, "n_jobs"):
        last.n_jobs = n_threads
    return Pipeline(copies) if isinstance(model, Pipeline) else last


def _blocks(path: Path, model: Any, options: FileOptions) -> Iterator[Dataset]:
    """Yield blocks of a file in the columns of the model."""
    width = int(model.n_features_in_)
    names = getattr(model, "feature_names_in_", None)
    wanted = None if names is None else [str(name) for name in names]
    options = replace(options, target=_target(path, wanted, width, options))
    if wanted is not None:
        roles = getattr(model, "column_roles_in_", {})
        options = replace(options, reading=_as_in_training(path, wanted, roles, options))
    n_rows = max(1, min(_BLOCK_ROWS, _BLOCK_BYTES // (8 * width)))
    needs_dense = any(
        isinstance(step, MinMaxScaler) or getattr(step, "with_mean", False)
        for step in _steps(model)
    )
    for block in iter_tables(path, options, n_rows, n_features=width):
        X = block.X
        if block.feature_names is not None and wanted is not None:
            found = match_codes(block.feature_names, wanted)
            _refuse_missing(path, found, wanted)
            X = align_columns(X, found, wanted)
        elif X.shape[1] != width:
            raise file_error(
                path,
                None,
                f"the table has {X.shape[1]} features; the model was trained on {width}. Use data "
                "with the same columns.",
            )
        if sp.issparse(X) and needs_dense:
            X = X.toarray()
        yield block.with_features(X, None)


def _target(
    path: Path, wanted: list[str] | None, width: int, options: FileOptions
) -> str | int | None:
    """Return the column of the labels: the last one only if the model does not need it."""
    if options.target != -1:
        return options.target
    found = find_columns(path, options)
    if found is None:
        return -1
    names = found.names
    if wanted is None:
        return None if len(names) == width else -1
    return None if names[-1] in _columns(wanted) else -1


def _as_in_training(
    path: Path, wanted: list[str], roles: Mapping[str, list[str]], options: FileOptions
) -> dict[str, Any]:
    """Return how a file is read so that its columns are of the kinds that the model knows."""
    reading, reader = dict(options.reading), options.reader(path)
    for sign in ("decimal", "thousands"):
        if sign in roles and sign in reader.options:
            reading.setdefault(sign, roles[sign][0])
    found = find_columns(path, options)
    if found is None:
        return reading
    names, features = found.names, set(wanted)
    target = options.target
    label = None if target is None else names[find_column(target, names, path)]
    numbers = [name for name in names if name in features and name != label]
    nominal = [name for name in names if name in _columns(wanted) and name not in features]
    known = {*numbers, *nominal, label}
    for key in reading.get("drop", ()):
        name = names[find_column(key, names, path)]
        if name in known and name != label:
            raise file_error(
                path, None, f"the model was trained on the column {name!r}. Do not drop it."
            )
    # Without any column of the model, what is missing is named later.
    if numbers or nominal:
        reading["drop"] = [name for name in names if name not in known]
    reading["nominal_columns"] = [name for name in nominal if name != label]
    if "numeric_columns" in reader.options:
        stated = reading.get("dates")
        orders = {name: stated or order for order in DATE_ORDERS for name in roles.get(order, ())}
        dates = {name: order for name, order in orders.items() if name in numbers}
        reading["numeric_columns"] = [name for name in numbers if name not in dates]
        reading["dates"] = dates or None
    return reading


def _columns(names: Iterable[str]) -> set[str]:
    """Return the columns that features come from: ``colour=red`` is a value of colour."""
    return {name.partition("=")[0] for name in names} | set(names)


def _refuse_missing(path: Path, names: Iterable[str], wanted: list[str]) -> None:
    names = set(names)
    known = {name.partition("=")[0] for name in names if "=" in name}
    for name in wanted:
        if name in names:
            continue
        if name in known:
            raise file_error(
                path,
                None,
                f"the column {name!r} has names; the model was trained on numbers there. Correct "
                "the cells that are not numbers.",
            )
        if name.partition("=")[0] not in known:
            raise file_error(
                path,
                None,
                f"the column {name!r} is not there, which the model was trained on. Use data with "
                "the same columns.",
            )


def _decisions(model: Any, X: Any) -> dict[str, Any]:
    values = model.decision_function(X)
    if values.ndim == 1:
        return {"decision": values}
    return {f"decision_{j}": values[:, j] for j in range(values.shape[1])}
