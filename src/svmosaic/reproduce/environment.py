"""When, on what and with what a table was made."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import svmosaic
from svmosaic.experiments.code_version import code_version
from svmosaic.utils.threads import available_threads

__all__ = ["provenance"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "wittgenstein", "river", "capymoa")


def provenance(n_jobs: int | None) -> dict[str, str]:
    """Return what a reader must know to repeat the numbers. No name of a computer or a user."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "computer": f"{_processor()}, {available_threads()} cores usable, {_memory()}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join([f"svmosaic {svmosaic.__version__}", *_versions()]),
        "commit": _commit(),
        "code": code_version().split()[0],
        "jobs": str(n_jobs or 1),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or "processor unknown"


def _memory() -> str:
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return "memory unknown"
    return f"{total / 2**30:.0f} GiB"


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    """Return the commit of the sources, where they are a checkout of svmosaic."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists() or not (root / "src" / "svmosaic").is_dir():
        return "not known; installed from a package"
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "src", "cpp")
    except (OSError, subprocess.SubprocessError):
        return "not known; git did not answer"
    return f"{commit}, with changes" if changed else commit


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
