"""What a GPU gives: fit and decision values beside the CPU engine with all cores.

    python benchmarks/gpu.py [--npz DIR] [--sets ijcnn1,adult] [--device cuda]
                             [--repeat 3] [--no-cpu] [--no-stand-in] [--limit 120] [--out gpu.csv]
    python benchmarks/gpu.py --export DIR

The sets and their parameters are those of benchmarks/cores.py, and larger ones. `million` is made
up: two classes of three clusters each in 100 dimensions that overlap. All times are of `fit` and
`decision_function` of OLLAWVClassifier, from NumPy arrays to NumPy arrays: transfers are included.
The first fit of a set may compile; `first` is its time, the others are the best of the repeats.

Beside it, on the same computer and in the same run:

- our CPU engine with all cores, fitted once and stopped after `--limit` seconds, with the relative
  difference of the dual objectives, summed over the binary problems, and the share of training rows
  with the same label;
- a stand-in for other libraries on GPUs, which solve one working set of 1024 variables after the
  other: our kernels and our SMO, restricted to that scheme. It is not one of these libraries;
- `bound`: the float32 products and exponentials that the decision values of binary problems need,
  by PyTorch's own functions, the fastest of a few tile sizes. `decide` is the time of decision
  values with the data on the device already.

`web-16` is a test of exactness: LIBSVM's objective for these 49 749 rows is 15885.8455.

On a computer without the data, `--npz` names a folder that `--export` has written elsewhere.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cores import CASES, Case, prepare, read_npz, write_npz

WEB_ROWS = 49_749
N_MILLION, D_MILLION = 1_000_000, 100
GPU_CASES = {
    "usps": Case("usps", 4.0, 1 / 64, dense=True),
    **CASES,
    "covertype-464809": Case("covertype", 4.0, 8.0, 464_809, 2),
    "covertype-464809-narrow": Case("covertype", 32.0, 32.0, 464_809, 2),
    "covertype-seven": Case("covertype", 4.0, 8.0, 464_809),
    "web-16": Case("web", 16.0, 0.03125),
    "million": Case("million", 1.0, 0.005),
}
TOLS = {"web-16": 1e-5}

Row = dict[str, Any]


# Data -----------------------------------------------------------------------------------------


def make_million() -> tuple[Any, Any]:
    """Return two classes of three clusters each that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_MILLION)
    centres = 0.45 * rng.normal(size=(2, 3, D_MILLION))
    X = centres[y, rng.integers(0, 3, N_MILLION)] + rng.normal(size=(N_MILLION, D_MILLION))
    return X.astype(np.float32), y


def first_of_web() -> tuple[Any, Any]:
    """Return the rows for which LIBSVM's objective is known, as they are."""
    from scipy import sparse

    from svmosaic.datasets import load

    data = load("web")
    return sparse.csr_array(data.X[:WEB_ROWS]).astype(np.float64), np.asarray(data.y)[:WEB_ROWS]


def load_set(name: str, folder: Path | None) -> tuple[Any, Any]:
    """Return the rows of a set, from an exported file if there is a folder of them."""
    if name == "million":
        return make_million()
    if folder is not None:
        # Sets that differ in their parameters only share a file.
        return read_npz(folder / f"{name.removesuffix('-narrow')}.npz")
    return first_of_web() if name == "web-16" else prepare(GPU_CASES[name])


def export(names: list[str], folder: Path) -> None:
    """Write the sets as files for another computer."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name != "million" and not name.endswith("-narrow"):
            write_npz(folder / f"{name}.npz", *load_set(name, None))


# Measuring ------------------------------------------------------------------------------------


def fit_and_decide(name: str, X: Any, y: Any, **params: Any) -> tuple[Any, Any, float, float]:
    """Return the model, its decisions on the training rows, and the seconds of both."""
    from svmosaic import OLLAWVClassifier

    case = GPU_CASES[name]
    model = OLLAWVClassifier(C=case.C, gamma=case.gamma, tol=TOLS.get(name, 1e-3), **params)
    began = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    decisions = model.decision_function(X)
    return model, decisions, fitted - began, time.perf_counter() - fitted


def measure(name: str, X: Any, y: Any, options: argparse.Namespace) -> Row:
    """Return the figures of one set."""
    runs = [fit_and_decide(name, X, y, device=options.device) for _ in range(options.repeat + 1)]
    model, decisions, first, _ = runs[0]
    report = model.fit_report_
    row: Row = {
        "set": name,
        "rows": X.shape[0],
        "features": X.shape[1],
        "support": model.support_.size,
        "first": first,
        "gpu_fit": min(run[2] for run in runs[1:]),
        "gpu_decide": min(run[3] for run in runs[1:]),
        "sweeps": report.counters.n_sweeps,
        "theta": report.counters.theta_mean,
        "updates": report.counters.n_updates,
        "ratio": report.kernel_value_ratio,
        "objective": float(model.objective_.sum()),
        "gap": float(np.nanmax(model.dual_gap_)),
    }
    print(runs[-1][0].fit_report_, flush=True)
    if model.intercept_.size == 1 and not hasattr(X, "indptr"):
        row |= seconds_on_device(model, X, options.device)
    if not options.no_stand_in and model.intercept_.size == 1:
        row |= stand_in(name, X, y, options)
    if not options.no_cpu:
        row |= on_cpu(name, X, y, options, model, decisions)
    return row


def on_cpu(
    name: str, X: Any, y: Any, options: argparse.Namespace, model: Any, decisions: Any
) -> Row:
    """Return the figures of the CPU engine, and how far it agrees."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        other, theirs, fit, decide = fit_and_decide(name, X, y, n_jobs=-1, max_time=options.limit)
    row: Row = {"cpu_fit": fit, "cpu_decide": decide}
    if not caught:
        objective = float(other.objective_.sum())
        row["objective_difference"] = float(model.objective_.sum()) / objective - 1.0
        row["same_labels"] = float(np.mean(labels(decisions) == labels(theirs)))
    return row


