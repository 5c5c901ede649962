"""The methods that multi-instance learning is compared with."""

from __future__ import annotations

from svmosaic.multi_instance.peers.bag_mi_svm import BagMISVMClassifier
from svmosaic.multi_instance.peers.bagged_bags import BaggedBagsClassifier
from svmosaic.multi_instance.peers.citation_knn import CitationKNNClassifier
from svmosaic.multi_instance.peers.diverse_density import DiverseDensityClassifier
from svmosaic.multi_instance.peers.em_dd import EMDDClassifier
from svmosaic.multi_instance.peers.instance_mi_svm import InstanceMISVMClassifier
from svmosaic.multi_instance.peers.mi_boost import MIBoostClassifier
from svmosaic.multi_instance.peers.mi_graph import MIGraphClassifier
from svmosaic.multi_instance.peers.mi_wrapper import MIWrapperClassifier
from svmosaic.multi_instance.peers.optimal_ball import MIOptimalBallClassifier
from svmosaic.multi_instance.peers.sawmil_adapter import SawmilClassifier
from svmosaic.multi_instance.peers.set_kernel_svm import SetKernelClassifier
from svmosaic.multi_instance.peers.simple_mi import SimpleMIClassifier
from svmosaic.multi_instance.peers.stacked_bags import StackedBagsClassifier
from svmosaic.multi_instance.peers.tlc import TLCClassifier

__all__ = [
    "BagMISVMClassifier",
    "BaggedBagsClassifier",
    "CitationKNNClassifier",
    "DiverseDensityClassifier",
    "EMDDClassifier",
    "InstanceMISVMClassifier",
    "MIBoostClassifier",
    "MIGraphClassifier",
    "MIOptimalBallClassifier",
    "MIWrapperClassifier",
    "SawmilClassifier",
    "SetKernelClassifier",
    "SimpleMIClassifier",
    "StackedBagsClassifier",
    "TLCClassifier",
]
