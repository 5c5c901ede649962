"""Curves along a stream."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svmosaic.plots import plot_prequential, to_svg
from svmosaic.streams import PrequentialResult


def _result(names=("one", "two"), n=5, drifts=()):
    records = [
        {
            "learner": name,
            "end": 100 * (i + 1),
            "accuracy": math.nan if i == 0 else 0.5,
            "window_accuracy": math.nan if i == 0 else 0.1 * i + 0.01 * k,
        }
        for k, name in enumerate(names)
        for i in range(n)
    ]
    return PrequentialResult(records, drifts)


def test_a_curve_for_each_learner_without_the_first_chunk():
    ax = plot_prequential(_result())

    one, two = ax.get_lines()
    assert list(one.get_xdata()) == [200, 300, 400, 500]
    np.testing.assert_allclose(two.get_ydata(), [0.11, 0.21, 0.31, 0.41])
    assert one.get_color() != two.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]


def test_a_triangle_where_a_learner_restarted():
    result = _result()
    for record in result.of("two"):
        record["n_drifts"] = 0 if record["end"] < 300 else 1

    ax = plot_prequential(result)

    (marks,) = (line for line in ax.get_lines() if line.get_marker() == "^")
    assert list(marks.get_xdata()) == [300]
    assert marks.get_color() == ax.get_lines()[1].get_color()
    assert "a learner restarted" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_triangles_of_two_learners_do_not_hide_each_other():
    result = _result()
    for record in result.records:
        record["n_drifts"] = 0 if record["end"] < 300 else 1

    ax = plot_prequential(result)

    one, two = (line for line in ax.get_lines() if line.get_marker() == "^")
    assert list(one.get_xdata()) == list(two.get_xdata()) == [300]
    assert list(one.get_ydata()) != list(two.get_ydata())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels.count("a learner restarted") == 1


def test_changes_of_the_concept_are_marked_where_the_run_came_to():
    ax = plot_prequential(_result(drifts=(150, 300, 900)))

    marks = ax.get_lines()[2:]
    assert [mark.get_xdata()[0] for mark in marks] == [150, 300]
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "the concept changes"


def test_all_samples_instead_of_the_window():
    ax = plot_prequential(_result(), windowed=False)

    assert list(ax.get_lines()[0].get_ydata()) == [0.5] * 4
    assert ax.get_ylabel() == "accuracy, all samples"


def test_long_curves_are_thinned_and_keep_their_mean():
    ax = plot_prequential(_result(n=2001))

    (x, y) = (ax.get_lines()[0].get_xdata(), ax.get_lines()[0].get_ydata())
    assert len(x) == 400
    np.testing.assert_allclose(np.mean(y), 0.1 * np.mean(np.arange(1, 2001)))


def test_dollars_and_many_learners_are_drawn():
    ax = plot_prequential(_result(names=[f"${i}_^$" for i in range(9)]))

    assert b"<svg" in to_svg(ax)
    styles = {(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}
    assert len(styles) == 9


def test_an_unknown_measure_is_told():
    with pytest.raises(ValueError, match=r"has no measure 'kappa'. Choose .* for: accuracy"):
        plot_prequential(_result(), metric="kappa")
