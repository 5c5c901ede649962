"""Dates in cells: recognised, and as a number of days."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias, get_args

__all__ = [
    "DATE_ORDERS",
    "DateOrder",
    "days_of_date",
    "has_short_year",
    "looks_like_date",
    "looks_like_time",
]

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
# A year of two digits, last or first; it is not read, as its century is a guess.
_SHORT_YEAR = re.compile(r"\d{1,2}" + _MARK + r"\d{1,2}(?P=mark)\d{2}" + _TIME, re.ASCII)
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?[AaPp]\.?[Mm]\.?)?", re.ASCII)
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


def has_short_year(text: str) -> bool:
    """Return whether a text is a date such as ``1/5/24``, whose year has two digits.

    Parameters
    ----------
    text : str
        A cell, without blanks around it.
    """
    return _SHORT_YEAR.fullmatch(text) is not None


def looks_like_date(text: str) -> bool:
    """Return whether a text has the form of a date, be it valid or not.

    Parameters
    ----------
    text : str
        A cell, without blanks around it.

    Examples
    --------
    >>> from svmosaic.datasets.readers.dates import looks_like_date
    >>> [looks_like_date(text) for text in ("2024-13-45", "01.05.24", "1.2.3")]
    [True, True, False]
    """
    return (
        _YEAR_FIRST.fullmatch(text) is not None
        or _YEAR_LAST.fullmatch(text) is not None
        or has_short_year(text)
    )


def looks_like_time(text: str) -> bool:
    """Return whether a text has the form of a time of day.

    Parameters
    ----------
    text : str
        A cell, without blanks around it.
    """
    return _TIME_OF_DAY.fullmatch(text) is not None
