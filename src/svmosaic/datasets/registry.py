"""What is known about each data set, read from ``registry.toml``."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from svmosaic.exceptions import DataNotFoundError

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


@cache
def _registry() -> Mapping[str, DatasetInfo]:
    text = resources.files(__package__).joinpath("registry.toml").read_text(encoding="utf-8")
    infos = {}
    for name, entry in tomllib.loads(text).items():
        openml = entry.pop("openml", None)
        home = None if openml is None else OpenmlHome(**openml)
        infos[name] = DatasetInfo(name=name, openml=home, **entry)
    return infos


def list_datasets() -> tuple[str, ...]:
    """Return the names of all data sets that `load` knows.

    Examples
    --------
    >>> from svmosaic.datasets import list_datasets
    >>> "sklearn-iris" in list_datasets()
    True
    """
    return tuple(_registry())


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
    infos = _registry()
    if name in infos:
        return infos[name]
    close = difflib.get_close_matches(name.lower(), infos, n=3)
    if close:
        hint = f"Did you mean {' or '.join(repr(other) for other in close)}?"
    else:
        hint = "List the names with: svmosaic data list"
    raise DataNotFoundError(f"No data set is called {name!r}. {hint}")
