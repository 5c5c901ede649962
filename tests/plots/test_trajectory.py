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


def _names(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_problems_can_be_chosen():
    model = OLLAWVClassifier(refine=None).fit(*load_iris(return_X_y=True))

    ax = plot_trajectory(model, problems=[0, 2], ax=new_axes(), title="two")

    assert _names(ax) == ["0 vs 1", "1 vs 2", "margin 0.1"]
    assert ax.get_legend().get_title().get_text() == ""
    assert ax.get_title() == "two"


def test_one_against_the_rest_is_named_so():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "a name of $many$ words"])

    ax = plot_trajectory(OLLAWVClassifier(refine=None, multi_class="ovr").fit(X, names[y]))

    expected = ["a name of $many… vs rest", "setosa vs rest", "versicolor vs rest"]
    assert _names(ax) == [*expected, "margin 0.1"]


def test_of_many_problems_the_hardest_are_drawn():
    model = OLLAWVClassifier(refine=None).fit(*load_digits(return_X_y=True))

    ax = plot_trajectory(model)

    # Steps and mean of each, and the margin.
    assert len(ax.get_lines()) == 2 * 5 + 1
    assert ax.get_legend().get_title().get_text() == "the 5 hardest of 45 problems"
    drawn = sorted((line.get_xdata().max() for line in ax.get_lines()[:-1:2]), reverse=True)
    assert drawn == sorted((path.n_support.max() for path in model.path_), reverse=True)[:5]
    assert all(" vs " in name for name in _names(ax)[:-1])


def test_a_long_path_gets_a_logarithmic_axis():
    X, y = make_classification(900, flip_y=0.5, random_state=0)
    model = OLLAWVClassifier(refine=None).fit(X, y)

    assert plot_trajectory(model).get_xscale() == "log"


def test_a_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(MissingDependencyError, match=r"svmosaic\[plot\]"):
        new_axes()
