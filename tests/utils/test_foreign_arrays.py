"""Arrays of other libraries, without any of them."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic import (
    MultiTargetSVR,
    NNISDAClassifier,
    SMOClassifier,
    StreamOLLAWV,
)
from svmosaic.utils.foreign_arrays import follow, gpu_number, is_foreign, require_host, to_host


class Array:
    """As much of an array as its memory needs."""

    def __init__(self, values, kind=1, number=0):
        self.values = np.asarray(values)
        self.place = (kind, number)
        self.shape = self.values.shape
        self.ndim = self.values.ndim

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.place


class CupyArray(Array):
    def __init__(self, values, number=1):
        super().__init__(values, 2, number)

    def get(self):
        return self.values


X = np.arange(8.0).reshape(4, 2)
Y = np.array([0, 0, 1, 1])


def test_foreign_are_arrays_that_share_their_memory():
    assert is_foreign(Array(X))
    assert not any(map(is_foreign, [X, X[0, 0], X.tolist(), None, "X"]))


def test_the_number_of_a_gpu():
    assert gpu_number(Array(X, 2, 3)) == 3
    assert gpu_number(Array(X)) is None
    assert gpu_number(Array(X, 3)) is None
    assert gpu_number(X) is None


def test_arrays_come_to_the_host():
    assert to_host(X) is X
    np.testing.assert_array_equal(to_host(Array(X)), X)
    np.testing.assert_array_equal(to_host(CupyArray(X)), X)


def test_results_of_other_libraries_stay_numpy():
    assert follow(Y, Array(X)) is Y
    assert follow(Y, X) is Y


def test_arrays_in_the_host_are_taken():
    require_host("It", X, Array(X), None)
    model = SMOClassifier().fit(Array(X), Array(Y))

    np.testing.assert_array_equal(model.predict(Array(X)), Y)


@pytest.mark.parametrize("estimator", [NNISDAClassifier, StreamOLLAWV, MultiTargetSVR])
def test_estimators_without_a_device_say_what_to_do(estimator):
    name = estimator.__name__
    message = rf"{name} computes on the CPU.*Got one on GPU 1 instead; pass a copy \(X.cpu\(\)"

    samples, labels = np.repeat(X, 3, axis=0), np.repeat(Y, 3)
    targets = labels if estimator is not MultiTargetSVR else samples
    with pytest.raises(TypeError, match=message):
        estimator().fit(CupyArray(samples), targets)
    model = estimator().fit(samples, targets)
    with pytest.raises(TypeError, match=message):
        model.predict(CupyArray(X))


def test_the_device_of_the_data_is_asked_for(monkeypatch):
    asked = []

    def engine_on(device):
        asked.append(device)
        raise ValueError("nobody is there")

    monkeypatch.setattr("svmosaic.classification.device_data.engine_on", engine_on)

    with pytest.raises(ValueError, match="nobody is there"):
        SMOClassifier().fit(CupyArray(X), Y)
    assert asked == ["cuda:1"]
    # A device that is named counts for more.
    SMOClassifier(device="cpu").fit(CupyArray(X), Y)
    with pytest.raises(ValueError, match="nobody is there"):
        SMOClassifier(device="cuda").fit(CupyArray(X), Y)
    assert asked == ["cuda:1", "cuda"]
