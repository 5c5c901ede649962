"""What is known about each data set, read from ``registry.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from svmosaic.datasets.catalogue import Catalogue

__all__ = ["DatasetInfo", "OpenmlHome", "describe", "list_datasets"]


@dataclass(frozen=True)
class OpenmlHome:
    """The number of a data set at openml.org, and whether its copy was compared with ours."""

    id: int
    verified: bool


@dataclass(frozen=True)
class DatasetInfo:
    """What the registry says about a data set.

    Attributes
    ----------
    name, title : str
        What to pass to `load`, and what it is.
    task : str
        ``"classification"``.
    n_samples, n_features, n_classes : int
        Its size.
    source, cautions : str
        Where the data come from and what to be careful about.
    sparse : bool
        Whether `load` gives a sparse matrix unless told otherwise.
    sha256 : str or None
        Checksum of ``classification/NAME.svm.gz`` in the data folder.
    sklearn : str or None
        Name of the scikit-learn function that loads it.
    openml : OpenmlHome or None
        Its number at openml.org.
    """

    name: str
    title: str
    task: str
    n_samples: int
    n_features: int
    n_classes: int
    source: str
    cautions: str
    sparse: bool = False
    sha256: str | None = None
    sklearn: str | None = None
    openml: OpenmlHome | None = None

    @property
    def description(self) -> str:
        """Title, source and cautions in one text."""
        return f"{self.title}. Source: {self.source}. Notes: {self.cautions}."


def _info(name: str, entry: dict[str, Any]) -> DatasetInfo:
    openml = entry.pop("openml", None)
    return DatasetInfo(name, openml=None if openml is None else OpenmlHome(**openml), **entry)


_CATALOGUE = Catalogue(
    __package__,
    "registry.toml",
    _info,
    kind="data set",
    where="List the names with: svmosaic data list",
)


def list_datasets() -> tuple[str, ...]:
    """Return the names of all data sets that `load` knows.

    Examples
    --------
    >>> from svmosaic.datasets import list_datasets
    >>> "sklearn-iris" in list_datasets()
    True
    """
    return _CATALOGUE.names()


def describe(name: str) -> DatasetInfo:
    """Return what the registry says about a data set, without loading it.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Raises
    ------
    DataNotFoundError
        No data set has that name; the message offers the nearest ones.

    Examples
    --------
    >>> from svmosaic.datasets import describe
    >>> info = describe("sklearn-iris")
    >>> info.n_samples, info.n_features, info.n_classes
    (150, 4, 3)
    """
    return _CATALOGUE.describe(name)
