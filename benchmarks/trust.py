"""The figures of the trust page that are times, sizes or counts.

    python benchmarks/trust.py [--only NAME ...] [--out FILE.csv]

A line for each figure: the number of the test on the page, what was measured, the figure, its
limit, and whether it is kept. Rows of the file that are not measured now stay in it. Times want a
computer that does nothing else. The program fails if a limit is not kept.
"""

from __future__ import annotations

import argparse
import csv
import gc
import inspect
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import svmosaic

# Number of the test, what is measured, figure, limit, unit. A figure may be at most its limit; None
# is a figure that is only reported.
Row = tuple[int, str, float, float | None, str]

PUBLIC_SETS = [
    *("australian", "banana", "banknote", "cancer", "dermatology", "eukaryotic", "fertility"),
    *("glass", "heart", "ionosphere", "iris", "letter", "liver", "pima", "prokaryotic", "satimage"),
    *("shuttle", "sonar", "spect", "teach", "usps", "vote", "wine", "adult", "w3a", "electricity"),
]
MOST_ROWS = 4000
HEADER = ["measure", "test", "what", "figure", "limit", "unit", "kept"]


def _public(name: str) -> tuple[Any, Any]:
    """Return at most 4000 rows of a data set, with features in [0, 1]."""
    from scipy import sparse
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    from svmosaic.datasets import load

    data = load(name)
    y = np.asarray(data.y)
    rows = np.random.default_rng(0).permutation(y.size)[:MOST_ROWS]
    X, y = data.X[rows], y[rows]
    scaler = MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler()
    return scaler.fit_transform(X), y


def agreement() -> Iterator[Row]:
    """Compare with SVC on public data, and float32 with float64."""
    from sklearn.svm import SVC

    labels = changed = total = 0
    gaps, lowest = [], 1.0
    accuracy: list[list[float]] = []
    for name in PUBLIC_SETS:
        X, y = _public(name)
        train, test = slice(0, None, 2), slice(1, None, 2)
        settings: dict[str, Any] = {"C": 10.0, "gamma": 1.0, "tol": 1e-4}
        peer = SVC(**settings, break_ties=True).fit(X[train], y[train])
        model = svmosaic.SMOClassifier(**settings).fit(X[train], y[train])
        found, known = model.predict(X[test]), peer.predict(X[test])
        single = svmosaic.SMOClassifier(**settings).fit(X[train].astype(np.float32), y[train])
        labels += int(np.sum(found != known))
        changed += int(np.sum(single.predict(X[test].astype(np.float32)) != found))
        total += known.size
        lowest = min(lowest, float(np.mean(found == known)))
        known_objective = _objectives(peer, X[train])
        accuracy.append([float(np.mean(known == y[test])), float(np.mean(found == y[test]))])
        plain = svmosaic.OLLAWVClassifier(C=10.0, gamma=1.0, refine=None)
        accuracy[-1].append(plain.fit(X[train], y[train]).score(X[test], y[test]))
        gaps.append(np.max(np.abs(np.asarray(model.objective_) / known_objective - 1.0)))
    count = f"{len(PUBLIC_SETS)} public sets, {total} labels"
    yield 4, f"labels that differ from SVC's, {count}", 100 * labels / total, 0.1, "%"
    yield 4, f"the most on one set, {count}", 100 * (1 - lowest), 0.1, "%"
    yield 4, "largest relative difference of a dual objective to SVC's", max(gaps), 1e-4, ""
    names = ("SVC", "SMOClassifier", "OLLAWV plain")
    yield from _compare(names, 100 * np.array(accuracy))
    yield 5, f"labels that float32 changes, {count}", 100 * changed / total, 0.1, "%"


def _compare(names: tuple[str, ...], accuracy: Any) -> Iterator[Row]:
    """Report mean ranks, and differences to the first method with a 95 % interval of Student's."""
    from scipy import stats

    ranks = stats.rankdata(-accuracy.round(10), axis=1).mean(axis=0)
    for name, rank in zip(names, ranks, strict=True):
        yield 4, f"mean rank of {name} by accuracy", rank, None, ""
    n_sets = len(accuracy)
    for name, values in zip(names[2:], accuracy.T[2:], strict=True):
        difference = values - accuracy[:, 0]
        half = stats.t.ppf(0.975, n_sets - 1) * difference.std(ddof=1) / np.sqrt(n_sets)
        yield 4, f"mean accuracy of {name} minus {names[0]}'s", difference.mean(), None, "points"
        yield 4, f"half of the 95 % interval of {name}", half, None, "points"


