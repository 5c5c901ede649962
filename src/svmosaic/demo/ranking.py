"""The last chapter: methods compared over data sets, as a paper does it."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
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
from svmosaic.utils.threads import available_threads

__all__ = ["show_ranking"]

_TEXT = """\
Five classifiers on {n_sets} small data sets, mean accuracy of {n_folds}-fold cross-validation. \
All have their default parameters, except "svmosaic, tuned", which tunes itself within each \
training part. SVC is left out: it has the scores of "svmosaic". Bars join methods that do not \
differ significantly.

For a paper: {paragraph}"""


# A process takes seconds to start; it should have sets enough to be worth it.
_SETS_PER_PROCESS = 5


def _methods(n_folds: int) -> dict[str, Any]:
    return {
        "svmosaic": OLLAWVClassifier(),
        "svmosaic, tuned": OLLAWVClassifierCV(cv=n_folds),
        "random forest": RandomForestClassifier(random_state=0),
        "nearest neighbours": KNeighborsClassifier(),
        "logistic regression": LogisticRegression(max_iter=1000),
    }


def _score_all(set_name: str, n_folds: int) -> list[float]:
    """Return the accuracy of each method on one data set."""
    data = load(set_name, dense=True)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    models = [make_pipeline(MinMaxScaler(), method) for method in _methods(n_folds).values()]
    return [float(np.mean(cross_val_score(model, data.X, data.y, cv=folds))) for model in models]


def show_ranking(scale: Scale) -> Chapter:
    """Compare five classifiers by their ranks over data sets."""
    # Forests of small trees work in Python most of the time, so threads would wait for each other.
    n_processes = min(available_threads(), max(1, len(scale.ranked) // _SETS_PER_PROCESS))
    by_set = joblib.Parallel(n_jobs=n_processes)(
        joblib.delayed(_score_all)(set_name, scale.n_folds) for set_name in scale.ranked
    )
    names = list(_methods(scale.n_folds))
    scores = {name: [row[m] for row in by_set] for m, name in enumerate(names)}
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
