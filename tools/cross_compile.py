"""Compile the core and its tests for other systems, with the clang and libc++ of Zig.

    python tools/cross_compile.py [--jobs 2] [--run wine64] [TARGET ...]

The package `ziglang` has all that is needed. What is compiled cannot run here, except with an
emulator: ``--run`` names the program that starts the tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]
# Zig's name of a target, and what CMake calls its system and processor.
TARGETS = {
    "aarch64-macos.11.0": ("Darwin", "arm64"),
    "x86_64-macos.11.0": ("Darwin", "x86_64"),
    "x86_64-windows-gnu": ("Windows", "AMD64"),
    "aarch64-linux-gnu": ("Linux", "aarch64"),
    "x86_64-linux-gnu": ("Linux", "x86_64"),
}


def _write_program(path: Path, *words: str) -> Path:
    """Write a program that calls Zig; CMake wants one file for each."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -m ziglang {" ".join(words)} "$@"\n')
    path.chmod(0o755)
    return path


def cross_compile(target: str, n_jobs: int) -> Path:
    """Return the folder with the tests of the core for a target."""
    system, processor = TARGETS[target]
    build = _ROOT / "build" / "cross" / target
    build.mkdir(parents=True, exist_ok=True)
    programs = {
        "CMAKE_CXX_COMPILER": _write_program(build / "c++", "c++", "-target", target),
        "CMAKE_AR": _write_program(build / "ar", "ar"),
        "CMAKE_RANLIB": _write_program(build / "ranlib", "ranlib"),
    }
    if system == "Darwin":
        # Nothing is installed, but CMake looks for it.
        programs["CMAKE_INSTALL_NAME_TOOL"] = Path(shutil.which("true") or "/bin/true")
    cmake = [shutil.which("cmake", path=str(Path(sys.executable).parent)) or "cmake"]
    settings = {
        **{name: str(path) for name, path in programs.items()},
        "CMAKE_SYSTEM_NAME": system,
        "CMAKE_SYSTEM_PROCESSOR": processor,
        "CMAKE_BUILD_TYPE": "Release",
        "SVMOSAIC_PYTHON": "OFF",
        "SVMOSAIC_WERROR": "ON",
        "SVMOSAIC_PRECOMPILE": "OFF",
    }
    words = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run([*cmake, "-S", _ROOT, "-B", build, *words], check=True)
    subprocess.run(
        [*cmake, "--build", build, "--target", "core_tests", "-j", str(n_jobs)], check=True
    )
    return build


def main() -> int:
    """Compile for the targets asked for, or all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--jobs", type=int, default=2, help="how many files at the same time")
    parser.add_argument("--run", help="a program that runs the tests: wine64, qemu-x86_64, ...")
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"unknown target {sorted(unknown)[0]}. Choose from {', '.join(TARGETS)}.")
    if importlib.util.find_spec("ziglang") is None:
        parser.error("the package ziglang is needed. Install it with: pip install ziglang")
    for target in options.targets or TARGETS:
        build = cross_compile(target, options.jobs)
        tests = build / ("core_tests.exe" if "windows" in target else "core_tests")
        print(f"{target}: compiled {tests.relative_to(_ROOT)}", flush=True)
        if options.run:
            subprocess.run([options.run, tests], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
