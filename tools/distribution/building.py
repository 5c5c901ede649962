"""Build the archive of sources and the wheels; twice, to see that the bytes are the same."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from outcomes import FAILED, NOT_DONE, PASSED, CommandError, Log
from pythons import Environment, Python

__all__ = ["Builder"]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _last_commit(root: Path) -> str:
    """Return the time of the last commit, which archives give to their files."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "1700000000"


def _without_network() -> list[str]:
    """Return words that start a command without a network, where the system can."""
    words = ["unshare", "--net"]
    try:
        subprocess.run([*words, "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return words


@dataclass
class Builder:
    """Builds in a folder, with the sources of another."""

    root: Path
    folder: Path
    log: Log
    requirements: list[str]
    tools: Environment

    def __post_init__(self) -> None:
        self._epoch = os.environ.get("SOURCE_DATE_EPOCH") or _last_commit(self.root)
        self._off_line = _without_network()

    def sources(self) -> Path:
        """Return the archive of sources."""
        built = [self._archive(f"sources-{i}") for i in range(2)]
        size = f"{built[0].stat().st_size / 1e6:.1f} MB"
        self.log.add(f"archive of sources {built[0].name}", PASSED, size)
        self._compare("archive of sources", built)
        return built[0]

    def wheel(self, python: Python, archive: Path, *, twice: bool) -> Path | None:
        """Return the wheel for a Python, built off-line from the archive."""
        what = f"wheel {python.wheel}, built from it off-line"
        environment = Environment.make(
            self.log, python, self.folder / f"build-{python.version}", *self.requirements
        )
        built = []
        for i in range(1 + twice):
            try:
                # The second time everything is compiled, whatever a cache has.
                built.append(self._wheel(environment, python, archive, i, cached=i == 0))
            except CommandError as error:
                self.log.add(what, FAILED, f"with Python {python.version}")
                print(error)
                return None
        how = "" if self._off_line else " (the network could not be turned off; pip was told to)"
        self.log.add(what, PASSED, f"{built[0].stat().st_size / 1e6:.2f} MB{how}")
        self._compare(f"wheel {python.wheel}", built)
        return built[0]

    def _archive(self, name: str) -> Path:
        out = self._empty(name)
        words = [self.tools.python, "-m", "build", "--sdist", "--no-isolation", "--outdir", out]
        self.log.run(name, [*words, self.root], environment=self._environment(self.tools))
        (archive,) = out.glob("*.tar.gz")
        return archive

    def _wheel(
        self, environment: Environment, python: Python, archive: Path, number: int, *, cached: bool
    ) -> Path:
        out = self._empty(f"wheel-{python.version}-{number}")
        # pip unpacks into a folder with another name every time.
        words = [environment.python, "-m", "pip", "wheel", "--no-index", "--no-deps"]
        words += ["--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", out]
        variables = self._environment(environment)
        if cached and shutil.which("ccache"):
            variables["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
            variables["CCACHE_BASEDIR"] = tempfile.gettempdir()
            variables["CCACHE_NOHASHDIR"] = "1"
        self.log.run(out.name, [*self._off_line, *words, archive], environment=variables)
        (wheel,) = out.glob("*.whl")
        return wheel

    def _compare(self, what: str, built: list[Path]) -> None:
        what = f"{what}: two builds give the same bytes"
        if len(built) < 2:
            self.log.add(what, NOT_DONE, "left out by --once")
            return
        sums = {_sha256(path) for path in built}
        self.log.add(what, PASSED if len(sums) == 1 else FAILED, min(sums)[:16])

    def _environment(self, environment: Environment) -> dict[str, str]:
        path = f"{environment.bin.resolve()}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": self._epoch}

    def _empty(self, name: str) -> Path:
        out = self.folder / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        return out
