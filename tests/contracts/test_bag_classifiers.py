"""What every classifier of bags owes; those that are exported are here by themselves."""

from __future__ import annotations

import inspect
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp

import svmosaic.multi_instance
from svmosaic.multi_instance import (
    BagClassifier,
    MIRSVMClassifier,
    SetKernelClassifier,
)
from svmosaic.testing import bag_classifier_checks, check_bag_classifier


def _exported():
    found = (getattr(svmosaic.multi_instance, name) for name in dir(svmosaic.multi_instance))
    return [
        item
        for item in found
        if inspect.isclass(item) and issubclass(item, BagClassifier) and item is not BagClassifier
    ]


# Bags of one instance make them the ordinary SVM.
SVM_LIKE = {"MIRSVMClassifier", "BagMISVMClassifier", "InstanceMISVMClassifier"}
OTHERS = [
    (MIRSVMClassifier(kernel="linear"), True),
    (MIRSVMClassifier(kernel="laplacian", n_init=1, class_weight="balanced"), False),
]
# Smaller settings for those that search long.
SETTINGS = {
    "DiverseDensityClassifier": {"n_starts": 3},
    "EMDDClassifier": {"n_starts": 3},
    "MIRMixSVMClassifier": {"C": [1.0], "gamma": [0.1, 0.5], "n_init": 1},
    "BagSearchCV": {"estimator": SetKernelClassifier(), "param_grid": {"C": [1.0, 10.0]}},
}
# An adapter is nothing without the package that it adapts.
NEEDS = {"SawmilClassifier": "sawmil"}
CHECKED = [
    *(
        (kind(**SETTINGS.get(kind.__name__, {})), kind.__name__ in SVM_LIKE)
        for kind in _exported()
        if find_spec(NEEDS.get(kind.__name__, "svmosaic")) is not None
    ),
    *OTHERS,
]
CASES = [
    pytest.param(check, id=f"{type(estimator).__name__}{number}-{name}")
    for number, (estimator, svm_like) in enumerate(CHECKED)
    for name, check in bag_classifier_checks(estimator, svm_like=svm_like)
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("check", CASES)
def test_bag_classifier(check):
    check()


def test_all_are_here():
    assert {"MIRSVMClassifier", "MIRMixSVMClassifier"} <= {kind.__name__ for kind in _exported()}


class Forgetful(BagClassifier):
    """Learns well, but its predictions depend on how often it was asked."""

    def _fit_binary(self, data):
        self.middle_ = float(data.bags.instances.mean())
        self.asked_ = 0

    def _decide_binary(self, bags):
        self.asked_ += 1
        table = bags.instances
        column = (table.toarray() if sp.issparse(table) else table)[:, 0]
        return np.maximum.reduceat(column, bags.offsets[:-1]) - 2.0


def test_a_gap_is_named():
    with pytest.raises(AssertionError, match="Forgetful: predict changes 'asked_'"):
        dict(bag_classifier_checks(Forgetful()))["prediction_is_pure"]()
    with pytest.raises(AssertionError, match="Forgetful"):
        check_bag_classifier(Forgetful())
