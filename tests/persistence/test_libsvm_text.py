"""LIBSVM model files: the same decisions as scikit-learn's LIBSVM, and a strict parser."""

from __future__ import annotations

import os
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from svmosaic import (
    NuSMOClassifier,
    NuSMORegressor,
    OLLAWVClassifier,
    OneClassSMO,
    SMORegressor,
)
from svmosaic.classification.multiclass import unarrange
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence import export_libsvm, import_libsvm, load, save

KERNELS = ("rbf", "linear", "poly", "sigmoid")
LIBSVM_NAME = {"poly": "polynomial"}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X[np.abs(X) < 0.3] = 0.0
    return X, y


def write_svc(model, path, svm_type="c_svc"):
    """Write a fitted SVC of scikit-learn as LIBSVM itself would."""
    coefficients = model.dual_coef_
    coefficients = coefficients.toarray() if sp.issparse(coefficients) else coefficients
    vectors = model.support_vectors_
    vectors = vectors.toarray() if sp.issparse(vectors) else vectors
    # scikit-learn turns the sign for two classes; LIBSVM is positive for the first label.
    sign = -1.0 if model.classes_.size == 2 else 1.0
    lines = [
        f"svm_type {svm_type}",
        f"kernel_type {LIBSVM_NAME.get(model.kernel, model.kernel)}",
    ]
    if model.kernel == "poly":
        lines.append(f"degree {model.degree}")
    if model.kernel != "linear":
        lines.append(f"gamma {model._gamma:.17g}")
    if model.kernel in ("poly", "sigmoid"):
        lines.append(f"coef0 {model.coef0:.17g}")
    lines += [
        f"nr_class {model.classes_.size}",
        f"total_sv {vectors.shape[0]}",
        "rho " + " ".join(f"{-sign * b:.17g}" for b in model.intercept_),
        "label " + " ".join(map(str, model.classes_)),
        "nr_sv " + " ".join(map(str, model.n_support_)),
        "SV",
    ]
    for column, vector in zip(sign * coefficients.T, vectors, strict=True):
        coef = " ".join(f"{c:.17g}" for c in column)
        pairs = " ".join(f"{i + 1}:{v:.17g}" for i, v in enumerate(vector) if v)
        lines.append(f"{coef} {pairs} ")
    path.write_text("\n".join(lines) + "\n")


def write_function(model, path, svm_type):
    """Write a fitted model of one function of scikit-learn as LIBSVM itself would."""
    lines = [
        f"svm_type {svm_type}",
        "kernel_type rbf",
        f"gamma {model._gamma:.17g}",
        "nr_class 2",
        f"total_sv {model.support_.size}",
        f"rho {-model.intercept_[0]:.17g}",
        "SV",
    ]
    for coef, vector in zip(model.dual_coef_[0], model.support_vectors_, strict=True):
        pairs = " ".join(f"{i + 1}:{v:.17g}" for i, v in enumerate(vector) if v)
        lines.append(f"{coef:.17g} {pairs} ")
    path.write_text("\n".join(lines) + "\n")


ONE_FUNCTION = {
    "epsilon_svr": (SVR(), SMORegressor(tol=1e-6)),
    "nu_svr": (NuSVR(), NuSMORegressor(tol=1e-6)),
    "one_class": (OneClassSVM(), OneClassSMO(tol=1e-6)),
}


def values(model, X):
    return getattr(model, "decision_function", model.predict)(X)


@pytest.mark.parametrize("svm_type", ONE_FUNCTION)
def test_models_of_one_function_come_from_libsvm(iris, tmp_path, svm_type):
    X, _ = iris
    theirs, ours = ONE_FUNCTION[svm_type]
    theirs.fit(X, X[:, 0])
    write_function(theirs, tmp_path / "text", svm_type)

    model = import_libsvm(tmp_path / "text")

    assert type(model) is type(ours)
    np.testing.assert_allclose(values(model, X), values(theirs, X), rtol=1e-9, atol=1e-9)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(values(load(tmp_path / "model"), X), values(model, X))


