"""Links from source code back to the reference lead to the name that users import.

A name may be defined in one module and documented in another. Its page and its anchor have the
second name, and Sphinx's viewcode writes the anchor with the first.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

__all__ = ["correct_anchors", "setup"]

_LINK = re.compile(r'(href="[^"#]*api/generated/([\w.]+)\.html)#([\w.]+)"')


def correct_anchors(body: str) -> str:
    """Return the page with anchors that begin with the names of the pages that they are in.

    Examples
    --------
    >>> correct_anchors('<a href="../api/generated/a.b.C.html#a.C">')
    '<a href="../api/generated/a.b.C.html#a.b.C">'
    >>> correct_anchors('<a href="../api/generated/a.b.C.html#a.b.C.fit">')
    '<a href="../api/generated/a.b.C.html#a.b.C.fit">'
    """

    def corrected(link: re.Match[str]) -> str:
        page, name, anchor = link.groups()
        if anchor == name or anchor.startswith(f"{name}."):
            return link[0]
        # A member keeps its name: what follows the name of the class.
        member = anchor.partition(f"{name.rpartition('.')[2]}.")[2]
        return f'{page}#{name}{"." + member if member else ""}"'

    return _LINK.sub(corrected, body)


def correct(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Change the links of a page of source code before it is written."""
    if page.startswith("_modules/") and "body" in context:
        context["body"] = correct_anchors(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("html-page-context", correct)
    return {"parallel_read_safe": True}
