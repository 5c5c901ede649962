"""ONNX files: ONNX Runtime predicts what svmosaic predicts."""

from __future__ import annotations

import json
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, StandardScaler

from model_families import FAMILIES, IRIS, NAMES, SEARCHES, SPECIES, fitted_family, predictions
from multi_instance.toy_bags import needle_bags
from svmosaic import (
    CalibratedClassifier,
    MIRSVMClassifier,
    NuSMORegressor,
    OLLAWVClassifier,
    SMOClassifier,
    SMORegressor,
    StreamOLLAWV,
    export_onnx,
)
from svmosaic.exceptions import MissingDependencyError
from svmosaic.persistence.onnx_file import encode_onnx
from svmosaic.svm import SVC, NuSVR, OneClassSVM

# float32 kernel values, times coefficients that cancel: relative to the sum of their sizes.
FLOAT32_TOLERANCE = 2e-6
# tanh is not positive semidefinite, which is said in each fit.
pytestmark = pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")


def run_onnx(content, X):
    """Return the outputs of an ONNX file by name."""
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    dtype = {"tensor(double)": np.float64, "tensor(float)": np.float32}[given.type]
    table = (X.toarray() if sp.issparse(X) else np.asarray(X)).astype(dtype)
    names = [out.name for out in session.get_outputs()]
    return dict(zip(names, session.run(None, {given.name: table}), strict=True))


def assert_same(found, expected, **tolerance):
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].shape == values.shape
        if name == "label":
            assert found[name].tolist() == values.tolist()
        else:
            np.testing.assert_allclose(found[name], values, **tolerance)


# Trees and ranks have no graph; that they are refused is tested with their class.
REFUSED = ("trees and chains", "ensemble")
EXPORTED = [name for name in (*FAMILIES, *SEARCHES) if name not in REFUSED]


