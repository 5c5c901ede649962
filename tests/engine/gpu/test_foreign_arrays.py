"""Tensors of PyTorch in place of NumPy arrays: models are the same, predictions follow the data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

from svmosaic import NNISDAClassifier, OLLAWVClassifier, SMOClassifier, SMORegressor

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from svmosaic.engine.gpu import features  # noqa: E402

X, Y = load_iris(return_X_y=True)
WEIGHTS = np.random.default_rng(0).integers(0, 4, Y.size).astype(float)
ESTIMATORS = [SMOClassifier, OLLAWVClassifier, SMORegressor]


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def home(request):
    """The device of the data."""
    return request.param


def tensor(values, home, dtype=None):
    return torch.tensor(values, device=home, dtype=dtype)


@pytest.mark.parametrize("device", [None, "there"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_model_from_tensors_is_that_from_arrays(estimator, dtype, device, home):
    there = {"cpu": "torch:cpu", "cuda": "cuda"}[home]
    expected = estimator(device=there, tol=1e-5).fit(X.astype(dtype), Y, WEIGHTS)

    model = estimator(device=None if device is None else there, tol=1e-5)
    model.fit(tensor(X.astype(dtype), home), tensor(Y, home), tensor(WEIGHTS, home))

    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-5)
    assert type(model.support_vectors_) is np.ndarray
    assert model.support_vectors_.dtype == dtype
    np.testing.assert_array_equal(model.support_vectors_, X.astype(dtype)[model.support_])
    assert model.n_features_in_ == 4
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(
        again.set_params(device="cpu").predict(X), expected.predict(X), atol=2e-3
    )


@pytest.mark.parametrize("device", [None, "torch:cpu", "cpu"])
def test_predictions_follow_the_data(device, home):
    model = SMOClassifier(device=device).fit(X, Y)
    samples = tensor(X, home)

    for method in (model.predict, model.decision_function):
        found = method(samples)

        assert isinstance(found, torch.Tensor)
        assert found.device == samples.device
        np.testing.assert_allclose(found.cpu().numpy(), method(X), rtol=1e-9)
        assert type(method(X)) is np.ndarray
    assert model.predict(samples).dtype == torch.int64
    assert model.score(samples, tensor(Y, home)) == model.score(X, Y)


def test_values_follow_the_data(home):
    model = SMORegressor().fit(tensor(X, home), tensor(Y, home))

    found = model.predict(tensor(X, home))

    assert found.device == tensor(X, home).device
    assert model.score(tensor(X, home), tensor(Y, home)) == pytest.approx(model.score(X, Y))


def test_labels_that_are_strings_stay_numpy(home):
    names = np.array(["a", "b", "c"])[Y]
    model = SMOClassifier().fit(tensor(X, home), names)

    np.testing.assert_array_equal(model.predict(tensor(X, home)), model.predict(X))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_precomputed_kernel_of_tensors(multi_class, home):
    there = {"cpu": "torch:cpu", "cuda": None}[home]
    K = X @ X.T
    expected = SMOClassifier(kernel="precomputed", multi_class=multi_class).fit(K, Y)

    model = SMOClassifier(kernel="precomputed", multi_class=multi_class, device=there)
    model.fit(tensor(K, home), tensor(Y, home))

    found = model.predict(tensor(K, home))
    np.testing.assert_array_equal(found.cpu().numpy(), expected.predict(K))
    assert np.all(np.isfinite(model.dual_gap_))


def test_tensors_on_the_device_are_not_brought_to_the_host(home, monkeypatch):
    monkeypatch.setattr("svmosaic.engine.gpu.device_table.DeviceTable.to_numpy", None)
    seen, read = [], features.read_table

    def look(values, *args, **kwargs):
        seen.append(values)
        return read(values, *args, **kwargs)

    monkeypatch.setattr("svmosaic.engine.gpu.engine.read_table", look)

    model = SMOClassifier(device="torch:cpu" if home == "cpu" else None)
    # Labels of any kind are checked without the samples.
    for labels in (Y, Y.astype(float), tensor(Y.astype(np.float32), home)):
        model.fit(tensor(X, home), labels)

    assert len(seen) == 3
    assert all(isinstance(values, torch.Tensor) for values in seen)


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X.double().requires_grad_(),
        lambda X: X.t().contiguous().t(),
        lambda X: X.half(),
        lambda X: X.bfloat16(),
        lambda X: X.int(),
    ],
    ids=["with gradients", "columns first", "float16", "bfloat16", "integers"],
)
@pytest.mark.parametrize("device", [None, "torch:cpu"])
def test_tensors_of_all_kinds(change, device, home):
    values = change(tensor(X, home))
    expected = SMOClassifier().fit(values.detach().cpu().double().numpy(), Y)

    model = SMOClassifier(device=device).fit(values, Y)

    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=2e-3)
    found = model.predict(values).cpu().numpy()
    assert np.mean(found == expected.predict(values.detach().cpu().double().numpy())) > 0.99


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (torch.tensor([[1.0, float("nan")], [2.0, 3.0]]), "contains NaN"),
        (torch.tensor([1.0, 2.0]), "Expected 2D array, got 1D array"),
        (torch.zeros((0, 2)), "Found array with 0 sample"),
    ],
    ids=["nan", "one axis", "none"],
)
def test_tensors_are_refused_as_arrays_are(values, message, home):
    there = {"cpu": "torch:cpu", "cuda": None}[home]

    with pytest.raises(ValueError, match=message):
        SMOClassifier(device=there).fit(values.to(home), np.array([0, 1])[: values.shape[0]])


@pytest.mark.parametrize(
    "values",
    [torch.eye(2).to_sparse_coo(), torch.eye(2, dtype=torch.complex64)],
    ids=["sparse", "complex"],
)
def test_tensors_without_a_form_are_refused(values):
    with pytest.raises(TypeError, match="Tensors must be dense and real"):
        SMOClassifier(device="torch:cpu").fit(values, np.array([0, 1]))


def test_other_estimators_take_tensors_in_the_memory_of_the_host():
    expected = NNISDAClassifier().fit(X, Y)

    model = NNISDAClassifier().fit(torch.tensor(X), torch.tensor(Y))

    np.testing.assert_array_equal(model.predict(torch.tensor(X)), expected.predict(X))
