"""Cells that failed, what others warned of, and figures that could not be drawn."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Sequence

from svmosaic.experiments.journal import Entry, damage_words
from svmosaic.reports.document import Details, Row, Section, Table
from svmosaic.reports.run_data import RunData
from svmosaic.utils.wording import plural

__all__ = ["failure_section"]

# The page names this many; the journal has all.
_MOST_FAILURES = 40
_MOST_WARNINGS = 20
_LONGEST = 240
_NUMBER = re.compile(r"[-+]?\d[\d.e+-]*")


def failure_section(run: RunData, undrawn: Sequence[str]) -> Section:
    """Return what went wrong, or that nothing did.

    Parameters
    ----------
    run : RunData
        The run.
    undrawn : sequence of str
        A sentence for each figure that could not be drawn.
    """
    sentences = [_failed(run), _missing(run), _damaged(run)]
    sentences += [f"A figure could not be drawn. {reason}" for reason in undrawn]
    details = [_failure(entry) for entry in run.failed[:_MOST_FAILURES]]
    tables = [_by_method(run)] if run.failed else []
    warnings = _warnings(run)
    if warnings is not None:
        tables.append(warnings)
    else:
        sentences.append("No cell warned of anything.")
    text = "\n\n".join(sentence for sentence in sentences if sentence)
    return Section("Failures and warnings", text, tables, details=details)


def _failed(run: RunData) -> str:
    if not run.failed:
        return "No cell failed."
    rest = len(run.failed) - _MOST_FAILURES
    more = f" The first {_MOST_FAILURES} are below." if rest > 0 else ""
    total = len(run.records) + len(run.failed)
    return (
        f"{len(run.failed)} of {plural(total, 'cell')} failed; the others went on. 'svmosaic run' "
        f"with --retry-failed runs them again.{more}"
    )


def _missing(run: RunData) -> str:
    if not run.n_missing:
        return ""
    return (
        f"{plural(run.n_missing, 'cell')} of the plan {_are(run.n_missing)} not finished. The same "
        "'svmosaic run' resumes with what is missing."
    )


def _damaged(run: RunData) -> str:
    if not run.damaged:
        return ""
    return f"{damage_words(run.damaged)}. The same 'svmosaic run' runs damaged cells again."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _by_method(run: RunData) -> Table:
    counts = Counter((entry.dataset, entry.method, _last_line(entry)) for entry in run.failed)
    rows: list[Row] = [[*where, str(count)] for where, count in counts.items()]
    return Table(["data set", "method", "error", "cells"], rows, "Failed cells", "lllr")


def _failure(entry: Entry) -> Details:
    where = f"{entry.method} on {entry.dataset}, repeat {entry.repeat}, fold {entry.fold}"
    return Details(
        f"{where}: {_last_line(entry)}", code=str(entry.record.get("traceback", "")).rstrip()
    )


def _last_line(entry: Entry) -> str:
    lines = [line.strip() for line in str(entry.record.get("error", "")).splitlines()]
    lines = [line for line in lines if line]
    # The first line has the error's name; a long message ends with what matters.
    if len(lines) > 1:
        return f"{lines[0].partition(':')[0]}: {lines[-1]}"
    return lines[0] if lines else "no message"


def _warnings(run: RunData) -> Table | None:
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for record in run.records:
        kinds = {
            _NUMBER.sub("#", " ".join(str(w).split())): str(w) for w in record.get("warnings") or ()
        }
        for kind, warning in kinds.items():
            counts[record["method"], kind] += 1
            examples.setdefault((record["method"], kind), warning)
    if not counts:
        return None
    rows: list[Row] = [
        [key[0], _shorten(examples[key]), str(count)]
        for key, count in counts.most_common(_MOST_WARNINGS)
    ]
    rest = len(counts) - len(rows)
    more = f", the {_MOST_WARNINGS} most frequent of {len(counts)}" if rest else ""
    caption = f"Warnings of finished cells, those that differ in numbers only together{more}"
    return Table(["method", "warning", "cells"], rows, caption, "llr")


def _shorten(text: str) -> str:
    """Return the first and the last line of a text, each not too long."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ends = lines[:1] if len(lines) < 2 else [lines[0], lines[-1]]
    return " … ".join(textwrap.shorten(line, _LONGEST, placeholder=" …") for line in ends)
