"""Write files so that nothing is destroyed: a reader sees the old file or the whole new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

__all__ = ["atomic_write", "check_folder", "check_writable"]


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """Open a temporary file beside `path` and rename it to `path` on success.

    After an error nothing is left behind and an existing file keeps its content. A symbolic link
    stays and the file it points to is replaced. The new file has the mode, and where permitted the
    owner, of the old one. A pipe, a device and the standard output are never replaced: they are
    written into as the content comes.

    Parameters
    ----------
    path : path-like
        The file to write.
    mode : {"w", "wb"}, default="w"
        Text in UTF-8, or bytes.
    """
    check_writable(path)
    target = _resolve_link(path)
    old = _stat(target)
    encoding = None if "b" in mode else "utf-8"
    if old is not None and (descriptor := _standard_stream(old)) is not None:
        # Sharing the stream's position keeps what was printed before and what follows.
        sys.stdout.flush()
        with open(os.dup(descriptor), mode, encoding=encoding) as stream:
            yield stream
        return
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(path, mode, encoding=encoding) as stream:
            yield stream
        return

    # Private until it has the mode of the old file; a new one gets what a plain open() gives.
    rights = 0o666 if old is None else 0o600
    # A short name, so that any name the file system takes can be written.
    temporary = target.with_name(f".svmosaic-{secrets.token_hex(8)}.tmp")
    try:
        with open(
            temporary,
            mode.replace("w", "x"),
            encoding=encoding,
            opener=lambda name, flags: os.open(name, flags, rights),
        ) as stream:
            if old is not None:
                _copy_rights(old, temporary)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if `atomic_write` could not write to `path`. Nothing is opened or changed."""
    name, target = os.fspath(path), _resolve_link(path)
    found = _stat(target)
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{name!r} is a folder. Name a file in it.")
    if found is not None and stat.S_ISSOCK(found.st_mode):
        raise OSError(f"{name!r} is a socket, which cannot be written to. Name a file or a pipe.")
    if found is not None and not _access(target, os.W_OK):
        raise PermissionError(
            f"{name!r} is write-protected. Name another file, or change its permissions."
        )
    if found is not None and not stat.S_ISREG(found.st_mode):
        return
    check_folder(target.parent)


def check_folder(folder: Path) -> None:
    """Raise an error if no file could be made in `folder`."""
    if not folder.is_dir():
        raise FileNotFoundError(f"The folder {str(folder)!r} of the output does not exist.")
    if not _access(folder, os.W_OK | os.X_OK):
        raise PermissionError(
            f"The folder {str(folder)!r} of the output cannot be written to. Name another, or "
            "change its permissions."
        )


def _resolve_link(path: str | os.PathLike[str]) -> Path:
    """Return the file that a link points to, whether it exists or not; other paths as they are."""
    if not os.path.islink(path):
        return Path(path)
    real = Path(os.path.realpath(path))
    # The links of /proc/self/fd lead to pipes and deleted files, which have no path.
    return Path(path) if os.path.exists(path) and not os.path.exists(real) else real


def _stat(path: Path) -> os.stat_result | None:
    # A link that leads back to itself is an error here, and must be: it would be replaced.
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return os.stat(path)
    return None


def _standard_stream(found: os.stat_result) -> int | None:
    """Return the descriptor of the output stream that a path such as /dev/stdout leads to."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _access(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


def _sync_folder(folder: Path) -> None:
    """Let the new name survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _copy_rights(old: os.stat_result, path: Path) -> None:
    if hasattr(os, "chown"):
        # Only the administrator may give a file away.
        with contextlib.suppress(PermissionError):
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, old.st_mode & 0o777)
