"""Dates in cells: recognised, and as a number of days."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias, get_args

__all__ = ["DATE_ORDERS", "DateOrder", "are_dates", "days_of_date"]

# Year, month and day, in the order in which a file has them. The year comes with four digits, so
# that a date that begins with it is read the same in every order.
DateOrder: TypeAlias = Literal["ymd", "dmy", "mdy"]
DATE_ORDERS: tuple[DateOrder, ...] = get_args(DateOrder)

_MARK = r"(?P<mark>[-/.])"
_YEAR, _FIRST, _SECOND = r"(?P<y>\d{4})", r"(?P<a>\d{1,2})", r"(?P<b>\d{1,2})"
_TIME = (
    r"(?:[T ]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_YEAR_FIRST = re.compile(_YEAR + _MARK + _FIRST + "(?P=mark)" + _SECOND + _TIME, re.ASCII)
_YEAR_LAST = re.compile(_FIRST + _MARK + _SECOND + "(?P=mark)" + _YEAR + _TIME, re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def days_of_date(text: str, order: DateOrder) -> float:
    """Return the days from 1970 to a date, with the time of day as a fraction.

    Parameters
    ----------
    text : str
        A date such as ``2024-05-01``, ``2024-05-01 12:30:00+02:00`` or ``1.5.2024``.
    order : {"ymd", "dmy", "mdy"}
        The order of year, month and day, for a date that does not begin with the year.

    Examples
    --------
    >>> from svmosaic.datasets.readers.dates import days_of_date
    >>> days_of_date("02.01.1970 12:00", "dmy")
    1.5
    """
    found = _YEAR_FIRST.fullmatch(text)
    if found is not None:
        month, day = found["a"], found["b"]
    else:
        found = _YEAR_LAST.fullmatch(text)
        if found is None or order == "ymd":
            raise ValueError(text)
        day, month = (found["a"], found["b"]) if order == "dmy" else (found["b"], found["a"])
    # A wrong month or hour is a ValueError here.
    moment = datetime(
        int(found["y"]),
        int(month),
        int(day),
        int(found["hour"] or 0),
        int(found["minute"] or 0),
        int(found["second"] or 0),
        tzinfo=UTC,
    )
    zone = (found["zone"] or "Z").replace(":", "")
    shift = 0 if zone == "Z" else int(zone[0] + "1") * (60 * int(zone[1:3]) + int(zone[3:5]))
    seconds = (moment - _EPOCH - timedelta(minutes=shift)).total_seconds()
    return (seconds + float(f"0.{found['part'] or 0}")) / 86400.0


def are_dates(texts: Iterable[str]) -> bool:
    """Return whether all texts are dates in one and the same order.

    Parameters
    ----------
    texts : iterable of str
        Cells, without blanks around them.
    """
    left = set(DATE_ORDERS)
    for text in texts:
        for order in tuple(left):
            try:
                days_of_date(text, order)
            except ValueError:
                left.discard(order)
        if not left:
            return False
    return True
