"""Classes by name, and objects inside parameters, as the file of an experiment has them."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["build_nested", "find_class", "find_object", "first_names"]

# first name -> name now. Files of experiments may have either. Questions have the first one, so
# that results of earlier versions still answer them.
_RENAMED = {
    "svmosaic.multi_instance.MISVMClassifier": "svmosaic.multi_instance.BagMISVMClassifier",
    "svmosaic.multi_instance.MiSVMClassifier": "svmosaic.multi_instance.InstanceMISVMClassifier",
}
_FIRST_NAMES = {now: first for first, now in _RENAMED.items()}


def find_class(name: str) -> type[Any]:
    """Return a class: one of svmosaic's by its name, any other by its full name.

    Examples
    --------
    >>> from svmosaic.experiments.classes import find_class
    >>> find_class("OLLAL2Classifier").__name__
    'OLLAL2Classifier'
    """
    found = find_object(name)
    if not isinstance(found, type):
        raise ValueError(f"{name!r} is not a class")
    return found


def find_object(name: str) -> Any:
    """Return what has a name, in svmosaic or, by its full name, anywhere."""
    module_name, _, own_name = _RENAMED.get(name, name).rpartition(".")
    unknown = ValueError(
        f"there is no estimator {name!r}; write one of svmosaic's by its name, any other by "
        "its full name such as 'sklearn.svm.SVC'"
    )
    try:
        module = importlib.import_module(module_name or "svmosaic")
    except Exception as error:
        # A module of the user may do anything when it is imported.
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{module_name}.".startswith(f"{missing}."):
            raise unknown from None
        raise ValueError(
            f"the module {module_name!r} of the estimator {name!r} cannot be imported: "
            f"{_describe(error, module_name)}"
        ) from error
    try:
        return getattr(module, own_name)
    except AttributeError:
        raise unknown from None


def _describe(error: Exception, module_name: str) -> str:
    """Return type and message of an error, and the line of the module where it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if Path(one.filename).stem == module_name.rpartition(".")[2]]
    place = own[-1] if own else frames[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    if isinstance(error, SyntaxError) and error.filename is not None:
        where = f"{Path(error.filename).name}, line {error.lineno}"
        return f"{type(error).__name__}: {error.msg} ({where})"
    return f"{type(error).__name__}: {error} ({where})"


def first_names(value: Any) -> Any:
    """Return tables in which every entry 'estimator' has the name that its class had first.

    Examples
    --------
    >>> from svmosaic.experiments.classes import first_names
    >>> first_names({"estimator": "svmosaic.multi_instance.BagMISVMClassifier"})
    {'estimator': 'svmosaic.multi_instance.MISVMClassifier'}
    """
    if not isinstance(value, dict):
        return value
    found = {key: first_names(inner) for key, inner in value.items()}
    if isinstance(name := found.get("estimator"), str):
        found["estimator"] = _FIRST_NAMES.get(name, name)
    return found


def build_nested(value: Any, find: Callable[[str], type[Any]]) -> Any:
    """Return the value of a parameter; a table that names a class becomes an object of it.

    Parameters
    ----------
    value : object
        What the file has. A table with the entry 'estimator' is an object of that class, with the
        parameters in the table's 'params'.
    find : callable
        Returns the class of a name.
    """
    if not (isinstance(value, dict) and isinstance(value.get("estimator"), str)):
        return value
    unknown = [key for key in value if key not in ("estimator", "params")]
    if unknown:
        raise ValueError(
            f"an estimator inside another has 'estimator' and 'params', not {unknown[0]!r}"
        )
    params = value.get("params", {})
    kind = find(value["estimator"])
    return kind(**{key: build_nested(inner, find) for key, inner in params.items()})
