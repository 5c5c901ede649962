"""The control groups of this process: what a container, or a job, may use of the computer.

Linux has two versions, and systems that have both. A limit of any group above counts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

__all__ = ["memory_left", "processor_quota"]

_ROOT = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def processor_quota() -> float | None:
    """Return how many processors the groups leave to this process; None without a limit."""
    quotas = [*_quotas_of_version_2(), *_quotas_of_version_1()]
    return min(quotas, default=None)


def memory_left() -> int | None:
    """Return the bytes that the groups leave to this process; None without a limit."""
    lefts = []
    for folder in _folders("memory", version=2):
        lefts += _left_in(folder, "memory.max", "memory.current", "inactive_file")
    for folder in _folders("memory", version=1):
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        lefts += _left_in(folder, *names)
    return min(lefts, default=None)


def _quotas_of_version_2() -> Iterator[float]:
    for folder in _folders("cpu", version=2):
        parts = _words(folder / "cpu.max")
        if len(parts) == 2 and parts[0].isdigit() and int(parts[1]) > 0:
            yield int(parts[0]) / int(parts[1])


def _quotas_of_version_1() -> Iterator[float]:
    for folder in _folders("cpu", version=1):
        quota = _number(folder / "cpu.cfs_quota_us")
        period = _number(folder / "cpu.cfs_period_us")
        # A quota of -1 is none.
        if quota is not None and period is not None and quota > 0 and period > 0:
            yield quota / period


def _left_in(folder: Path, limit: str, usage: str, cached: str) -> list[int]:
    most, used = _number(folder / limit), _number(folder / usage)
    if most is None or used is None:  # there is no group, or its limit is the word "max"
        return []
    statistics = _words(folder / "memory.stat")
    # Cached files count as used, but are given up when memory is needed.
    given_up = dict(zip(statistics[::2], statistics[1::2], strict=False)).get(cached, "0")
    return [most - used + int(given_up)]


def _folders(controller: str, version: int) -> list[Path]:
    """Return the folders of this process's group and of all above it.

    In a container the path can be that of the host, where nothing is; its root is what counts.
    """
    path = _paths().get(controller if version == 1 else "", "/")
    group = PurePosixPath(path.lstrip("/"))
    roots = [_ROOT / controller] if version == 1 else [_ROOT, _ROOT / "unified"]
    return [root / part for root in roots for part in (group, *group.parents)]


def _paths() -> dict[str, str]:
    """Return the group of each controller of version 1, and that of version 2 as ''."""
    paths = {}
    try:
        lines = _MEMBERSHIP.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    for line in lines:
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        for controller in controllers.split(","):
            # A group outside of the view of a container begins with "/..".
            paths[controller] = "/" if ".." in path else path
    return paths


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return []


def _number(file: Path) -> int | None:
    words = _words(file)
    try:
        return int(words[0]) if len(words) == 1 else None
    except ValueError:
        return None
