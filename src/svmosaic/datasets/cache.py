"""The folder of fetched data sets: checked copies, each with a record of its checksum."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.registry import DatasetInfo
from svmosaic.exceptions import DataFileError
from svmosaic.utils.atomic import atomic_write

__all__ = [
    "cache_folder",
    "cached_path",
    "check_sha256",
    "is_cached",
    "load_cached",
    "store",
]


def cache_folder() -> Path:
    """Return the folder for fetched data: ``$SVMOSAIC_CACHE`` or ``~/.cache/svmosaic``.

    Returns
    -------
    Path
        The folder, which need not exist yet.

    Examples
    --------
    >>> from svmosaic.datasets import cache_folder
    >>> cache_folder().is_absolute()
    True
    """
    named = os.environ.get("SVMOSAIC_CACHE")
    folder = Path(named) if named else Path.home() / ".cache" / "svmosaic"
    return folder.absolute()


def cached_path(name: str) -> Path:
    """Return where a fetched data set is kept, whether it is there or not."""
    return cache_folder() / "datasets" / f"{name}.npz"


def is_cached(name: str) -> bool:
    """Return whether there is a copy of a data set, with its record."""
    return _recorded_sha256(cached_path(name)) is not None


def store(data: Dataset, source: dict[str, object]) -> Path:
    """Keep a copy of a data set, and a record with its checksum and where it came from."""
    path = cached_path(data.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A copy without a record does not count, so a crash between the two writes does no harm.
    _record_path(path).unlink(missing_ok=True)
    _save(path, data)
    with atomic_write(_record_path(path)) as stream:
        json.dump({"sha256": _sha256(path), **source}, stream)
    return path


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
        names = tuple(file["feature_names"].tolist()) if "feature_names" in file else None
        return Dataset(
            X=X,
            y=file["y"],
            feature_names=names,
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


def _save(path: Path, data: Dataset) -> None:
    arrays: dict[str, Any] = {"y": data.y}
    if data.feature_names is not None:
        arrays["feature_names"] = np.array(data.feature_names, dtype=str)
    if scipy.sparse.issparse(data.X):
        X = data.X
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        arrays["X"] = data.X
    with atomic_write(path, "wb") as stream:
        np.savez_compressed(stream, **arrays)
