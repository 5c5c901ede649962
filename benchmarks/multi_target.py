"""CPU time of tuned multi-target support vector regression.

    python benchmarks/multi_target.py [--part chains,grid] [--sets edm,jura]
                                      [--out benchmarks/results/multi_target.csv]

Part "chains": ten random chains (SVRRC) against single targets (MultiTargetSVR), both with their
default search: 72 candidates and five inner folds. The paper needed 10 to 25 times as long.

Part "grid": one chain with the whole grid against scikit-learn's
``RegressorChain(GridSearchCV(SVR))`` with the same grid, folds and order.

Inputs are scaled on all rows, for there is no test. CPU seconds are those of the whole process; of
our regressors the least of three runs, in turns, of scikit-learn one run.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import RegressorChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVR

from svmosaic import SVRCC, SVRRC, MultiTargetSVR
from svmosaic.datasets import load

CHAIN_SETS = ("atp1d", "oes97", "osales")
GRID_SETS = ("edm", "jura", "andro", "sf2")
FIELDS = ("part", "set", "ours_seconds", "other_seconds", "ratio")


def cpu_seconds(work: Callable[[], Any], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def load_scaled(name: str) -> tuple[Any, Any]:
    data = load(name)
    X = make_pipeline(SimpleImputer(), StandardScaler()).fit_transform(data.X)
    return X, scale(data.y)


def measure_chains(name: str) -> dict[str, Any]:
    X, Y = load_scaled(name)
    regressors = {
        "single": MultiTargetSVR(),
        **{appended: SVRRC(appended=appended) for appended in ("out_of_fold", "true")},
    }
    chains = dict.fromkeys(regressors, float("inf"))
    # In turns, so that what else the computer does falls on all alike.
    for _ in range(3):
        for kind, regressor in regressors.items():
            chains[kind] = min(chains[kind], cpu_seconds(lambda m=regressor: m.fit(X, Y), 1))  # type: ignore[misc]
    single = chains.pop("single")
    for appended, seconds in chains.items():
        print(f"{name:8} SVRRC, {appended:11} {seconds:8.2f} s; single {single:6.2f} s; "
              f"{seconds / single:5.2f} x")  # fmt: skip
    worst = max(chains.values())
    return dict(zip(FIELDS, ("chains", name, worst, single, worst / single), strict=True))


def measure_grid(name: str) -> dict[str, Any]:
    X, Y = load_scaled(name)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    order = list(range(Y.shape[1]))
    middle = 1.0 / X.shape[1]
    grid: dict[str, Any] = {
        "C": [1.0, 10.0, 100.0],
        "epsilon": [0.01, 0.1, 0.2],
        "gamma": [middle * 4.0**k for k in range(-4, 4)],
    }
    ours = SVRCC(
        order=order,
        appended="true",
        search="grid",
        gammas=grid["gamma"],
        cv=folds,
        scale_targets=False,
    )
    theirs = RegressorChain(
        GridSearchCV(SVR(), grid, scoring="neg_mean_squared_error", cv=folds), order=order
    )
    seconds = cpu_seconds(lambda: ours.fit(X, Y), 3)
    other = cpu_seconds(lambda: theirs.fit(X, Y), 1)
    print(f"{name:8} whole grid {seconds:8.3f} s; scikit-learn {other:8.2f} s; "
          f"{other / seconds:6.1f} x")  # fmt: skip
    return dict(zip(FIELDS, ("grid", name, seconds, other, other / seconds), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", default="chains,grid")
    parser.add_argument("--sets", default="")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    parts = {"chains": (CHAIN_SETS, measure_chains), "grid": (GRID_SETS, measure_grid)}
    wanted = set(filter(None, arguments.sets.split(",")))
    # The first run loads the libraries.
    MultiTargetSVR().fit(*load_scaled("andro"))
    rows = [
        run(name)
        for part in arguments.part.split(",")
        for names, run in [parts[part]]
        for name in names
        if not wanted or name in wanted
    ]
    if arguments.out is not None:
        with arguments.out.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, FIELDS)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
