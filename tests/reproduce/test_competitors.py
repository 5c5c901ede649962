"""Competitors that scikit-learn lacks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from svmosaic.reproduce.competitors import NumericNaiveBayes, RipperClassifier


def test_normal_densities_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)

    ours = NumericNaiveBayes().fit(X, y).predict(X)

    assert np.mean(ours == GaussianNB().fit(X, y).predict(X)) > 0.99


def test_kernel_densities_see_two_hills():
    rng = np.random.default_rng(0)
    centres = rng.choice([-4.0, 4.0], 300)
    X = np.concatenate([centres + rng.normal(size=300), rng.normal(size=300)])[:, None]
    y = np.repeat(["hills", "valley"], 300)

    scores = {
        use: cross_val_score(NumericNaiveBayes(use_kernel=use), X, y).mean()
        for use in (False, True)
    }

    # A normal density of the hills is wide and still finds the valley; the kernels know more.
    assert scores[True] > 0.93
    assert scores[True] >= scores[False]


def test_the_kernel_density_by_hand():
    # One feature, range / sqrt(n) = 2 / 2 = 1 for the class of four values.
    X = np.array([[0.0], [1.0], [1.5], [2.0], [9.0], [10.0]])
    y = np.array([0, 0, 0, 0, 1, 1])
    model = NumericNaiveBayes(use_kernel=True).fit(X, y)

    assert model._widths[0][0] == pytest.approx(1.0)
    assert model._widths[1][0] == pytest.approx(max(1 / np.sqrt(2), 10 / 5 / 6))
    assert model.predict([[3.0], [8.0]]).tolist() == [0, 1]


def test_a_constant_feature_is_harmless():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(y))])

    for use in (False, True):
        assert NumericNaiveBayes(use_kernel=use).fit(X, y).score(X, y) > 0.9


def test_ripper_takes_more_than_two_classes():
    pytest.importorskip("wittgenstein")
    X, y = load_wine(return_X_y=True)

    model = RipperClassifier(random_state=0).fit(X[::2], y[::2])

    # The most frequent class has 40 % of the samples.
    assert model.score(X[1::2], y[1::2]) > 0.6
    # From the rarest class on; the most frequent one has no rules.
    assert [label for label, _ in model.rules_] == [2, 0]
    again = RipperClassifier(random_state=0).fit(X[::2], y[::2])
    assert (again.predict(X) == model.predict(X)).all()


def test_ripper_keeps_names_of_classes():
    pytest.importorskip("wittgenstein")
    X, y = load_iris(return_X_y=True)
    names = np.array(["one", "two", "three"])[y]

    assert set(RipperClassifier(random_state=0).fit(X, names).predict(X)) <= {"one", "two", "three"}


def test_ripper_does_not_depend_on_the_units():
    pytest.importorskip("wittgenstein")
    X, y = load_iris(return_X_y=True)

    model, small = (RipperClassifier(random_state=0).fit(f * X, y) for f in (1.0, 2.0**-10))

    assert (model.predict(X) == small.predict(2.0**-10 * X)).all()
