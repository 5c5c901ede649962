"""Chapter one: fit time and accuracy of the exact SVM against the number of rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.demo.chapter import Chapter, best_seconds, to_figure
from svmosaic.demo.scale import Scale
from svmosaic.plots import plot_curves, plot_growth
from svmosaic.reports import Section, Table

__all__ = ["show_growth"]

_N_TEST = 2000
_SVC, _OURS = "SVC", "svmosaic"

_TEXT = """\
Both libraries solve the same problem to the same tolerance, with the rbf kernel, C = 1 and the \
same gamma, so their accuracies agree. SVC uses one thread, svmosaic all of them. Two generated \
classes, 20 features, {n_test} test rows."""


def show_growth(scale: Scale) -> Chapter:
    """Fit both libraries to growing parts of one data set."""
    X, y = make_classification(
        max(scale.sizes) + _N_TEST,
        n_features=20,
        n_informative=10,
        n_clusters_per_class=4,
        random_state=0,
    )
    X_test, y_test, X, y = X[:_N_TEST], y[:_N_TEST], X[_N_TEST:], y[_N_TEST:]
    seconds: dict[str, list[tuple[float, float]]] = {_OURS: [], _SVC: []}
    accuracies: dict[str, list[tuple[float, float]]] = {_OURS: [], _SVC: []}
    for n in scale.sizes:
        if seconds[_SVC] and seconds[_SVC][-1][1] > scale.most_seconds:
            break
        scaler = MinMaxScaler().fit(X[:n])
        rows = scaler.transform(X[:n])
        params: dict[str, Any] = {"gamma": 1.0 / float(rows.shape[1] * rows.var()), "C": 1.0}
        models = {_OURS: OLLAWVClassifier(n_jobs=-1, **params), _SVC: SVC(**params)}
        for name, model in models.items():
            seconds[name].append((n, best_seconds(partial(model.fit, rows, y[:n]))))
            right = np.mean(model.predict(scaler.transform(X_test)) == y_test)
            accuracies[name].append((n, float(right)))
    return _chapter(seconds, accuracies)


def _chapter(
    seconds: dict[str, list[tuple[float, float]]],
    accuracies: dict[str, list[tuple[float, float]]],
) -> Chapter:
    n, theirs = seconds[_SVC][-1]
    ours = dict(seconds[_OURS])[n]
    factor = f"{theirs / ours:.0f} times" if theirs > 9.5 * ours else f"{theirs / ours:.1f} times"
    figures = [
        to_figure(
            plot_growth(seconds, ylabel="fit, seconds", xlabel="training rows"),
            "Fit time of svmosaic and SVC against the number of training rows",
            "Fit time.",
        ),
        to_figure(
            plot_curves(accuracies, ylabel="test accuracy", xlabel="training rows"),
            "Test accuracy of svmosaic and SVC against the number of training rows",
            "Accuracy: the curves lie on each other.",
        ),
    ]
    section = Section(
        "The exact SVM, faster",
        _TEXT.format(n_test=_N_TEST),
        [_table(seconds, accuracies)],
        figures,
    )
    sentence = (
        f"{n:,} rows: svmosaic trains the exact SVM in {ours:.2f} s, SVC in {theirs:.2f} s "
        f"({factor} as fast), accuracy {dict(accuracies[_OURS])[n]:.3f} and "
        f"{dict(accuracies[_SVC])[n]:.3f}."
    )
    return Chapter((f"as fast as SVC on {n:,} rows", factor), sentence, section)


def _table(
    seconds: dict[str, list[tuple[float, float]]],
    accuracies: dict[str, list[tuple[float, float]]],
) -> Table:
    rows = [
        (
            f"{n:,.0f}",
            f"{own:.3f}",
            f"{theirs:.3f}",
            f"{theirs / own:.1f}",
            f"{ours:.4f}",
            f"{svc:.4f}",
        )
        for (n, own), (_, theirs), (_, ours), (_, svc) in zip(
            seconds[_OURS], seconds[_SVC], accuracies[_OURS], accuracies[_SVC], strict=True
        )
    ]
    header = ("rows", "svmosaic, s", "SVC, s", "speed-up", "accuracy: svmosaic", "SVC")
    return Table(header, rows, align="rrrrrr")
