import dataclasses

import numpy as np
import pytest
import scipy.sparse

from svmosaic.datasets import Dataset


def test_sizes_come_from_the_arrays():
    data = Dataset(X=np.zeros((4, 3)), y=np.array(["b", "a", "b", "b"]), name="toy")

    assert (data.n_samples, data.n_features) == (4, 3)
    assert data.classes.tolist() == ["a", "b"]
    assert repr(data) == "Dataset(name='toy', n_samples=4, n_features=3, n_classes=2)"


def test_sparse_features_and_no_target():
    data = Dataset(X=scipy.sparse.csr_array((2, 5)), y=None)

    assert data.n_features == 5
    assert data.classes.size == 0


def test_fields_are_frozen():
    data = Dataset(X=np.zeros((1, 1)), y=None)

    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"
