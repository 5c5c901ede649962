"""Write the list of parts of a wheel: CycloneDX, for its folder `sboms` (PEP 770).

    python tools/sbom.py OUT.cdx.json [--compiler NAME --compiler-version VERSION]

CMake calls it when a wheel is built, so wheels that users build themselves have the list too. It
names what is compiled in, with versions, and what is needed at run time, with ranges. The same
sources and tools give the same bytes: no date, no random number.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
import uuid
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_DEFINITION = r"#define\s+{name}\s+(\d+)"


def _version_in(header: Path, prefix: str) -> str:
    """Return the version that a header defines by three numbers."""
    text = header.read_text(encoding="utf-8")
    numbers = []
    for part in ("MAJOR", "MINOR", "PATCH"):
        found = re.search(_DEFINITION.format(name=f"{prefix}_VERSION_{part}"), text)
        if found is None:
            raise SystemExit(f"{header} defines no {prefix}_VERSION_{part}.")
        numbers.append(found[1])
    return ".".join(numbers)


def _compiled_in() -> list[dict[str, Any]]:
    """Return what is part of the binary: nanobind, and the hash map that it contains."""
    spec = find_spec("nanobind")
    if spec is None or spec.origin is None:
        raise SystemExit("nanobind is not installed. Install it with: pip install nanobind")
    folder = Path(spec.origin).parent
    nanobind = _version_in(folder / "include" / "nanobind" / "nanobind.h", "NB")
    map_header = folder / "ext" / "robin_map" / "include" / "tsl" / "robin_growth_policy.h"
    robin_map = _version_in(map_header, "TSL_RH")
    return [
        _component("nanobind", nanobind, "BSD-3-Clause", f"pkg:pypi/nanobind@{nanobind}"),
        _component("robin-map", robin_map, "MIT", f"pkg:github/Tessil/robin-map@v{robin_map}"),
    ]


def _component(name: str, version: str, licence: str, purl: str) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "scope": "required",
        "licenses": [{"license": {"id": licence}}],
        "purl": purl,
    }


def _needed(requirement: str) -> dict[str, Any]:
    """Return a package that is installed beside this one, in a version nobody knows yet."""
    parts = re.fullmatch(r"([\w.-]+)\s*(.*)", requirement)
    if parts is None:
        raise SystemExit(f"pyproject.toml has a requirement that cannot be read: {requirement}")
    name = re.sub(r"[-_.]+", "-", parts[1]).lower()
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}",
        "name": name,
        "scope": "required",
        "purl": f"pkg:pypi/{name}",
        "properties": [{"name": "svmosaic:requirement", "value": requirement}],
    }


def list_of_parts(compiler: str, compiler_version: str) -> dict[str, Any]:
    """Return the list for a wheel that is built here and now."""
    path = _ROOT / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    inside = _compiled_in()
    beside = [_needed(requirement) for requirement in project["dependencies"]]
    parts: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "tools": {
                "components": [
                    {"type": "application", "name": compiler, "version": compiler_version}
                ]
            },
            "component": _component(project["name"], project["version"], project["license"], own),
        },
        "components": [*inside, *beside],
        "dependencies": [
            {"ref": own, "dependsOn": sorted(part["bom-ref"] for part in [*inside, *beside])}
        ],
    }
    # From the content: two builds of the same give the same number.
    content = json.dumps(parts, sort_keys=True)
    return {**parts, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"}


def main() -> int:
    """Write the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--compiler", default="unknown")
    parser.add_argument("--compiler-version", default="unknown")
    options = parser.parse_args()
    parts = list_of_parts(options.compiler, options.compiler_version)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
