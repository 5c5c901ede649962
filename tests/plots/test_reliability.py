"""Reliability diagrams."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.plots import plot_reliability, reliability_bins, to_svg


def test_true_probabilities_lie_on_the_diagonal():
    rng = np.random.default_rng(0)
    p = rng.random(40_000)

    bins = reliability_bins(rng.random(p.size) < p, p)

    assert len(bins) == 10
    assert sum(count for *_, count in bins) == p.size
    assert all(abs(mean - share) < 0.03 for mean, share, _ in bins)


def test_bins_hold_equally_many_samples():
    p = np.arange(100) / 1000

    assert [count for *_, count in reliability_bins(np.zeros(100), p, n_bins=4)] == [25] * 4


def test_equal_probabilities_share_a_bin():
    assert reliability_bins([0, 1, 1, 1], [0.75] * 4) == [(0.75, 0.75, 4)]


def test_models_are_drawn_above_the_diagonal_line():
    rng = np.random.default_rng(1)
    p = rng.random(200)

    ax = plot_reliability({"a": (p > 0.5, p), "b": (p > 0.2, p)}, n_bins=5, title="two models")

    diagonal, first, second = ax.get_lines()
    assert diagonal.get_xydata().tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert len(first.get_xdata()) == len(second.get_xdata()) == 5
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert b"<svg" in to_svg(ax)


@pytest.mark.parametrize(
    ("events", "p", "n_bins", "message"),
    [
        ([1, 0], [0.5], 5, "one probability for each sample"),
        ([], [], 5, "one probability for each sample"),
        ([2, 0], [0.5, 0.5], 5, "whether an event came"),
        ([1, 0], [0.5, 1.5], 5, r"in \[0, 1\]. Got 1.5"),
        ([1, 0], [0.5, np.nan], 5, r"in \[0, 1\]. Got nan"),
        ([1, 0], [0.5, 0.5], 0, "at least 1. Got 0"),
    ],
)
def test_bad_input_is_refused(events, p, n_bins, message):
    with pytest.raises(ValueError, match=message):
        reliability_bins(events, p, n_bins=n_bins)