@pytest.mark.parametrize("svm_type", ONE_FUNCTION)
def test_models_of_one_function_go_to_libsvm_and_back(iris, tmp_path, svm_type):
    X, _ = iris
    model = clone(ONE_FUNCTION[svm_type][1]).fit(X, X[:, 0])

    export_libsvm(model, tmp_path / "text")

    assert (tmp_path / "text").read_text().startswith(f"svm_type {svm_type}\n")
    back = import_libsvm(tmp_path / "text")
    np.testing.assert_allclose(values(back, X), values(model, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nr_class 2", "nr_class 3", "nr_class must be 2 in a model of one function"),
        ("rho ", "rho 1 ", "'rho' needs 1 numbers"),
        ("total_sv ", "total_sv -", "at least 1"),
        ("total_sv ", "total_sv 999", "too short"),
    ],
)
def test_malformed_models_of_one_function_are_refused(iris, tmp_path, old, new, message):
    path = tmp_path / "text"
    write_function(OneClassSVM().fit(iris[0]), path, "one_class")
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(ModelFileError, match=message):
        import_libsvm(path)


def test_a_nu_svm_is_written_as_one(iris, tmp_path):
    X, y = iris
    model = NuSMOClassifier(nu=0.2).fit(X, y)

    export_libsvm(model, tmp_path / "text")

    assert (tmp_path / "text").read_text().startswith("svm_type nu_svc\n")
    back = import_libsvm(tmp_path / "text")
    np.testing.assert_allclose(back.decision_function(X), model.decision_function(X), rtol=1e-9)


def reference_decisions(path, X):
    """Return LIBSVM's decision values and labels, computed from the text in plain Python."""
    header, _, body = path.read_text().partition("\nSV\n")
    entries = {
        key: rest.split()
        for key, *rest in (
            (line.partition(" ")[0], line.partition(" ")[2]) for line in header.splitlines()
        )
        for rest in rest
    }
    labels, counts = [[int(word) for word in entries[key]] for key in ("label", "nr_sv")]
    n_classes = len(labels)
    coefficients, vectors = [], []
    for line in body.splitlines():
        words = line.split()
        coefficients.append([float(word) for word in words[: n_classes - 1]])
        vector = np.zeros(X.shape[1])
        for word in words[n_classes - 1 :]:
            index, value = word.split(":")
            vector[int(index) - 1] = float(value)
        vectors.append(vector)
    coefficients, vectors = np.array(coefficients).T, np.array(vectors)
    gamma = float(entries.get("gamma", ["1"])[0])
    coef0 = float(entries.get("coef0", ["0"])[0])
    degree = int(entries.get("degree", ["3"])[0])
    inner = X @ vectors.T
    kernel = {
        "linear": lambda: inner,
        "polynomial": lambda: (gamma * inner + coef0) ** degree,
        "sigmoid": lambda: np.tanh(gamma * inner + coef0),
        "rbf": lambda: np.exp(-gamma * ((X[:, None] - vectors[None]) ** 2).sum(axis=2)),
    }[entries["kernel_type"][0]]()
    of_class = np.repeat(np.arange(n_classes), counts)
    decisions, votes, m = [], np.zeros((X.shape[0], n_classes)), 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            first, second = of_class == i, of_class == j
            value = (
                kernel[:, first] @ coefficients[j - 1, first]
                + kernel[:, second] @ coefficients[i, second]
                - float(entries["rho"][m])
            )
            votes[:, i] += value > 0
            votes[:, j] += value <= 0
            decisions.append(value)
            m += 1
    tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.array(decisions).T, np.array(labels)[votes.argmax(axis=1)], tied


# Against scikit-learn's LIBSVM --------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_imported_svc_decides_as_scikit_learn(iris, tmp_path, kernel, n_classes, form):
    X, y = iris
    X, y = form(X[y < n_classes]), np.array([7, -2, 40])[y[y < n_classes]]
    svc = SVC(kernel=kernel, coef0=0.3, decision_function_shape="ovo").fit(X, y)
    path = tmp_path / "svc.model"
    write_svc(svc, path)

    model = import_libsvm(path, n_features=X.shape[1])

    model.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(
        model.decision_function(X), svc.decision_function(X), rtol=0, atol=1e-9
    )
    assert model.dual_coef_.flags.c_contiguous
    # scikit-learn breaks ties of votes as we do when it is asked to.
    svc.set_params(decision_function_shape="ovr", break_ties=n_classes > 2)
    assert np.array_equal(model.predict(X), svc.predict(X))


