"""Lists of numbers to try: what is no list of them is refused by name, wherever it is given."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from multi_instance.toy_bags import needle_bags
from svmosaic import (
    SVRCC,
    MIRMixSVMClassifier,
    OLLAWVClassifierCV,
    SVMCBPClassifierCV,
    SVMEnsembleClassifier,
)
from svmosaic.utils.number_list import check_numbers

BAD = ([], [1.0, -1.0], [0.0], [np.nan], [1.0, np.inf], ["a"], ["1"], [[1.0], [1.0, 2.0]])


def test_numbers_become_one_row():
    assert_array_equal(check_numbers([[1, 2], [3, 4]], "Cs", "it"), [1.0, 2.0, 3.0, 4.0])
    assert_array_equal(check_numbers(np.float32(0.5), "Cs", "it"), [0.5])
    assert_array_equal(check_numbers([0, 1], "epsilons", "it", zero=True), [0.0, 1.0])


@pytest.mark.parametrize("values", BAD)
@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (OLLAWVClassifierCV(), "Cs"),
        (OLLAWVClassifierCV(), "gammas"),
        (SVMCBPClassifierCV(), "lams"),
        (SVMEnsembleClassifier(), "Cs"),
        (SVMEnsembleClassifier(), "gamma_factors"),
        (SVRCC(), "Cs"),
        (SVRCC(), "gammas"),
        (MIRMixSVMClassifier(), "C"),
        (MIRMixSVMClassifier(), "gamma"),
    ],
)
def test_the_estimator_and_its_parameter_are_named(estimator, name, values):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    if isinstance(estimator, MIRMixSVMClassifier):
        X, y = needle_bags(n_bags=10)
    elif isinstance(estimator, SVRCC):
        y = rng.normal(size=(20, 2))
    estimator.set_params(**{name: values})
    who = type(estimator).__name__

    with pytest.raises(ValueError, match=rf"'{name}' parameter of {who} must be a"):
        estimator.fit(X, y)