def labels(decisions: Any) -> Any:
    return decisions > 0 if decisions.ndim == 1 else decisions.argmax(axis=1)


def stand_in(name: str, X: Any, y: Any, options: argparse.Namespace) -> Row:
    """Return the time of one working set of 1024 variables after the other."""
    import torch

    from svmosaic.engine.gpu.accelerator import Accelerator
    from svmosaic.engine.gpu.engine import TorchEngine
    from svmosaic.engine.gpu.memory_plan import Sizes
    from svmosaic.engine.protocol import register

    everyone = 1 << 40
    sizes = Sizes(block=1024, single=1024, cell=everyone, candidates=everyone, n_singles=1)
    place = Accelerator.of(torch.device(options.device))
    engine = TorchEngine(Accelerator(place.device, place.use_triton, sizes))
    register("stand-in", engine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = [
            fit_and_decide(name, X, y, device="stand-in", max_time=options.limit / 2)
            for _ in range(2)
        ]
    return {"stand_in_fit": runs[-1][2]}


def seconds_on_device(model: Any, X: Any, device: str) -> Row:
    """Return the seconds of decision values without transfers, and of the least they need."""
    import torch

    from svmosaic.engine.gpu.accelerator import Accelerator
    from svmosaic.engine.gpu.features import read_features
    from svmosaic.engine.gpu.integer_rbf import integer_pair
    from svmosaic.engine.problem import DenseRows

    place = Accelerator.of(torch.device(device))
    kernel = model.expansion_.kernel
    with place.active():
        table, other = (read_features(DenseRows(t), place) for t in (X, model.expansion_.vectors))
        pair = integer_pair(table, other, kernel, place)
        if pair is None:
            return {}
        left, right = pair
        coef = place.tensor(model.dual_coef_[0], torch.float64)
        everyone = torch.arange(right.n, device=place.device)
        count = torch.tensor([right.n], device=place.device)
        ours = best(lambda: left.products_with(right, everyone, coef, count))
        rows, vectors = place.tensor(X), place.tensor(model.expansion_.vectors)

        def products_and_powers(step: int) -> None:
            for part in rows.split(step):
                (part @ vectors.T).exp_()

        steps = [step for step in (2048, 8192, 32768) if step * right.n < 1 << 33]
        bound = min(best(partial(products_and_powers, step)) for step in steps)
    return {"decide": ours, "bound": bound}


def best(run: Any, repeat: int = 3) -> float:
    """Return the least time of a few runs on a GPU, after one that does not count."""
    import torch

    times = []
    for _ in range(repeat + 1):
        torch.cuda.synchronize()
        began = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return min(times[1:])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--npz", type=Path)
    parser.add_argument("--export", type=Path)
    parser.add_argument("--sets", default=",".join(GPU_CASES))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-cpu", action="store_true")
    parser.add_argument("--no-stand-in", action="store_true")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    names = options.sets.split(",")
    if options.export is not None:
        export(names, options.export)
        return 0
    import torch

    device = torch.cuda.get_device_name() if options.device.startswith("cuda") else "CPU"
    print(f"{device}, PyTorch {torch.__version__}, Python {platform.python_version()}", flush=True)
    rows: list[Row] = []
    for name in names:
        rows.append(measure(name, *load_set(name, options.npz), options))
        print("  ".join(f"{k}={_text(v)}" for k, v in rows[-1].items()), flush=True)
        # What is measured is kept if the next set fails.
        if options.out is not None:
            write(rows, options.out)
    return 0


def write(rows: list[Row], path: Path) -> None:
    """Write the figures as CSV."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(
            {k: f"{v:.10g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows
        )


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
