"""What the tests of the data readers share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from svmosaic.datasets import data_folder


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Return a function that writes a file into the test's own folder."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def data_home() -> Path:
    """Return the folder of real data sets, or skip."""
    folder = data_folder()
    if folder is None or not (folder / "classification").is_dir():
        pytest.skip("there is no data folder; set SVMOSAIC_DATA")
    return folder


@pytest.fixture
def classification_folder(data_home: Path) -> Path:
    """Return the folder of data sets with a class for each row, or skip."""
    return data_home / "classification"


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the data folder and the cache at empty folders; return the cache."""
    for variable in ("SVMOSAIC_DATA", "SVMOSAIC_CACHE"):
        folder = tmp_path / variable.lower()
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    return tmp_path / "svmosaic_cache"
