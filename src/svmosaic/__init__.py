"""svmosaic: support vector machines by worst-violator learning.

The public names below are loaded when they are first used, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from svmosaic.version import __version__

if TYPE_CHECKING:
    from svmosaic.bags import Bags
    from svmosaic.boundary import characteristic_boundary_points, peak_sigma, radius_sigma
    from svmosaic.classification.calibrated import CalibratedClassifier
    from svmosaic.classification.kernel_primal import KernelPrimalSVC
    from svmosaic.classification.mnsvm import MNSVMClassifier
    from svmosaic.classification.nlsgd import NLSGDClassifier
    from svmosaic.classification.nnisda import NNISDAClassifier
    from svmosaic.classification.nu_smo_classifier import NuSMOClassifier
    from svmosaic.classification.oge import OGEClassifier
    from svmosaic.classification.olla_l2 import OLLAL2Classifier
    from svmosaic.classification.ollawv import OLLAWVClassifier
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
    from svmosaic.classification.one_class_smo import OneClassSMO
    from svmosaic.classification.online_svm import OnlineSVMClassifier
    from svmosaic.classification.online_svm_cbp import OnlineSVMCBPClassifier
    from svmosaic.classification.smo_classifier import SMOClassifier
    from svmosaic.classification.stream.stream_olla_l2 import StreamOLLAL2
    from svmosaic.classification.stream.stream_ollawv import StreamOLLAWV
    from svmosaic.classification.svm_cbp import SVMCBPClassifier
    from svmosaic.classification.svm_cbp_cv import SVMCBPClassifierCV
    from svmosaic.classification.svm_ensemble import SVMEnsembleClassifier
    from svmosaic.classification.uniform import UniformSVC
    from svmosaic.multi_instance.mir_mix_svm import MIRMixSVMClassifier
    from svmosaic.multi_instance.mirsvm import MIRSVMClassifier
    from svmosaic.persistence import export_libsvm, export_onnx, import_libsvm, load, save
    from svmosaic.regression.multi_target_svr import MultiTargetSVR
    from svmosaic.regression.nu_smo_regressor import NuSMORegressor
    from svmosaic.regression.smo_regressor import SMORegressor
    from svmosaic.regression.svrcc import SVRCC
    from svmosaic.regression.svrrc import SVRRC
    from svmosaic.regression.svrtc import SVRTC
    from svmosaic.regression.svrwc import SVRWC
    from svmosaic.svm.patching import patch_sklearn, unpatch_sklearn
    from svmosaic.utils.progress import report_progress

__all__ = [
    "SVRCC",
    "SVRRC",
    "SVRTC",
    "SVRWC",
    "Bags",
    "CalibratedClassifier",
    "KernelPrimalSVC",
    "MIRMixSVMClassifier",
    "MIRSVMClassifier",
    "MNSVMClassifier",
    "MultiTargetSVR",
    "NLSGDClassifier",
    "NNISDAClassifier",
    "NuSMOClassifier",
    "NuSMORegressor",
    "OGEClassifier",
    "OLLAL2Classifier",
    "OLLAWVClassifier",
    "OLLAWVClassifierCV",
    "OneClassSMO",
    "OnlineSVMCBPClassifier",
    "OnlineSVMClassifier",
    "SMOClassifier",
    "SMORegressor",
    "SVMCBPClassifier",
    "SVMCBPClassifierCV",
    "SVMEnsembleClassifier",
    "StreamOLLAL2",
    "StreamOLLAWV",
    "UniformSVC",
    "__version__",
    "characteristic_boundary_points",
    "export_libsvm",
    "export_onnx",
    "import_libsvm",
    "load",
    "patch_sklearn",
    "peak_sigma",
    "radius_sigma",
    "report_progress",
    "save",
    "unpatch_sklearn",
]

_HOME = {
    "Bags": "svmosaic.bags",
    "MIRSVMClassifier": "svmosaic.multi_instance.mirsvm",
    "MIRMixSVMClassifier": "svmosaic.multi_instance.mir_mix_svm",
    "CalibratedClassifier": "svmosaic.classification.calibrated",
    "KernelPrimalSVC": "svmosaic.classification.kernel_primal",
    "OGEClassifier": "svmosaic.classification.oge",
    "OnlineSVMCBPClassifier": "svmosaic.classification.online_svm_cbp",
    "OnlineSVMClassifier": "svmosaic.classification.online_svm",
    "SVMCBPClassifier": "svmosaic.classification.svm_cbp",
    "SVMCBPClassifierCV": "svmosaic.classification.svm_cbp_cv",
    "SVMEnsembleClassifier": "svmosaic.classification.svm_ensemble",
    "characteristic_boundary_points": "svmosaic.boundary",
    "peak_sigma": "svmosaic.boundary",
    "radius_sigma": "svmosaic.boundary",
    "SVRCC": "svmosaic.regression.svrcc",
    "SVRRC": "svmosaic.regression.svrrc",
    "SVRTC": "svmosaic.regression.svrtc",
    "SVRWC": "svmosaic.regression.svrwc",
    "MultiTargetSVR": "svmosaic.regression.multi_target_svr",
    "MNSVMClassifier": "svmosaic.classification.mnsvm",
    "NNISDAClassifier": "svmosaic.classification.nnisda",
    "NLSGDClassifier": "svmosaic.classification.nlsgd",
    "OLLAL2Classifier": "svmosaic.classification.olla_l2",
    "OLLAWVClassifier": "svmosaic.classification.ollawv",
    "OLLAWVClassifierCV": "svmosaic.classification.ollawv_cv",
    "SMOClassifier": "svmosaic.classification.smo_classifier",
    "SMORegressor": "svmosaic.regression.smo_regressor",
    "NuSMOClassifier": "svmosaic.classification.nu_smo_classifier",
    "NuSMORegressor": "svmosaic.regression.nu_smo_regressor",
    "OneClassSMO": "svmosaic.classification.one_class_smo",
    "StreamOLLAL2": "svmosaic.classification.stream.stream_olla_l2",
    "StreamOLLAWV": "svmosaic.classification.stream.stream_ollawv",
    "UniformSVC": "svmosaic.classification.uniform",
    "export_libsvm": "svmosaic.persistence",
    "export_onnx": "svmosaic.persistence",
    "import_libsvm": "svmosaic.persistence",
    "load": "svmosaic.persistence",
    "save": "svmosaic.persistence",
    "patch_sklearn": "svmosaic.svm.patching",
    "unpatch_sklearn": "svmosaic.svm.patching",
    "report_progress": "svmosaic.utils.progress",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'svmosaic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
