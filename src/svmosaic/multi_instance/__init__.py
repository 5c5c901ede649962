"""Multi-instance learning: classifiers of bags.

The public names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module, util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svmosaic.bags import Bags, check_bags
    from svmosaic.multi_instance.bag_classifier import BagClassifier
    from svmosaic.multi_instance.bag_search import BagSearchCV
    from svmosaic.multi_instance.bag_transformer import BagTransformer
    from svmosaic.multi_instance.mir_mix_svm import MIRMixSVMClassifier
    from svmosaic.multi_instance.mirsvm import MIRSVMClassifier
    from svmosaic.multi_instance.node_count_svm import NodeCountSVMClassifier
    from svmosaic.multi_instance.summary_svm import SummarySVMClassifier

__all__ = [
    "BagClassifier",
    "BagSearchCV",
    "BagTransformer",
    "Bags",
    "MIRMixSVMClassifier",
    "MIRSVMClassifier",
    "NodeCountSVMClassifier",
    "SummarySVMClassifier",
    "check_bags",
]

_HOME = {
    "BagClassifier": "svmosaic.multi_instance.bag_classifier",
    "BagSearchCV": "svmosaic.multi_instance.bag_search",
    "BagTransformer": "svmosaic.multi_instance.bag_transformer",
    "Bags": "svmosaic.bags",
    "MIRMixSVMClassifier": "svmosaic.multi_instance.mir_mix_svm",
    "MIRSVMClassifier": "svmosaic.multi_instance.mirsvm",
    "NodeCountSVMClassifier": "svmosaic.multi_instance.node_count_svm",
    "SummarySVMClassifier": "svmosaic.multi_instance.summary_svm",
    "check_bags": "svmosaic.bags",
}
_PEERS = "svmosaic.multi_instance.peers"


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    # Python asks modules for names of its own; those load nothing.
    if not name.startswith("_") and name in _peer_names():
        return getattr(import_module(_PEERS), name)
    raise AttributeError(f"module 'svmosaic.multi_instance' has no attribute {name!r}")


def _peer_names() -> list[str]:
    if util.find_spec(_PEERS) is None:
        return []
    return list(import_module(_PEERS).__all__)


def __dir__() -> list[str]:
    return sorted({*__all__, *_peer_names()})
