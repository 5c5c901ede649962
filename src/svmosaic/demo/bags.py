"""Chapter four: bags of instances, and the instance that decided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from svmosaic.demo.chapter import Chapter, to_figure
from svmosaic.demo.scale import Scale
from svmosaic.multi_instance import MIRSVMClassifier
from svmosaic.plots import plot_bag_boundary
from svmosaic.reports import Section, Table

__all__ = ["draw_bags", "show_bags"]

DoubleArray = NDArray[np.float64]

_N_SHOWN = 6

_TEXT = """\
A bag holds several instances and has one label: a molecule has many shapes, and it is active if \
one of them binds. MIRSVM represents each bag by one instance, so it can say which instance made \
a bag positive.

In the figure, positive bags have one instance near the upper right corner; rings mark the \
representatives. The table shows bags that were left out of the training, with the instance that \
decided."""


def draw_bags(n: int, seed: int) -> tuple[list[DoubleArray], NDArray[np.int64], NDArray[np.int64]]:
    """Return bags in the plane, their labels, and the instance that makes a bag positive."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    bags, witnesses = [], np.zeros(n, dtype=np.int64)
    for number, label in enumerate(labels):
        bag = rng.normal(scale=0.9, size=(int(rng.integers(3, 8)), 2))
        witnesses[number] = rng.integers(bag.shape[0])
        if label:
            bag[witnesses[number]] = rng.normal([2.6, 2.6], 0.5)
        bags.append(bag)
    return bags, labels, witnesses


def show_bags(scale: Scale) -> Chapter:
    """Classify left-out bags, and compare the deciding instances with the true ones."""
    bags, labels, witnesses = draw_bags(scale.n_bags, seed=0)
    predicted = np.zeros_like(labels)
    deciding = np.zeros_like(labels)
    folds = StratifiedKFold(scale.n_folds, shuffle=True, random_state=0)
    for train, test in folds.split(labels, labels):
        model = _model().fit([bags[i] for i in train], labels[train])
        predicted[test] = model.predict([bags[i] for i in test])
        for i in test:
            deciding[i] = int(np.argmax(model.decision_instances([bags[i]])))
    accuracy = float(np.mean(predicted == labels))
    found = np.flatnonzero((labels == 1) & (predicted == 1))
    right = int(np.sum(deciding[found] == witnesses[found]))
    ax = plot_bag_boundary(_model().fit(bags, labels), bags, labels)
    figure = to_figure(
        ax,
        "Instances of bags in the plane, with boundary and representatives",
        "Rings mark representatives; thick ones are support vectors.",
    )
    sentence = (
        f"{scale.n_bags} bags: {accuracy:.0%} of left-out bags are labelled correctly, and in "
        f"{right} of {found.size} positive ones MIRSVM names the instance that made them positive."
    )
    fact = ("deciding instances found", f"{right} of {found.size}")
    table = _table(bags, deciding, witnesses, found[:_N_SHOWN])
    return Chapter(fact, sentence, Section("Bags of instances", _TEXT, [table], [figure]))


def _model() -> MIRSVMClassifier:
    return MIRSVMClassifier(gamma=0.2, C=10.0, random_state=0)


def _table(
    bags: list[DoubleArray],
    deciding: NDArray[np.int64],
    witnesses: NDArray[np.int64],
    shown: NDArray[np.intp],
) -> Table:
    rows = [
        (
            str(i),
            str(bags[i].shape[0]),
            f"{deciding[i]} at ({bags[i][deciding[i], 0]:.1f}, {bags[i][deciding[i], 1]:.1f})",
            "yes" if deciding[i] == witnesses[i] else f"no, it was {witnesses[i]}",
        )
        for i in shown
    ]
    header = ("positive bag", "instances", "deciding instance", "the true one?")
    return Table(header, rows, align="rrll")
