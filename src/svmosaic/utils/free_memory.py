"""How much memory this process may still take."""

from __future__ import annotations

import os
from pathlib import Path

from svmosaic.utils.control_groups import memory_left

__all__ = ["free_memory"]

_MEMINFO = Path("/proc/meminfo")
# What is assumed of a computer that does not say.
_UNKNOWN = 4 << 30


def free_memory() -> int:
    """Return the bytes that this process can take before the computer runs out of memory.

    The least of what the computer has available, the limit of the control group (a container) and
    the limit of the process. Where only the size of the memory is known, half of it counts.

    Examples
    --------
    >>> from svmosaic.utils.free_memory import free_memory
    >>> free_memory() >= 0
    True
    """
    return max(0, min([_available(), *_group_limits(), *_process_limits()]))


def _available() -> int:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN


def _group_limits() -> list[int]:
    left = memory_left()
    return [] if left is None else [left]


def _process_limits() -> list[int]:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return []
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return [] if most == resource.RLIM_INFINITY else [most - _address_space()]


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
