"""Compile the core and its tests for other systems, with the clang and libc++ of Zig.

    python tools/cross_compile.py [--jobs 2] [--check] [--run "qemu-x86_64 -cpu max"] [TARGET ...]

The package `ziglang` has all that is needed. What is compiled cannot run here, except with an
emulator: ``--run`` is the program that starts the tests, with its options. All files of a target
are compiled even if one fails; the compiler's words are in build/cross/TARGET/log.txt, and a table
comes at the end.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

_ROOT = Path(__file__).parents[1]
# Zig's name of a target, and what CMake calls its system and processor.
TARGETS = {
    "aarch64-macos.11.0": ("Darwin", "arm64"),
    "x86_64-macos.11.0": ("Darwin", "x86_64"),
    "x86_64-windows-gnu": ("Windows", "AMD64"),
    "aarch64-windows-gnu": ("Windows", "ARM64"),
    "aarch64-linux-gnu": ("Linux", "aarch64"),
    "x86_64-linux-gnu": ("Linux", "x86_64"),
}


def _write_program(path: Path, *words: str) -> Path:
    """Write a program that calls Zig; CMake wants one file for each."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -m ziglang {" ".join(words)} "$@"\n')
    path.chmod(0o755)
    return path


@dataclass(frozen=True)
class Compiled:
    """What became of a target."""

    target: str
    n_files: int
    n_failed: int
    tests: Path | None
    checked_only: bool = False
    tests_passed: bool | None = None  # None if they were not run

    @property
    def failed(self) -> bool:
        """Say whether something is missing or went wrong."""
        if self.checked_only:
            return self.n_failed > 0
        return self.tests is None or self.tests_passed is False

    def __str__(self) -> str:
        """Return a line of the table."""
        passed = f"{self.n_files - self.n_failed} of {self.n_files} files"
        if self.checked_only:
            return f"{self.target:20} {passed} compiled without optimising"
        states = {None: "the tests are linked", True: "the tests passed", False: "the tests FAILED"}
        state = states[self.tests_passed] if self.tests else "NOT linked"
        return f"{self.target:20} {passed}, {state}"


def _wine_objects(target: str, build: Path) -> list[Path]:
    """Compile what tests need besides to run under Wine on ARM."""
    if not target.startswith("aarch64-windows"):
        return []
    source, made = Path(__file__).parent / "wine_on_arm.c", build / "wine_on_arm.obj"
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-O2", "-c"]
    subprocess.run([*zig, source, "-o", made], check=True)
    return [made]


def _configure(target: str, build: Path) -> list[str | Path]:
    """Prepare the folder of a target; return the words that build in it."""
    system, processor = TARGETS[target]
    build.mkdir(parents=True, exist_ok=True)
    programs = {
        "CMAKE_CXX_COMPILER": _write_program(build / "c++", "c++", "-target", target),
        "CMAKE_AR": _write_program(build / "ar", "ar"),
        "CMAKE_RANLIB": _write_program(build / "ranlib", "ranlib"),
    }
    if system == "Darwin":
        # Nothing is installed, but CMake looks for it.
        programs["CMAKE_INSTALL_NAME_TOOL"] = Path(shutil.which("true") or "/bin/true")
    here = str(Path(sys.executable).parent)
    cmake: list[str | Path] = [shutil.which("cmake", path=here) or "cmake"]
    settings = {
        **{name: str(path) for name, path in programs.items()},
        "CMAKE_SYSTEM_NAME": system,
        "CMAKE_SYSTEM_PROCESSOR": processor,
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_MAKE_PROGRAM": shutil.which("ninja", path=here) or shutil.which("ninja") or "ninja",
        "SVMOSAIC_PYTHON": "OFF",
        "SVMOSAIC_WERROR": "ON",
        "SVMOSAIC_PRECOMPILE": "OFF",
        "SVMOSAIC_UNITY": "OFF",
        "CMAKE_EXE_LINKER_FLAGS": " ".join(map(str, _wine_objects(target, build))),
    }
    words = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run(
        [*cmake, "-S", _ROOT, "-B", build, "-G", "Ninja", "--log-level=WARNING", *words], check=True
    )
    return [*cmake, "--build", build, "--target", "core_tests"]


