"""Classifiers with boundary points on the banana data: figures and the run of the online form.

    python benchmarks/boundary_banana.py [--out benchmarks/results/boundary_banana.csv]
        [--figures docs/figures]

80 % of 5300 rows to train on, features in [0, 1]. Classifiers with a cost of n^3 get 800 of them.
Fixed parameters: sigma 0.1 where it is not found, lambda 1, or 0.01 for the online forms.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from svmosaic import (
    KernelPrimalSVC,
    NLSGDClassifier,
    OGEClassifier,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
    SMOClassifier,
    SVMCBPClassifier,
    characteristic_boundary_points,
    peak_sigma,
    radius_sigma,
)
from svmosaic.datasets import load
from svmosaic.plots import (
    plot_boundary_points,
    plot_sigma_lambda,
    plot_width_profile,
    to_png,
)

FEW = 800
SIGMA = 0.1
GAMMA = 0.5 / SIGMA**2


def classifiers() -> dict[str, tuple[Any, bool]]:
    """Return the classifiers by name, and whether they take all training rows."""
    online: dict[str, Any] = {"lam": 0.01, "sigma": SIGMA}
    return {
        "SMO": (SMOClassifier(gamma=GAMMA), True),
        "KernelPrimalSVC": (KernelPrimalSVC(gamma=GAMMA), True),
        "SMO, 800 rows": (SMOClassifier(gamma=GAMMA), False),
        "OGE, 800 rows": (OGEClassifier(), False),
        "SVM-CBP, 800 rows": (SVMCBPClassifier(sigma=SIGMA), False),
        "SVM-CBP, peak, 800 rows": (SVMCBPClassifier(), False),
        "NL-SGD": (NLSGDClassifier(gamma=GAMMA, C=4240.0), True),
        "on-line SVM": (OnlineSVMClassifier(**online), True),
        "on-line SVM-CBP, gradient": (OnlineSVMCBPClassifier(**online), True),
        "on-line SVM-CBP, printed": (OnlineSVMCBPClassifier(update="printed", **online), True),
        "on-line SVM-CBP, clipped": (OnlineSVMCBPClassifier(update="clipped", **online), True),
        "on-line SVM-CBP, gradient, peak": (OnlineSVMCBPClassifier(lam=0.01), True),
        "on-line SVM-CBP, printed, peak": (
            OnlineSVMCBPClassifier(lam=0.01, update="printed"),
            True,
        ),
        "on-line SVM-CBP, printed, printed peak": (
            OnlineSVMCBPClassifier(lam=0.01, update="printed", sigma="printed"),
            True,
        ),
    }


def shrinking(X: Any, y: Any, sigma: float) -> tuple[float, float]:
    """Return the smallest and the mean factor of the violators of Algorithm 2, by running it."""
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    Z = characteristic_boundary_points(X, y).points
    rng = np.random.default_rng(0)
    first = int(rng.integers(y.size))
    kept, a, factors = [first], np.array([signs[first]]), []
    gamma, lam = 0.5 / sigma**2, 0.01
    for t in range(2, 5001):
        i, z = int(rng.integers(y.size)), Z[rng.integers(len(Z))]
        k = np.exp(-gamma * ((X[kept] - X[i]) ** 2).sum(axis=1))
        if signs[i] * (a @ k) >= 1.0:
            a = a * (1 - 1 / t)
            continue
        k_z = np.exp(-gamma * ((X[kept] - z) ** 2).sum(axis=1))
        factors.append(1 - k_z @ k_z / t)
        a = factors[-1] * a + signs[i] * k / (lam * t)
        if i not in kept:
            kept.append(i)
            a = np.append(a, signs[i] / (lam * t))
    return float(min(factors)), float(np.mean(factors))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, help="also write the rows as CSV")
    parser.add_argument("--figures", type=Path, help="folder for the figures")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    data = load("banana", dense=True)
    X, X_test, y, y_test = train_test_split(
        np.asarray(data.X, dtype=float),
        np.asarray(data.y),
        test_size=0.2,
        random_state=0,
        stratify=data.y,
    )
    scaler = MinMaxScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    print("boundary points", characteristic_boundary_points(X, y).radii.size)
    print("peak sigma", peak_sigma(X, y), "radius sigma", radius_sigma(X, y))
    print("factor of violators (smallest, mean)", shrinking(X, y, SIGMA), shrinking(X, y, 0.5))
    rows = []
    for name, (model, all_rows) in classifiers().items():
        n = y.size if all_rows else FEW
        began = time.process_time()
        model.fit(X[:n], y[:n])
        rows.append(
            {
                "classifier": name,
                "rows": n,
                "sigma": round(float(getattr(model, "sigma_", SIGMA)), 4),
                "vectors": int(np.size(getattr(model, "support_", ()))),
                "fit_seconds": round(time.process_time() - began, 2),
                "accuracy": round(100 * float(model.score(X_test, y_test)), 2),
            }
        )
        print(rows[-1], flush=True)
    if options.out:
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    if options.figures:
        draw(options.figures, X, y, X_test, y_test)


def draw(folder: Path, X: Any, y: Any, X_test: Any, y_test: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    few, of_few = X[:FEW], y[:FEW]
    model = SVMCBPClassifier().fit(few, of_few)
    figures = {
        "banana_points": plot_boundary_points(few, of_few, sigma=model.sigma_),
        "banana_widths": plot_width_profile(model, few, of_few, X_test, y_test),
        "banana_widths_online": plot_width_profile(
            OnlineSVMCBPClassifier(lam=0.01),
            X,
            y,
            X_test,
            y_test,
            sigmas=model.sigmas_,
            gradient=True,
        ),
    }
    for name, ax in figures.items():
        (folder / f"{name}.png").write_bytes(to_png(ax))
    panels = plot_sigma_lambda(
        SVMCBPClassifier(),
        few[:300],
        of_few[:300],
        sigmas=(0.03, 0.1, 0.4),
        lams=(0.01, 1.0, 10.0),
    )
    (folder / "banana_sigma_lambda.png").write_bytes(to_png(panels.axes[0]))


if __name__ == "__main__":
    main()
