"""Import optional packages, and say what to install when one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from svmosaic.exceptions import MissingDependencyError

# package -> the extra of svmosaic that brings it
_EXTRAS = {
    "matplotlib": "plot",
    "contourpy": "plot",
    "rich": "cli",
    "pooch": "data",
    "distributed": "dask",
    "wittgenstein": "rules",
    "river": "river",
    "capymoa": "moa",
    "torch": "gpu",
    "onnx": "onnx",
    "pyarrow": "files",
    "openpyxl": "files",
}


def import_optional(name: str, purpose: str) -> Any:
    """Return the module `name`, or raise an error that says how to install it.

    Parameters
    ----------
    name : str
        Module to import, for example ``"matplotlib.figure"``.
    purpose : str
        What it is needed for; completes the sentence "... is needed to".
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        extra = _EXTRAS.get(package)
        wanted = f"'svmosaic[{extra}]'" if extra else package
        raise MissingDependencyError(
            f"The package '{package}' is needed to {purpose}. Install it with: pip install {wanted}"
        ) from error
