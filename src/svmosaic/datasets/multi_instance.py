"""Multi-instance data sets by name: what is known about each, and loading."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from svmosaic.datasets.catalogue import Catalogue
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.loading import check_once, data_folder
from svmosaic.datasets.readers.multi_instance import read_bags
from svmosaic.exceptions import DataNotFoundError

__all__ = ["BagsInfo", "bags_at_hand", "describe_bags", "list_bags", "load_bags"]


@dataclass(frozen=True)
class BagsInfo:
    """What the registry says about a multi-instance data set.

    Attributes
    ----------
    name, title : str
        What to pass to `load_bags`, and what it is.
    n_bags, n_instances, n_features : int
        Its size.
    n_positive : int
        Bags of class 1; all others are of class 0.
    source, cautions : str
        Where the data come from and what to be careful about.
    sha256 : str
        Checksum of ``multiinstance/NAME.arff.gz`` in the data folder.
    sparse : bool
        Whether the instances are loaded as a sparse matrix.
    """

    name: str
    title: str
    n_bags: int
    n_instances: int
    n_features: int
    n_positive: int
    source: str
    cautions: str
    sha256: str
    sparse: bool = False

    @property
    def description(self) -> str:
        """Title, source and cautions in one text."""
        return f"{self.title}. Source: {self.source}. Notes: {self.cautions}."


_CATALOGUE = Catalogue(
    __package__,
    "multi_instance.toml",
    lambda name, entry: BagsInfo(name, **entry),
    kind="multi-instance data set",
    where="List the names with: list_bags()",
)


def list_bags() -> tuple[str, ...]:
    """Return the names of all data sets that `load_bags` knows.

    Examples
    --------
    >>> from svmosaic.datasets import list_bags
    >>> "musk1" in list_bags()
    True
    """
    return _CATALOGUE.names()


def describe_bags(name: str) -> BagsInfo:
    """Return what the registry says about a multi-instance data set, without loading it.

    Parameters
    ----------
    name : str
        One of `list_bags`.

    Raises
    ------
    DataNotFoundError
        No data set has that name; the message offers the nearest ones.

    Examples
    --------
    >>> from svmosaic.datasets import describe_bags
    >>> describe_bags("musk1").n_bags
    92
    """
    return _CATALOGUE.describe(name)


def load_bags(
    name: str, *, data_home: str | os.PathLike[str] | None = None, dense: bool | None = None
) -> Dataset:
    """Load a multi-instance data set by name, without the network.

    Parameters
    ----------
    name : str
        One of `list_bags`.
    data_home : path-like, default=None
        The data folder; holds ``multiinstance/NAME.arff.gz``. By default ``$SVMOSAIC_DATA`` or else
        ``../shared/data`` where that exists.
    dense : bool, default=None
        True gives dense instances, False sparse ones. By default the registry decides.

    Returns
    -------
    Dataset
        `X` has the bags, `y` is 1 for the positive ones and 0 for the others.

    Raises
    ------
    DataNotFoundError
        The name is unknown, or the file is not at hand.
    DataFileError
        The file does not match its checksum.
    """
    info = describe_bags(name)
    path = _path(name, data_home)
    if path is None:
        raise DataNotFoundError(
            f"Data set {name!r} is not at hand. Put {name}.arff.gz into the folder 'multiinstance' "
            "of the data folder and set SVMOSAIC_DATA."
        )
    check_once(path, info.sha256)
    data = read_bags(path, dense=(not info.sparse) if dense is None else dense)
    return Dataset(
        X=data.X,
        y=data.y,
        feature_names=data.feature_names,
        name=name,
        description=info.description,
    )


def bags_at_hand(name: str) -> bool:
    """Say whether `load_bags` would find the file of a data set."""
    return _path(describe_bags(name).name, None) is not None


def _path(name: str, data_home: str | os.PathLike[str] | None) -> Path | None:
    folder = data_folder(data_home)
    path = None if folder is None else folder / "multiinstance" / f"{name}.arff.gz"
    return path if path is not None and path.is_file() else None
