"""What a GPU gives: fit and decision values beside the CPU engine with all cores.

    python benchmarks/gpu.py [--data DIR] [--npz DIR ...] [--sets ijcnn1,adult] [--device cuda]
                             [--repeat 3] [--no-cpu] [--limit 120] [--out gpu.csv]

The sets and their parameters are those of benchmarks/cores.py, and larger ones. All times are of
`fit` and `decision_function` of OLLAWVClassifier, from NumPy arrays to NumPy arrays: transfers are
included. The first fit of a process may compile; `first` is its time, the others are the best of
the repeats. Beside the times stand the relative difference of the dual objectives, summed over the
binary problems, and the share of training rows with the same label. On the CPU a set is fitted
once; one whose fit takes longer than `--limit` seconds is stopped there.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from cores import CASES, Case, prepare, read_npz

GPU_CASES = {
    **CASES,
    "covertype-464809": Case("covertype", 4.0, 8.0, 464_809, 2),
    "covertype-464809-narrow": Case("covertype", 32.0, 32.0, 464_809, 2),
    "usps": Case("usps", 4.0, 1 / 64, dense=True),
}

Row = dict[str, Any]


def load_set(name: str, folders: list[Path]) -> tuple[Any, Any]:
    """Return the rows of a set, from an exported file if there is one."""
    # Sets that differ in their parameters only share a file.
    for folder in folders:
        for stem in (name, name.removesuffix("-narrow")):
            if (folder / f"{stem}.npz").exists():
                return read_npz(folder / f"{stem}.npz")
    if folders:
        raise FileNotFoundError(f"There is no {name}.npz in {', '.join(map(str, folders))}.")
    return prepare(GPU_CASES[name])


def fit_and_decide(case: Case, X: Any, y: Any, **params: Any) -> tuple[Any, Any, float, float]:
    """Return the model, its decisions on the training rows, and the seconds of both."""
    from svmosaic import OLLAWVClassifier

    model = OLLAWVClassifier(C=case.C, gamma=case.gamma, refine="full", **params)
    began = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    decisions = model.decision_function(X)
    return model, decisions, fitted - began, time.perf_counter() - fitted


def measure(name: str, X: Any, y: Any, options: argparse.Namespace) -> Row:
    """Return the figures of one set."""
    case = GPU_CASES[name]
    runs = [fit_and_decide(case, X, y, device=options.device) for _ in range(options.repeat + 1)]
    model, decisions, first, _ = runs[0]
    counters = model.fit_report_.counters
    row: Row = {
        "set": name,
        "rows": X.shape[0],
        "features": X.shape[1],
        "support": model.support_.size,
        "first": first,
        "gpu_fit": min(run[2] for run in runs[1:]),
        "gpu_decide": min(run[3] for run in runs[1:]),
        "sweeps": counters.n_sweeps,
        "theta": counters.theta_mean,
        "updates": counters.n_updates,
        "ratio": model.fit_report_.kernel_value_ratio,
        "gap": float(np.nanmax(model.dual_gap_)),
    }
    print(runs[-1][0].fit_report_, flush=True)
    if options.no_cpu:
        return row
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        other, theirs, cpu_fit, cpu_decide = fit_and_decide(
            case, X, y, n_jobs=-1, max_time=options.limit
        )
    row |= {"cpu_fit": cpu_fit, "cpu_decide": cpu_decide}
    if not caught:
        objective = float(other.objective_.sum())
        row["objective_difference"] = float(model.objective_.sum()) / objective - 1.0
        row["same_labels"] = float(np.mean(labels(decisions) == labels(theirs)))
    return row


def labels(decisions: Any) -> Any:
    return decisions > 0 if decisions.ndim == 1 else decisions.argmax(axis=1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--npz", type=Path, nargs="*", default=[])
    parser.add_argument("--sets", default=",".join(GPU_CASES))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-cpu", action="store_true")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    import torch

    name = torch.cuda.get_device_name() if options.device.startswith("cuda") else "CPU"
    print(f"{name}, PyTorch {torch.__version__}, Python {platform.python_version()}", flush=True)
    rows = []
    for name in options.sets.split(","):
        rows.append(measure(name, *load_set(name, options.npz), options))
        print("  ".join(f"{k}={_text(v)}" for k, v in rows[-1].items()), flush=True)
    if options.out is not None:
        names = list(dict.fromkeys(key for row in rows for key in row))
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    return 0


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
