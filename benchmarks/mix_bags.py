"""MIR-Mix-SVM on the outer folds of table 4, beside the peers of the committed table.

    python benchmarks/mix_bags.py [--sets eastWest,musk1] [--seeds 5]
                                  [--out benchmarks/results/mix_bags.csv]
    python benchmarks/mix_bags.py --compare benchmarks/results/mix_bags.csv

The folds are those of `svmosaic reproduce 4`: ten, or as many as the smaller class has bags, with
the same seeds; features are held where constant and scaled to [0, 1] by training bags. Rows are
written as they come, set by set, so that a run may be stopped. `--compare` reads the peers from
docs/results/4.csv.gz and prints mean ranks and Wilcoxon's test.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata, wilcoxon
from sklearn.metrics import accuracy_score, cohen_kappa_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from svmosaic import MIRMixSVMClassifier
from svmosaic.datasets import load
from svmosaic.model_selection.plans import nested_splits
from svmosaic.multi_instance import BagTransformer
from svmosaic.preprocessing import ConstantHolder

# The quickest first, as in table 4.
SETS = (
    *("eastWest", "westEast", "suramin", "musk1", "webmining75", "mutagenesis-atoms", "tiger"),
    *("elephant", "musk2", "mutagenesis-chains", "trx"),
)
PEERS = ("TLC", "set kernel", "miGraph", "SimpleMI", "Stacking")
TABLE = Path(__file__).parents[1] / "docs" / "results" / "4.csv.gz"
NAME = "MIR-Mix-SVM"


def evaluate(name: str, seeds: int) -> list[dict[str, Any]]:
    """Return a row for each outer fold."""
    data = load(name)
    bags, y = data.X, np.unique(np.asarray(data.y), return_inverse=True)[1]
    outer = min(10, int(np.bincount(y).min()))
    scaler = MaxAbsScaler() if sparse.issparse(bags.instances) else MinMaxScaler()
    estimator = MIRMixSVMClassifier()
    rows = []
    splits = nested_splits(estimator, bags, y, outer=outer, repeats=seeds, random_state=0)
    for split in splits:
        model = make_pipeline(
            BagTransformer(make_pipeline(ConstantHolder(), scaler)),
            MIRMixSVMClassifier(random_state=split.repeat),
        )
        began = time.process_time()
        model.fit(bags[split.train], y[split.train])
        seconds = time.process_time() - began
        scores = model.decision_function(bags[split.test])
        truth = y[split.test]
        both = len(set(truth.tolist())) > 1
        rows.append(
            {
                "dataset": name,
                "method": NAME,
                "repeat": split.repeat,
                "fold": split.fold,
                "accuracy": accuracy_score(truth, scores > 0),
                "cohen_kappa": cohen_kappa_score(truth, scores > 0) if both else float("nan"),
                "roc_auc": roc_auc_score(truth, scores) if both else float("nan"),
                "fit_cpu_seconds": round(seconds, 3),
            }
        )
    return rows


def by_set(rows: Any, measure: str) -> dict[str, dict[str, list[float]]]:
    """Return the mean of the folds of each seed, by method and set."""
    folds: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row[measure] not in ("", "nan"):
            folds[row["method"], row["dataset"], row["repeat"]].append(float(row[measure]))
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (method, name, _), values in folds.items():
        found[method][name].append(float(np.mean(values)))
    return found


def compare(path: Path) -> None:
    with path.open(newline="") as stream:
        ours = list(csv.DictReader(stream))
    with gzip.open(TABLE, "rt", newline="") as stream:
        table = [row for row in csv.DictReader(stream) if row["method"] in (*PEERS, NAME)]
    for row in table:
        row["method"] = "before" if row["method"] == NAME else row["method"]
    for measure in ("accuracy", "cohen_kappa", "roc_auc"):
        found = by_set([*ours, *table], measure)
        names = [name for name in SETS if name in found[NAME]]
        methods = [NAME, "before", *PEERS]
        means = np.array([[np.mean(found[m][n]) for m in methods] for n in names])
        spread = [np.std(found[NAME][n]) for n in names]
        print(f"{measure}, {len(names)} sets, {len(found[NAME][names[0]])} seeds")
        for name, line, s in zip(names, means, spread, strict=True):
            cells = "  ".join(f"{m} {v:.3f}" for m, v in zip(methods, line, strict=True))
            print(f"  {name}: {cells}  (+- {s:.3f} over seeds)")
        kept = [i for i, m in enumerate(methods) if m != "before"]
        ranks = rankdata(-means[:, kept], axis=1).mean(axis=0)
        print(
            "  ranks:", {methods[i]: round(float(r), 2) for i, r in zip(kept, ranks, strict=True)}
        )
        for i, method in enumerate(methods[1:], 1):
            apart = means[:, 0] - means[:, i]
            p = wilcoxon(apart).pvalue
            won, lost = int(np.sum(apart > 0)), int(np.sum(apart < 0))
            print(f"  against {method}: {apart.mean():+.3f}, {won} won, {lost} lost, p = {p:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("mix_bags.csv"))
    parser.add_argument("--compare", type=Path, help="a file of rows; nothing is run")
    options = parser.parse_args()
    if options.compare:
        compare(options.compare)
        return
    warnings.filterwarnings("ignore")
    writer = None
    with options.out.open("w", newline="") as stream:
        for name in options.sets.split(","):
            rows = evaluate(name, options.seeds)
            if writer is None:
                writer = csv.DictWriter(stream, rows[0])
                writer.writeheader()
            writer.writerows(rows)
            stream.flush()
            print(name, np.mean([row["accuracy"] for row in rows]), flush=True)


if __name__ == "__main__":
    main()
