"""svmosaic: support vector machines by worst-violator learning.

The public names below are loaded when they are first used, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svmosaic.classification.nlsgd import NLSGDClassifier
    from svmosaic.classification.olla_l2 import OLLAL2Classifier
    from svmosaic.classification.ollawv import OLLAWVClassifier
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
    from svmosaic.persistence import export_libsvm, import_libsvm, load, save
    from svmosaic.utils.progress import report_progress

__all__ = [
    "NLSGDClassifier",
    "OLLAL2Classifier",
    "OLLAWVClassifier",
    "OLLAWVClassifierCV",
    "__version__",
    "export_libsvm",
    "import_libsvm",
    "load",
    "report_progress",
    "save",
]

__version__ = "0.1.0"

_HOME = {
    "NLSGDClassifier": "svmosaic.classification.nlsgd",
    "OLLAL2Classifier": "svmosaic.classification.olla_l2",
    "OLLAWVClassifier": "svmosaic.classification.ollawv",
    "OLLAWVClassifierCV": "svmosaic.classification.ollawv_cv",
    "export_libsvm": "svmosaic.persistence",
    "import_libsvm": "svmosaic.persistence",
    "load": "svmosaic.persistence",
    "save": "svmosaic.persistence",
    "report_progress": "svmosaic.utils.progress",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'svmosaic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
