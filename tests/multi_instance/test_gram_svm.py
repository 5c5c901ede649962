"""SVMs on parts of one kernel matrix, against SVMs on matrices of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from svmosaic.engine import cpu
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.gram_svm import solve_gram


def problem(n=40, seed=0):
    """Return the rbf kernel of noisy samples, and their signs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    signs = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    return np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2)), signs


def splits_of(n, n_folds=3):
    places = np.arange(n)
    return [(places[places % n_folds != f], places[places % n_folds == f]) for f in range(n_folds)]


def test_scores_of_left_out_rows_are_those_of_separate_matrices():
    gram, signs = problem()
    Cs = np.array([0.1, 1.0, 10.0])

    found = cpu.score_left_out(gram, signs, splits_of(40), Cs, SmoSettings(tol=1e-3))

    for split, (train, test) in enumerate(splits_of(40)):
        coef = None
        for number, C in enumerate(Cs):
            settings = SmoSettings(C=C, tol=1e-3)
            part, weights = gram[np.ix_(train, train)], np.ones(train.size)
            coef, intercept, _ = solve_gram(part, signs[train], weights, settings, coef)
            expected = gram[np.ix_(test, train)] @ coef + intercept
            assert_allclose(found[number][split], expected, rtol=0, atol=1e-12)


def test_penalties_that_hold_nothing_back_have_the_same_scores():
    gram, signs = problem()

    *_, last, beyond = cpu.score_left_out(
        gram, signs, splits_of(40), np.array([1.0, 1e6, 1e7]), SmoSettings()
    )

    assert_allclose(np.concatenate(beyond), np.concatenate(last), rtol=0, atol=0)


def test_without_splits_there_is_nothing_to_score():
    gram, signs = problem()

    assert cpu.score_left_out(gram, signs, [], np.ones(2), SmoSettings()) == [[], []]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"gram": np.ones((3, 4))}, ValueError, "square kernel matrix"),
        ({"signs": np.ones(3)}, ValueError, "a sign for each"),
        ({"Cs": np.array([1.0, 0.1])}, ValueError, "ascending penalties"),
        ({"splits": [(np.array([1, 0]), np.array([2]))]}, ValueError, "ascending training rows"),
        ({"splits": [(np.array([0, 40]), np.array([2]))]}, IndexError, "training rows"),
        ({"splits": [(np.array([0, 1]), np.array([-1]))]}, IndexError, "test rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, error, words):
    gram, signs = problem()
    given = {"gram": gram, "signs": signs, "splits": splits_of(40), "Cs": np.ones(1)} | change

    with pytest.raises(error, match=words):
        cpu.score_left_out(**given, settings=SmoSettings())
