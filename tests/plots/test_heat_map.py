"""Scores over two parameters, and over one."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.plots import plot_curves, plot_heat_map, to_svg


def test_the_best_score_has_the_frame():
    scores = [[0.5, 0.6, 0.7], [0.9, np.nan, 0.8]]

    ax = plot_heat_map(scores, [1, 10, 100], ["low", None], xlabel="C", ylabel="mode")

    frame = ax.get_lines()[-1]
    assert (min(frame.get_xdata()), max(frame.get_xdata())) == (-0.5, 0.5)
    assert (min(frame.get_ydata()), max(frame.get_ydata())) == (0.5, 1.5)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["low", "None"]
    # The score that is missing is not written.
    assert len(ax.texts) == 5


def test_large_maps_have_no_numbers_and_few_ticks():
    ax = plot_heat_map(
        np.random.default_rng(0).random((20, 20)), range(20), range(20), xlabel="a", ylabel="b"
    )

    assert len(ax.texts) == 0
    assert len(ax.get_xticks()) <= 9


def test_a_map_without_any_score_is_drawn():
    ax = plot_heat_map([[np.nan]], [1], [1], xlabel="a", ylabel="b", title="$none")

    assert b"<svg" in to_svg(ax)


def test_scores_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="1 rows and 3 columns are named"):
        plot_heat_map([[1, 2]], [1, 2, 3], [1], xlabel="a", ylabel="b")


@pytest.mark.parametrize(
    ("values", "scale"), [((1, 10, 100), "log"), ((1, 2, 3), "linear"), ((0, 1, 10), "linear")]
)
def test_a_curve_over_factors_has_a_logarithmic_axis(values, scale):
    ax = plot_curves({"a": [(v, 0.5) for v in values]}, xlabel="C", ylabel="accuracy")

    assert ax.get_xscale() == scale
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [str(v) for v in values]
