"""Which code a result depends on, as a hash that goes into the key of its cell.

A method depends on the module that its class is in, on what that imports, and so on; a change of
another method changes nothing for it. Imports are read from the text of the files.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

import svmosaic
from svmosaic.experiments.classes import find_object

__all__ = ["class_names", "code_version", "method_code_version"]

_OURS = "svmosaic"
# Java's; the package that carries it has another name.
_MOA, _CAPYMOA = "moa", "capymoa"
# Parts that no result depends on: data enter by their content, the others only look at results.
_NOT_IN_A_CELL = frozenset(
    {"cli", "datasets", "persistence", "plots", "reports", "stats", "testing"}
)


def class_names(estimator: str, params: Any) -> list[str]:
    """Return the names of all classes in a method: its own and those inside its parameters."""
    found = [estimator]
    if isinstance(params, dict):
        for value in params.values():
            if isinstance(value, dict) and isinstance(value.get("estimator"), str):
                found += class_names(value["estimator"], value.get("params"))
    return found


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a hash of all our files that compute and the versions of what computes below them."""
    paths = [path for name, path in _sources(_OURS).items() if _is_in_a_cell(name)]
    return f"{_hash_files([*paths, *_compiled()])} {_versions()}"


@lru_cache(maxsize=256)
def method_code_version(names: tuple[str, ...], around: tuple[str, ...]) -> str:
    """Return a hash of what the results of some classes depend on.

    Parameters
    ----------
    names : tuple of str
        The classes: ours by their names, others by their full names. Of an installed package the
        version counts; of a module that is not installed, the files.
    around : tuple of str
        Modules that run them.
    """
    starts, packages = set(around), set()
    for name in names:
        root = name.partition(".")[0] if "." in name else _OURS
        version = None if root == _OURS else _installed(root)
        if version is not None or root == _MOA:
            packages.add(version or root)
        else:
            starts.add(find_object(name).__module__)
    paths = [_sources(_root(module))[module] for module in _reachable(starts)]
    return " ".join([_hash_files([*paths, *_compiled()]), _versions(), *sorted(packages)])


# Imports ------------------------------------------------------------------------------------


def _reachable(starts: Iterable[str]) -> list[str]:
    """Return the modules that some import, directly or not, and these; ours and the user's."""
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        module = waiting.pop()
        if module not in found and _counts(module):
            found.add(module)
            waiting += _imported(module)
    return sorted(found)


@lru_cache(maxsize=1024)
def _imported(module: str) -> frozenset[str]:
    """Return what one module imports anywhere in its text."""
    return frozenset(
        source if name is None else _defining_module(source, name)
        for source, name, _ in _import_statements(module)
    )


def _defining_module(module: str, name: str) -> str:
    """Return the module that defines a name which another one offers.

    A package's own file only passes names on; what it passes on to others does not count.
    """
    sources = _sources(_root(module))
    if f"{module}.{name}" in sources:
        return f"{module}.{name}"
    if module in sources and sources[module].name == "__init__.py":
        for source, passed, alias in _import_statements(module):
            if passed is None or source not in sources or source == module:
                continue
            if alias == name:
                return _defining_module(source, passed)
            if passed == "*" and (found := _defining_module(source, name)) != source:
                return found
    return module


@lru_cache(maxsize=1024)
def _import_statements(module: str) -> tuple[tuple[str, str | None, str], ...]:
    """Return (module, name in it or None, name here) of each import of one file."""
    path = _sources(_root(module))[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: list[tuple[str, str | None, str]] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [(alias.name, None, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            source = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            found += [(source, alias.name, alias.asname or alias.name) for alias in node.names]
    return tuple(found)


def _root(module: str) -> str:
    return module.partition(".")[0]


# Files --------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _sources(root: str) -> dict[str, Path]:
    """Return the files of a package or a single module by names; none of what is installed."""
    if root == _OURS:
        return dict(_files_below(_OURS, svmosaic.__path__))
    if root in sys.stdlib_module_names or _installed(root) is not None:
        return {}
    spec = sys.modules[root].__spec__ if root in sys.modules else find_spec(root)
    if spec is None:
        return {}
    if spec.submodule_search_locations is not None:
        return dict(_files_below(root, spec.submodule_search_locations))
    return {root: Path(spec.origin)} if spec.origin and spec.origin.endswith(".py") else {}


def _files_below(root: str, folders: Iterable[str]) -> Iterator[tuple[str, Path]]:
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder).with_suffix("").parts
            yield ".".join([root, *(inside[:-1] if inside[-1] == "__init__" else inside)]), path


def _compiled() -> list[Path]:
    # A package that is being developed has its compiled part in a second folder.
    folders = map(Path, svmosaic.__path__)
    return sorted(p for f in folders for p in f.rglob("*") if p.suffix in (".so", ".pyd"))


def _counts(module: str) -> bool:
    """Say whether a module is ours and in a cell, or the user's."""
    root = _root(module)
    return module in _sources(root) and (root != _OURS or _is_in_a_cell(module))


def _is_in_a_cell(module: str) -> bool:
    """Say whether one of our modules can change a result."""
    parts = module.split(".")[1:]
    if not parts:
        # It only passes names on, all of them.
        return False
    if parts[0] == "reproduce":
        # Its estimators can, its pages cannot.
        return parts[1:2] == ["competitors"]
    return parts[0] not in _NOT_IN_A_CELL


def _hash_files(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _versions() -> str:
    return f"{svmosaic.__version__} {sklearn.__version__} {np.__version__} {scipy.__version__}"


def _installed(root: str) -> str | None:
    """Return name and version of an installed package that has a module, None if there is none."""
    distributions = _distributions().get(_CAPYMOA if root == _MOA else root)
    if not distributions:
        return None
    return f"{distributions[0]} {metadata.version(distributions[0])}"


@lru_cache(maxsize=1)
def _distributions() -> dict[str, list[str]]:
    return {name: list(found) for name, found in metadata.packages_distributions().items()}