def test_imported_nu_svc_decides_as_scikit_learn(iris, tmp_path):
    X, y = iris
    svc = NuSVC(nu=0.2).fit(X, y)
    path = tmp_path / "svc.model"
    write_svc(svc, path, svm_type="nu_svc")

    model = import_libsvm(path)

    assert np.array_equal(model.predict(X), svc.predict(X))


def test_an_imported_nu_svm_breaks_ties_of_votes_as_libsvm_does(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 5, 200)
    svc = NuSVC(nu=0.5, gamma=3.0).fit(X, y)
    path = tmp_path / "svc.model"
    write_svc(svc, path, svm_type="nu_svc")
    samples = rng.normal(size=(500, 2))
    _, expected, tied = reference_decisions(path, samples)

    model = import_libsvm(path)

    assert tied.sum() > 20
    assert np.array_equal(model.predict(samples), expected)
    assert np.array_equal(model.predict(samples), svc.predict(samples))
    assert np.isnan(model.C_).all()
    save(model, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(samples), expected)
    export_libsvm(model, tmp_path / "again")
    assert (tmp_path / "again").read_text().startswith("svm_type nu_svc\n")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0), (1, 0, 2)])
def test_labels_can_come_in_any_order(iris, tmp_path, order):
    X, y = iris
    svc = SVC(decision_function_shape="ovo").fit(X, np.argsort(order)[y])
    path = tmp_path / "svc.model"
    # The same model with its labels renamed: class c of the fit is label order[c].
    svc.classes_ = np.array(order)
    write_svc(svc, path)
    _, expected, tied = reference_decisions(path, X)

    model = import_libsvm(path)

    assert model.classes_.tolist() == [0, 1, 2]
    assert np.array_equal(model.predict(X)[~tied], expected[~tied])
    assert np.mean(expected == y) > 0.9


@pytest.mark.parametrize("labels", [(1, -1), (-1, 1)])
def test_two_labels_can_come_in_any_order(tmp_path, labels):
    path = tmp_path / "tiny.model"
    path.write_text(
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.25\n"
        f"label {labels[0]} {labels[1]}\nnr_sv 1 1\nSV\n0.5 1:1\n-0.5 1:-1\n"
    )

    model = import_libsvm(path)

    # By hand: f(x) = x - 0.25 is positive for the first label.
    assert model.predict([[1.0], [-1.0]]).tolist() == list(labels)
    assert model.decision_function([[1.0]]).tolist() == [0.75 * labels[0]]


# Export -------------------------------------------------------------------------------------


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_exported_model_decides_the_same(iris, tmp_path, kernel, n_classes, form, refine):
    X, y = iris
    X, y = X[y < n_classes], np.array([3, 10, 20])[y[y < n_classes]]
    model = OLLAWVClassifier(
        kernel=kernel, coef0=0.3, refine=refine, decision_function_shape="ovo"
    ).fit(form(X), y)
    path = tmp_path / "ours.model"

    export_libsvm(model, path)

    decisions, labels, tied = reference_decisions(path, X)
    ours = model.decision_function(X).reshape(decisions.shape)
    np.testing.assert_allclose(decisions, ours, rtol=1e-9, atol=1e-9)
    assert np.array_equal(labels[~tied], model.predict(X)[~tied])


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_export_and_import_give_the_same_numbers(iris, tmp_path, kernel, n_classes):
    X, y = iris
    X, y = X[y < n_classes], y[y < n_classes]
    model = OLLAWVClassifier(kernel=kernel, degree=2, coef0=0.1).fit(X, y)
    path = tmp_path / "ours.model"

    export_libsvm(model, path)
    back = import_libsvm(path)

    assert np.array_equal(back.classes_, model.classes_)
    assert np.array_equal(back.n_support_, model.n_support_)
    assert np.array_equal(back.dual_coef_, model.dual_coef_)
    assert np.array_equal(back.intercept_, model.intercept_)
    assert np.array_equal(np.asarray(back.support_vectors_), model.support_vectors_)
    assert np.array_equal(back.decision_function(X), model.decision_function(X))


