"""Load data sets by name from wherever they are available."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic.datasets.bundled import bundled_path
from svmosaic.datasets.cache import cached_path, check_sha256, load_cached
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.fetching import can_be_fetched
from svmosaic.datasets.readers.bag_files import read_bags
from svmosaic.datasets.readers.table_files import read_table
from svmosaic.datasets.readers.target_files import read_multitarget
from svmosaic.datasets.registry import DatasetInfo, describe, list_datasets
from svmosaic.exceptions import DataNotFoundError

__all__ = ["data_folder", "find_files", "load", "whereabouts"]

_REPOSITORY = Path(__file__).parents[3]


def load(
    name: str, *, data_home: str | os.PathLike[str] | None = None, dense: bool | None = None
) -> Dataset:
    """Load a data set by name, without the network.

    Looks in the data folder, then among the sets that come with svmosaic and with scikit-learn,
    then among those fetched earlier. Files are checked against their SHA-256.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like, default=None
        The data folder; holds ``classification/NAME.svm.gz``, ``multitarget/NAME.arff.gz`` and
        ``multiinstance/NAME.arff.gz``. By default ``$SVMOSAIC_DATA`` or else ``../shared/data``
        where that exists.
    dense : bool, default=None
        True gives an ndarray, False a ``csr_array``, for bags as their instances. By default the
        registry decides: sparse for text and one-hot data. Several targets are always dense.

    Returns
    -------
    Dataset
        Its `kind` is that of the registry. For several targets, `y` has one column per target,
        nominal features become one column of 0 and 1 for each declared value, and missing numbers
        are nan. For bags, `X` has the bags and `y` is 1 for the positive ones, 0 for the others.

    Raises
    ------
    DataNotFoundError
        The name is unknown, or the data are not available; the message says how to get them.
    DataFileError
        A file does not match its checksum.

    Examples
    --------
    >>> from svmosaic.datasets import load
    >>> load("sklearn-iris")
    Dataset(name='sklearn-iris', n_samples=150, n_features=4, n_classes=3)
    """
    info = describe(name)
    data = (
        _from_file(info, _find_file(info, data_folder(data_home)), dense)
        or _from_file(info, bundled_path(info), dense)
        or _from_sklearn(info, dense)
        or _from_cache(info, dense)
    )
    if data is None:
        raise DataNotFoundError(_not_available(info))
    return replace(data, name=info.name, description=info.description)


def whereabouts(name: str) -> str | None:
    """Return where `load` would find a data set, without loading it; None if it is nowhere.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    {"data folder", "svmosaic", "scikit-learn", "fetched"} or None
        The place.

    Examples
    --------
    >>> from svmosaic.datasets import whereabouts
    >>> whereabouts("sklearn-iris")
    'scikit-learn'
    """
    info = describe(name)
    if _find_file(info, data_folder()) is not None:
        return "data folder"
    if bundled_path(info) is not None:
        return "svmosaic"
    if info.sklearn is not None:
        return "scikit-learn"
    return "fetched" if cached_path(info.name).is_file() else None


def find_files(name: str) -> list[Path]:
    """Return the files that hold a data set on this computer; none for an unknown name.

    Parameters
    ----------
    name : str
        The name of a data set, or any other text.
    """
    if name not in list_datasets():
        return []
    info = describe(name)
    places = (_find_file(info, data_folder()), bundled_path(info), cached_path(name))
    return [path for path in places if path is not None and path.is_file()]


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the data folder, or None when there is none.

    Parameters
    ----------
    data_home : path-like, default=None
        Use this folder instead of ``$SVMOSAIC_DATA``.

    Returns
    -------
    Path or None
        The folder.

    Raises
    ------
    DataNotFoundError
        The folder that the caller or the environment named does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from svmosaic.datasets import data_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     str(data_folder(folder)) == folder
    True
    """
    named = data_home or os.environ.get("SVMOSAIC_DATA")
    if named:
        if not Path(named).is_dir():
            raise DataNotFoundError(
                f"The data folder {os.fspath(named)!r} does not exist. "
                "Correct data_home or SVMOSAIC_DATA."
            )
        return Path(named)
    for base in (Path.cwd(), _REPOSITORY):
        folder = base.parent / "shared" / "data"
        if folder.is_dir():
            return folder
    return None


def _find_file(info: DatasetInfo, folder: Path | None) -> Path | None:
    if folder is None or info.sha256 is None:
        return None
    path = folder / info.file
    return path if path.is_file() else None


def _from_file(info: DatasetInfo, path: Path | None, dense: bool | None) -> Dataset | None:
    if path is None or info.sha256 is None:
        return None
    # Checked the first time that it is loaded, and again if it changed since.
    status = path.stat()
    _check_state(path, info.sha256, status.st_size, status.st_mtime_ns)
    if info.kind == "targets":
        return read_multitarget(path, targets=info.n_targets, allow_nan=True)
    dense = not info.sparse if dense is None else dense
    if info.kind == "bags":
        return read_bags(path, dense=dense)
    return read_table(path, n_features=info.n_features, dense=dense)


@lru_cache(maxsize=1024)
def _check_state(path: Path, expected: str, size: int, mtime_ns: int) -> None:
    check_sha256(path, expected, "Copy the file again.")


def _from_sklearn(info: DatasetInfo, dense: bool | None) -> Dataset | None:
    if info.sklearn is None:
        return None
    # Imported here: scikit-learn takes seconds to import, and most data do not need it.
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, info.sklearn)()
    return Dataset(
        X=_stored(np.asarray(bunch.data, dtype=np.float64), dense),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        target_names=tuple(map(str, bunch.target_names)),
    )


def _from_cache(info: DatasetInfo, dense: bool | None) -> Dataset | None:
    data = load_cached(info)
    return None if data is None else replace(data, X=_stored(data.X, dense))


def _stored(X: Any, dense: bool | None) -> Any:
    is_sparse = scipy.sparse.issparse(X)
    if dense is None or dense is not is_sparse:
        return X
    return X.toarray() if is_sparse else scipy.sparse.csr_array(X)


def _not_available(info: DatasetInfo) -> str:
    if can_be_fetched(info):
        advice = f"Fetch it with: svmosaic data fetch {info.name}"
    else:
        advice = f"Put it into the data folder as {info.file} and set SVMOSAIC_DATA"
    return f"Data set {info.name!r} is not available. {advice}"
