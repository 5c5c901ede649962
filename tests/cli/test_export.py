"""``svmosaic export``: models for other programs, from the command line."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic import CalibratedClassifier, load, save


@pytest.fixture
def wine(svmosaic, tmp_path):
    """A model of the wine data, scaled."""
    path = tmp_path / "wine.model"
    assert svmosaic("train", "sklearn-wine", "-o", path).code == 0
    return path


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx_files_predict_as_the_model(svmosaic, wine, tmp_path, dtype):
    pytest.importorskip("pandas")
    frame = load_wine(as_frame=True).data

    outcome = svmosaic("export", wine, "-o", tmp_path / "wine.onnx", "--dtype", dtype)

    assert outcome.code == 0, outcome.err
    assert f"onnx, {dtype}" in outcome.out
    session = onnxruntime.InferenceSession(tmp_path / "wine.onnx")
    (label,) = session.run(["label"], {"X": frame.to_numpy(dtype)})
    assert label.astype(str).tolist() == load(wine).predict(frame).astype(str).tolist()


def test_libsvm_files_predict_as_the_model(svmosaic, tmp_path):
    model, exported = tmp_path / "plain.model", tmp_path / "wine.libsvm"
    labels = [tmp_path / "a.txt", tmp_path / "b.txt"]
    assert svmosaic("train", "sklearn-wine", "-o", model, "--scale", "none").code == 0

    outcome = svmosaic("export", model, "-o", exported, "--to", "libsvm")

    assert outcome.code == 0, outcome.err
    assert exported.read_text().startswith("svm_type c_svc\n")
    for path, out in zip((model, exported), labels, strict=True):
        assert svmosaic("predict", path, "sklearn-wine", "-o", out).code == 0
    assert labels[0].read_text() == labels[1].read_text()


def test_a_libsvm_model_becomes_an_onnx_file(svmosaic, tmp_path):
    text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\n"
    text += "label 1 -1\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n"
    (tmp_path / "tiny").write_text(text)

    assert svmosaic("export", tmp_path / "tiny", "-o", tmp_path / "tiny.onnx").code == 0

    session = onnxruntime.InferenceSession(tmp_path / "tiny.onnx")
    label, decision = session.run(["label", "decision"], {"X": np.array([[2.0], [-3.0]])})
    assert (label.tolist(), decision.tolist()) == ([1, -1], [2.0, -3.0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "libsvm"], "no place for what the model does to its features first"),
        (["--to", "libsvm", "--dtype", "float32"], "--dtype goes with --to onnx only"),
        (["--to", "pmml"], "invalid choice: 'pmml'"),
    ],
)
def test_what_cannot_be_is_refused(svmosaic, wine, tmp_path, words, message):
    outcome = svmosaic("export", wine, "-o", tmp_path / "out", *words)

    assert outcome.code != 0
    assert message in outcome.err
    assert not (tmp_path / "out").exists()


def test_the_model_is_not_overwritten(svmosaic, wine):
    before = wine.read_bytes()

    outcome = svmosaic("export", wine, "-o", wine)

    assert outcome.code == 1
    assert "same file as the input" in outcome.err
    assert wine.read_bytes() == before


def test_a_model_with_probabilities(svmosaic, tmp_path):
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(MinMaxScaler(), CalibratedClassifier()).fit(X, y)
    save(model, tmp_path / "wine.model")

    outcome = svmosaic("export", tmp_path / "wine.model", "-o", tmp_path / "wine.onnx")
    shown = svmosaic("info", tmp_path / "wine.model")

    assert outcome.code == 0, outcome.err
    session = onnxruntime.InferenceSession(tmp_path / "wine.onnx")
    (p,) = session.run(["probability"], {"X": X})
    np.testing.assert_allclose(p, model.predict_proba(X), atol=1e-9)
    assert "sigmoid, temperature" in shown.out
    assert "OLLAWVClassifier" in shown.out
