"""The examples of the gallery run without a warning, are short, and draw a figure with a title."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*/plot_*.py"))
# Examples that take more than a few seconds, and those that need a cluster.
MARKS = {
    "plot_half_a_million_rows": pytest.mark.slow,
    "plot_text_sparse_rows": pytest.mark.slow,
    "plot_one_line_patch": pytest.mark.slow,
    "plot_bag_methods": pytest.mark.slow,
    "plot_multi_target_chains": pytest.mark.slow,
    "plot_dask": pytest.mark.dask,
}
CASES = [pytest.param(path, id=path.stem, marks=MARKS.get(path.stem, ())) for path in EXAMPLES]


@pytest.fixture
def pyplot(monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    # In a folder of its own, so that an example may write files.
    monkeypatch.chdir(tmp_path)
    yield plt
    plt.close("all")


@pytest.mark.parametrize("path", CASES)
def test_an_example_draws_a_figure(path, pyplot, capsys):
    # An example may change the filters; they are ours again afterwards.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as missing:
            pytest.skip(str(missing))

    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert len(figures) == 1
    # The gallery takes the alternative text of an image from the titles.
    assert all(ax.get_title() for ax in figures[0].axes if ax.get_label() != "<colorbar>")


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 20
    assert {path.parent.name for path in EXAMPLES} == {
        path.parent.name for path in FOLDER.glob("*/GALLERY_HEADER.rst")
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_begins_with_its_title(path):
    text = path.read_text(encoding="utf-8")
    title, rule = text.splitlines()[1:3]
    code = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    assert rule == "=" * len(title)
    assert 5 <= len(code) <= 65
