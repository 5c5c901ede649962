"""River's labelling functions agree with ours on the same points."""

import numpy as np
import pytest

from svmosaic.streams import LED, SEA, STAGGER, Agrawal, Mixed, Sine

synth = pytest.importorskip("river.datasets.synth")

PREFIX = "_classification_function_"
WORDS = ("zero", "one", "two", "three")


@pytest.mark.parametrize(
    ("maker", "peer", "function"),
    [(Sine, "Sine", f) for f in range(1, 5)]
    + [(Mixed, "Mixed", f) for f in (1, 2)]
    + [(STAGGER, "STAGGER", f) for f in (1, 2, 3)],
)
def test_concepts_agree(maker, peer, function):
    label = getattr(getattr(synth, peer), PREFIX + WORDS[function - 1])

    X, y = maker(function, seed=1).read(0, 2000)

    assert y.tolist() == [label(*point) for point in X]


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_sea_agrees(function):
    peer = synth.SEA(variant=function - 1, noise=0.0, seed=1)
    points, labels = zip(*peer.take(2000), strict=True)

    ours = SEA(function).label([list(point.values()) for point in points])

    assert ours.tolist() == [int(label) for label in labels]


@pytest.mark.parametrize("function", [1, 2, 3, 4, 6])
def test_age_rules_of_agrawal_agree_up_to_the_names_of_the_groups(function):
    # River calls group A 1. Its rule 5 compares salaries where the paper compares loans.
    label = getattr(synth.Agrawal, f"{PREFIX}{function - 1}")

    X, y = Agrawal(function, perturbation=0.0, seed=1).read(0, 2000)

    assert y.tolist() == [1 - label(*point) for point in X]


@pytest.mark.parametrize("function", [7, 8, 9, 10])
def test_income_rules_of_agrawal_agree(function):
    # River asks for more than 1 to be left, the paper for more than 0; no point lies between.
    label = getattr(synth.Agrawal, f"{PREFIX}{function - 1}")

    X, y = Agrawal(function, perturbation=0.0, seed=1).read(0, 2000)

    assert y.tolist() == [label(*point) for point in X]


def test_segments_of_digits_agree():
    peer = synth.LED(seed=1, noise_percentage=0.0, irrelevant_features=False)
    shown = {label: list(point.values()) for point, label in peer.take(500)}

    X, y = LED(noise=0.0, n_irrelevant=0, seed=1).read(0, 500)

    assert len(shown) == 10
    assert all(np.array_equal(point, shown[label]) for point, label in zip(X, y, strict=True))
