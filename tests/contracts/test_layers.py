"""Only the listed modules reach into the compiled core.

import-linter reads Python sources only, so the ban on importing `svmosaic._core` is a test.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import svmosaic

PACKAGE = Path(svmosaic.__file__).parent

# Module -> why it may.
ALLOWED = {
    "engine/cpu.py": "the engine that is the compiled core",
    "engine/settings.py": "the settings of its solvers, which every engine reads",
    "engine/memory.py": "asks for the sizes that decide what the solvers keep in memory",
    "datasets/readers/libsvm.py": "the text parser knows files, not problems: no backend needed",
}


def _imports_core(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(name.name.split(".")[:2] == ["svmosaic", "_core"] for name in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            inside = level > 0 or (module or "").split(".")[0] == "svmosaic"
            parts = (module or "").split(".") + [name.name for name in names]
            return inside and "_core" in parts
        case ast.Attribute(value=ast.Name(id="svmosaic"), attr="_core"):
            return True
        case ast.Constant(value="svmosaic._core" | "._core"):
            return True
    return False


def _reaches_core(source: str) -> bool:
    return any(_imports_core(node) for node in ast.walk(ast.parse(source)))


def test_only_listed_modules_import_the_compiled_core():
    sources = sorted(PACKAGE.rglob("*.py"))

    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in sources
        if _reaches_core(path.read_text(encoding="utf-8"))
    }

    assert len(sources) > 10
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    "source",
    [
        "import svmosaic._core",
        "import svmosaic._core as core",
        "from svmosaic import _core",
        "from svmosaic import problem, _core as core",
        "from svmosaic._core import decide",
        "from . import _core",
        "from .._core import decide",
        "def later():\n    from svmosaic import _core",
        "import svmosaic\nsvmosaic._core.decide()",
        "importlib.import_module('svmosaic._core')",
    ],
)
def test_every_way_to_import_the_core_is_seen(source):
    assert _reaches_core(source)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy._core",
        "from numpy import _core",
        "from svmosaic.engine import cpu",
        "'''svmosaic._core is fast'''",
    ],
)
def test_other_imports_are_not_taken_for_the_core(source):
    assert not _reaches_core(source)


PRINTS = re.compile(
    r"\b(?:f?printf|f?puts|putchar|perror)\s*\(|\b(?:cout|cerr|clog|iostream|cstdio)\b"
)


def test_the_core_prints_nothing():
    cpp = Path(__file__).parents[2] / "cpp"
    sources = [path for path in sorted(cpp.rglob("*.[ch]pp")) if path.parent.name != "tests"]

    found = [path.name for path in sources if PRINTS.search(path.read_text(encoding="utf-8"))]

    assert len(sources) > 100
    assert found == []
    # The tests of the core do print.
    assert PRINTS.search((cpp / "tests" / "main.cpp").read_text(encoding="utf-8"))
