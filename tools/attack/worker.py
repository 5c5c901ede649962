"""The process that runs the cases of one target; it says when a case begins and how it ended.

    python worker.py TARGET SEED FIRST MINUTES FOLDER

It may die: the process that started it counts that and starts another one after the case.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
import time
import traceback
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from commands import COMMANDS
from files import FILES
from fits import FITS

TARGETS = {**FILES, **FITS, **COMMANDS}

# No case may take the computer with it.
_MOST_BYTES = 8 * 2**30


def _memory_mb(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _say(**record: Any) -> None:
    print(json.dumps(record), flush=True)


def main() -> None:
    """Run cases until the time is over."""
    target, seed, first, seconds, folder = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A shell starts what is in the background with Ctrl-C ignored, and commands would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    case = TARGETS[target](Path(folder))
    number, end = int(first), time.monotonic() + float(seconds)
    while time.monotonic() < end:
        _say(begin=number)
        rng = np.random.default_rng([int(seed), zlib.crc32(target.encode()), number])
        Path("/proc/self/clear_refs").write_text("5")
        before, begin, error = _memory_mb("VmRSS"), time.process_time(), None
        try:
            case(rng)
        except BaseException as raised:
            place = traceback.extract_tb(raised.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            error = f"{type(raised).__name__} at {where}: {raised}"[:300]
        taken = time.process_time() - begin
        _say(end=number, seconds=taken, mb=_memory_mb("VmHWM") - before, error=error)
        number += 1


if __name__ == "__main__":
    main()
