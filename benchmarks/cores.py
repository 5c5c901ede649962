"""What more cores give: fit and decision values for 1, 2, 4, 8 and 16 threads.

    python benchmarks/cores.py [--data DIR] [--sets ijcnn1,adult] [--models full,plain,smo]
                               [--threads 1,2,4] [--repeat 3] [--limit 300] [--quick]
                               [--out cores.csv] [--markdown cores.md] [--figure cores.svg]

A stratified draw of the rows is for training (80 %, or the number in the name of the set), seed 0,
features scaled to [0, 1] by these rows, in float32. After each fit the clock runs for the decision
values of the training rows. No certificate of optimality can be had for less, so the ratio

    fit seconds / seconds of decision_function on the training rows

says how far from the least a fit is, and hardly depends on the computer. Beside it stands the count
of kernel values, divided by that of the decision values of the distinct rows: n samples times s
support vectors. Plain OLLAWV needs no certificate; for it the two are a scale and no bound.

A set is read once, in a process of its own; thread counts come in turn, most threads first. A time
is the best of the repeats, which end after twenty seconds. A set whose fit took longer than
`--limit` seconds is not fitted with fewer threads. The models of all thread counts must be the same
to the last bit: if they are not, the command says which differ and fails.

On another computer, with no data there and only NumPy, SciPy and scikit-learn:

    python benchmarks/cores.py --export sets                # here: one .npz file per set
    PYTHONPATH=src python benchmarks/cores.py --npz sets    # there: a tree with a compiled core

The core is compiled there, or src/svmosaic/_core*.so is copied from a computer with the same Python
and kind of processor. Without matplotlib there is no figure; `--from cores.csv` makes the table and
the figure later, of as many files as are named.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

THREADS = (1, 2, 4, 8, 16)
MODELS = ("full", "plain", "smo")
# Repeats end when they have taken so long together.
ENOUGH_SECONDS = 20.0
QUICK_ROWS = 4000


@dataclass(frozen=True)
class Case:
    """A data set with its parameters, for features in [0, 1]."""

    data: str
    C: float
    gamma: float
    n_rows: int | None = None  # 80 % of the set if it is not said
    positive: int | None = None  # this class against the rest
    dense: bool | None = None  # as the catalogue has it if it is not said


CASES = {
    "ijcnn1": Case("ijcnn1", 32.0, 2.0),
    "ijcnn1-narrow": Case("ijcnn1", 4.0, 16.0),
    "adult": Case("adult", 1.0, 0.05),
    "w3a": Case("w3a", 4.0, 1 / 16),
    "web": Case("web", 4.0, 1 / 16),
    "covertype-50000": Case("covertype", 4.0, 8.0, 50_000, 2),
    "covertype-100000": Case("covertype", 4.0, 8.0, 100_000, 2),
    "covertype-200000": Case("covertype", 4.0, 8.0, 200_000, 2),
    "intrusion": Case("intrusion", 4.0, 1.0, 493_021, dense=True),
    "letter": Case("letter", 4.0, 8.0),
}

Row = dict[str, Any]


# Data -----------------------------------------------------------------------------------------


def prepare(case: Case) -> tuple[Any, Any]:
    """Return the training rows of a set, scaled, and their labels."""
    from scipy import sparse
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    from svmosaic.datasets import load

    data = load(case.data, dense=case.dense)
    X, y = data.X, np.asarray(data.y)
    if case.positive is not None:
        y = (y == case.positive).astype(np.int64)
    wanted = 0.8 if case.n_rows is None else case.n_rows
    rows = train_test_split(np.arange(y.size), train_size=wanted, stratify=y, random_state=0)[0]
    if sparse.issparse(X):
        return sparse.csr_array(MaxAbsScaler().fit_transform(X[rows]).astype(np.float32)), y[rows]
    return MinMaxScaler().fit_transform(X[rows]).astype(np.float32), y[rows]


def write_npz(path: Path, X: Any, y: Any) -> None:
    """Write rows, dense or sparse, and labels."""
    if hasattr(X, "indptr"):
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        parts = {"X": X}
    np.savez_compressed(path, y=y, **parts)


def read_npz(path: Path) -> tuple[Any, Any]:
    """Return what `write_npz` wrote."""
    from scipy import sparse

    with np.load(path, allow_pickle=False) as stored:
        if "X" in stored:
            return np.ascontiguousarray(stored["X"]), stored["y"]
        parts = (stored["data"], stored["indices"], stored["indptr"])
        return sparse.csr_array(parts, shape=tuple(stored["shape"])), stored["y"]


def take_some(X: Any, y: Any, n_rows: int) -> tuple[Any, Any]:
    """Return at most so many rows, drawn at random."""
    if len(y) <= n_rows:
        return X, y
    rows = np.sort(np.random.default_rng(0).choice(len(y), n_rows, replace=False))
    return X[rows], y[rows]


# Measuring ------------------------------------------------------------------------------------


def make(model: str, case: Case, threads: int) -> Any:
    from svmosaic import OLLAWVClassifier, SMOClassifier

    if model == "smo":
        return SMOClassifier(C=case.C, gamma=case.gamma, n_jobs=threads)
    refine: Any = {"full": "full", "plain": None}[model]
    return OLLAWVClassifier(C=case.C, gamma=case.gamma, refine=refine, n_jobs=threads)


def fingerprint(model: Any) -> str:
    """Return a sum over every bit of a model."""
    parts = (model.support_, model.dual_coef_, model.intercept_)
    total = hashlib.sha256()
    for part in parts:
        total.update(np.ascontiguousarray(part).tobytes())
    return total.hexdigest()[:16]


def measure(model: str, case: Case, X: Any, y: Any, threads: int, repeat: int) -> Row:
    """Fit with one number of threads; return the times and what the fit did."""
    fits: list[float] = []
    decisions: list[float] = []
    for _ in range(repeat):
        estimator = make(model, case, threads)
        began = time.perf_counter()
        estimator.fit(X, y)
        fits.append(time.perf_counter() - began)
        began = time.perf_counter()
        estimator.decision_function(X)
        decisions.append(time.perf_counter() - began)
        if sum(fits) + sum(decisions) > ENOUGH_SECONDS:
            break
    report = estimator.fit_report_
    phases = {name: value for name, value in vars(report.phases).items() if name != "total"}
    return {
        "threads": threads,
        "fit_seconds": min(fits),
        "decision_seconds": min(decisions),
        "fit_per_decision": min(fits) / min(decisions),
        "values_per_ns": report.kernel_value_ratio,
        "distinct": report.n_samples,
        "support_vectors": report.n_support,
        "updates": report.counters.n_updates,
        "rounds": report.counters.n_rounds,
        "theta_mean": report.counters.theta_mean,
        "cache_mb": report.counters.cache_bytes / 2**20,
        "preparation_seconds": report.preparation_seconds,
        **{f"{name}_seconds": value for name, value in phases.items()},
        "stop_reason": "; ".join(report.stop_reasons),
        "fingerprint": fingerprint(estimator),
        "repeats": len(fits),
    }


def child(pipe: Connection, name: str, options: argparse.Namespace) -> None:
    """Measure all models and thread counts on one set; send a record each."""
    try:
        case = CASES[name]
        X, y = prepare(case) if options.npz is None else read_npz(options.npz / f"{name}.npz")
        if options.quick:
            X, y = take_some(X, y, QUICK_ROWS)
        about = {"set": name, "n": X.shape[0], "d": X.shape[1], "C": case.C, "gamma": case.gamma}
        for model in options.models:
            # Loads libraries and wakes threads outside the clock.
            make(model, case, max(options.threads)).fit(*take_some(X, y, 1000))
            for threads in sorted(options.threads, reverse=True):
                row = measure(model, case, X, y, threads, options.repeat)
                pipe.send({**about, "model": model, **row})
                if row["fit_seconds"] > options.limit:
                    break
    except Exception as error:  # a set that fails is a result, not the end of the run
        pipe.send({"set": name, "error": f"{type(error).__name__}: {error}"[:300]})
    pipe.close()


def run_set(name: str, options: argparse.Namespace) -> Iterable[Row]:
    """Yield the records of one set as they come."""
    context = get_context("spawn")
    here, there = context.Pipe(False)
    process = context.Process(target=child, args=(there, name, options))
    process.start()
    there.close()
    try:
        while True:
            yield here.recv()
    except EOFError:
        pass
    process.join()
    if process.exitcode:
        yield {"set": name, "error": f"the process died with exit code {process.exitcode}"}


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


# Telling --------------------------------------------------------------------------------------


def groups(rows: list[Row]) -> dict[tuple[str, str], dict[int, Row]]:
    """Return the records by model and set, then by threads, fewest first."""
    found: dict[tuple[str, str], dict[int, Row]] = {}
    for row in sorted((r for r in rows if "error" not in r), key=lambda r: int(r["threads"])):
        found.setdefault((row["model"], row["set"]), {})[int(row["threads"])] = row
    return found


def different_models(rows: list[Row]) -> list[str]:
    """Return the sets whose models are not the same for all thread counts."""
    return [
        f"{model} on {name}"
        for (model, name), by_threads in groups(rows).items()
        if len({row["fingerprint"] for row in by_threads.values()}) > 1
    ]


def shown(by_threads: dict[int, Row], threads: int, name: str, form: str) -> str:
    """Return a number of one thread count as text; '-' where it was not measured."""
    return f"{float(by_threads[threads][name]):{form}}" if threads in by_threads else "-"


def markdown(rows: list[Row]) -> str:
    """Return a table per model: seconds, speed-ups and ratios by threads."""
    lines = []
    threads = sorted({int(row["threads"]) for row in rows if "error" not in row})
    for model in dict.fromkeys(row["model"] for row in rows if "error" not in row):
        sets = {name: found for (m, name), found in groups(rows).items() if m == model}
        lines += ["", f"### {model}", ""]
        heads = [f"fit s, {t}" for t in threads] + [f"fit / decision, {t}" for t in threads]
        head = ["set", "n", "support vectors", *heads, "speed-up", "kernel values / (n s)"]
        lines += [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        for name, found in sets.items():
            first, last = found[min(found)], found[max(found)]
            gain = float(first["fit_seconds"]) / float(last["fit_seconds"])
            cells = [name, first["n"], first["support_vectors"]]
            cells += [
                f"{float(found[t]['fit_seconds']):.3g}" if t in found else "-" for t in threads
            ]
            cells += [
                f"{float(found[t]['fit_per_decision']):.1f}" if t in found else "-" for t in threads
            ]
            cells += [f"{gain:.1f} (from {min(found)} to {max(found)})"]
            cells += [f"{float(last['values_per_ns']):.1f}"]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    broken = [row for row in rows if "error" in row]
    lines += [f"\n{row['set']}: {row['error']}" for row in broken]
    return "\n".join(lines).strip() + "\n"


def draw_figure(rows: list[Row], path: Path) -> None:
    """Draw the speed-up and the ratio against the number of threads, for the first model."""
    from svmosaic.plots.style import COLOURS, MARKERS, finish, new_axes

    model = next(row["model"] for row in rows if "error" not in row)
    figure = new_axes((9.6, 3.9)).figure
    figure.clear()
    left, right = figure.subplots(1, 2)
    threads = sorted({int(row["threads"]) for row in rows if "error" not in row})
    sets = {name: found for (m, name), found in groups(rows).items() if m == model}
    for number, (name, found) in enumerate(sets.items()):
        look: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": "-" if number < len(COLOURS) else "--",
            "label": name,
        }
        fewest = min(found)
        base = float(found[fewest]["fit_seconds"]) * fewest
        left.plot(list(found), [base / float(r["fit_seconds"]) for r in found.values()], **look)
        ratios = [float(row["fit_per_decision"]) for row in found.values()]
        right.plot(list(found), ratios, **look)
    left.plot(threads, threads, color="#999999", linestyle=":", label="as many as threads")
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_xticks(threads, [str(t) for t in threads])
    left.set_yscale("log", base=2)
    left.set_yticks(threads, [str(t) for t in threads])
    right.set_ylim(bottom=0)
    left.legend(frameon=False, fontsize=7)
    finish(left, title=f"{model}: speed-up of fit", xlabel="threads", ylabel="times as fast")
    finish(
        right,
        title="fit / decision_function(training rows)",
        xlabel="threads",
        ylabel="ratio of seconds",
    )
    figure.savefig(path)


def print_row(row: Row) -> None:
    if "error" in row:
        print(f"{row['set']:<17} {row['error']}", flush=True)
        return
    print(
        f"{row['set']:<17}{row['model']:<7}{row['threads']:>4}{row['fit_seconds']:>10.3f}"
        f"{row['decision_seconds']:>10.3f}{row['fit_per_decision']:>8.1f}"
        f"{row['values_per_ns']:>8.1f}{row['support_vectors']:>9}  {row['fingerprint']}",
        flush=True,
    )


def read_rows(paths: Iterable[Path]) -> list[Row]:
    """Return the records of files that were written before; empty cells are left out."""
    rows: list[Row] = []
    for path in paths:
        with path.open(newline="", encoding="utf-8") as stream:
            rows += [{k: v for k, v in row.items() if v != ""} for row in csv.DictReader(stream)]
    return rows


def write_rows(rows: list[Row], path: Path) -> None:
    fields = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fields)
        writer.writeheader()
        for row in rows:
            short = {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in row.items()}
            writer.writerow(short)


def run_all(options: argparse.Namespace) -> list[Row]:
    from svmosaic.utils.threads import available_threads

    where = {
        "cores": available_threads(),
        "processor": processor(),
        "python": platform.python_version(),
        "date": date.today().isoformat(),
    }
    print(
        f"{'set':<17}{'model':<7}{'thr':>4}{'fit s':>10}{'decide s':>10}{'ratio':>8}{'kv/ns':>8}"
        f"{'SVs':>9}  model bits"
    )
    rows = []
    for name in options.sets:
        for row in run_set(name, options):
            rows.append({**row, **where})
            print_row(row)
    return rows


# The command ----------------------------------------------------------------------------------


def names_from(known: Iterable[str]) -> Any:
    def read(text: str) -> list[str]:
        names = text.split(",")
        unknown = set(names) - set(known)
        if unknown:
            raise argparse.ArgumentTypeError(
                f"{', '.join(sorted(unknown))} is unknown; expected some of {', '.join(known)}"
            )
        return names

    return read


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder with classification/NAME.svm.gz")
    parser.add_argument("--npz", type=Path, help="folder with the files that --export wrote")
    parser.add_argument("--export", type=Path, help="only write the sets as .npz files here")
    parser.add_argument("--from", dest="read", type=Path, nargs="+", help="CSV files to show again")
    parser.add_argument("--sets", type=names_from(CASES), default=list(CASES))
    parser.add_argument("--models", type=names_from(MODELS), default=["full"])
    parser.add_argument(
        "--threads",
        type=lambda text: [int(number) for number in text.split(",")],
        help="numbers with commas (default: those of 1, 2, 4, 8, 16 that the computer has)",
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds; see above")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS} rows of each set, once")
    parser.add_argument("--out", type=Path, help="write the rows as CSV")
    parser.add_argument("--markdown", type=Path, help="write the tables")
    parser.add_argument("--figure", type=Path, help="draw the figure; needs matplotlib")
    options = parser.parse_args()
    if options.quick:
        options.repeat = 1
    if options.data:
        os.environ["SVMOSAIC_DATA"] = options.data
    if options.threads is None:
        from svmosaic.utils.threads import available_threads

        options.threads = [t for t in THREADS if t <= available_threads()]
    return options


def main() -> int:
    options = read_options()
    if options.export is not None:
        options.export.mkdir(parents=True, exist_ok=True)
        for name in options.sets:
            path = options.export / f"{name}.npz"
            write_npz(path, *prepare(CASES[name]))
            print(f"{path}: {path.stat().st_size / 2**20:.1f} MB", flush=True)
        return 0
    rows = run_all(options) if options.read is None else read_rows(options.read)
    table = markdown(rows)
    print(f"\n{table}")
    if options.out:
        write_rows(rows, options.out)
    if options.markdown:
        options.markdown.write_text(table, encoding="utf-8")
    if options.figure:
        try:
            draw_figure(rows, options.figure)
        except ImportError as error:
            print(f"No figure: {error}")
    broken = different_models(rows)
    if broken:
        print(f"Models that depend on the number of threads: {'; '.join(broken)}.")
    return 1 if broken or any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
