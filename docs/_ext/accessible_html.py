"""Correct the HTML of other extensions where it fails readers of screens."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

__all__ = ["setup"]

# The picture of an example in the gallery, and its title some lines below.
_THUMBNAIL = re.compile(
    r'(<img alt=")("[^>]*_thumb\.png"(?:(?!<img).)*?thumbnail-title">)([^<]*)(?=<)', re.DOTALL
)


def name_thumbnails(body: str) -> str:
    """Return the page with the titles of examples as alternative texts of their pictures.

    Examples
    --------
    >>> name_thumbnails('<img alt="" src="a_thumb.png" /><div class="thumbnail-title">A</div>')
    '<img alt="Figure of: A" src="a_thumb.png" /><div class="thumbnail-title">A</div>'
    """
    return _THUMBNAIL.sub(r"\1Figure of: \3\2\3", body)


def correct(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Change the body of a page before it is written."""
    if "body" in context:
        # A deprecated role of ARIA, which docutils gives to references, and their list's.
        body = context["body"].replace(' role="doc-biblioentry"', "")
        body = body.replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )
        context["body"] = name_thumbnails(body)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("html-page-context", correct)
    return {"parallel_read_safe": True}
