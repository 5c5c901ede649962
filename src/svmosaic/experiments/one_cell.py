"""Run one cell of an experiment: train, score, and describe what happened."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from svmosaic.experiments.cells import STEP, Cell, make_estimator
from svmosaic.experiments.description import describe_data, rename_search
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.limits import now
from svmosaic.experiments.spec import ExperimentSpec
from svmosaic.experiments.stream_cells import run_stream_cell
from svmosaic.model_selection.evaluation import run_split

__all__ = ["run_cell"]

_MOST_WARNINGS = 5


def run_cell(spec: ExperimentSpec, cell: Cell, X: Any, y: Any) -> Entry:
    """Train and score one cell; an error becomes part of its entry."""
    begin = time.perf_counter()
    _reset_peak_memory()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if spec.protocol.kind == "prequential":
                record = run_stream_cell(spec, cell, X)
            else:
                record = _run_split_cell(spec, cell, X, y)
            status = "done"
        except Exception as error:
            status = "failed"
            record = {
                "error": f"{type(error).__name__}: {error}",
                "traceback": traceback.format_exc(),
            }
    record["warnings"] = list(dict.fromkeys(str(w.message) for w in caught))[:_MOST_WARNINGS]
    record |= describe_data(X, y)
    record |= {"question": cell.question, "code": cell.code}
    record["cell_seconds"] = time.perf_counter() - begin
    record["peak_mb"] = _peak_memory_mb()
    return Entry(
        *(cell.key, cell.dataset, cell.method, cell.split.repeat, cell.split.fold),
        *(status, _plain(record), now()),
    )


def _run_split_cell(spec: ExperimentSpec, cell: Cell, X: Any, y: Any) -> dict[str, Any]:
    estimator = make_estimator(spec, cell, X, y)
    result = run_split(estimator, X, y, cell.split, spec.protocol.scoring)
    record = result.record()
    record["params"] = {k.removeprefix(STEP): v for k, v in result.params.items()}
    record["search_scores"] = rename_search(result.search_scores, STEP)
    return record


# What is recorded of a cell -----------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return plain Python values, which JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _reset_peak_memory() -> None:
    """Let Linux forget the highest memory so far, so that the next cell has its own."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_memory_mb() -> float | None:
    """Return the highest memory of this process since the last reset, where the system tells."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return None if found is None else int(found[1]) / 1024
