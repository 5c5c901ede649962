"""scikit-learn's checks of estimators as parameters of a test."""

from __future__ import annotations

import pytest
from sklearn.utils import estimator_checks


def parametrize_with_checks(estimators):
    """Return scikit-learn's decorator with the checks as a list.

    scikit-learn before 1.9 passes a generator, and pytest 9 warns of that.
    """
    mark = estimator_checks.parametrize_with_checks(estimators)
    names, checks = mark.args
    return pytest.mark.parametrize(names, list(checks), **mark.kwargs)
