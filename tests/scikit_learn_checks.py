"""scikit-learn's checks of estimators as parameters of a test."""

from __future__ import annotations

import pytest
from sklearn.utils import estimator_checks


def parametrize_with_checks(estimators):
    """Return scikit-learn's decorator with the checks as a list.

    scikit-learn before 1.9 passes a generator, and pytest 9 warns of that. An estimator is printed
    once, not once for each of its checks: that takes seconds.
    """
    mark = estimator_checks.parametrize_with_checks(estimators)
    names, checks = mark.args
    checks, name_of = list(checks), mark.kwargs["ids"]
    printed = {}

    def name(value):
        # `checks` keeps every value, so that no number stands for two of them.
        if id(value) not in printed:
            printed[id(value)] = name_of(value)
        return printed[id(value)]

    return pytest.mark.parametrize(names, checks, ids=name)
