"""Build a release and try it as users will: archive of sources, wheels, installation, first use.

    python tools/distribution [--out dist] [--once] [--checks all|few|none] [--python PROGRAM ...]

Every Python that is found is used: 3.11 and Pythons without the global lock get a wheel of their
own, 3.12 one for itself and all later versions. The table at the end says what passed, what failed
and what could not be done here; output of every command is in build/dist/log.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
import tomllib
from pathlib import Path

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
sys.path.insert(0, str(_HERE))

from building import Builder  # noqa: E402
from checks import TOOLS, check_archive, check_wheel, repair  # noqa: E402
from identifiers import check_identifiers  # noqa: E402
from installed import try_wheel  # noqa: E402
from outcomes import NOT_DONE, CommandError, Log  # noqa: E402
from pythons import WANTED, Environment, Python, find_pythons  # noqa: E402


def _build_requirements() -> list[str]:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [*project["build-system"]["requires"], "cmake", "ninja"]


def _build_wheels(
    log: Log, builder: Builder, pythons: list[Python], archive: Path, out: Path, *, twice: bool
) -> dict[str, Path]:
    """Return the repaired wheels by tag, each built with the oldest Python that it is for."""
    wheels: dict[str, Path] = {}
    for python in pythons:
        if python.wheel in wheels:
            continue
        if python.wheel == "cp312-abi3" and python.minor != 12:
            log.add("wheel cp312-abi3", NOT_DONE, "it is built with Python 3.12, which is not here")
            continue
        built = builder.wheel(python, archive, twice=twice)
        repaired = repair(log, builder.tools, built, out) if built else None
        if repaired:
            check_wheel(log, builder.tools, repaired)
            wheels[python.wheel] = repaired
    return wheels


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=_ROOT / "dist", help="where the files go")
    parser.add_argument(
        "--once", action="store_true", help="do not build wheels again to compare bytes"
    )
    parser.add_argument(
        "--checks", choices=("all", "few", "none"), default="all", help="scikit-learn's checks"
    )
    parser.add_argument(
        "--python", action="append", default=[], help="a Python besides those that are found"
    )
    parser.add_argument("--only", nargs="*", metavar="VERSION", help="these Pythons, as in 3.12")
    options = parser.parse_args()
    if sys.platform != "linux":
        parser.error("this program repairs wheels of Linux. Elsewhere use: cibuildwheel")
    return options


def main() -> int:
    """Build, look and try; return 1 if something failed."""
    options = _options()
    work = _ROOT / "build" / "dist"
    log = Log(work / "log")
    shutil.rmtree(log.folder, ignore_errors=True)
    pythons = find_pythons(options.python)
    if options.only:
        pythons = [python for python in pythons if python.version in options.only]
    if not pythons:
        raise SystemExit(f"None of these Pythons is here: {', '.join(options.only or WANTED)}.")
    print(f"{platform.machine()}, Python {', '.join(python.version for python in pythons)}")
    requirements = _build_requirements()
    # The repair needs a Python of today, not the one that wheels are for.
    locked = [python for python in pythons if not python.free_threaded]
    tools = Environment.make(log, (locked or pythons)[0], work / "tools", *TOOLS, *requirements)

    builder = Builder(_ROOT, work, log, requirements, tools)
    options.out.mkdir(parents=True, exist_ok=True)
    for old in [*options.out.glob("svmosaic-*.whl"), *options.out.glob("svmosaic-*.tar.gz")]:
        old.unlink()
    archive = builder.sources()
    check_archive(log, tools, archive)
    shutil.copy2(archive, options.out)
    wheels = _build_wheels(log, builder, pythons, archive, options.out, twice=not options.once)
    for i, python in enumerate(pythons):
        wheel = wheels.get(python.wheel)
        if wheel is None:
            log.add(f"Python {python.version}: installs", NOT_DONE, "there is no wheel for it")
            continue
        first = all(other.wheel != python.wheel for other in pythons[:i])
        checks = "few" if options.checks == "all" and not first else options.checks
        try_wheel(log, _ROOT, work, python, wheel, checks=checks)
    for version in WANTED:
        if all(python.version != version for python in pythons):
            log.add(f"Python {version}", NOT_DONE, "not found, or left out by --only")
    check_identifiers(log, tools, _ROOT)

    print(f"\n{log.table()}\n\nFiles for a release are in {options.out}.")
    return int(log.failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CommandError as problem:
        sys.exit(f"A command failed. {problem}")
