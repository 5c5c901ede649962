"""What is known about each data set, read from ``registry.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from svmosaic.datasets.catalogue import Catalogue
from svmosaic.datasets.dataset import KINDS, Kind

__all__ = ["DatasetInfo", "OpenmlHome", "describe", "list_datasets"]


# Where the data folder has the file of a data set.
_FILES: dict[Kind, str] = {
    "rows": "classification/{}.svm.gz",
    "targets": "multitarget/{}.arff.gz",
    "bags": "multiinstance/{}.arff.gz",
}


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
    kind : {"rows", "targets", "bags"}
        What a sample is: a row with one class, a row with several targets, a bag of instances.
    n_samples, n_features : int
        Its size, nominal features counted once.
    source, cautions : str
        Where the data come from and what to be careful about.
    n_classes : int
        Number of classes; 0 for several targets.
    n_targets, n_nominal, n_missing : int
        Targets, nominal features and missing cells; for several targets only.
    n_instances, n_positive : int
        Instances in all bags, and bags of class 1; for bags only.
    sparse : bool
        Whether `load` returns a sparse matrix by default.
    sha256 : str or None
        Checksum of `file` in the data folder.
    sklearn : str or None
        Name of the scikit-learn function that loads it.
    openml : OpenmlHome or None
        Its number at openml.org.
    url : str or None
        Its home as a file of LIBSVM text on the web.
    content_sha256 : str or None
        Checksum of its values and classes, whatever file they are in; a copy that was fetched
        must have it.
    """

    name: str
    title: str
    kind: Kind
    n_samples: int
    n_features: int
    source: str
    cautions: str
    n_classes: int = 0
    n_targets: int = 0
    n_nominal: int = 0
    n_missing: int = 0
    n_instances: int = 0
    n_positive: int = 0
    sparse: bool = False
    sha256: str | None = None
    sklearn: str | None = None
    openml: OpenmlHome | None = None
    url: str | None = None
    content_sha256: str | None = None

    @property
    def file(self) -> str:
        """Its file in the data folder, whether it is there or not."""
        return _FILES[self.kind].format(self.name)

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


def list_datasets(kind: Kind | None = None) -> tuple[str, ...]:
    """Return the names of the data sets that `load` knows.

    Parameters
    ----------
    kind : {"rows", "targets", "bags"}, default=None
        Only the data sets of this kind; None means all.

    Returns
    -------
    tuple of str
        The names.

    Examples
    --------
    >>> from svmosaic.datasets import list_datasets
    >>> "sklearn-iris" in list_datasets()
    True
    >>> "musk1" in list_datasets("bags")
    True
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(
            f"The 'kind' of list_datasets must be one of {', '.join(map(repr, KINDS))}. Got "
            f"{kind!r} instead."
        )
    entries = _CATALOGUE.entries
    return tuple(name for name, info in entries.items() if kind in (None, info.kind))


def describe(name: str) -> DatasetInfo:
    """Return what the registry says about a data set, without loading it.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    DatasetInfo
        Its kind, size, home and licence.

    Raises
    ------
    DataNotFoundError
        No data set has that name; the message offers the nearest ones.

    Examples
    --------
    >>> from svmosaic.datasets import describe
    >>> info = describe("sklearn-iris")
    >>> info.kind, info.n_samples, info.n_features, info.n_classes
    ('rows', 150, 4, 3)
    """
    return _CATALOGUE.describe(name)
