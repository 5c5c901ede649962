"""The trajectory figure."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic import OLLAWVClassifier
from svmosaic.exceptions import MissingDependencyError
from svmosaic.plots import new_axes, plot_trajectory
from svmosaic.plots.trajectory import _running_mean


def test_the_curve_is_the_recorded_path():
    X, y = make_classification(100, random_state=0)
    model = make_pipeline(MinMaxScaler(), OLLAWVClassifier(refine=None)).fit(X, y)

    ax = plot_trajectory(model)

    path = model[-1].path_[0]
    raw, mean, margin = ax.get_lines()
    np.testing.assert_array_equal(raw.get_xdata(), path.n_support)
    np.testing.assert_array_equal(raw.get_ydata(), path.violations)
    assert mean.get_ydata()[0] == pytest.approx(path.violations[0])
    assert set(margin.get_ydata()) == {0.1}


def test_the_mean_of_a_constant_path_is_the_constant():
    np.testing.assert_allclose(_running_mean(np.full(300, 2.5)), 2.5)


def test_problems_can_be_chosen():
    model = OLLAWVClassifier(refine=None).fit(*load_iris(return_X_y=True))

    ax = plot_trajectory(model, problems=[0, 2], ax=new_axes(), title="two")

    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [name for name in names if "mean" not in name] == [
        "problem 0",
        "problem 2",
        "margin 0.1",
    ]
    assert ax.get_title() == "two"


def test_many_problems_are_drawn_without_names():
    model = OLLAWVClassifier(refine=None).fit(*load_digits(return_X_y=True))

    ax = plot_trajectory(model)

    assert len(ax.get_lines()) == 46
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["margin 0.1"]


def test_a_long_path_gets_a_logarithmic_axis():
    X, y = make_classification(900, flip_y=0.5, random_state=0)
    model = OLLAWVClassifier(refine=None).fit(X, y)

    assert plot_trajectory(model).get_xscale() == "log"


def test_a_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(MissingDependencyError, match=r"svmosaic\[plot\]"):
        new_axes()
