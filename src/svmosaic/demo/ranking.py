"""The last chapter: methods compared over data sets, as a paper does it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
from svmosaic.datasets import load
from svmosaic.demo.chapter import Chapter, to_figure
from svmosaic.demo.scale import Scale
from svmosaic.plots import plot_comparison
from svmosaic.reports import Cell, Section, Table
from svmosaic.reports.document import Row
from svmosaic.stats import compare

__all__ = ["show_ranking"]

_TEXT = """\
Five classifiers on {n_sets} small data sets, mean accuracy of {n_folds}-fold cross-validation. \
All have their default parameters, except "svmosaic, tuned", which tunes itself within each \
training part. SVC is left out: it has the scores of "svmosaic". Bars join methods that do not \
differ significantly.

For a paper: {paragraph}"""


def _methods(n_folds: int) -> dict[str, Any]:
    return {
        "svmosaic": OLLAWVClassifier(),
        "svmosaic, tuned": OLLAWVClassifierCV(cv=n_folds, n_jobs=-1),
        "random forest": RandomForestClassifier(random_state=0, n_jobs=1),
        "nearest neighbours": KNeighborsClassifier(),
        "logistic regression": LogisticRegression(max_iter=1000),
    }


def show_ranking(scale: Scale) -> Chapter:
    """Compare five classifiers by their ranks over data sets."""
    scores: dict[str, list[float]] = {name: [] for name in _methods(scale.n_folds)}
    for set_name in scale.ranked:
        data = load(set_name, dense=True)
        folds = StratifiedKFold(scale.n_folds, shuffle=True, random_state=0)
        for name, method in _methods(scale.n_folds).items():
            model = make_pipeline(MinMaxScaler(), clone(method))
            scores[name].append(float(np.mean(cross_val_score(model, data.X, data.y, cv=folds))))
    result = compare(scores, datasets=list(scale.ranked), measure="accuracy")
    ranks = result.average_ranks
    best = min(ranks, key=lambda name: ranks[name])
    figure = to_figure(
        plot_comparison(result),
        "Critical-difference diagram of five classifiers",
        "Average ranks; lower is better.",
        wide=True,
    )
    text = _TEXT.format(n_sets=len(scale.ranked), n_folds=scale.n_folds, paragraph=result.text())
    section = Section("Which method is better?", text, [_table(scale, scores)], [figure])
    sentence = (
        f"{len(scale.ranked)} data sets, five classifiers: {best} has the best average rank, "
        f"{ranks[best]:.2f}; the page says which differences are significant."
    )
    return Chapter(
        (f"best average rank of five methods: {best}", f"{ranks[best]:.2f}"), sentence, section
    )


def _table(scale: Scale, scores: dict[str, list[float]]) -> Table:
    rows: list[Row] = []
    for number, set_name in enumerate(scale.ranked):
        values = [of_method[number] for of_method in scores.values()]
        cells = [Cell(f"{value:.3f}", bold=value == max(values)) for value in values]
        rows.append((set_name, *cells))
    return Table(("data set", *scores), rows, "Accuracy.", "l" + "r" * len(scores))
