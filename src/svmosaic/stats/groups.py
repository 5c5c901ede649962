"""Groups of methods whose average ranks do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["indistinct_groups"]


def indistinct_groups(ranks: Mapping[str, float], difference: float) -> list[tuple[str, ...]]:
    """Return the largest groups in which all average ranks are closer than a critical difference.

    A group inside a larger one says nothing new and is left out, and so is a method alone.

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank of each method.
    difference : float
        The critical difference; ranks that far apart differ significantly.

    Returns
    -------
    list of tuples of str
        From the best ranks to the worst, and so inside each group. Groups may overlap.

    Examples
    --------
    >>> from svmosaic.stats import indistinct_groups
    >>> indistinct_groups({"a": 1.0, "b": 1.8, "c": 2.5, "d": 4.0}, 1.0)
    [('a', 'b'), ('b', 'c')]
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    groups: list[tuple[str, ...]] = []
    end = 0
    for begin, first in enumerate(names):
        last = begin + 1
        while last < len(names) and ranks[names[last]] - ranks[first] < difference:
            last += 1
        # A group that ends where the one before ended is a part of it.
        if last > end and last - begin > 1:
            groups.append(tuple(names[begin:last]))
        end = max(end, last)
    return groups
