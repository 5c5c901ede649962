"""Print requirements of the package, for pip: those to build it, to run it, or of extras.

    python tools/requirements.py build run plot cli

Extras that name the package itself stand for the requirements of the extras in brackets.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def requirements(project: dict[str, Any], groups: list[str]) -> Iterator[str]:
    """Yield the requirements of groups: build, run, or names of extras."""
    package = project["project"]
    for group in groups:
        if group == "build":
            yield from project["build-system"]["requires"]
            continue
        listed = package["dependencies"] if group == "run" else None
        if listed is None:
            listed = package["optional-dependencies"][group]
        for requirement in listed:
            own = re.fullmatch(rf"{package['name']}\[(.*)\]", requirement)
            if own:
                yield from requirements(project, own[1].split(","))
            else:
                yield requirement


def main() -> None:
    """Print a requirement on each line, as files of pip have them."""
    path = Path(__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))
    print(*dict.fromkeys(requirements(project, sys.argv[1:])), sep="\n")


if __name__ == "__main__":
    main()
