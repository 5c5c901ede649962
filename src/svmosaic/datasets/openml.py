"""Download data sets from OpenML and keep checked copies of them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import (
    FinishedColumn,
    feature_names,
    is_number,
    whole_if_integral,
)
from svmosaic.datasets.registry import DatasetInfo, OpenmlHome, describe
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.utils.atomic import atomic_write

__all__ = [
    "Download",
    "cache_folder",
    "cached_path",
    "check_sha256",
    "download_openml",
    "fetch",
    "load_cached",
]


@dataclass(frozen=True)
class Download:
    """A data set as OpenML gives it.

    `categories` maps the names of nominal features to their values; such a column of `X` holds
    positions in that list.
    """

    X: Any
    y: NDArray[Any]
    feature_names: Sequence[str]
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)


def cache_folder() -> Path:
    """Return the folder for fetched data: ``$SVMOSAIC_CACHE`` or ``~/.cache/svmosaic``.

    Returns
    -------
    Path
        The folder, which need not exist yet.

    Examples
    --------
    >>> from svmosaic.datasets.openml import cache_folder
    >>> cache_folder().is_absolute()
    True
    """
    named = os.environ.get("SVMOSAIC_CACHE")
    folder = Path(named) if named else Path.home() / ".cache" / "svmosaic"
    return folder.absolute()


def download_openml(data_id: int) -> Download:
    """Download a data set by its number at openml.org, through scikit-learn."""
    # Imported here: scikit-learn takes seconds to import, and most commands do not download.
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=data_id, as_frame=False, cache=False, parser="liac-arff")
    return Download(bunch.data, bunch.target, bunch.feature_names, bunch.categories or {})


def fetch(
    name: str,
    *,
    force: bool = False,
    download: Callable[[int], Download] = download_openml,
) -> Path:
    """Download a data set into the cache, from where `load` takes it.

    The copy is kept only if its rows, features and classes agree with the registry. Its checksum
    is recorded then and verified at every load.

    Parameters
    ----------
    name : str
        A data set with a home at OpenML.
    force : bool, default=False
        Download again even if there is a copy.
    download : callable, default=download_openml
        Takes an OpenML number and returns a `Download`.

    Returns
    -------
    Path
        The file in the cache.

    Raises
    ------
    DataNotFoundError
        The name is unknown, has no home to fetch from, or the download failed.
    DataFileError
        What came differs from the registry's entry.
    """
    info = describe(name)
    if info.openml is None:
        raise DataNotFoundError(_no_home(info))
    path = cached_path(name)
    if not force and _recorded_sha256(path) is not None:
        return path
    try:
        raw = download(info.openml.id)
    except (OSError, ValueError) as error:
        raise DataNotFoundError(
            f"Data set {name!r} could not be downloaded from openml.org ({error}). "
            "Check the network and try again."
        ) from error
    data = _to_dataset(raw, info)
    _check_against_registry(data, info, info.openml)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A copy without a record does not count, so a crash between the two writes does no harm.
    _record_path(path).unlink(missing_ok=True)
    _save(path, data)
    record = {"sha256": _sha256(path), "openml": info.openml.id}
    with atomic_write(_record_path(path)) as stream:
        json.dump(record, stream)
    return path


def _no_home(info: DatasetInfo) -> str:
    if info.sklearn is not None:
        return f"Data set {info.name!r} comes with scikit-learn and needs no fetching. Load it."
    return (
        f"Data set {info.name!r} has no public home to fetch from. Put it into the data folder "
        f"(SVMOSAIC_DATA) as {info.file}."
    )


def load_cached(info: DatasetInfo) -> Dataset | None:
    """Return a data set fetched earlier, after checking its file, or None."""
    path = cached_path(info.name)
    expected = _recorded_sha256(path)
    if expected is None:
        return None
    check_sha256(path, expected, f"Fetch it again with: svmosaic data fetch --force {info.name}")
    with np.load(path, allow_pickle=False) as file:
        if "indptr" in file:
            parts = (file["data"], file["indices"], file["indptr"])
            X: Any = scipy.sparse.csr_array(parts, shape=tuple(file["shape"]))
        else:
            X = file["X"]
        return Dataset(
            X=X,
            y=file["y"],
            feature_names=tuple(file["feature_names"].tolist()),
            name=info.name,
            description=info.description,
        )


def check_sha256(path: Path, expected: str, advice: str) -> None:
    """Raise DataFileError if the file is not the one whose checksum is known."""
    found = _sha256(path)
    if found != expected:
        raise DataFileError(
            f"{path.name}: expected SHA-256 {expected[:12]}..., got {found[:12]}...; the file is "
            f"damaged or another version. {advice}"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def cached_path(name: str) -> Path:
    """Return where a fetched data set is kept, whether it is there or not."""
    return cache_folder() / "datasets" / f"{name}.npz"


def _record_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _recorded_sha256(path: Path) -> str | None:
    """Return the checksum recorded for a cached file, or None if either file is missing."""
    record = _record_path(path)
    if not path.is_file() or not record.is_file():
        return None
    try:
        sha256 = json.loads(record.read_text(encoding="utf-8"))["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(
            f"{record.name}: the record of a fetched data set is damaged. Remove it and fetch "
            "again."
        ) from error
    return str(sha256)


def _to_dataset(raw: Download, info: DatasetInfo) -> Dataset:
    X, names = raw.X, tuple(raw.feature_names)
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_array(X, dtype=np.float64)
    else:
        X, names = _expand_nominal(np.asarray(X, dtype=np.float64), names, raw.categories)
    return Dataset(X=X, y=_labels(raw.y), feature_names=names, name=info.name)


def _expand_nominal(
    X: NDArray[np.float64], names: Sequence[str], categories: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Turn codes into the numbers that they name, or else into one-hot columns."""
    parts: list[NDArray[np.float64]] = []
    expanded: list[str] = []
    for j, name in enumerate(names):
        values = tuple(categories.get(name) or ())
        column = X[:, j]
        if not values or not np.isfinite(column).all():
            parts.append(column[:, np.newaxis])
            expanded.append(name)
        elif all(map(is_number, values)):
            parts.append(np.array(values, dtype=np.float64)[column.astype(np.int64), np.newaxis])
            expanded.append(name)
        else:
            parts.append(np.eye(len(values))[column.astype(np.int64)])
            expanded += feature_names(FinishedColumn(name, column, values), onehot=True)
    return np.hstack(parts), tuple(expanded)


