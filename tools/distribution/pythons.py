"""Find the Pythons of this computer, and make environments with them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from outcomes import Log

__all__ = ["WANTED", "Environment", "Python", "find_pythons"]

# 3.11 has a wheel of its own, 3.12 is the first of the stable ABI; `t` has no global lock.
WANTED = ("3.11", "3.12", "3.13", "3.14", "3.15", "3.13t", "3.14t", "3.15t")
_ASK = """
import sys, sysconfig
print(*sys.version_info[:2], sysconfig.get_config_var("Py_GIL_DISABLED") or 0)
"""


@dataclass(frozen=True)
class Python:
    """A Python and its version, as in `python3.13t`."""

    version: str
    program: Path

    @property
    def free_threaded(self) -> bool:
        """Say whether it has no global lock."""
        return self.version.endswith("t")

    @property
    def minor(self) -> int:
        """Return 12 of 3.12."""
        return int(self.version.removesuffix("t").split(".")[1])

    @property
    def wheel(self) -> str:
        """Return the tag of the wheel that fits."""
        name = f"cp3{self.minor}"
        if self.free_threaded:
            return f"{name}-{name}t"
        if self.minor < 12:
            return f"{name}-{name}"
        return "cp312-abi3"


def _version_of(program: str | Path) -> str | None:
    """Return the version of a program that is a Python and starts."""
    try:
        done = subprocess.run(
            [program, "-c", _ASK], capture_output=True, text=True, timeout=30, check=True
        )
        major, minor, unlocked = done.stdout.split()
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return f"{major}.{minor}{'t' if unlocked != '0' else ''}"


def find_pythons(named: list[str]) -> list[Python]:
    """Return the Pythons named, those on the path and those of pyenv; one of each version."""
    programs: list[str | Path] = [*named]
    programs += [found for version in WANTED if (found := shutil.which(f"python{version}"))]
    for version in WANTED:
        folders = (Path.home() / ".pyenv" / "versions").glob(f"{version.removesuffix('t')}.*")
        programs += sorted((folder / "bin" / "python3" for folder in folders), reverse=True)
    found: dict[str, Python] = {}
    for program in programs:
        version = _version_of(program)
        if version in WANTED and version not in found:
            found[version] = Python(version, Path(program))
    return [found[version] for version in WANTED if version in found]


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def bin(self) -> Path:
        """Return the folder of its programs."""
        return self.folder / "bin"

    @property
    def python(self) -> Path:
        """Return its Python."""
        return self.bin / "python"

    @classmethod
    def make(cls, log: Log, python: Python, folder: Path, *requirements: str) -> Environment:
        """Make an environment, or take the one that is there with the same requirements."""
        made = cls(folder)
        wanted = "\n".join([str(python.program), *requirements])
        stamp = folder / "requirements"
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return made
        name = folder.name
        log.run(f"venv-{name}", [python.program, "-m", "venv", "--clear", folder])
        if requirements:
            made.install(log, *requirements)
        stamp.write_text(wanted, encoding="utf-8")
        return made

    def install(self, log: Log, *words: str | Path) -> str:
        """Install what is named."""
        pip = [self.python, "-m", "pip", "install", "--disable-pip-version-check"]
        return log.run(f"install-{self.folder.name}", [*pip, *words])
