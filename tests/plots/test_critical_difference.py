"""The critical-difference diagram shows what the numbers say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from svmosaic.plots import new_axes, plot_comparison, plot_critical_difference, to_png, to_svg
from svmosaic.stats import compare

RANKS = {"a": 1.2, "b": 1.9, "c": 2.9, "d": 4.0}


def _bars(ax):
    """Return begin and end of the thick lines, which join groups."""
    lines = [line for line in ax.lines if line.get_linewidth() > 3]
    return [tuple(np.round(line.get_xdata(), 2)) for line in lines]


def _texts(ax):
    return [text.get_text() for text in ax.texts]


def test_every_method_is_named_and_led_to_its_rank():
    ax = plot_critical_difference(RANKS, 1.1)

    assert set(RANKS) <= set(_texts(ax))
    assert "critical difference 1.1" in _texts(ax)
    starts = {line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 3}
    assert starts == set(RANKS.values())


@pytest.mark.parametrize(
    ("n", "numbers"), [(14, range(1, 15)), (15, range(1, 16, 2)), (22, range(1, 23, 2))]
)
def test_the_numbers_of_the_axis_do_not_touch(n, numbers):
    ax = plot_critical_difference({f"method {i}": float(i) for i in range(1, n + 1)}, 2.0)
    ax.figure.canvas.draw()

    shown = [text for text in ax.texts if text.get_text().isdigit()]
    assert [int(text.get_text()) for text in shown] == list(numbers)
    boxes = [text.get_window_extent() for text in shown]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("n", [3, 10, 22])
def test_no_line_crosses_a_rank(n):
    ax = plot_critical_difference({f"method {i}": float(i) for i in range(1, n + 1)}, 2.0)
    ax.figure.canvas.draw()

    boxes = [text.get_window_extent() for text in ax.texts if "." in text.get_text()]
    assert len(boxes) == n
    begin, end = ax.transData.transform([(1.0, 0.0), (float(n), 0.0)])[:, 0]
    assert all(box.x1 < begin or box.x0 > end for box in boxes)


def test_a_bar_per_group_and_none_twice():
    ax = plot_critical_difference(RANKS, 1.1, groups=[("b", "c"), ("a", "b"), ("d",)])

    assert _bars(ax) == [(1.18, 1.92), (1.88, 2.92)]
    heights = [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() > 3]
    assert len(set(heights)) == 2


@pytest.mark.parametrize(
    ("control", "interval"), [("a", (1.2, 2.0)), ("c", (2.1, 3.7)), ("d", (3.2, 4.0))]
)
def test_the_interval_of_a_control_is_one_critical_difference(control, interval):
    ax = plot_critical_difference(RANKS, 0.8, control=control)

    (box,) = ax.patches
    assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx(interval)
    bold = [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    assert bold == [control]


@pytest.mark.parametrize(
    ("control", "difference", "bar"),
    [("a", 0.8, [(1.18, 1.92)]), ("c", 1.05, [(1.88, 2.92)]), ("d", 0.8, [])],
)
def test_a_bar_joins_what_does_not_differ_from_the_control(control, difference, bar):
    ax = plot_critical_difference(RANKS, difference, control=control)

    assert _bars(ax) == bar
    # The ruler above the axis is to scale.
    (ruler,) = [line for line in ax.lines if tuple(line.get_ydata()) == (1.75, 1.75)]
    assert tuple(ruler.get_xdata()) == pytest.approx((1.0, 1.0 + difference))


@pytest.mark.parametrize(("n", "columns"), [(9, 2), (12, 2), (30, 1), (60, 3)])
def test_the_numbers_of_narrow_axes_do_not_touch(n, columns):
    figure = new_axes((7.0, 3.0)).figure
    figure.clear()
    ax, *_ = np.ravel(figure.subplots(1, columns))

    plot_critical_difference({f"m{i}": float(i) for i in range(1, n + 1)}, 2.0, ax=ax)
    figure.canvas.draw()

    boxes = [text.get_window_extent() for text in ax.texts if text.get_text().isdigit()]
    assert len(boxes) >= 3
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_a_comparison_draws_itself():
    rng = np.random.default_rng(0)
    scores = rng.normal([0, 1, 3], 1, (20, 3))

    pairs, control = compare(scores), compare(scores, control="best")

    assert len(_bars(plot_comparison(pairs))) == len(pairs.groups)
    assert len(_bars(plot_comparison(control))) <= 1
    assert len(plot_comparison(control).patches) == 1
    assert plot_comparison(control, title="scores").get_title() == "scores"


def test_it_draws_into_given_axes():
    ax = new_axes()

    assert plot_critical_difference(RANKS, 1.1, ax=ax) is ax


def test_the_same_diagram_gives_the_same_bytes():
    first, second = (to_svg(plot_critical_difference(RANKS, 1.1)) for _ in range(2))

    assert first == second
    assert to_png(plot_critical_difference(RANKS, 1.1)).startswith(b"\x89PNG")


def test_names_are_shown_as_they_are():
    name = "a very long name, 50% & $x$ <b>"
    ax = plot_critical_difference({name: 1.1, "b": 1.9}, 9.9)

    assert name in _texts(ax)
    assert to_png(ax).startswith(b"\x89PNG")


@pytest.mark.parametrize("letters", [5, 20, 32, 60])
def test_long_names_are_inside_the_figure(letters):
    ax = plot_critical_difference({name * letters: rank for name, rank in RANKS.items()}, 1.1)
    ax.figure.canvas.draw()

    page = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert page.x0 <= box.x0 < box.x1 <= page.x1


def test_an_unknown_control_is_refused():
    with pytest.raises(ValueError, match=r"'x' has no rank\. Ranked are: a, b, c, d"):
        plot_critical_difference(RANKS, 1.1, control="x")
