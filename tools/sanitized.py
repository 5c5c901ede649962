"""Run Python with a core that was compiled with sanitizers.

    python tools/sanitized.py BUILD {address,thread} -- ARGUMENTS OF PYTHON

BUILD is the folder that CMake built ``_core`` in. All processes that are started use this core.
A sanitizer that finds something ends the process with a report.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

# Python runs this file by its name, after the import hooks of an editable installation.
_HOOK = """
import importlib.util
import sys


class SanitizedCore:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "svmosaic._core":
            return None
        return importlib.util.spec_from_file_location(name, {core!r})


sys.meta_path.insert(0, SanitizedCore)
"""
_OPTIONS = {
    # Python keeps objects until its end, which would all be leaks; `make attack` looks for these.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=0:exitcode=66:second_deadlock_stack=1",
}
_LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}


def _find_library(name: str) -> str:
    """Return the path of a library of the compiler."""
    compiler = os.environ.get("CXX", "c++")
    done = subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    )
    path = Path(done.stdout.strip())
    if not path.is_absolute():
        raise SystemExit(f"{compiler} has no {name}. Install the sanitizers of the compiler.")
    return str(path.resolve())


def main() -> int:
    """Start Python with the libraries and the hook, and return how it ended."""
    # A shell starts what is in the background with Ctrl-C ignored; tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build, kind, *words = sys.argv[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    (core,) = Path(build).resolve().glob("_core*.so")
    site = Path(build) / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(_HOOK.format(core=str(core)), encoding="utf-8")
    paths = [str(site.resolve()), os.environ.get("PYTHONPATH", "")]
    # Exceptions cross the sanitizer's library, which looks for them in the first one loaded.
    libraries = [_find_library(name) for name in (_LIBRARIES[kind], "libstdc++.so")]
    environment = {
        **_OPTIONS,
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        # Python's own allocator would hide what is read beyond an object.
        "PYTHONMALLOC": "malloc",
    }
    check = f"import svmosaic._core as core; assert core.__file__ == {str(core)!r}, core.__file__"
    subprocess.run([sys.executable, "-c", check], env=environment, check=True)
    return subprocess.run([sys.executable, *words], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
