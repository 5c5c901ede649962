"""How numbers are written in a text file: with a point or a comma, with or without groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["LARGEST_WHOLE", "PLAIN", "NumberFormat", "looks_like_number"]

# Doubles hold every whole number up to here.
LARGEST_WHOLE = 2.0**53

# Where the comma is the decimal sign, these may separate groups of three digits: a point,
# blanks of three widths, an apostrophe.
_GROUP_MARKS = ". \u00a0\u202f'"
# Numbers as people write them: 1,234.5 and 1.234,5 and 1 234; (5), $5, 5 %, and a minus sign that
# is no hyphen.
_SIGN = r"[+\-\u2212\u2013]?"
_CURRENCY = r"[$\u20ac\u00a3\u00a5]?"
_DIGITS = r"(?:[1-9]\d{0,2}(?:[,. \u00a0\u202f']\d{3})+|\d+)(?:[.,]\d*)?|[.,]\d+"
_WRITTEN = (
    rf"{_SIGN} ?{_CURRENCY} ?{_SIGN}(?:{_DIGITS})(?:[eE]{_SIGN}\d+)? ?(?:%|\u2030|{_CURRENCY})"
)
_LIKE_A_NUMBER = re.compile(rf"{_WRITTEN}|\({_WRITTEN}\)", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class NumberFormat:
    """The way from a cell to a number.

    Attributes
    ----------
    decimal : {".", ","}
        The decimal sign.
    thousands : str
        Sign that may be between groups of three digits. Empty: nothing beside a decimal point;
        a point, a blank or an apostrophe beside a decimal comma.

    Examples
    --------
    >>> from svmosaic.datasets.readers.numbers import NumberFormat
    >>> NumberFormat(",").parse("1.234,5")
    1234.5
    """

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def is_plain(self) -> bool:
        """Whether numbers are written as Python writes them."""
        return self.decimal == "." and not self.thousands

    @cached_property
    def _marks(self) -> str:
        return self.thousands or ("" if self.decimal == "." else _GROUP_MARKS)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        sign = re.escape(self.decimal)
        # 0.123 is not 123, whatever separates groups.
        groups = (
            rf"[1-9]\d{{0,2}}(?:(?P<mark>[{re.escape(self._marks)}])\d{{3}}(?:(?P=mark)\d{{3}})*)"
        )
        return re.compile(
            rf"[+-]?(?:(?:{groups}|\d+)(?:{sign}\d*)?|{sign}\d+)(?:[eE][+-]?\d+)?", re.ASCII
        )

    def parse(self, text: str) -> float:
        """Return the number in a cell; raise ValueError if it holds none.

        Parameters
        ----------
        text : str
            The cell, without blanks around it.
        """
        if self.is_plain:
            # float() also takes 1_000 and the digits of other scripts; a file should have neither.
            if "_" in text or not text.isascii():
                raise ValueError(text)
            return float(text)
        found = self._pattern.fullmatch(text)
        if found is None:
            if _NOT_FINITE.fullmatch(text):
                return float(text)
            raise ValueError(text)
        if found["mark"] is not None:
            text = text.replace(found["mark"], "")
        return float(text.replace(self.decimal, "."))

    def to_plain(self, cells: Sequence[str]) -> Sequence[str] | None:
        """Return cells as Python writes numbers, in bulk; None if some have groups of digits.

        Parameters
        ----------
        cells : sequence of str
            Cells without line ends. What is no number stays none.
        """
        if self.is_plain:
            return cells
        text = "\n".join(cells)
        if any(mark in text for mark in self._marks) or (self.decimal != "." and "." in text):
            return None
        return text.replace(self.decimal, ".").split("\n")

    def is_number(self, text: str) -> bool:
        """Return whether a cell reads as a number, nan and inf included.

        Parameters
        ----------
        text : str
            The cell, without blanks around it.
        """
        try:
            self.parse(text)
        except ValueError:
            return False
        return True


PLAIN = NumberFormat()


def looks_like_number(text: str) -> bool:
    """Return whether a cell is a number as people write it, whatever the format of a file.

    Parameters
    ----------
    text : str
        The cell, without blanks around it.

    Examples
    --------
    >>> from svmosaic.datasets.readers.numbers import looks_like_number
    >>> [looks_like_number(text) for text in ("1,234.5", "(5)", "5 %", "$5", "1.2.3", "20-30")]
    [True, True, True, True, False, False]
    """
    return _LIKE_A_NUMBER.fullmatch(text) is not None
