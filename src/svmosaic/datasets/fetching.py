"""Download data sets and keep checked copies of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse

from svmosaic.datasets.bundled import bundled_path
from svmosaic.datasets.cache import cached_path, is_cached, store
from svmosaic.datasets.content import content_sha256
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.openml import Download, download_openml, to_dataset
from svmosaic.datasets.registry import DatasetInfo, describe
from svmosaic.datasets.web_files import download_table
from svmosaic.exceptions import DataFileError, DataNotFoundError

__all__ = ["can_be_fetched", "fetch"]


def can_be_fetched(info: DatasetInfo) -> bool:
    """Return whether `fetch` knows where to download a data set."""
    return info.openml is not None or info.url is not None


def fetch(
    name: str,
    *,
    force: bool = False,
    download: Callable[[int], Download] = download_openml,
) -> Path:
    """Download a data set into the cache, from where `load` takes it.

    The copy is kept only if its rows, features and classes agree with the registry, and its
    values where the registry has a checksum of them. The checksum of the kept file is recorded
    and verified at every load.

    Parameters
    ----------
    name : str
        A data set with a home on the web.
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
    if bundled_path(info) is not None or not can_be_fetched(info):
        raise DataNotFoundError(_nothing_to_fetch(info))
    if not force and is_cached(name):
        return cached_path(name)
    home = _home(info)
    try:
        data = _download(info, download)
    except DataFileError as error:
        raise DataFileError(
            f"What {home} sent is not the data set {name!r} ({error}). The copy was not kept."
        ) from error
    except (OSError, ValueError) as error:
        raise DataNotFoundError(
            f"Data set {name!r} could not be downloaded from {home} ({error}). Check the network "
            "and try again."
        ) from error
    _check_against_registry(data, info, home)
    return store(data, {"openml": info.openml.id} if info.openml else {"url": info.url})


def _download(info: DatasetInfo, download: Callable[[int], Download]) -> Dataset:
    if info.openml is not None:
        return to_dataset(download(info.openml.id), info.name)
    return replace(download_table(str(info.url), info.n_features), name=info.name)


def _home(info: DatasetInfo) -> str:
    """Return where a data set is fetched from, in words."""
    if info.openml is not None:
        return f"openml.org (data set {info.openml.id})"
    return str(info.url)


def _nothing_to_fetch(info: DatasetInfo) -> str:
    if info.sklearn is not None or bundled_path(info) is not None:
        package = "scikit-learn" if info.sklearn is not None else "svmosaic"
        return f"Data set {info.name!r} comes with {package} and needs no fetching. Load it."
    return (
        f"Data set {info.name!r} has no public home to fetch from. Put it into the data folder "
        f"(SVMOSAIC_DATA) as {info.file}."
    )


def _check_against_registry(data: Dataset, info: DatasetInfo, home: str) -> None:
    found = (data.n_samples, data.n_features, len(data.classes))
    expected = (info.n_samples, info.n_features, info.n_classes)
    if found != expected:
        raise DataFileError(
            f"The copy at {home} has (rows, features, classes) {found}; the registry expects "
            f"{expected} for {info.name!r}. The copy was not kept."
        )
    values = data.X.data if scipy.sparse.issparse(data.X) else data.X
    if not np.isfinite(values).all():
        raise DataFileError(
            f"The copy at {home} has missing values; {info.name!r} should have none. The copy was "
            "not kept."
        )
    if info.content_sha256 is None or data.y is None:
        return
    digest = content_sha256(data.X, data.y)
    if digest != info.content_sha256:
        raise DataFileError(
            f"The copy at {home} has other values than {info.name!r}: expected SHA-256 "
            f"{info.content_sha256[:12]}... of its content, got {digest[:12]}... The copy was not "
            "kept."
        )