def _labels(y: NDArray[Any]) -> NDArray[Any]:
    if y.dtype.kind in "fiu":
        return whole_if_integral(y.astype(np.float64))
    names = [str(label) for label in y]
    if all(map(is_number, set(names))):
        return whole_if_integral(np.array(names, dtype=np.float64))
    return np.array(names)


def _check_against_registry(data: Dataset, info: DatasetInfo, home: OpenmlHome) -> None:
    found = (data.n_samples, data.n_features, len(data.classes))
    expected = (info.n_samples, info.n_features, info.n_classes)
    if found != expected:
        raise DataFileError(
            f"OpenML data set {home.id} has (rows, features, classes) {found}; the registry "
            f"expects {expected} for {info.name!r}. The copy was not kept."
        )
    values = data.X.data if scipy.sparse.issparse(data.X) else data.X
    if not np.isfinite(values).all():
        raise DataFileError(
            f"OpenML data set {home.id} has missing values; {info.name!r} should have none. "
            "The copy was not kept."
        )


def _save(path: Path, data: Dataset) -> None:
    arrays: dict[str, Any] = {"y": data.y, "feature_names": np.array(data.feature_names, dtype=str)}
    if scipy.sparse.issparse(data.X):
        X = data.X
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        arrays["X"] = data.X
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, **arrays)
