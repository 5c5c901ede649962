"""Chapter three: several targets, one SVR each against chains of SVRs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmosaic.demo.chapter import Chapter, to_figure
from svmosaic.demo.scale import Scale
from svmosaic.plots import plot_curves
from svmosaic.regression.multi_target_svr import MultiTargetSVR
from svmosaic.regression.svrrc import SVRRC
from svmosaic.reports import Section

__all__ = ["draw_targets", "relative_error", "show_targets"]

DoubleArray = NDArray[np.float64]

_N_TEST = 1000
_SINGLE, _CHAINS = "one SVR per target (MultiTargetSVR)", "chains (SVRRC)"

_TEXT = """\
The second target is a function of the first, and the third is their product. A chain predicts one \
target after the other and uses the earlier predictions as features; SVRRC averages chains in \
random orders. Both tune C, gamma and the width of the tube. The error is the average \
relative root mean squared error (aRRMSE); predicting the mean gives 1.

Chains help where targets depend on each other, as they do here by construction. Where they do \
not, one SVR per target is as good and faster."""


def draw_targets(n: int, seed: int) -> tuple[DoubleArray, DoubleArray]:
    """Return rows and three targets, the second and third functions of those before them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 4))
    first = np.sin(3.0 * X[:, 0] + 2.0 * X[:, 1]) + X[:, 2]
    second = np.sin(2.0 * first) + 0.3 * X[:, 3]
    Y = np.column_stack([first, second, first * second])
    return X, Y + rng.normal(scale=0.05, size=Y.shape)


def relative_error(Y: DoubleArray, predicted: DoubleArray, mean: DoubleArray) -> float:
    """Return the aRRMSE of predictions."""
    squared = ((Y - predicted) ** 2).sum(axis=0) / ((Y - mean) ** 2).sum(axis=0)
    return float(np.sqrt(squared).mean())


def show_targets(scale: Scale) -> Chapter:
    """Fit single regressors and chains to growing parts of one data set."""
    X, Y = draw_targets(max(scale.target_sizes) + _N_TEST, seed=0)
    X_test, Y_test, X, Y = X[:_N_TEST], Y[:_N_TEST], X[_N_TEST:], Y[_N_TEST:]
    errors: dict[str, list[tuple[float, float]]] = {_SINGLE: [], _CHAINS: []}
    for n in scale.target_sizes:
        models = {
            _SINGLE: MultiTargetSVR(n_jobs=-1),
            _CHAINS: SVRRC(n_jobs=-1, random_state=0),
        }
        for name, model in models.items():
            predicted = model.fit(X[:n], Y[:n]).predict(X_test)
            errors[name].append((n, relative_error(Y_test, predicted, Y[:n].mean(axis=0))))
    single = errors[_SINGLE][-1][1]
    chains = errors[_CHAINS][-1][1]
    ax = plot_curves(errors, xlabel="training rows", ylabel="aRRMSE of three targets")
    figure = to_figure(
        ax,
        "Error of single regressors and of chains against the number of rows",
        "Lower is better.",
    )
    sentence = (
        f"Three related targets, {scale.target_sizes[-1]} rows: the relative error is "
        f"{chains:.2f} with chains and {single:.2f} with one SVR per target."
    )
    change = f"{abs(1.0 - chains / single):.0%} {'lower' if chains < single else 'higher'}"
    fact = ("error of three targets, chains against single SVRs", change)
    return Chapter(fact, sentence, Section("Several targets", _TEXT, figures=[figure]))
