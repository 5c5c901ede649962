"""The Uniform SVM beside the C-SVC on Iris, as in Galimzianova's thesis (chapter 5), repeated.

100 Monte-Carlo splits into 75 % training and 25 % test samples of two Iris classes, all four
features, linear kernel, C = 1. Both machines get the same splits, the same start (all
multipliers zero) and the same seed of the randomised SMO. Medians, the median of the paired
differences to the baseline, and the p-value of Wilcoxon's signed-rank test.

Run it with ``python examples/uniform_svm_iris.py``; it takes about ten seconds.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import wilcoxon
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from svmosaic import UniformSVC
from svmosaic.backends import cpu
from svmosaic.problem import DenseRows, KernelSpec, Problem
from svmosaic.solvers.simple_smo import SimpleSmoSettings

N_SPLITS = 100
C = 1.0
# The printed bounds may go round in circles; the other machines need far fewer sweeps.
MAX_SWEEPS = 1000
METRICS = ("accuracy", "precision", "recall", "F1", "iterations")
PAIRS = {"versicolor / virginica": (1, 2), "setosa / versicolor": (0, 1)}


def randomised(bounds, seed):
    """Return fit(X, y) -> (function that predicts, sweeps) of the thesis' SMO."""

    def fit(X, y):
        problem = Problem(np.arange(y.size), np.where(y == 1, 1.0, -1.0), np.ones(y.size))
        settings = SimpleSmoSettings(bounds, C=C, max_iter=MAX_SWEEPS, seed=seed)
        (machine,) = cpu.solve_simple_smo(DenseRows(X), KernelSpec("linear"), [problem], settings)
        w = machine.coef @ X[machine.support]
        return lambda Z: (Z @ w + machine.intercept > 0).astype(int), machine.n_iter

    return fit


def exact(X, y):
    """Fit the optimum of the Uniform SVM."""
    with warnings.catch_warnings():
        # Overlapping hulls are one of the findings here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = UniformSVC(kernel="linear", C=C).fit(X, y)
    return model.predict, int(model.n_iter_[0])


def scores(fit, X, y, train, test):
    """Return the metrics of one machine on one split."""
    predict, n_iter = fit(X[train], y[train])
    predicted = predict(X[test])
    return (
        accuracy_score(y[test], predicted),
        precision_score(y[test], predicted, zero_division=0),
        recall_score(y[test], predicted, zero_division=0),
        f1_score(y[test], predicted, zero_division=0),
        n_iter,
    )


def compare(X, y):
    """Return {machine: array of shape (n_splits, n_metrics)}."""
    rng = np.random.default_rng(0)
    results = {name: [] for name in ("C-SVC", "feasible", "printed", "exact")}
    for seed in range(N_SPLITS):
        order = rng.permutation(y.size)
        cut = round(0.75 * y.size)
        machines = {
            "C-SVC": randomised("per_sample", seed),
            "feasible": randomised("uniform_feasible", seed),
            "printed": randomised("uniform_printed", seed),
            "exact": exact,
        }
        for name, fit in machines.items():
            results[name].append(scores(fit, X, y, order[:cut], order[cut:]))
    return {name: np.array(rows) for name, rows in results.items()}


def print_table(results):
    """Print medians, median differences to the baseline and p-values."""
    print("| metric | C-SVC | uniform, feasible | uniform, printed | uniform, exact |")
    print("|---|---|---|---|---|")
    baseline = results["C-SVC"]
    for m, metric in enumerate(METRICS):
        cells = [f"{np.median(baseline[:, m]):.2f}"]
        for name in ("feasible", "printed", "exact"):
            difference = results[name][:, m] - baseline[:, m]
            p = wilcoxon(difference).pvalue if np.any(difference) else 1.0
            cells.append(
                f"{np.median(results[name][:, m]):.2f} ({np.median(difference):+.2f}, p = {p:.0e})"
            )
        print(f"| {metric} | " + " | ".join(cells) + " |")


def main():
    """Compare on both pairs of classes and say what is true."""
    X, classes = load_iris(return_X_y=True)
    for name, (negative, positive) in PAIRS.items():
        taken = np.isin(classes, (negative, positive))
        y = (classes[taken] == positive).astype(int)
        print(f"\n{name} (the second is the positive class)\n")
        print_table(compare(X[taken], y))
    print(
        "\nNeither reading of the bounds gives the accuracies of the thesis (0.78 against 0.85), "
        "and no Uniform SVM is more accurate here than the C-SVC that is trained the same way."
        "\nIts optimum is the hard-margin machine where the training samples can be separated "
        "and a constant where they cannot, so what the randomised SMO adds to that is where it "
        "happens to stop."
    )


if __name__ == "__main__":
    main()