def _objectives(svc: Any, X: Any) -> Any:
    """Return the dual objectives of SVC's binary problems."""
    from sklearn.metrics.pairwise import rbf_kernel

    bounds = np.concatenate([[0], np.cumsum(svc.n_support_)])
    vectors, coef = svc.support_vectors_, svc.dual_coef_
    coef = coef.toarray() if hasattr(coef, "toarray") else coef
    K = rbf_kernel(vectors, gamma=svc.gamma)
    values = []
    for i in range(svc.classes_.size):
        for j in range(i + 1, svc.classes_.size):
            first, second = (slice(bounds[k], bounds[k + 1]) for k in (i, j))
            alpha = np.concatenate([coef[j - 1, first], coef[i, second]])
            rows = np.r_[first, second]
            values.append(np.abs(alpha).sum() - 0.5 * alpha @ K[np.ix_(rows, rows)] @ alpha)
    return np.array(values)


_PEAK = """
import re
import threading
from pathlib import Path

import numpy as np

import svmosaic


def resident():
    # With what the system has moved out of the memory.
    text = Path("/proc/self/status").read_text()
    sizes = [re.search(name + r":\\s+(\\d+)", text)[1] for name in ("VmRSS", "VmSwap")]
    return sum(map(int, sizes)) / 1024


def watch(over):
    while not over.wait(0.02):
        seen.append(resident())


rng = np.random.default_rng(0)
tiny = rng.normal(size=(300, 5))
svmosaic.OLLAWVClassifier().fit(tiny, tiny[:, 0] > 0)
before = resident()
X = rng.standard_normal(({n}, {d}), dtype=np.float32){cast}
y = (X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal({n}) > 0).astype(int)
if {easy}:
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    X[:, :3] += 2 * y[:, None]
made = resident()
seen, over = [], threading.Event()
thread = threading.Thread(target=watch, args=(over,))
thread.start()
{model}.fit(X, y)
over.set()
thread.join()
print(max(seen) - {start})
"""


def _peak_mb(
    n: int, d: int, model: str, *, start: str, cast: str = "", easy: bool = False
) -> float:
    """Return how much memory the data and a fit take, in MB, or the fit alone."""
    program = _PEAK.format(n=n, d=d, model=model, start=start, cast=cast, easy=easy)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def memory() -> Iterator[Row]:
    """Measure the memory of fits: float32, limits, a million rows."""
    model = "svmosaic.SMOClassifier(gamma=0.5, cache_mb=8000)"
    single = _peak_mb(8000, 100, model, start="before")
    double = _peak_mb(8000, 100, model, start="before", cast=".astype(np.float64)")
    yield 5, "peak memory of data and fit, float32 / float64", single / double, 0.55, ""
    for name in ("OLLAWVClassifier", "SMOClassifier", "NNISDAClassifier", "MNSVMClassifier"):
        if "memory_limit_mb" not in inspect.signature(getattr(svmosaic, name)).parameters:
            continue
        text = f"svmosaic.{name}(gamma=0.1, memory_limit_mb=200, max_time=120, n_jobs=2)"
        peak = _peak_mb(25_000, 20, text, start="made")
        yield 18, f"peak of {name} with memory_limit_mb=200, 25 000 rows", peak, 220.0, "MB"
    text = "svmosaic.OLLAWVClassifier(gamma=0.01, memory_limit_mb=3000, n_jobs=2)"
    peak = _peak_mb(1_000_000, 100, text, start="before", easy=True)
    yield 18, "peak of data and fit, 1 000 000 x 100 float32", peak, 4096.0, "MB"


