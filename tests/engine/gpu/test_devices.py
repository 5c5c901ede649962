"""Names of devices and what is said when one cannot be used; PyTorch may be absent."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from svmosaic import NNISDAClassifier, SMOClassifier
from svmosaic.engine.gpu.devices import engine_on, is_device_name, is_usable
from svmosaic.exceptions import MissingDependencyError

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([0, 0, 1, 1])


@pytest.fixture(autouse=True)
def _forget_engines():
    engine_on.cache_clear()
    yield
    engine_on.cache_clear()


def test_names_of_devices():
    assert all(map(is_device_name, ["cuda", "cuda:0", "cuda:12", "torch:cpu"]))
    assert not any(map(is_device_name, ["cpu", "cuda:", "cuda:x", "gpu", "mps", "cuda:0 "]))


def test_importing_and_fitting_on_the_cpu_does_not_import_pytorch():
    code = (
        "import sys, numpy as np, svmosaic\n"
        "model = svmosaic.SMOClassifier().fit(np.arange(8.0)[:, None], np.arange(8) // 4)\n"
        "model.predict(np.zeros((1, 1)))\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_pytorch_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(MissingDependencyError, match=r"pip install 'svmosaic\[gpu\]'"):
        SMOClassifier(device="cuda").fit(X, Y)
    assert not is_usable("cuda")


class Torch:
    """As much of PyTorch as names of devices need."""

    def __init__(self, n_devices):
        self.n_devices = n_devices
        self.cuda = self

    def is_available(self):
        return self.n_devices > 0

    def device_count(self):
        return self.n_devices


def test_without_a_gpu_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", Torch(0))

    with pytest.raises(ValueError, match="needs a CUDA device, and PyTorch finds none"):
        SMOClassifier(device="cuda").fit(X, Y)


def test_a_device_beyond_the_last_one_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", Torch(2))

    with pytest.raises(ValueError, match="'cuda:2' is not there: PyTorch finds 2 CUDA devices"):
        engine_on("cuda:2")


def test_other_names_are_refused():
    with pytest.raises(ValueError, match="no engine for device='gpu'; expected one of 'cpu', 'cu"):
        SMOClassifier(device="gpu").fit(X, Y)


def test_a_model_from_elsewhere_predicts_where_the_device_is_not(monkeypatch):
    model = SMOClassifier(device="cpu").fit(X, Y)
    monkeypatch.setitem(sys.modules, "torch", None)

    elsewhere = model.set_params(device="cuda")

    np.testing.assert_array_equal(elsewhere.predict(X), Y)


@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")
def test_a_solver_without_a_form_for_a_gpu_says_so():
    with pytest.raises(ValueError, match="SimpleSmoSettings has no form for a GPU"):
        SMOClassifier(variant="simple", device="torch:cpu").fit(X, Y)
    assert "device" not in NNISDAClassifier().get_params()
