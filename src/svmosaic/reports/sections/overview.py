"""The methods side by side over all measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmosaic.reports.document import Cell, Row, Section, Table
from svmosaic.reports.measure import MISSING, Measure
from svmosaic.reports.run_data import RunData
from svmosaic.stats import meta_ranks

__all__ = ["overview_section"]


def overview_section(run: RunData, scores: Sequence[Measure], costs: Sequence[Measure]) -> Section:
    """Return one row per method: its ranks by each measure, and what failed.

    Parameters
    ----------
    run : RunData
        The run.
    scores : sequence of Measure
        The scores; over two and more of them there is a meta-rank.
    costs : sequence of Measure
        Times and sizes.
    """
    columns = [(values.kind.words, _ranks(values)) for values in [*scores, *costs]]
    ranked = {name: ranks for name, ranks in columns[: len(scores)] if len(ranks) > 1}
    text = (
        "Average ranks of the methods over the data sets: 1 is the best, and the best of each "
        "column is bold. A rank says who is ahead, not by how much; the sections below do."
    )
    if len(scores) > 1 and _same_methods(ranked):
        columns.insert(len(scores), ("meta-rank of the scores", meta_ranks(ranked)))
        text += (
            " The meta-rank is the mean place of a method over the scores. It describes and is "
            "no test: scores of the same predictions depend on each other."
        )
    failed = {name: sum(entry.method == name for entry in run.failed) for name in run.methods}
    rows: list[Row] = [
        [name, *(_cell(ranks, name) for _, ranks in columns), str(failed[name])]
        for name in run.methods
    ]
    header = ["method", *(words for words, _ in columns), "failed cells"]
    table = Table(header, rows, "Average ranks", "l" + "r" * (len(header) - 1))
    return Section("At a glance", text, [table])


def _ranks(values: Measure) -> dict[str, float]:
    ranks = values.average_ranks()
    return {} if ranks is None else dict(zip(values.methods, ranks.tolist(), strict=True))


def _same_methods(ranked: dict[str, dict[str, float]]) -> bool:
    return len(ranked) > 1 and len({tuple(sorted(ranks)) for ranks in ranked.values()}) == 1


def _cell(ranks: dict[str, float], name: str) -> Cell:
    if name not in ranks:
        return Cell(MISSING)
    best = bool(np.isclose(ranks[name], min(ranks.values()), rtol=0, atol=1e-12))
    return Cell(f"{ranks[name]:.2f}", best)