def test_export_of_an_import_is_the_same_text(iris, tmp_path):
    export_libsvm(OLLAWVClassifier().fit(*iris), tmp_path / "a")
    export_libsvm(import_libsvm(tmp_path / "a"), tmp_path / "b")

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_imported_model_can_be_saved_and_loaded(iris, tmp_path):
    X, y = iris
    export_libsvm(OLLAWVClassifier().fit(sp.csr_matrix(X), y), tmp_path / "text")
    model = import_libsvm(tmp_path / "text", n_features=4)

    save(model, tmp_path / "model")

    assert np.array_equal(load(tmp_path / "model").decision_function(X), model.decision_function(X))


def test_imported_model_has_no_path(iris, tmp_path):
    export_libsvm(OLLAWVClassifier(refine=None).fit(*iris), tmp_path / "text")

    model = import_libsvm(tmp_path / "text")

    assert len(model.path_) == 0
    with pytest.raises(ValueError):
        model.at_margin(0.01)


def test_sparse_text_stays_sparse(tmp_path):
    X = sp.csr_array(np.eye(40))
    export_libsvm(OLLAWVClassifier().fit(X, np.arange(40) % 2), tmp_path / "text")

    assert sp.issparse(import_libsvm(tmp_path / "text").support_vectors_)
    assert import_libsvm(tmp_path / "text", n_features=100).n_features_in_ == 100


@pytest.mark.parametrize(
    ("params", "labels", "message"),
    [
        ({"kernel": "laplacian"}, [0, 1, 2], "'laplacian' instead"),
        ({"kernel": lambda A, B: A @ B.T}, [0, 1, 2], "a function instead"),
        ({"multi_class": "ovr"}, [0, 1, 2], "multi_class='ovr'"),
        ({}, ["a", "b", "c"], "LabelEncoder"),
        ({}, [0.0, 1.0, 2.0], "LabelEncoder"),
        ({}, [0, 1, 2**31], "LabelEncoder"),
    ],
)
def test_what_libsvm_does_not_know_is_refused(iris, tmp_path, params, labels, message):
    X, y = iris
    model = OLLAWVClassifier(**params).fit(X, np.array(labels)[y])

    with pytest.raises(ValueError, match=message):
        export_libsvm(model, tmp_path / "text")

    assert list(tmp_path.iterdir()) == []


def test_export_of_truth_values_is_refused(iris, tmp_path):
    X, y = iris
    with pytest.raises(ValueError, match="integer labels"):
        export_libsvm(OLLAWVClassifier().fit(X, y == 0), tmp_path / "text")


def test_two_classes_one_vs_rest_can_be_exported(iris, tmp_path):
    X, y = iris
    model = OLLAWVClassifier(multi_class="ovr").fit(X, (y == 0).astype(int))

    export_libsvm(model, tmp_path / "text")

    assert np.array_equal(import_libsvm(tmp_path / "text").predict(X), model.predict(X))


def test_export_of_other_objects_is_refused(iris, tmp_path):
    with pytest.raises(TypeError, match="Export its last step"):
        export_libsvm(make_pipeline(MinMaxScaler(), OLLAWVClassifier()), tmp_path / "text")
    with pytest.raises(TypeError, match="Got LogisticRegression"):
        export_libsvm(LogisticRegression(), tmp_path / "text")
    with pytest.raises(NotFittedError):
        export_libsvm(OLLAWVClassifier(), tmp_path / "text")


def test_error_during_export_leaves_the_old_file(iris, tmp_path, monkeypatch):
    path = tmp_path / "text"
    path.write_text("old")
    model = OLLAWVClassifier().fit(*iris)

    def disk_full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space"):
        export_libsvm(model, path)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# Any numbers --------------------------------------------------------------------------------

