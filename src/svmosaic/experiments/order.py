"""In which order the cells of a run are run; their results do not depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from svmosaic.experiments.planned import PlannedCell

__all__ = ["in_order", "spread_by_size"]


def in_order(
    cells: Mapping[str, Sequence[PlannedCell]],
) -> Iterator[tuple[str, list[PlannedCell]]]:
    """Yield data sets and some of their cells: first one of each method on each data set.

    So a method that fails on a data set is seen early, and what the others will take can be
    estimated. A data set comes twice at most, as it is loaded for that.

    Parameters
    ----------
    cells : mapping of str to sequence of PlannedCell
        The cells to run, by data set.
    """
    scouts = _first_cells(cells)
    for names, are_scouts in ((spread_by_size(cells), True), (list(cells), False)):
        for name in names:
            some = [cell for cell in cells[name] if (cell.key in scouts) == are_scouts]
            if some:
                yield name, some


def _first_cells(cells: Mapping[str, Sequence[PlannedCell]]) -> set[str]:
    """Return the keys of one cell of each method on each data set; of one data set, none."""
    if sum(bool(some) for some in cells.values()) < 2:
        return set()
    first: dict[tuple[str, str], str] = {}
    for name, some in cells.items():
        for cell in some:
            first.setdefault((name, cell.method), cell.key)
    return set(first.values())


def spread_by_size(cells: Mapping[str, Sequence[PlannedCell]]) -> list[str]:
    """Return the data sets: the smallest, the largest, and then always the middle of a gap.

    After any number of them the sizes seen are spread over all sizes.

    Examples
    --------
    >>> from svmosaic.experiments.order import spread_by_size
    >>> from svmosaic.experiments.planned import PlannedCell
    >>> sizes = {"a": 1, "b": 4, "c": 3, "d": 2, "e": 5}
    >>> spread_by_size({n: [PlannedCell(n, "", "", "m", size)] for n, size in sizes.items()})
    ['a', 'e', 'c', 'd', 'b']
    """
    names = [name for name, some in cells.items() if some]
    names.sort(key=lambda name: cells[name][0].n_numbers)
    order = [0, len(names) - 1][: len(names)]
    gaps = [(0, len(names) - 1)]
    while gaps:
        low, high = gaps.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return [names[place] for place in order]
