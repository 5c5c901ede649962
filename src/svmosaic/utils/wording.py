"""Words for counts, as messages and reports need them."""

from __future__ import annotations

__all__ = ["plural"]


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return the count with its noun.

    Examples
    --------
    >>> from svmosaic.utils.wording import plural
    >>> plural(1, "row"), plural(2, "row"), plural(2, "class", "classes")
    ('1 row', '2 rows', '2 classes')
    """
    return f"{count} {noun if count == 1 else many or noun + 's'}"
