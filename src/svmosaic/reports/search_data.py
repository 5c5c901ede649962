"""The scores of inner searches, gathered over the folds of a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.stats.table import DoubleArray

__all__ = ["Candidates", "ScoreMap", "gather_candidates"]

# Of parameters with as many values these come first.
_KNOWN = ("gamma", "C", "margin")


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """Scores over two parameters.

    Attributes
    ----------
    x, y : str
        The parameters of columns and rows.
    columns, rows : sequence
        Their values.
    scores : ndarray of shape (n_rows, n_columns)
        The best mean score with these two values; nan where none was tried.
    others : tuple of str
        Parameters that were searched too; the best of their values counts.
    """

    x: str
    y: str
    columns: Sequence[Any]
    rows: Sequence[Any]
    scores: DoubleArray
    others: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the searches of one method on one data set tried.

    Attributes
    ----------
    n_splits : int
        Splits that the scores are means over.
    values : dict of str to list
        The different values of each parameter that has more than one.
    scores : dict of tuple to float
        The mean score of each combination of them.
    """

    n_splits: int
    values: dict[str, list[Any]]
    scores: dict[tuple[Any, ...], float]

    @property
    def best(self) -> tuple[dict[str, Any], float]:
        """The combination of the highest mean score, the first of them, and the score."""
        combination = max(self.scores, key=lambda key: self.scores[key])
        return dict(zip(self.values, combination, strict=True)), self.scores[combination]

    def curve(self) -> list[tuple[float, float]] | None:
        """Return the scores against the only parameter, if its values are numbers."""
        if len(self.values) != 1:
            return None
        pairs = [(key[0], score) for key, score in self.scores.items()]
        return pairs if all(_is_number(value) for value, _ in pairs) else None

    def map(self) -> ScoreMap | None:
        """Return the scores over the two parameters with most values; None if there is one."""
        names = list(self.values)
        if len(names) < 2:
            return None
        ordered = sorted(names, key=lambda name: (-len(self.values[name]), _place(name)))
        x, y = sorted(ordered[:2], key=_place)
        columns, rows = self.values[x], self.values[y]
        scores = np.full((len(rows), len(columns)), np.nan)
        for key, score in self.scores.items():
            of = dict(zip(names, key, strict=True))
            i, j = rows.index(of[y]), columns.index(of[x])
            scores[i, j] = np.fmax(scores[i, j], score)
        others = tuple(name for name in names if name not in (x, y))
        return ScoreMap(x, y, columns, rows, scores, others)


def gather_candidates(records: Sequence[Mapping[str, Any]]) -> Candidates | None:
    """Return the candidates of several splits; None where nothing was searched or kept."""
    searches = [record["search_scores"] for record in records if record.get("search_scores")]
    tried: dict[tuple[Any, ...], list[float]] = {}
    names = list(searches[0]["params"]) if searches else []
    for search in searches:
        columns = [search["params"].get(name, []) for name in names]
        for score, *combination in zip(search["score"], *columns, strict=False):
            if score is not None and math.isfinite(score):
                tried.setdefault(tuple(combination), []).append(float(score))
    values = {name: _different([key[i] for key in tried]) for i, name in enumerate(names)}
    varied = [name for name in names if len(values[name]) > 1]
    if not varied:
        return None
    places = [names.index(name) for name in varied]
    # Candidates that few splits tried, as in a pattern search, are means over those.
    scores = {
        tuple(key[place] for place in places): math.fsum(found) / len(found)
        for key, found in tried.items()
    }
    return Candidates(len(searches), {name: values[name] for name in varied}, scores)


def _different(values: Sequence[Any]) -> list[Any]:
    different = list(dict.fromkeys(values))
    return sorted(different) if all(map(_is_number, different)) else different


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _place(name: str) -> int:
    return _KNOWN.index(name) if name in _KNOWN else len(_KNOWN)
