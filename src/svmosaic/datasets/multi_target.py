"""Multi-target data sets by name: what is known about each, and loading."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from svmosaic.datasets.catalogue import Catalogue
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.loading import check_once, data_folder
from svmosaic.datasets.readers.multi_target import read_multitarget
from svmosaic.exceptions import DataNotFoundError

__all__ = [
    "MultiTargetInfo",
    "describe_multitarget",
    "find_multitarget",
    "list_multitarget",
    "load_multitarget",
]


@dataclass(frozen=True)
class MultiTargetInfo:
    """What the registry says about a multi-target data set.

    Attributes
    ----------
    name, title : str
        What to pass to `load_multitarget`, and what it is.
    n_samples, n_features, n_targets : int
        Its size, nominal features counted once.
    n_nominal, n_missing : int
        Nominal features and missing cells.
    source, cautions : str
        Where the data come from and what to be careful about.
    sha256 : str
        Checksum of ``multitarget/NAME.arff.gz`` in the data folder.
    """

    name: str
    title: str
    n_samples: int
    n_features: int
    n_targets: int
    n_nominal: int
    n_missing: int
    source: str
    cautions: str
    sha256: str

    @property
    def description(self) -> str:
        """Title, source and cautions in one text."""
        return f"{self.title}. Source: {self.source}. Notes: {self.cautions}."


_CATALOGUE = Catalogue(
    __package__,
    "multi_target.toml",
    lambda name, entry: MultiTargetInfo(name, **entry),
    kind="multi-target data set",
    where="List the names with: list_multitarget()",
)


def list_multitarget() -> tuple[str, ...]:
    """Return the names of all data sets that `load_multitarget` knows.

    Examples
    --------
    >>> from svmosaic.datasets import list_multitarget
    >>> "edm" in list_multitarget()
    True
    """
    return _CATALOGUE.names()


def describe_multitarget(name: str) -> MultiTargetInfo:
    """Return what the registry says about a multi-target data set, without loading it.

    Parameters
    ----------
    name : str
        One of `list_multitarget`.

    Raises
    ------
    DataNotFoundError
        No data set has that name; the message offers the nearest ones.

    Examples
    --------
    >>> from svmosaic.datasets import describe_multitarget
    >>> describe_multitarget("edm").n_targets
    2
    """
    return _CATALOGUE.describe(name)


def find_multitarget(name: str, *, data_home: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the file of a multi-target data set, or None where it is not at hand.

    Parameters
    ----------
    name : str
        One of `list_multitarget`.
    data_home : path-like, default=None
        The data folder, as in `load_multitarget`.

    Examples
    --------
    >>> from svmosaic.datasets import find_multitarget
    >>> path = find_multitarget("edm")
    """
    folder = data_folder(data_home)
    path = None if folder is None else folder / "multitarget" / f"{name}.arff.gz"
    return path if path is not None and path.is_file() else None


def load_multitarget(name: str, *, data_home: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a multi-target data set by name, without the network.

    Nominal features become one column of 0 and 1 for each declared value. Missing numbers are
    nan: put an imputer before a machine that cannot take them.

    Parameters
    ----------
    name : str
        One of `list_multitarget`.
    data_home : path-like, default=None
        The data folder; holds ``multitarget/NAME.arff.gz``. By default ``$SVMOSAIC_DATA`` or else
        ``../shared/data`` where that exists.

    Returns
    -------
    Dataset
        `y` has one column per target and `target_names` their names.

    Raises
    ------
    DataNotFoundError
        The name is unknown, or the file is not at hand.
    DataFileError
        The file does not match its checksum.
    """
    info = describe_multitarget(name)
    path = find_multitarget(name, data_home=data_home)
    if path is None:
        raise DataNotFoundError(
            f"Data set {name!r} is not at hand. Put {name}.arff.gz into the folder 'multitarget' "
            "of the data folder and set SVMOSAIC_DATA."
        )
    check_once(path, info.sha256)
    data = read_multitarget(path, targets=info.n_targets, allow_nan=True)
    return Dataset(
        X=data.X,
        y=data.y,
        feature_names=data.feature_names,
        target_names=data.target_names,
        name=name,
        description=info.description,
    )
