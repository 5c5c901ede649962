"""A reader sees the old file or the whole new one."""

from __future__ import annotations

import stat

import pytest

from svmosaic.utils.atomic import atomic_write


def test_a_file_is_written_whole(tmp_path):
    target = tmp_path / "file.txt"
    with atomic_write(target) as stream:
        stream.write("héllo")
        assert not target.exists()

    assert target.read_text(encoding="utf-8") == "héllo"
    assert stat.S_IMODE(target.stat().st_mode) & stat.S_IRUSR
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "file.bin"
    target.write_bytes(b"old")

    def write_half():
        with atomic_write(target, "wb") as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "no" / "file"):
        pass
