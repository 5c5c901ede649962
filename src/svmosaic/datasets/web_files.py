"""Download a file of LIBSVM text from a pinned address."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.table_files import read_table

__all__ = ["download_table"]

_SECONDS = 30.0
# The largest file in the registry has 0.6 MB; what is far above is not that file.
_MAX_BYTES = 1 << 24


def download_table(url: str, n_features: int) -> Dataset:
    """Return the table of a file of LIBSVM text on the web.

    Parameters
    ----------
    url : str
        Where it is; an address that names a version, so that the file cannot change.
    n_features : int
        The number of its features.

    Raises
    ------
    OSError
        There is no network, no such file, or no answer in 30 seconds.
    ValueError
        The file is too large to be the one of the registry.
    """
    with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
        content = answer.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"the file has more than {_MAX_BYTES} bytes")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "download.svm"
        path.write_bytes(content)
        return read_table(path, n_features=n_features, dense=True)
