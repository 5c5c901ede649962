"""Support vector machines under scikit-learn's names: the same parameters, methods and attributes.

Change one line, ``from sklearn.svm import SVC`` to ``from svmosaic.svm import SVC``, or none:
`svmosaic.patch_sklearn` and ``python -m svmosaic.patch script.py`` put these classes in the place
of scikit-learn's.
"""

from svmosaic.svm.nu_svc import NuSVC
from svmosaic.svm.nu_svr import NuSVR
from svmosaic.svm.one_class_svm import OneClassSVM
from svmosaic.svm.svc import SVC
from svmosaic.svm.svr import SVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