def cross_compile(target: str, n_jobs: int) -> Compiled:
    """Compile the core and its tests for a target."""
    build = _ROOT / "build" / "cross" / target
    words = _configure(target, build)
    with (build / "log.txt").open("w", encoding="utf-8") as log:
        # With 0, Ninja compiles what it can.
        built = subprocess.run(
            [*words, "-j", str(n_jobs), "--", "-k", "0"], stdout=log, stderr=log, check=False
        )
    text = (build / "log.txt").read_text(encoding="utf-8", errors="replace")
    failed = re.findall(r"^FAILED: .*?(\S+\.(?:o|obj))\b", text, re.MULTILINE)
    for name in failed:
        print(f"{target}: {name} does not compile; see {build.relative_to(_ROOT)}/log.txt")
    objects = [path for path in build.rglob("cpp/**/*.o*") if path.suffix in (".o", ".obj")]
    tests = build / ("core_tests.exe" if "windows" in target else "core_tests")
    linked = tests if built.returncode == 0 else None
    return Compiled(target, len(objects) + len(failed), len(failed), linked)


def _run(words: list[str | Path]) -> bool:
    """Run the tests; return whether they say that all passed.

    The exit status is not enough: Wine's can be 0 after a crash.
    """
    ended_well = False
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            ended_well |= re.fullmatch(r"[1-9]\d* passed, 0 failed", line.strip()) is not None
    return ended_well and process.returncode == 0


def check(target: str) -> Compiled:
    """Compile every file for a target without optimising; nothing is linked.

    Zig then needs no C++ library for the target, which it would compile first.
    """
    build = _ROOT / "build" / "cross" / f"{target}-check"
    build.mkdir(parents=True, exist_ok=True)
    flags = [
        "-O0",
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wno-sign-conversion",
        "-Werror",
    ]
    levels = {"loops_avx2": ["-mavx2", "-mfma"]}
    levels["loops_avx512"] = [*levels["loops_avx2"], "-mavx512f", "-mavx512dq", "-mavx512vl"]
    levels["loops_avx512"].append("-mavx512bw")
    if "x86_64" in target:
        flags.append("-DSVMOSAIC_X86_LEVELS")
    files = [
        path for path in sorted((_ROOT / "cpp").rglob("*.cpp")) if "bindings" not in path.parts
    ]
    files = [path for path in files if "x86_64" in target or path.stem not in levels]
    zig = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-c"]
    n_failed = 0
    for path in files:
        flags_of_file = [*flags, *levels.get(path.stem, []), "-I", _ROOT / "cpp"]
        words = [*zig, *flags_of_file, path, "-o", build / f"{path.stem}.o"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            n_failed += 1
            print(f"{target}: {path.relative_to(_ROOT)}\n{done.stderr}", flush=True)
    return Compiled(target, len(files), n_failed, None, checked_only=True)


def main() -> int:
    """Compile for the targets asked for, or all of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--jobs", type=int, default=2, help="how many files at the same time")
    parser.add_argument("--check", action="store_true", help="neither optimise nor link: faster")
    parser.add_argument(
        "--run", type=shlex.split, help="what runs the tests: wine64, 'qemu-x86_64 -cpu max', ..."
    )
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"unknown target {sorted(unknown)[0]}. Choose from {', '.join(TARGETS)}.")
    if importlib.util.find_spec("ziglang") is None:
        parser.error("the package ziglang is needed. Install it with: pip install ziglang")
    done = []
    for target in options.targets or TARGETS:
        compiled = check(target) if options.check else cross_compile(target, options.jobs)
        if options.run and compiled.tests:
            compiled = replace(compiled, tests_passed=_run([*options.run, compiled.tests]))
        done.append(compiled)
        print(compiled, flush=True)
    print("", *done, sep="\n")
    return int(any(compiled.failed for compiled in done))


if __name__ == "__main__":
    sys.exit(main())
