"""Values against the number of rows."""

from __future__ import annotations

from svmosaic.plots import plot_growth, to_svg


def test_points_are_drawn_in_the_order_of_rows():
    ax = plot_growth({"a": [(1000, 9.0), (100, 0.1)], "b": [(100, 0.2)]}, ylabel="seconds")

    first, second = ax.get_lines()
    assert first.get_xdata().tolist() == [100, 1000]
    assert second.get_xdata().tolist() == [100]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_ylabel() == "seconds"


def test_what_has_no_place_on_logarithmic_axes_is_left_out():
    ax = plot_growth({"a": [(100, 0.0), (200, 3.0), (0, 1.0)], "empty": []}, ylabel="s")

    (line,) = ax.get_lines()
    assert line.get_xdata().tolist() == [200]
    assert ax.get_legend() is None
    assert b"<svg" in to_svg(ax)


def test_few_powers_of_ten_have_plain_numbers():
    ax = plot_growth({"a": [(150, 0.5), (600, 2.0)]}, ylabel="s")

    ax.figure.canvas.draw()
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    assert {"200", "500"} <= set(names)


def test_names_are_shown_as_they_are():
    names = ["$\\broken{$", "_hidden", "n" * 80]
    ax = plot_growth({name: [(1, 1)] for name in names}, ylabel="s")

    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown[:2] == names[:2]
    assert shown[2] == "n" * 45 + "…"
    assert b"<svg" in to_svg(ax)


def test_more_methods_than_colours_stay_apart():
    ax = plot_growth({str(i): [(1, i + 1)] for i in range(15)}, ylabel="s")

    looks = {(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}
    assert len(looks) == 15
