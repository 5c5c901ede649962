"""What a command reads and writes, checked before any work begins."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from svmosaic.utils.atomic import check_folder, check_writable

__all__ = ["Files", "OutputFolder", "check_files"]


@dataclass(frozen=True)
class OutputFolder:
    """A folder that a command fills.

    Attributes
    ----------
    path : path-like
        The folder; made if it does not exist.
    patterns : sequence of str
        The files that the command may write in it, as glob patterns.
    """

    path: str | os.PathLike[str]
    patterns: Sequence[str]


@dataclass(frozen=True)
class Files:
    """The files of one call of a command; None is an option that was not given.

    Attributes
    ----------
    inputs : sequence of path-like or None
        What is read. A folder is the folder of a run. What is no file may be the name of a data
        set, which stands for its files.
    outputs : sequence of path-like or None
        Files to write.
    folder : OutputFolder or None
        A folder to write files in.
    """

    inputs: Sequence[str | os.PathLike[str] | None] = ()
    outputs: Sequence[str | os.PathLike[str] | None] = ()
    folder: OutputFolder | None = None


def check_files(files: Files) -> None:
    """Refuse outputs that cannot be written, that are inputs, or that are named twice.

    Files are compared by identity, so that links are seen through.
    """
    outputs = [Path(path) for path in files.outputs if path is not None]
    for path in outputs:
        check_writable(path)
    _check_distinct(outputs)
    if files.folder is not None:
        folder = Path(files.folder.path)
        _check_folder(folder)
        outputs += [path for pattern in files.folder.patterns for path in folder.glob(pattern)]
    read = {_identity(path): path for path in _expand(files.inputs)}
    for path in outputs:
        identity = _identity(path)
        if identity is not None and identity in read:
            raise ValueError(
                f"The output {str(path)!r} is the same file as the input {str(read[identity])!r}, "
                "which would be overwritten. Choose another output."
            )


def _check_distinct(outputs: Iterable[Path]) -> None:
    seen: dict[object, Path] = {}
    for path in outputs:
        # A pipe or a device takes several outputs.
        if path.exists() and not path.is_file():
            continue
        same = seen.setdefault(_identity(path) or os.path.realpath(path), path)
        if same is not path:
            raise ValueError(
                f"The outputs {str(same)!r} and {str(path)!r} are the same file, and one would "
                "overwrite the other. Choose another name for one of them."
            )


def _check_folder(folder: Path) -> None:
    """Refuse a folder that could not be made or written to."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{str(folder)!r} is not a folder. Choose another --out.")
    check_folder(next(path for path in (folder, *folder.absolute().parents) if path.exists()))


def _expand(inputs: Iterable[str | os.PathLike[str] | None]) -> Iterator[Path]:
    """Yield the files that are read: those named, and those that belong to them."""
    for name in (os.fspath(name) for name in inputs if name is not None):
        path = Path(name)
        yield path
        if not path.exists():
            # Imported here: the numerical libraries take a second.
            from svmosaic.datasets.loading import find_files

            yield from find_files(name)
        # The journals of a run.
        yield from path.glob("journal*.*")
        # Mulan's list of targets.
        yield path.parent / re.sub(r"\.(arff|csv|tsv)(\.gz)?$", ".xml", path.name)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a regular file from all others; None if there is none."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            return found.st_dev, found.st_ino
    return None