def threads() -> Iterator[Row]:
    """Fit with 1 to 16 threads, again and again, and compare the bits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=4000) > 0).astype(int) + (X[:, 2] > 1)
    for name in ("OLLAWVClassifier", "SMOClassifier"):
        kind = getattr(svmosaic, name)
        bits = []
        for n_jobs in (1, 2, 4, 8, 16):
            for _ in range(20):
                model = kind(gamma=1.0, n_jobs=n_jobs)
                bits.append(model.fit(X, y).decision_function(X).tobytes())
        other = sum(value != bits[0] for value in bits)
        what = f"of {len(bits)} fits of {name} with n_jobs 1, 2, 4, 8, 16, not the same bits"
        yield 11, what, other, 0, "fits"


def concurrency() -> Iterator[Row]:
    """Compare two fits in two threads of Python with one fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 20))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)

    def fit(n: int) -> None:
        svmosaic.SMOClassifier(gamma=0.05, C=10.0, n_jobs=1).fit(X[:n], y[:n])

    def seconds(n: int, n_threads: int) -> float:
        begin = time.perf_counter()
        started = [threading.Thread(target=fit, args=(n,)) for _ in range(n_threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        return time.perf_counter() - begin

    for n in (3000, 6000, 10_000):
        seconds(n, 1)
        one, two = (min(seconds(n, count) for _ in range(7)) for count in (1, 2))
        yield 14, f"two fits of {n} rows at once / one fit, best of 7 each", two / one, 1.2, ""


def _resident_mb() -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def leaks() -> Iterator[Row]:
    """Fit a thousand times and see how much memory is kept."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.arange(60) % 3
    for name in ("OLLAWVClassifier", "SMOClassifier", "NLSGDClassifier", "MNSVMClassifier"):
        model = getattr(svmosaic, name)()
        for _ in range(200):
            model.fit(X, y).predict(X)
        gc.collect()
        before = _resident_mb()
        for _ in range(1000):
            model.fit(X, y).predict(X)
        gc.collect()
        yield 15, f"growth over 1000 fits of {name}", _resident_mb() - before, 1.0, "MB"


def time_limits() -> Iterator[Row]:
    """Measure how long a fit with max_time=1 takes that would take much longer."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 20)).astype(np.float32)
    y = rng.integers(0, 2, 100_000)
    names = ["OLLAWVClassifier", "SMOClassifier", "NNISDAClassifier", "MNSVMClassifier"]
    names += ["NLSGDClassifier", "OLLAL2Classifier", "SMORegressor"]
    for name in names:
        model = getattr(svmosaic, name)(max_time=1.0)
        if "gamma" in model.get_params():
            model.set_params(gamma=0.5)
        worst = 0.0
        for _ in range(5):
            begin = time.perf_counter()
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                model.fit(X, y)
            worst = max(worst, time.perf_counter() - begin)
            if not any("max_time" in str(one.message) for one in seen):
                raise RuntimeError(f"{name} ended by itself; give it more work")
        if not np.all(np.isfinite(model.predict(X[:100]))):
            raise RuntimeError(f"{name} has no usable model")
        yield 17, f"{name} with max_time=1, 100 000 rows, slowest of 5", worst, 1.2, "s"


def hostile_files() -> Iterator[Row]:
    """Measure how soon a file with a huge index and one of nested entities are refused."""
    from svmosaic.datasets import read_table
    from svmosaic.datasets.readers.target_files import read_target_names
    from svmosaic.exceptions import DataFileError

    def refuse(read: Callable[[Path], Any], path: Path) -> tuple[float, float]:
        times: list[float] = []
        before = 0.0
        for number in range(21):
            if number == 1:
                # The first has imported what it needs.
                times.clear()
                before = _resident_mb()
            begin = time.perf_counter()
            try:
                read(path)
            except DataFileError:
                times.append(time.perf_counter() - begin)
            else:
                raise RuntimeError(f"{path.name} was read")
        return 1000 * float(np.median(times)), _resident_mb() - before

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "huge.svm")
        path.write_text("1 2147483646:1\n")
        milliseconds, mb = refuse(read_table, path)
        yield 22, "'1 2147483646:1' is refused, median of 20", milliseconds, 1.0, "ms"
        yield 22, "memory that this takes", mb, 1.0, "MB"
        path = Path(folder, "laughs.xml")
        entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
        path.write_text(
            f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><labels><label name="&e9;"/></labels>'
        )
        milliseconds, _ = refuse(read_target_names, path)
        yield 23, "nested entities in XML are refused, median of 20", milliseconds, 10.0, "ms"


MEASURES: dict[str, Callable[[], Iterator[Row]]] = {
    "agreement": agreement,
    "memory": memory,
    "threads": threads,
    "concurrency": concurrency,
    "leaks": leaks,
    "time_limits": time_limits,
    "hostile_files": hostile_files,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--out", help="a CSV file for the figures")
    options = parser.parse_args()
    rows = _known_rows(options.out, options.only)
    failed = 0
    for name in options.only:
        for number, what, figure, limit, unit in MEASURES[name]():
            most = "" if limit is None else f"{limit:g}"
            kept = "" if limit is None else "yes" if figure <= limit else "no"
            failed += kept == "no"
            rows.append([name, str(number), what, f"{figure:.3g}", most, unit, kept])
            bound = "" if limit is None else f" (limit {most}, kept: {kept})"
            print(f"{number:2}  {what}: {figure:.3g} {unit}{bound}", flush=True)
    if options.out:
        rows.sort(key=lambda row: (int(row[1]), list(MEASURES).index(row[0])))
        with open(options.out, "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(rows)
    return 1 if failed else 0


def _known_rows(path: str | None, measured: list[str]) -> list[list[str]]:
    """Return the rows of a file that are not measured now."""
    if path is None or not Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as stream:
        return [row for row in csv.reader(stream) if row != HEADER and row[0] not in measured]


if __name__ == "__main__":
    sys.exit(main())
