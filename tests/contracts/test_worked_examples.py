"""The worked examples of CONTRIBUTING.md run, and do what the page says of them."""

from __future__ import annotations

import pickle
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from svmosaic import SMOClassifier
from svmosaic.engine import protocol
from svmosaic.engine.expansion import kernel_matrix
from svmosaic.streams import SEA, prequential

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def example(section, monkeypatch):
    """Return the names that the first Python block of a section defines."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    module = types.ModuleType("worked_example")
    module.np = np
    # Pickle and dataclasses look the module up.
    monkeypatch.setitem(sys.modules, "worked_example", module)
    exec(compile(code, PAGE.name, "exec", dont_inherit=True), vars(module))
    return module


@pytest.fixture
def solver(monkeypatch):
    monkeypatch.setattr(protocol, "_SOLVERS", dict(protocol._SOLVERS))
    return example("Adding a solver", monkeypatch).KernelMeanClassifier


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_the_toy_solver_is_the_difference_of_class_means(solver, iris):
    X, y = iris[0][50:], iris[1][50:]
    model = solver(gamma=0.5).fit(X, y)

    values = kernel_matrix(model.expansion_.kernel, X, X)
    expected = values[:, y == 2].mean(axis=1) - values[:, y == 1].mean(axis=1)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_the_toy_solver_has_what_every_classifier_has(solver, iris, multi_class, form):
    X, y = iris
    weights = np.arange(len(y)) % 3
    model = solver(gamma=0.5, multi_class=multi_class)

    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(form(X), y, sample_weight=weights)
    repeated = solver(gamma=0.5, multi_class=multi_class).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )

    assert model.score(X, y) > 0.9
    np.testing.assert_allclose(model.decision_function(X), repeated.decision_function(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_the_toy_kernel_works_in_every_estimator(iris, monkeypatch):
    X, y = iris
    chi_squared = example("Adding a kernel", monkeypatch).chi_squared

    assert SMOClassifier(kernel=chi_squared).fit(X, y).score(X, y) > 0.9


def test_the_toy_learner_of_bags_learns(monkeypatch):
    page = example("Adding a learner of bags or of streams", monkeypatch)
    rng = np.random.default_rng(0)
    bags = [rng.normal(size=(4, 2)) + np.array([6.0 * (i % 2), 0.0]) for i in range(20)]
    y = np.where(np.arange(20) % 2, "yes", "no")

    model = page.LargestFeatureClassifier().fit(bags, y)

    assert (model.predict(bags) == y).all()
    with pytest.raises(ValueError, match="features"):
        model.predict([np.zeros((1, 3))])


def test_any_model_with_partial_fit_learns_a_stream():
    result = prequential(GaussianNB(), SEA(seed=1), n_samples=2000)

    assert result.last()["GaussianNB"]["accuracy"] > 0.8
