"""Correlations in the order of a chain."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.plots import plot_chain, to_svg

Y = np.random.default_rng(0).normal(size=(30, 3))


def test_rows_stand_in_the_order_of_the_chain_with_their_sums():
    ax = plot_chain(Y, [2, 0, 1], names=["a", "b", "$c"], title="three")

    sums = np.corrcoef(Y.T).sum(axis=1)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        f"$c, sum {sums[2]:.2f}",
        f"a, sum {sums[0]:.2f}",
        f"b, sum {sums[1]:.2f}",
    ]
    assert len(ax.texts) == 9
    assert b"<svg" in to_svg(ax)


def test_many_targets_have_no_numbers():
    many = np.random.default_rng(0).normal(size=(30, 12))

    assert len(plot_chain(many, range(12)).texts) == 0


def test_another_order_is_refused():
    with pytest.raises(ValueError, match="must name each column of Y once"):
        plot_chain(Y, [0, 1])
