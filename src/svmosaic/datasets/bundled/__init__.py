"""Small data sets that come with the package; NOTICE has their sources and licences.

The files are those of the data folder, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

from svmosaic.datasets.registry import DatasetInfo

__all__ = ["bundled_path"]

_FOLDER = Path(__file__).parent


def bundled_path(info: DatasetInfo) -> Path | None:
    """Return the file of a data set in the package, or None if it does not come with it.

    Parameters
    ----------
    info : DatasetInfo
        Its entry in the registry.
    """
    path = _FOLDER / info.file
    return path if info.sha256 is not None and path.is_file() else None
