"""Runs to report on."""

from __future__ import annotations

import pytest

from journals import EVIL, QUOTED, write_run


@pytest.fixture
def plain_run(tmp_path):
    """Three data sets and three methods, two folds each, with a tie."""
    scores = [
        [[0.9, 0.8], [0.8, 0.9], [0.5, 0.6]],
        [[0.7, 0.7], [0.6, 0.6], [0.5, 0.5]],
        [[0.99, 0.97], [0.9, 0.9], [0.8, 0.8]],
    ]
    return write_run(tmp_path / "trial.run", scores, methods=[EVIL, QUOTED, "$x_1$"])