@pytest.mark.parametrize("name", EXPORTED)
def test_every_family_predicts_the_same(name):
    model, X = fitted_family(name)

    assert_same(run_onnx(encode_onnx(model), X), predictions(model, X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_float64_agrees_to_ten_digits(kernel, multi_class):
    model = OLLAWVClassifier(kernel=kernel, gamma=0.05, coef0=0.5, multi_class=multi_class)
    model.fit(IRIS, SPECIES)

    found = run_onnx(encode_onnx(model), IRIS)

    assert_same(found, predictions(model, IRIS), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
def test_float32_agrees_as_far_as_its_digits_go(kernel):
    model = OLLAWVClassifier(kernel=kernel, gamma=0.05, decision_function_shape="ovo")
    model.fit(IRIS, SPECIES)
    rows = IRIS.astype(np.float32)
    sizes = np.abs(model.expansion_.kernel_matrix(rows)) @ abs(
        model.expansion_.coefficient_matrix()
    )

    found = run_onnx(encode_onnx(model, "float32"), rows)

    assert found["decision"].dtype == np.float32
    apart = np.abs(found["decision"] - model.decision_function(rows))
    assert (apart <= FLOAT32_TOLERANCE * (1.0 + sizes)).all()


def test_data_far_from_the_origin_lose_no_digits():
    X = IRIS + 1e5
    model = SMOClassifier(gamma=0.5).fit(X, SPECIES)

    assert_same(run_onnx(encode_onnx(model), X), predictions(model, X), rtol=1e-7, atol=1e-7)


def test_float32_models_round_their_samples():
    model = OLLAWVClassifier(gamma=5.0).fit(IRIS.astype(np.float32), SPECIES)
    X = IRIS + 1e-9

    found = run_onnx(encode_onnx(model), X)["decision"]

    np.testing.assert_allclose(found, model.decision_function(IRIS), rtol=1e-6, atol=1e-6)


# Labels -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (SPECIES, np.int64),
        (SPECIES.astype(np.uint8), np.int64),
        (SPECIES.astype(float), np.float64),
        (SPECIES == 1, np.bool_),
        (NAMES, object),
        (NAMES.astype(object), object),
        (np.char.add(NAMES, " \u00fc"), object),
    ],
)
def test_labels_keep_their_type(labels, kind):
    y = np.where(SPECIES == 0, labels[SPECIES == 0][0], labels)
    model = OLLAWVClassifier().fit(IRIS, y if labels.dtype != object else y.astype(object))

    found = run_onnx(encode_onnx(model), IRIS)["label"]

    assert found.dtype == kind
    assert found.tolist() == model.predict(IRIS).tolist()


def test_labels_of_other_types_are_refused():
    model = OLLAWVClassifier().fit(IRIS, SPECIES)
    model.classes_ = np.array([(1,), "a", None], dtype=object)

    with pytest.raises(TypeError, match="ONNX knows labels that are integers, strings"):
        encode_onnx(model)


def test_votes_are_those_of_the_library():
    # Seven classes in a cloud: many ties, which sums of decisions order.
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((210, 2)), np.tile(np.arange(7), 30)
    model = OLLAWVClassifier(gamma=1.0).fit(X, y)
    test = rng.standard_normal((2000, 2))
    votes = np.floor(model.decision_function(test) + 1 / 3)
    best = votes.max(axis=1, keepdims=True)
    assert ((votes == best).sum(axis=1) > 1).mean() > 0.02

    assert_same(run_onnx(encode_onnx(model), test), predictions(model, test), atol=1e-9)


# Models with less than usual ----------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_regressor_without_support_vectors_is_a_constant(kernel):
    model = SMORegressor(kernel=kernel, epsilon=10.0).fit(IRIS, np.ones(150))
    assert model.support_.size == 0

    found = run_onnx(encode_onnx(model), IRIS)

    assert_same(found, predictions(model, IRIS), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_stream_with_one_class_so_far(n_classes):
    model = StreamOLLAWV().partial_fit(IRIS, np.ones(150, dtype=int), classes=range(n_classes))

    assert_same(run_onnx(encode_onnx(model), IRIS), predictions(model, IRIS), atol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_stream_with_classes_that_have_not_come(n_classes):
    kept = np.isin(SPECIES, range(n_classes - 1))
    model = StreamOLLAWV(chunk_size=20)
    model.partial_fit(IRIS[kept], SPECIES[kept], classes=range(n_classes))

    # In float32, with coefficients of landmarks far above 1.
    assert_same(run_onnx(encode_onnx(model), IRIS), predictions(model, IRIS), atol=5e-6)


def test_one_feature():
    model = make_pipeline(StandardScaler(), OLLAWVClassifier(kernel="linear"))
    model.fit(IRIS[:, 2:3], SPECIES)

    found = run_onnx(encode_onnx(model), IRIS[:, 2:3])

    assert_same(found, predictions(model, IRIS[:, 2:3]), rtol=1e-6, atol=1e-6)


def test_no_rows():
    found = run_onnx(encode_onnx(OLLAWVClassifier().fit(IRIS, SPECIES)), np.empty((0, 4)))

    assert found["label"].shape == (0,)
    assert found["decision"].shape == (0, 3)


# Steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "steps",
    [
        [StandardScaler(with_mean=False)],
        [StandardScaler(with_std=False)],
        [MinMaxScaler((-2.0, 3.0))],
        [MinMaxScaler(clip=True)],
        [MaxAbsScaler()],
        [SimpleImputer(missing_values=5.1, strategy="median")],
        [SimpleImputer(strategy="most_frequent"), StandardScaler()],
        ["passthrough", StandardScaler(), None],
        [make_pipeline(StandardScaler(), MinMaxScaler())],
    ],
    ids=lambda value: type(value).__name__,
)
def test_steps_before_a_model(steps):
    model = make_pipeline(*steps, OLLAWVClassifier()).fit(IRIS, SPECIES)
    X = 1.3 * IRIS

    assert_same(run_onnx(encode_onnx(model), X), predictions(model, X), rtol=1e-9, atol=1e-9)


def test_a_feature_without_any_value_is_left_out():
    X = IRIS.copy()
    X[:, 1] = np.nan
    X[::7, 2] = np.nan
    model = make_pipeline(SimpleImputer(), OLLAWVClassifier())
    with pytest.warns(UserWarning, match="without any observed values"):
        model.fit(X, SPECIES)
    with pytest.warns(UserWarning, match="without any observed values"):
        expected = predictions(model, X)

    assert_same(run_onnx(encode_onnx(model), X), expected, rtol=1e-9, atol=1e-9)


def test_a_pipeline_inside_a_calibrated_classifier():
    model = CalibratedClassifier(make_pipeline(StandardScaler(), SMOClassifier()))
    model.fit(IRIS, SPECIES)

    assert_same(run_onnx(encode_onnx(model), IRIS), predictions(model, IRIS), atol=1e-9)


# The file -----------------------------------------------------------------------------------


def test_the_file_says_what_it_is(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(IRIS, columns=["a", "b", "c", "d"])
    path = tmp_path / "model.onnx"
    export_onnx(OLLAWVClassifier().fit(frame, SPECIES), path)

    model = onnx.load(path)

    about = {entry.key: entry.value for entry in model.metadata_props}
    assert model.producer_name == "svmosaic"
    assert about["model"] == "OLLAWVClassifier"
    assert json.loads(about["features"]) == ["a", "b", "c", "d"]
    (opset,) = model.opset_import
    assert (opset.domain, opset.version) == ("", 17)


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_text("old")

    with pytest.raises(TypeError):
        export_onnx(LogisticRegression(max_iter=1000).fit(IRIS, SPECIES), path)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# What is refused ----------------------------------------------------------------------------


def _callable(A, B):
    return A @ B.T


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (OLLAWVClassifier(kernel=_callable), IRIS, "no model with a kernel function"),
        (OLLAWVClassifier(kernel="precomputed"), IRIS @ IRIS.T, "precomputed kernel values"),
        (
            LogisticRegression(max_iter=1000),
            IRIS,
            "expected a fitted classifier or regressor of svmosaic",
        ),
        (
            CalibratedClassifier(LogisticRegression(max_iter=1000)),
            IRIS,
            "expected a fitted classifier or regressor of svmosaic",
        ),
        (make_pipeline(PolynomialFeatures(), OLLAWVClassifier()), IRIS, "Got PolynomialFeatures"),
        (
            make_pipeline(SimpleImputer(add_indicator=True), OLLAWVClassifier()),
            IRIS,
            "that adds no columns",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_onnx_cannot_hold_is_refused(model, X, message):
    model.fit(X, SPECIES)

    with pytest.raises(TypeError, match=message) as caught:
        encode_onnx(model)

    # Whoever expects either kind of error gets it.
    assert isinstance(caught.value, ValueError)


def test_bags_are_refused():
    model = MIRSVMClassifier(random_state=0).fit(*needle_bags())

    with pytest.raises(TypeError, match="MIRSVMClassifier predicts bags"):
        encode_onnx(model)


@pytest.mark.parametrize("model", [OLLAWVClassifier(), Pipeline([("m", OLLAWVClassifier())])])
def test_a_model_that_is_not_fitted_is_refused(model):
    with pytest.raises(NotFittedError):
        encode_onnx(model)


@pytest.mark.parametrize("dtype", ["float16", "int64", None, "no type", 3])
def test_other_types_of_numbers_are_refused(dtype):
    model = OLLAWVClassifier().fit(IRIS, SPECIES)

    with pytest.raises(ValueError, match=r"must be 'float32' or 'float64'\. Got"):
        encode_onnx(model, dtype)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_model_that_is_too_large_is_refused_before_it_is_made_dense(form, monkeypatch):
    monkeypatch.setattr("svmosaic.persistence.onnx_graphs.graph._MOST_BYTES", 1000)
    model = OLLAWVClassifier().fit(form(IRIS), SPECIES)

    with pytest.raises(ValueError, match="An ONNX file holds at most"):
        encode_onnx(model)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = OLLAWVClassifier().fit(IRIS, SPECIES)

    with pytest.raises(MissingDependencyError, match=r"pip install 'svmosaic\[onnx\]'"):
        encode_onnx(model)


@pytest.mark.parametrize(
    "options", [{}, {"break_ties": True}, {"decision_function_shape": "ovo"}], ids=str
)
def test_ties_of_votes_go_where_those_of_scikit_learn_go(options):
    rng = np.random.RandomState(0)
    X, y, far = rng.randn(300, 2), rng.randint(6, size=300), 2.0 * rng.randn(2000, 2)
    model = SVC(C=10.0, **options).fit(X, y)

    found = run_onnx(encode_onnx(model), far)

    assert found["label"].tolist() == model.predict(far).tolist()
    np.testing.assert_allclose(found["decision"], model.decision_function(far), atol=1e-9)


@pytest.mark.parametrize("model", [NuSVR(), NuSMORegressor(), OneClassSVM(nu=0.1)], ids=repr)
def test_nu_models_predict_the_same(model):
    X = np.random.RandomState(0).randn(200, 2)
    model.fit(X, X[:, 0])

    found = run_onnx(encode_onnx(model), X)

    name = "label" if isinstance(model, OneClassSVM) else "prediction"
    np.testing.assert_allclose(found[name], model.predict(X), atol=1e-9)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_probabilities_of_svc_are_refused():
    with pytest.raises(ValueError, match="cannot write the probabilities of SVC"):
        encode_onnx(SVC(probability=True).fit(IRIS, SPECIES))
