"""Whatever a model is stored as, it predicts the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import skops.io
from sklearn.svm import SVR

from model_families import BODY, DISEASE, FAMILIES, SEARCHES, fitted_family, predictions
from svmosaic import SMORegressor, import_libsvm, load, save
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence import export_libsvm, trusted_types

# Of skops' own types, what stream learners consist of is not part.
NOT_IN_SKOPS = {name for name in FAMILIES if "stream" in name}
IN_LIBSVM = (
    *("OLLAWV rbf", "OLLAWV linear", "OLLAWV poly", "OLLAWV sigmoid", "OLLAWV all pairs"),
    *("OLLAWV boundary width", "OLLAWV float32", "OLLAWV sparse", "SMO"),
    *("SMO poly", "MNSVM", "uniform", "NL-SGD", "OLLA-L2", "kernel primal", "SVM-CBP"),
    *("online SVM", "online SVM-CBP", "search", "SVR", "SVR linear"),
)

# tanh is not positive semidefinite, which is said in each fit.
pytestmark = pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")


def assert_equal(model, other, X):
    for name, values in predictions(model, X).items():
        np.testing.assert_array_equal(predictions(other, X)[name], values)


def test_there_are_thirty_models():
    assert len(FAMILIES) >= 30


@pytest.mark.parametrize("name", FAMILIES)
def test_model_files_pickles_and_skops_predict_to_the_same_bits(name, tmp_path):
    model, X = fitted_family(name)
    save(model, tmp_path / "model")

    assert_equal(model, load(tmp_path / "model"), X)
    assert_equal(model, pickle.loads(pickle.dumps(model)), X)
    if name not in NOT_IN_SKOPS:
        assert_equal(model, skops.io.loads(skops.io.dumps(model), trusted=trusted_types()), X)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_pickled_search_predicts_to_the_same_bits(name):
    model, X = fitted_family(name)

    assert_equal(model, pickle.loads(pickle.dumps(model)), X)


@pytest.mark.parametrize("name", IN_LIBSVM)
def test_libsvm_text_predicts_the_same(name, tmp_path):
    model, X = fitted_family(name)
    export_libsvm(model, tmp_path / "model")

    other = import_libsvm(tmp_path / "model", n_features=X.shape[1])
    if hasattr(model, "decision_function_shape"):
        other.set_params(decision_function_shape=model.decision_function_shape)

    for kind, values in predictions(model, X).items():
        found = predictions(other, X)[kind]
        if kind == "label":
            np.testing.assert_array_equal(found, values)
        else:
            # The text of float32 vectors is read as float64.
            np.testing.assert_allclose(found, values, rtol=1e-5, atol=1e-5)


# Regressors in LIBSVM's text ------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_a_regressor_survives_the_text(kernel, tmp_path):
    model = SMORegressor(kernel=kernel, gamma=0.5, coef0=0.25, C=10.0).fit(BODY, DISEASE)
    export_libsvm(model, tmp_path / "model")

    other = import_libsvm(tmp_path / "model", n_features=10)
    save(other, tmp_path / "saved")

    assert isinstance(other, SMORegressor)
    np.testing.assert_array_equal(other.predict(BODY), model.predict(BODY))
    assert_equal(other, load(tmp_path / "saved"), BODY)


def test_the_text_of_a_regressor_is_that_of_libsvm(tmp_path):
    """The numbers of scikit-learn's SVR, written as LIBSVM writes them, predict as it does."""
    theirs = SVR(gamma=0.5, C=10.0).fit(BODY, DISEASE)
    lines = [
        *("svm_type epsilon_svr", "kernel_type rbf", "gamma 0.5", "nr_class 2"),
        f"total_sv {theirs.support_.size}",
        f"rho {-theirs.intercept_[0]:.17g}",
        "probA 0.5",
        "SV",
    ]
    for coefficient, vector in zip(theirs.dual_coef_[0], theirs.support_vectors_, strict=True):
        pairs = " ".join(f"{i}:{value:.17g}" for i, value in enumerate(vector, 1))
        lines.append(f"{coefficient:.17g} {pairs}")
    (tmp_path / "model").write_text("\n".join(lines) + "\n")

    ours = import_libsvm(tmp_path / "model")

    np.testing.assert_allclose(ours.predict(BODY), theirs.predict(BODY), rtol=1e-10)


REGRESSION = (
    "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nSV\n"
    "0.5 1:1\n-0.5 1:2\n"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rho 0\n", "rho 0\nlabel 1 2\n", "epsilon_svr has no entry 'label'"),
        ("rho 0\n", "rho 0\nnr_sv 1 1\n", "epsilon_svr has no entry 'nr_sv'"),
        ("rho 0\n", "rho 0 1\n", "'rho' needs 1 number"),
        ("rho 0\n", "rho 0\nprobA 1 2\n", "'probA' needs 1 number"),
        ("nr_class 2", "nr_class 3", "nr_class must be 2"),
        ("total_sv 2", "total_sv 0", "at least 1"),
        ("total_sv 2", "total_sv 9999", "too short for total_sv"),
        ("total_sv 2", "total_sv 3", "cut short: 2 of 3"),
        ("total_sv 2", "total_sv 1", "after the last of total_sv = 1"),
        ("rho 0\n", "", "'rho' is missing"),
    ],
)
def test_malformed_regressors_are_refused(old, new, message, tmp_path):
    (tmp_path / "model").write_text(REGRESSION.replace(old, new))

    with pytest.raises(ModelFileError, match=message):
        import_libsvm(tmp_path / "model")


def test_a_small_regressor_is_read(tmp_path):
    (tmp_path / "model").write_text(REGRESSION)

    assert import_libsvm(tmp_path / "model").predict([[3.0]]).tolist() == [-1.5]
