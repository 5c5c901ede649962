"""The search for parameters: what was chosen, and the scores of the candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

from svmosaic.reports.document import Details, Figure, Row, Section, Table
from svmosaic.reports.figures import Studio
from svmosaic.reports.numbers import format_score
from svmosaic.reports.run_data import RunData
from svmosaic.reports.search_data import Candidates, ScoreMap, gather_candidates
from svmosaic.utils.wording import plural

__all__ = ["search_section"]

# A page of more maps than this is slow to open and nobody looks at all of them.
_MOST_FIGURES = 36
# Scores are kept with six digits.
_TIE = 1e-9

_LEAD = (
    "Mean scores on the inner folds, which choose the parameters. They are optimistic for the "
    "candidate that was chosen by them; the tables above have the scores on test rows. A best "
    "value at "
    "the edge of a map says that the grid may be too small."
)


def search_section(run: RunData, studio: Studio) -> Section:
    """Return what the searches chose, and maps and curves of their scores."""
    if not any(record.get("params") or record.get("search_scores") for record in run.records):
        return Section("Parameter search", "No method of this run has parameters to search.")
    chosen = _chosen_table(run)
    details: list[Details] = []
    n_figures = n_left_out = 0
    for dataset in run.datasets:
        figures = []
        found = {
            method: candidates
            for method in run.methods
            if (candidates := gather_candidates(run.of(dataset, method))) is not None
        }
        if n_figures < _MOST_FIGURES:
            figures = [*_maps(dataset, found, run, studio), *_curves(dataset, found, run, studio)]
        else:
            n_left_out += bool(found)
        n_figures += len(figures)
        if figures:
            # The first one shows what is in the others.
            details.append(Details(dataset, figures=figures, opened=not details))
    notes = [_LEAD]
    if n_left_out:
        notes.append(
            f"The figures of {plural(n_left_out, 'data set')} more are left out to keep the page "
            "small."
        )
    if not details and not studio.missing:
        notes.append(
            "The scores of the candidates were not kept: the grids have more than 400 candidates, "
            "or the journal was written by an older version."
        )
    return Section("Parameter search", "\n\n".join(notes), details=[*chosen, *details])


def _chosen_table(run: RunData) -> list[Details]:
    """Return the table of what was chosen; nothing if no search tells."""
    rows: list[Row] = []
    for dataset in run.datasets:
        block: list[Row] = []
        for method in run.methods:
            found = [record["params"] for record in run.of(dataset, method) if record.get("params")]
            if found:
                counts = Counter(_words(params) for params in found)
                ((most, count),) = counts.most_common(1)
                block.append([dataset, method, most, f"{count} of {len(found)}", str(len(counts))])
        if block:
            rows += [*([()] if rows else []), *block]
    if not rows:
        return []
    header = ["data set", "method", "chosen most often", "splits", "different choices"]
    caption = "On how many splits each search chose what it chose most often"
    return [Details("Chosen parameters", tables=[Table(header, rows, caption, "lllrr")])]


def _words(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in params.items())


def _short(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.4g}" if is_number else str(value)


# Figures ------------------------------------------------------------------------------------


def _maps(
    dataset: str, found: Mapping[str, Candidates], run: RunData, studio: Studio
) -> list[Figure]:
    figures: list[Figure] = []
    for method, candidates in found.items():
        of_two = candidates.map()
        if of_two is None:
            continue
        alt = f"Scores of {method} on {dataset} over {of_two.x} and {of_two.y}"
        make = partial(_draw_map, of_two, method, run.scores[0])
        figures += studio.draw(make, alt, _caption(method, candidates, of_two.others))
    return figures


def _draw_map(of_two: ScoreMap, method: str, score: str) -> Any:
    from svmosaic.plots.heat_map import plot_heat_map

    return plot_heat_map(
        of_two.scores,
        of_two.columns,
        of_two.rows,
        xlabel=of_two.x,
        ylabel=of_two.y,
        label=score,
        title=method,
    )


def _caption(method: str, candidates: Candidates, others: tuple[str, ...]) -> str:
    params, score = candidates.best
    n_ties = sum(score - other < _TIE for other in candidates.scores.values())
    ties = f", the first of {n_ties} as good" if n_ties > 1 else ""
    rest = f" For each pair the best of {' and '.join(others)}." if others else ""
    return (
        f"{method}: mean over {plural(candidates.n_splits, 'split')}; the frame marks the best, "
        f"{format_score(score)} at {_words(params)}{ties}.{rest}"
    )


def _curves(
    dataset: str, found: Mapping[str, Candidates], run: RunData, studio: Studio
) -> list[Figure]:
    """Return one figure per parameter that is searched alone, with a curve for each method."""
    by_parameter: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for method, candidates in found.items():
        curve = candidates.curve()
        if curve is not None:
            (parameter,) = candidates.values
            by_parameter.setdefault(parameter, {})[method] = curve
    figures: list[Figure] = []
    for parameter, series in by_parameter.items():
        alt = f"Scores of {', '.join(series)} on {dataset} against {parameter}"
        make = partial(_draw_curves, series, parameter, run.scores[0])
        figures += studio.draw(make, alt, f"{', '.join(series)}: mean over the splits.")
    return figures


def _draw_curves(
    series: Mapping[str, list[tuple[float, float]]], parameter: str, score: str
) -> Any:
    from svmosaic.plots.curve import plot_curves

    title = next(iter(series)) if len(series) == 1 else None
    return plot_curves(series, xlabel=parameter, ylabel=score, title=title)
