"""A reader sees the old file or the whole new one, and nothing else is ever replaced."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from svmosaic.utils.atomic import atomic_write, check_writable

NOBODY = 65534


def _write(path, text="new"):
    with atomic_write(path) as stream:
        stream.write(text)


def _mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_file_is_written_whole(tmp_path):
    target = tmp_path / "file.txt"
    with atomic_write(target) as stream:
        stream.write("héllo")
        assert not target.exists()

    assert target.read_text(encoding="utf-8") == "héllo"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    target = tmp_path / "file.bin"
    target.write_bytes(b"old")
    target.chmod(0o604)

    def write_half():
        with atomic_write(target, "wb") as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        write_half()

    assert target.read_bytes() == b"old"
    assert _mode(target) == 0o604
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_a_new_file_has_the_mode_of_a_plain_open(tmp_path, umask):
    # In a process of its own: the umask belongs to all threads.
    program = (
        "import os, sys; from svmosaic.utils.atomic import atomic_write\n"
        f"os.umask({umask})\n"
        "open('plain', 'w').close()\n"
        "def refuse(mask): raise AssertionError('the umask was touched')\n"
        "os.umask = refuse\n"
        "with atomic_write('ours') as stream: stream.write('x')\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)

    assert _mode(tmp_path / "ours") == _mode(tmp_path / "plain") == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o604, 0o666, 0o755])
def test_an_existing_file_keeps_its_mode(tmp_path, mode):
    target = tmp_path / "file"
    target.write_text("old")
    target.chmod(mode)

    with atomic_write(target) as stream:
        (temporary,) = set(tmp_path.iterdir()) - {target}
        # What is private is private while it is written, too.
        assert _mode(temporary) == mode
        stream.write("new")

    assert target.read_text() == "new"
    assert _mode(target) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to others")
def test_an_existing_file_keeps_its_owner_where_permitted(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    os.chown(target, NOBODY, NOBODY)
    target.chmod(0o640)

    _write(target)

    found = target.stat()
    assert (found.st_uid, found.st_gid, _mode(target)) == (NOBODY, NOBODY, 0o640)


def test_a_named_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()

    _write(pipe, "through")

    reader.join(10)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.fixture
def null_device(tmp_path):
    """The null device; root gets one of its own, since a failing test could replace it."""
    if os.geteuid() != 0:
        return Path(os.devnull)
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_text("")
    except OSError as error:
        pytest.skip(f"a device cannot be made here: {error}")
    return path


def test_a_device_is_written_into(tmp_path, null_device):
    before = null_device.stat()
    link = _link(tmp_path / "link", null_device)

    _write(null_device)
    _write(link)

    after = null_device.stat()
    assert (after.st_ino, after.st_rdev, after.st_mode) == (
        *(before.st_ino, before.st_rdev),
        before.st_mode,
    )
    assert os.readlink(link) == str(null_device)


def test_a_socket_is_refused_and_stays(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        with pytest.raises(OSError, match="'socket' is a socket"):
            _write("socket")

    assert stat.S_ISSOCK(os.stat("socket").st_mode)


@pytest.mark.parametrize("redirection", [">", ">>", "|"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_standard_output_is_written_into(tmp_path, redirection, name):
    if not os.path.exists(name):
        pytest.skip(f"{name} does not exist here")
    (tmp_path / "log").write_text("old\n")
    program = (
        "from svmosaic.utils.atomic import atomic_write\n"
        "print('before')\n"
        f"with atomic_write({name!r}) as stream: stream.write('content\\n')\n"
        "print('after')\n"
    )
    (tmp_path / "program.py").write_text(program)
    into = "| cat > log" if redirection == "|" else f"{redirection} log"
    shell = f"'{sys.executable}' program.py {into}"
    subprocess.run(["/bin/sh", "-c", shell], cwd=tmp_path, check=True)

    kept = "old\n" if redirection == ">>" else ""
    assert (tmp_path / "log").read_text() == f"{kept}before\ncontent\nafter\n"
    assert {path.name for path in tmp_path.iterdir()} == {"log", "program.py"}


def _link(link, to):
    link.symlink_to(to)
    return link


def test_links_stay_and_their_file_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "file"
    target.write_text("old")
    target.chmod(0o600)
    near = _link(tmp_path / "near", "far/file")
    chain = _link(tmp_path / "chain", "near")

    _write(chain)

    assert target.read_text() == "new"
    assert _mode(target) == 0o600
    assert (os.readlink(chain), os.readlink(near)) == ("near", "far/file")
    assert [path.name for path in (tmp_path / "far").iterdir()] == ["file"]


def test_the_file_of_a_dangling_link_is_made(tmp_path):
    link = _link(tmp_path / "link", "later")

    _write(link)

    assert os.readlink(link) == "later"
    assert (tmp_path / "later").read_text() == "new"


def test_a_link_that_leads_nowhere_is_an_error_and_stays(tmp_path):
    loop = _link(tmp_path / "loop", "loop")
    missing = _link(tmp_path / "missing", "no/file")

    with pytest.raises(OSError, match="symbolic links"):
        _write(loop)
    with pytest.raises(FileNotFoundError, match=r"The folder '.*/no' of the output does not exist"):
        _write(missing)

    assert (os.readlink(loop), os.readlink(missing)) == ("loop", "no/file")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("", IsADirectoryError, "'' is a folder. Name a file in it."),
        (".", IsADirectoryError, "'.' is a folder. Name a file in it."),
        ("folder", IsADirectoryError, "'folder' is a folder. Name a file in it."),
        ("link", IsADirectoryError, "'link' is a folder. Name a file in it."),
        ("no/file", FileNotFoundError, "The folder 'no' of the output does not exist."),
        ("file/x", FileNotFoundError, "The folder 'file' of the output does not exist."),
    ],
)
def test_what_cannot_be_written_gets_one_sentence(tmp_path, monkeypatch, name, error, words):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("old")
    _link(Path("link"), "folder")
    before = sorted(path.name for path in Path().iterdir())

    for act in (check_writable, _write):
        with pytest.raises(error) as caught:
            act(name)
        assert str(caught.value) == words

    assert sorted(path.name for path in Path().iterdir()) == before
    assert Path("file").read_text() == "old"


def test_a_check_changes_nothing_and_waits_for_nobody(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", tmp_path / "new"):
        check_writable(path)

    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_the_longest_name_can_be_written(tmp_path):
    target = tmp_path / ("é" * 127)

    _write(target)

    assert target.read_text() == "new"


@pytest.fixture
def unprivileged():
    """A folder of a user who is not root, while the process is that user."""
    folder = Path(tempfile.gettempdir(), f"svmosaic-test-{secrets.token_hex(8)}")
    folder.mkdir(mode=0o755)
    root = os.geteuid() == 0
    if root:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    yield folder
    if root:
        os.seteuid(0)
    shutil.rmtree(folder)


def test_a_folder_without_permission_is_refused(unprivileged):
    locked = unprivileged / "locked"
    locked.mkdir()
    locked.joinpath("file").write_text("old")
    locked.chmod(0o555)

    for name in ("file", "new"):
        with pytest.raises(PermissionError, match=r"'.*/locked' of the output cannot be writ"):
            _write(locked / name)

    locked.chmod(0o755)
    assert locked.joinpath("file").read_text() == "old"


def test_a_write_protected_file_is_refused(unprivileged):
    target = unprivileged / "file"
    target.write_text("old")
    target.chmod(0o444)

    with pytest.raises(PermissionError, match=r"'.*/file' is write-protected"):
        _write(target)

    assert (target.read_text(), _mode(target)) == ("old", 0o444)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs files of two users")
def test_a_file_of_another_user_is_replaced_without_the_owner(unprivileged):
    target = unprivileged / "file"
    target.write_text("old")
    target.chmod(0o666)
    os.seteuid(0)
    os.chown(target, 12345, 12345)
    os.seteuid(NOBODY)

    _write(target)

    assert (target.read_text(), target.stat().st_uid, _mode(target)) == ("new", NOBODY, 0o666)
