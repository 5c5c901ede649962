"""The wheels that cibuildwheel would build, from the settings in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

from outcomes import FAILED, PASSED, CommandError, Log
from pythons import Environment

__all__ = ["EXPECTED", "PYTHONS", "check_identifiers"]

# The wheel of cp312 has the stable ABI: with cp313 and cp314 it is tried, nothing is built.
_BUILT = ("cp311", "cp312", "cp314t")
_TRIED = ("cp313", "cp314")
PYTHONS = (*_BUILT, *_TRIED)
# Platform and processor -> systems that wheels are for.
EXPECTED = {
    ("linux", "x86_64"): ("manylinux_x86_64", "musllinux_x86_64"),
    ("linux", "aarch64"): ("manylinux_aarch64", "musllinux_aarch64"),
    ("macos", "x86_64"): ("macosx_x86_64",),
    ("macos", "arm64"): ("macosx_arm64",),
    ("windows", "AMD64"): ("win_amd64",),
}


def check_identifiers(log: Log, tools: Environment, root: Path) -> None:
    """Compare the lists of all platforms with what is expected."""
    what = "cibuildwheel: the wheels of a release"
    n_wheels = 0
    for (platform, processor), systems in EXPECTED.items():
        words = [tools.bin / "cibuildwheel", "--print-build-identifiers"]
        words += ["--platform", platform, "--archs", processor, root]
        try:
            found = log.run(f"identifiers-{platform}-{processor}", words).split()
        except CommandError as error:
            log.add(what, FAILED, f"{platform} {processor}")
            print(error)
            return
        expected = {f"{python}-{system}" for python in PYTHONS for system in systems}
        if set(found) != expected:
            log.add(what, FAILED, f"{platform} {processor}: {' '.join(sorted(found)) or 'none'}")
            return
        n_wheels += len(_BUILT) * len(systems)
    log.add(what, PASSED, f"{n_wheels} on {len(EXPECTED)} platforms")
