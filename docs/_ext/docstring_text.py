"""Docstrings are written to be read in an editor; make reStructuredText of what is not quite so."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

__all__ = ["setup"]

_TYPE_LINE = re.compile(r"^(\s*[\w*][\w*, ]* : )(.*)$")


def join_continued(lines: list[str]) -> list[str]:
    r"""Return the lines with those that end in a backslash joined to the next.

    Examples
    --------
    >>> join_continued(["C : {1, 2}, \\", "        default=1"])
    ['C : {1, 2}, default=1']
    """
    joined: list[str] = []
    for line in lines:
        if joined and joined[-1].endswith("\\"):
            joined[-1] = joined[-1][:-1] + line.lstrip()
        else:
            joined.append(line)
    return joined


def quote_types(line: str) -> str:
    r"""Escape the last underscore of attributes in types, which would make them links.

    Examples
    --------
    >>> print(quote_types("names_ : ndarray of shape (n_features_in_,)"))
    names_ : ndarray of shape (n_features_in\_,)
    """
    found = _TYPE_LINE.match(line)
    if found is None:
        return line
    return found[1] + re.sub(r"(?<=\w)_(?![\w`])", r"\\_", found[2])


def escape_bars(lines: list[str]) -> list[str]:
    r"""Return the lines with bars of absolute values escaped, except in formulas and code.

    Examples
    --------
    >>> print(*escape_bars(["exp(-|x - z|), ``a | b``"]))
    exp(-\|x - z\|), ``a | b``
    """
    escaped, in_formula = [], False
    for line in lines:
        in_formula = (in_formula and bool(line.strip())) or ".. math::" in line
        if in_formula or line.lstrip().startswith((">>>", "...")):
            escaped.append(line)
            continue
        parts = re.split(r"(``.*?``|:math:`[^`]*`)", line)
        parts[::2] = [re.sub(r"(?<!\\)\|", r"\\|", part) for part in parts[::2]]
        escaped.append("".join(parts))
    return escaped


def prepare(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring before numpydoc reads them."""
    lines[:] = [quote_types(line) for line in escape_bars(join_continued(lines))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event, ahead of numpydoc's."""
    app.connect("autodoc-process-docstring", prepare, priority=400)
    return {"parallel_read_safe": True}
