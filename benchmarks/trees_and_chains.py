"""SVRs with chains, trees, and both: SVRTC beside its parts and ensembles of trees.

    python benchmarks/trees_and_chains.py [--sets edm,puma32H] [--seeds 5] [--jobs 2]
                                          [--out benchmarks/results/trees_and_chains.csv]

Small on purpose: 300 rows of each set, drawn once; five outer folds for each seed, inputs imputed
and scaled by training rows; 50 trees, three chains, one epsilon. Rows are written seed by seed,
so that a run may be stopped. aRRMSE, less is better.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.multioutput import RegressorChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic import SVRTC, SVRWC
from svmosaic.datasets import load
from svmosaic.metrics.multi_target import average_rrmse
from svmosaic.regression.peers import ST

# The quickest first. Trees lead on puma32H and osales in table 3.
SETS = ("edm", "polymer", "andro", "wisconsin", "puma32H", "jura", "sf1", "puma8NH", "osales")
N_ROWS = 300
N_TREES = 50
OURS: dict[str, Any] = {"n_chains": 3, "epsilons": (0.1,)}


def methods(seed: int) -> dict[str, Any]:
    """Return the regressors by name."""
    trees = {"n_estimators": N_TREES, "random_state": seed}
    return {
        "SVRTC": SVRTC(n_trees=N_TREES, random_state=seed, **OURS),
        "SVRWC": SVRWC(random_state=seed, **OURS),
        "extra trees, each target": ST(ExtraTreesRegressor(**trees), random_state=seed),
        "bagged trees, each target": ST(RandomForestRegressor(**trees), random_state=seed),
        "extra trees": ExtraTreesRegressor(**trees),
        "random forest": RandomForestRegressor(**trees),
        "chain of extra trees": RegressorChain(
            ExtraTreesRegressor(**trees), order="random", random_state=seed
        ),
    }


def evaluate(name: str, seed: int) -> list[dict[str, Any]]:
    """Return a row for each method and outer fold."""
    warnings.filterwarnings("ignore")
    data = load(name)
    X, Y = np.asarray(data.X, dtype=np.float64), np.asarray(data.y, dtype=np.float64)
    drawn = np.random.default_rng(0).permutation(len(X))[:N_ROWS]
    X, Y = X[drawn], Y[drawn]
    rows = []
    for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=seed).split(X)):
        for method, regressor in methods(seed).items():
            model = make_pipeline(SimpleImputer(), StandardScaler(), regressor)
            began = time.process_time()
            model.fit(X[train], Y[train])
            seconds = time.process_time() - began
            error = average_rrmse(Y[test], model.predict(X[test]), Y[train])
            rows.append(
                {
                    "dataset": name,
                    "method": method,
                    "seed": seed,
                    "fold": fold,
                    "average_rrmse": round(float(error), 5),
                    "fit_cpu_seconds": round(seconds, 3),
                }
            )
    return rows


def summary(rows: list[dict[str, Any]]) -> str:
    """Return means and deviations over seeds, mean ranks, and Wilcoxon's test over sets."""
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    of = list(dict.fromkeys(row["method"] for row in rows))
    seeds = sorted({int(row["seed"]) for row in rows})

    def mean(name: str, method: str, seed: int) -> float:
        key = (name, method, seed)
        found = [
            float(row["average_rrmse"])
            for row in rows
            if (row["dataset"], row["method"], int(row["seed"])) == key
        ]
        return float(np.mean(found))

    table = np.array([[[mean(n, m, s) for s in seeds] for m in of] for n in names])
    lines = []
    for name, by_method in zip(names, table, strict=True):
        cells = [f"{m} {v.mean():.3f} +- {v.std():.3f}" for m, v in zip(of, by_method, strict=True)]
        lines.append(f"{name}: " + "; ".join(cells))
    means = table.mean(axis=2)
    ranks = rankdata(means, axis=1).mean(axis=0)
    lines.append("ranks: " + "; ".join(f"{m} {r:.2f}" for m, r in zip(of, ranks, strict=True)))
    for i, method in enumerate(of[1:], 1):
        p = wilcoxon(means[:, 0], means[:, i]).pvalue if len(names) > 1 else float("nan")
        won = int(np.sum(means[:, 0] < means[:, i]))
        lines.append(f"{of[0]} against {method}: better on {won} of {len(names)}, p = {p:.3f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes, one for each seed")
    parser.add_argument("--out", type=Path, default=Path("trees_and_chains.csv"))
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    names = options.sets.split(",")
    tasks = (delayed(evaluate)(name, seed) for name in names for seed in range(options.seeds))
    for found in Parallel(options.jobs, return_as="generator")(tasks):
        rows += found
        with options.out.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        print(found[0]["dataset"], "seed", found[0]["seed"], flush=True)
    print(summary(rows))


if __name__ == "__main__":
    main()
