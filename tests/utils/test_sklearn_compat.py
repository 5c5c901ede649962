"""What we add to scikit-learn's own context of `fit`."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn import get_config

from svmosaic import OLLAWVClassifier

X = np.array([[0.0], [0.1], [1.0], [1.1]])
Y = np.array([0, 0, 1, 1])


def fit_stopped_at(stop_at):
    """Fit with an interrupt at one line of scikit-learn's configuration; return the lines run."""
    n_lines = 0

    def trace(frame, event, _):
        nonlocal n_lines
        if frame.f_globals.get("__name__") != "sklearn._config":
            return None
        if event == "line":
            n_lines += 1
            if n_lines == stop_at:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        OLLAWVClassifier().fit(X, Y)
    finally:
        sys.settrace(None)
    return n_lines


def test_an_interrupt_at_any_line_of_the_configuration_keeps_validation_on():
    OLLAWVClassifier().fit(X, Y)  # Imports and the like are done.
    n_lines = fit_stopped_at(None)

    assert n_lines > 10
    for line in range(1, n_lines + 1):
        with pytest.raises(KeyboardInterrupt):
            fit_stopped_at(line)
        assert get_config()["skip_parameter_validation"] is False
