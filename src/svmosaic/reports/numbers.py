"""Numbers as a reader likes them."""

from __future__ import annotations

__all__ = ["format_count", "format_like", "format_p", "format_score", "format_seconds"]


def format_score(value: float) -> str:
    """Return a score: four digits after the point, or what very large and small ones need."""
    if value != 0 and not 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return f"{value:.4f}"


def format_seconds(seconds: float) -> str:
    """Return a time in seconds.

    Examples
    --------
    >>> from svmosaic.reports.numbers import format_seconds
    >>> [format_seconds(seconds) for seconds in (0.00123, 0.1234, 12.34, 1234.5)]
    ['0.0012', '0.123', '12.3', '1234']
    """
    if seconds < 0.1:
        return f"{seconds:.4f}"
    if seconds < 10:
        return f"{seconds:.3f}"
    return f"{seconds:.1f}" if seconds < 1000 else f"{seconds:.0f}"


def format_count(count: float) -> str:
    """Return a mean of counts."""
    return f"{count:.1f}" if count < 1000 else f"{count:.0f}"


def format_like(value: float, text: str) -> str:
    """Return a number with as many digits after the point as another one has.

    Examples
    --------
    >>> from svmosaic.reports.numbers import format_like
    >>> format_like(0.000123, "0.9500")
    '0.0001'
    """
    if "e" in text:
        return f"{value:.1e}"
    return f"{value:.{len(text.partition('.')[2])}f}"


def format_p(p: float) -> str:
    """Return a p-value for a cell of a table."""
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"
