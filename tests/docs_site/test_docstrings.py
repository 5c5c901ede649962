"""Docstrings of public names by numpydoc's rules: summary, parameters, returns, an example."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import warnings
from pathlib import Path

import pytest

validation = pytest.importorskip("numpydoc.validate")

PAGES = sorted((Path(__file__).parents[2] / "docs" / "api").glob("*.rst"))
# Rules that are matters of taste: a "See Also" and a second paragraph for everything, names of
# single return values, and capitals where a symbol begins the sentence.
TASTE = {"SA01", "ES01", "RT02", "PR08", "SS02"}
# Records that functions return describe themselves as attributes; errors and roles need no example.
RECORD_RULES = {"PR01", "EX01"}
WITHOUT_EXAMPLE = {
    "svmosaic.datasets.fetch": "needs the network",
    "svmosaic.multi_instance.BagClassifier": "a base class; CONTRIBUTING.md has an example",
    "svmosaic.streams.BlockStream": "a base class",
    "svmosaic.streams.DriftDetector": "a role that others play",
}


def _names():
    for page in PAGES:
        module = None
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            elif module and (found := re.fullmatch(r"   (\w+)", line)):
                yield f"{module}.{found[1]}"


def _value(full):
    module, _, name = full.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _is_record(value):
    named = issubclass(value, tuple) if isinstance(value, type) else False
    return dataclasses.is_dataclass(value) or named


def _problems(full):
    value = _value(full)
    ignored = set(TASTE)
    if _is_record(value):
        ignored |= RECORD_RULES
    if full in WITHOUT_EXAMPLE or (isinstance(value, type) and issubclass(value, Exception)):
        ignored |= RECORD_RULES
    return [error for error in validation.validate(full)["errors"] if error[0] not in ignored]


@pytest.mark.parametrize("full", list(_names()))
def test_a_docstring_is_complete(full):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert _problems(full) == []


def _methods():
    """Yield the public methods and properties that are ours, each once, with the full name."""
    seen = set()
    for full in _names():
        value = _value(full)
        for name, member in inspect.getmembers(value) if isinstance(value, type) else ():
            found = member.fget if isinstance(member, property) else member
            ours = getattr(found, "__module__", None) or ""
            is_method = inspect.isfunction(found) or inspect.ismethod(found)
            if name.startswith("_") or not is_method or not ours.startswith("svmosaic"):
                continue
            if found.__qualname__ not in seen:
                seen.add(found.__qualname__)
                yield f"{full}.{name}"


def test_docstrings_of_methods_are_complete():
    # The example of a class shows its methods.
    ignored = TASTE | {"EX01"}
    problems = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for full in _methods():
            errors = [e for e in validation.validate(full)["errors"] if e[0] not in ignored]
            if errors:
                problems[full] = errors

    assert problems == {}


@pytest.mark.parametrize("full", [name for name in _names() if _is_record(_value(name))])
def test_a_record_describes_its_fields(full):
    value = _value(full)
    names = (
        value._fields if hasattr(value, "_fields") else [f.name for f in dataclasses.fields(value)]
    )
    public = {name for name in names if not name.startswith("_")}
    written = set(re.findall(r"\w+", value.__doc__))

    assert public <= written
