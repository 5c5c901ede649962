"""Do chains of targets help? Missing values, nominal columns and several targets in one pipeline.

Made-up sales of three products: one column has missing values, one holds names. Each regressor is
cross-validated with its whole pipeline, so that imputation, coding, scaling and tuning see training
rows only. The figure shows the correlations in the order of SVRCC's chain.

Run it with ``python examples/multi_target_chains.py [figure.svg]``; it takes a few seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from svmosaic import SVRCC, SVRRC, MultiTargetSVR
from svmosaic.metrics.multi_target import average_rrmse
from svmosaic.plots import plot_chain, to_svg


def make_sales(n_rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return price, advertising and region (0 to 3), and sales that depend on each other."""
    rng = np.random.default_rng(0)
    price, advertising = rng.normal(size=(2, n_rows))
    region = rng.integers(0, 4, n_rows)
    first = np.tanh(advertising - price) + 0.3 * region
    second = first**2 + 0.2 * rng.normal(size=n_rows)
    third = 0.5 * first - second + 0.2 * rng.normal(size=n_rows)
    advertising[rng.random(n_rows) < 0.1] = np.nan
    return np.column_stack([price, advertising, region]), np.column_stack([first, second, third])


def main() -> None:
    """Print the error of each regressor and draw the chain."""
    X, Y = make_sales()
    prepare = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [2]),
    )
    for regressor in (MultiTargetSVR(), SVRCC(), SVRCC(appended="out_of_fold"), SVRRC()):
        errors = []
        for train, test in KFold(5, shuffle=True, random_state=0).split(X):
            model = make_pipeline(prepare, regressor).fit(X[train], Y[train])
            errors.append(average_rrmse(Y[test], model.predict(X[test]), Y[train]))
        print(f"{regressor!s:32} aRRMSE {np.mean(errors):.3f}")
    if len(sys.argv) > 1:
        order = SVRCC().fit(prepare.fit_transform(X), Y).chains_[0]
        Path(sys.argv[1]).write_bytes(to_svg(plot_chain(Y, order, names=["A", "B", "C"])))


if __name__ == "__main__":
    main()