_numbers = st.floats(-1e9, 1e9, allow_subnormal=True)


@st.composite
def _expansions(draw):
    n_classes = draw(st.integers(2, 4))
    counts = draw(st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes))
    counts[draw(st.integers(0, n_classes - 1))] += 1
    n_vectors, n_features = sum(counts), draw(st.integers(1, 4))
    labels = draw(
        st.lists(
            st.integers(-(2**31), 2**31 - 1), unique=True, min_size=n_classes, max_size=n_classes
        )
    )
    model = OLLAWVClassifier(refine=None)
    model.classes_ = np.array(sorted(labels))
    model.n_features_in_ = n_features
    model.support_ = np.arange(n_vectors, dtype=np.int32)
    model.n_support_ = np.array(counts, dtype=np.int32)
    dual_coef = draw(hnp.arrays(float, (n_classes - 1, n_vectors), elements=_numbers))
    model.expansion_ = KernelExpansion(
        KernelSpec("rbf", draw(st.floats(1e-12, 1e12))),
        draw(hnp.arrays(float, (n_vectors, n_features), elements=_numbers)),
        unarrange(dual_coef, model.n_support_, n_classes, "ovo"),
        draw(hnp.arrays(float, n_classes * (n_classes - 1) // 2, elements=_numbers)),
    )
    return model


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(model=_expansions())
def test_any_numbers_survive_the_text(tmp_path, model):
    path = tmp_path / "text"

    export_libsvm(model, path)
    back = import_libsvm(path, n_features=model.n_features_in_)

    vectors = back.support_vectors_
    vectors = vectors.toarray() if sp.issparse(vectors) else vectors
    assert np.array_equal(back.classes_, model.classes_)
    assert np.array_equal(back.n_support_, model.n_support_)
    assert np.array_equal(back.dual_coef_, model.dual_coef_)
    assert np.array_equal(back.intercept_, model.intercept_)
    assert np.array_equal(vectors, model.support_vectors_)
    assert back.expansion_.kernel == model.expansion_.kernel


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_change_of_the_text_gives_a_model_or_an_error(tmp_path, data):
    content = bytearray(TINY.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    path = tmp_path / "text"
    path.write_bytes(content)

    try:
        model = import_libsvm(path)
    except ModelFileError as error:
        message = str(error)
    else:
        message = str(path)
        assert model.predict(np.ones((1, model.n_features_in_))).shape == (1,)
    assert message.startswith(str(path))


# Malformed files ----------------------------------------------------------------------------

TINY = (
    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 0.2 0.3\n"
    "label 1 2 3\nnr_sv 1 1 1\nSV\n1 0.5 1:1 3:2.5\n-1 0.5 2:1\n-0.5 -0.5 1:-1\n"
)

# what is replaced, by what, part of the message
MALFORMED = {
    "empty": (TINY, "", "cut short"),
    "other text": (TINY, "label,x,y\n1,2,3\n", "not a LIBSVM model"),
    "data file": (TINY, "1 1:0.5 2:1\n", "not a LIBSVM model"),
    "not text": ("rbf", "r\xe9bf", "not plain text"),
    "zero byte": ("rbf", "r\0bf", "not plain text"),
    "another type": ("c_svc", "svdd", "svm_type must be one of c_svc, nu_svc, epsilon_svr"),
    "regression with labels": ("c_svc", "epsilon_svr", "epsilon_svr has no entry 'label'"),
    "one class with labels": ("c_svc", "one_class", "one_class has no entry 'label'"),
    "kernel": ("rbf", "precomputed", "kernel_type must be"),
    "kernel word": ("rbf", "", "kernel_type must be"),
    "unknown entry": ("gamma 0.5", "gamma 0.5\nwidth 3", "line 4: the entry 'width' is not known"),
    "empty line": ("gamma 0.5\n", "gamma 0.5\n\n", "line 4: the entry '' is not known"),
    "entry twice": ("gamma 0.5", "gamma 0.5\ngamma 0.5", "line 4: the entry 'gamma' comes twice"),
    "no svm_type": ("svm_type c_svc\n", "", "'svm_type' is missing"),
    "no kernel_type": ("kernel_type rbf\n", "", "'kernel_type' is missing"),
    "no gamma": ("gamma 0.5\n", "", "'gamma' is missing"),
    "no degree": ("rbf", "polynomial", "'degree' is missing"),
    "no coef0": ("rbf", "sigmoid", "'coef0' is missing"),
    "no label": ("label 1 2 3\n", "", "'label' is missing"),
    "no nr_sv": ("nr_sv 1 1 1\n", "", "'nr_sv' is missing"),
    "no rho": ("rho 0.1 0.2 0.3\n", "", "'rho' is missing"),
    "no SV": ("SV\n1 0.5 1:1 3:2.5\n-1 0.5 2:1\n-0.5 -0.5 1:-1\n", "", "'SV' is missing"),
    "gamma nan": ("gamma 0.5", "gamma nan", "'gamma' needs finite"),
    "gamma negative": ("gamma 0.5", "gamma -0.5", "gamma must be positive"),
    "gamma zero": ("gamma 0.5", "gamma 0", "gamma must be positive"),
    "gamma word": ("gamma 0.5", "gamma auto", "'gamma' needs finite"),
    "gamma twice": ("gamma 0.5", "gamma 0.5 0.5", "one number"),
    "gamma empty": ("gamma 0.5", "gamma", "'gamma' needs finite"),
    "gamma too large": ("gamma 0.5", "gamma 1e999", "'gamma' needs finite"),
    "gamma underscore": ("gamma 0.5", "gamma 1_0", "'gamma' needs finite"),
    "gamma hexadecimal": ("gamma 0.5", "gamma 0x1p3", "'gamma' needs finite"),
    "degree negative": ("gamma 0.5", "gamma 0.5\ndegree -1", "degree must not be"),
    "degree fraction": ("gamma 0.5", "gamma 0.5\ndegree 1.5", "whole numbers"),
    "classes one": ("nr_class 3", "nr_class 1", "at least 2"),
    "classes negative": ("nr_class 3", "nr_class -3", "at least 2"),
    "classes more": ("nr_class 3", "nr_class 4", "'rho' needs 6"),
    "classes many": ("nr_class 3", "nr_class 2147483647", "'rho' needs"),
    "classes too many": ("nr_class 3", "nr_class 99999999999", "whole numbers"),
    "rho nan": ("rho 0.1", "rho nan", "'rho' needs finite"),
    "rho short": ("rho 0.1 0.2 0.3", "rho 0.1 0.2", "'rho' needs 3"),
    "label short": ("label 1 2 3", "label 1 2", "'label' needs 3"),
    "label twice": ("label 1 2 3", "label 1 2 2", "a label comes twice"),
    "label fraction": ("label 1 2 3", "label 1 2 3.5", "whole numbers"),
    "label word": ("label 1 2 3", "label a b c", "whole numbers"),
    "label wide": ("label 1 2 3", "label 1 2 2147483648", "32 bits"),
    "probA short": ("label 1 2 3", "probA 1 2\nlabel 1 2 3", "'probA' needs 3"),
    "nr_sv lie": ("nr_sv 1 1 1", "nr_sv 1000000 1000000 1", "add up"),
    "nr_sv negative": ("nr_sv 1 1 1", "nr_sv 3 -1 1", "add up"),
    "nr_sv long": ("nr_sv 1 1 1", "nr_sv 1 1 1 0", "'nr_sv' needs 3"),
    "total_sv lie": ("total_sv 3", "total_sv 2000000000", "add up"),
    "both lie": (
        "total_sv 3\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 1 1 1",
        "total_sv 2000000000\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 1999999998 1 1",
        "too short for total_sv",
    ),
    "both a little": (
        "total_sv 3\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 1 1 1",
        "total_sv 4\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 2 1 1",
        "3 of 4 support vectors",
    ),
    "no vectors": (
        "total_sv 3\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 1 1 1",
        "total_sv 0\nrho 0.1 0.2 0.3\nlabel 1 2 3\nnr_sv 0 0 0",
        "at least 1",
    ),
    "line more": ("1:-1\n", "1:-1\n1 1 1:1\n", "line 13: there is text after"),
    "empty line more": ("1:-1\n", "1:-1\n\n", "line 13: there is text after"),
    "line less": ("-1 0.5 2:1\n", "", "2 of 3 support vectors"),
    "cut in a number": ("1:-1\n", "1:-", "line 12: the file is cut short"),
    "cut at the end": ("1:-1\n", "1:-1", "line 12: the file is cut short"),
    "coefficient missing": ("-1 0.5 2:1", "-1 2:1", "line 11: expected 2 coefficients"),
    "coefficient nan": ("-1 0.5 2:1", "nan 0.5 2:1", "line 11: expected 2 coefficients"),
    "coefficient infinite": ("-1 0.5 2:1", "-1e999 0.5 2:1", "too large for float64"),
    "coefficients more": ("-1 0.5 2:1", "-1 0.5 3 2:1", "line 11: expected"),
    "value nan": ("2:1\n", "2:nan\n", "line 11: expected"),
    "value infinite": ("2:1\n", "2:1e999\n", "too large for float64"),
    "value missing": ("2:1\n", "2:\n", "line 11: expected"),
    "value word": ("2:1\n", "2:1.2.3\n", "line 11: expected"),
    "colons": ("2:1\n", "2:1:1\n", "line 11: expected"),
    "no colon": ("2:1\n", "21\n", "line 11: expected"),
    "index missing": ("2:1\n", ":1\n", "line 11: expected"),
    "index zero": ("2:1\n", "0:1\n", "index 0 is below 1"),
    "index negative": ("2:1\n", "-2:1\n", "index -2 is below 1"),
    "index fraction": ("2:1\n", "2.0:1\n", "line 11: expected"),
    "index twice": ("1:1 3:2.5", "1:1 1:2.5", "index 1 follows 1"),
    "index falls": ("1:1 3:2.5", "3:1 1:2.5", "index 1 follows 3"),
    "index huge": ("2:1\n", "2147483646:1\n", "too large"),
    "index wraps": ("2:1\n", "18446744073709551618:1\n", "too large"),
    "index endless": ("2:1\n", "9" * 5000 + ":1\n", "line 11: expected"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_text_is_refused_without_much_memory(tmp_path, case):
    old, new, message = MALFORMED[case]
    assert old in TINY
    path = tmp_path / "text"
    path.write_bytes(TINY.replace(old, new).encode("latin-1"))

    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=message) as caught:
            import_libsvm(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert str(caught.value).startswith(str(path))
    assert peak < 40e6


def test_every_truncation_of_the_text_is_refused(tmp_path):
    path = tmp_path / "text"
    for length in range(len(TINY)):
        path.write_text(TINY[:length])
        with pytest.raises(ModelFileError):
            import_libsvm(path)


def test_index_above_n_features_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_text(TINY)

    with pytest.raises(ModelFileError, match="n_features = 2 was expected"):
        import_libsvm(path, n_features=2)


@pytest.mark.parametrize("n_features", [0, -1, 2.5, 2**31])
def test_n_features_must_be_a_whole_number(tmp_path, n_features):
    with pytest.raises(ValueError, match="n_features of import_libsvm"):
        import_libsvm(tmp_path / "text", n_features=n_features)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("\n", " \n"),
        (" ", "\t"),
        ("label", "probA 1 2 3\nprobB 1 2 3\nlabel"),
        ("gamma 0.5", "gamma 5.E-1\ndegree 3\ncoef0 +0"),
        ("c_svc", "nu_svc"),
    ],
)
def test_what_libsvm_also_reads_is_accepted(tmp_path, old, new):
    path, plain = tmp_path / "text", tmp_path / "plain"
    path.write_bytes(TINY.replace(old, new).encode())
    plain.write_text(TINY)
    X = np.random.default_rng(3).normal(size=(9, 3))

    assert np.array_equal(
        import_libsvm(path).decision_function(X), import_libsvm(plain).decision_function(X)
    )
