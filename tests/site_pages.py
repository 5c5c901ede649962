"""The pages of the built site: links, images and text, read without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"


@dataclass
class Page:
    """What a page links to, loads and shows."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    images: list[dict[str, str | None]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    text: str = ""


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.page, self._words, self._silent = Page(), [], 0

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.page.ids.add(values["id"])
        if tag == "a" and values.get("href"):
            self.page.links.append(values["href"])
        if tag == "img":
            self.page.images.append(values)
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.page.loads.append(values["href"])
        if tag in ("script", "img", "iframe", "source") and values.get("src"):
            self.page.loads.append(values["src"])
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag):
        self._silent -= tag in ("script", "style")

    def handle_data(self, data):
        if not self._silent:
            self._words.append(data)

    def close(self):
        super().close()
        self.page.text = " ".join(" ".join(self._words).split())


@cache
def read_page(path):
    """Return what is in a page."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


def all_pages():
    """Return the files of all pages."""
    return sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)


def resolve(page, link):
    """Return the file and the anchor that a link leads to; None if it leaves the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return target, unquote(parts.fragment)
