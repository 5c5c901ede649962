"""The classes that model files can hold: public estimators that declare how they are stored."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from svmosaic.persistence.sklearn_steps import SKLEARN_STEPS
from svmosaic.utils.declaration import Declaration, Role

__all__ = ["find_declaration", "storable", "storable_classes"]

_HOMES = ("svmosaic", "svmosaic.multi_instance", "svmosaic.preprocessing", "svmosaic.svm")


@cache
def storable_classes() -> dict[str, type]:
    """Return the classes by name. A file can name these and no others."""
    found = {kind.__name__: kind for kind in SKLEARN_STEPS}
    for home in map(import_module, _HOMES):
        for name in dir(home):
            kind = getattr(home, name)
            if isinstance(kind, type) and find_declaration(kind) is not None:
                found[name] = kind
    return found


def storable(role: Role, *, of_bags: bool | None = None) -> dict[str, type]:
    """Return the classes that may be in one place of a file."""
    found = {}
    for name, kind in storable_classes().items():
        declared = find_declaration(kind)
        if declared is not None and declared.role == role and of_bags in (None, declared.of_bags):
            found[name] = kind
    return found


def find_declaration(kind: Any) -> Declaration | None:
    """Return how a class is stored, or None."""
    found: Declaration | None = SKLEARN_STEPS.get(kind) or getattr(kind, "_model_file", None)
    return found
