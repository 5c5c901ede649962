"""One self-contained HTML page from a small document model.

The page loads nothing: figures are data inside it, the style sheet is in it, and it has no
scripts. A content security policy tells the browser to hold it to that. All text is escaped.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from svmosaic.utils.atomic import atomic_write

__all__ = ["Document", "Figure", "Section", "Table", "render", "write_html"]

CONTENT_SECURITY_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        The cells. An empty sequence draws a line between groups of rows.
    caption : str
        What the table shows.
    align : str
        One letter per column, ``l`` or ``r``; empty means all left.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    align: str = ""

    def __post_init__(self) -> None:
        width = len(self.header)
        for number, row in enumerate(self.rows):
            if row and len(row) != width:
                raise ValueError(
                    f"Row {number} of a table has {len(row)} cells; its header has {width}. Every "
                    "row needs as many."
                )
        if self.align and len(self.align) != width:
            raise ValueError(
                f"The alignment {self.align!r} has {len(self.align)} letters; the header of the "
                f"table has {width} columns. Give one letter per column."
            )


@dataclass(frozen=True)
class Figure:
    """A picture.

    Attributes
    ----------
    data : bytes
        The file's content.
    media_type : {"image/svg+xml", "image/png"}
        Its type.
    alt : str
        What it shows, for those who do not see it.
    caption : str
        What stands below it.
    """

    data: bytes
    media_type: Literal["image/svg+xml", "image/png"]
    alt: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a document, shown in the order text, figures, tables.

    Attributes
    ----------
    title : str
        The heading.
    text : str
        Paragraphs, with an empty line between them.
    tables : sequence of Table
        The tables.
    figures : sequence of Figure
        The figures. They stand side by side where there is room.
    """

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes
    ----------
    title : str
        The title of the page.
    sections : sequence of Section
        Its parts.
    summary : str
        Paragraphs below the title.
    footer : str
        A line at the end: what made the report, and when.
    """

    title: str
    sections: Sequence[Section]
    summary: str = ""
    footer: str = ""


def render(document: Document) -> str:
    """Return the document as one HTML page.

    Examples
    --------
    >>> from svmosaic.reports import Document, Section, render
    >>> page = render(Document("Numbers < letters", [Section("First", "Some text.")]))
    >>> "<h1>Numbers &lt; letters</h1>" in page
    True
    """
    return "\n".join(_page(document)) + "\n"


def write_html(document: Document, path: str | os.PathLike[str]) -> None:
    """Write the document as one HTML page, atomically."""
    with atomic_write(path) as stream:
        stream.write(render(document))


# From the model to HTML ---------------------------------------------------------------------


def _page(document: Document) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield (
        '<meta http-equiv="Content-Security-Policy" '
        f'content="{escape(CONTENT_SECURITY_POLICY, quote=False)}">'
    )
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{escape(document.title)}</title>"
    yield f"<style>{_STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield "<header>"
    yield f"<h1>{escape(document.title)}</h1>"
    yield from _paragraphs(document.summary)
    yield "</header>"
    if len(document.sections) > 1:
        yield from _contents(document.sections)
    yield "<main>"
    for number, section in enumerate(document.sections, 1):
        yield from _section(section, number)
    yield "</main>"
    if document.footer:
        yield f"<footer>{escape(document.footer)}</footer>"
    yield "</body>"
    yield "</html>"


def _contents(sections: Sequence[Section]) -> Iterator[str]:
    yield '<nav aria-label="Contents"><ol>'
    for number, section in enumerate(sections, 1):
        yield f'<li><a href="#section-{number}">{escape(section.title)}</a></li>'
    yield "</ol></nav>"


def _section(section: Section, number: int) -> Iterator[str]:
    yield f'<section id="section-{number}">'
    yield f"<h2>{escape(section.title)}</h2>"
    yield from _paragraphs(section.text)
    if section.figures:
        yield '<div class="figures">'
        for figure in section.figures:
            yield from _figure(figure)
        yield "</div>"
    for table in section.tables:
        yield from _table(table)
    yield "</section>"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            yield f"<p>{escape(paragraph.strip())}</p>"


def _figure(figure: Figure) -> Iterator[str]:
    encoded = base64.b64encode(figure.data).decode("ascii")
    yield "<figure>"
    source = f"data:{escape(figure.media_type)};base64,{encoded}"
    yield f'<img src="{source}" alt="{escape(figure.alt)}">'
    if figure.caption:
        yield f"<figcaption>{escape(figure.caption)}</figcaption>"
    yield "</figure>"


def _table(table: Table) -> Iterator[str]:
    align = table.align or "l" * len(table.header)
    # A caption inside the box would scroll away with the table.
    if table.caption:
        yield f'<p class="caption">{escape(table.caption)}</p>'
    # Reachable by the keyboard, so that it can be scrolled without a mouse.
    label = escape(table.caption or "table")
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
    yield "<table>"
    cells = zip(table.header, align, strict=True)
    yield (
        "<thead><tr>"
        + "".join(_cell("th", c, a, ' scope="col"') for c, a in cells)
        + "</tr></thead>"
    )
    for group in _groups(table.rows):
        yield "<tbody>"
        for row in group:
            pairs = zip(row, align, strict=True)
            yield "<tr>" + "".join(_cell("td", c, a) for c, a in pairs) + "</tr>"
        yield "</tbody>"
    yield "</table></div>"


def _cell(tag: str, text: str, align: str, attributes: str = "") -> str:
    number = ' class="number"' if align == "r" else ""
    return f"<{tag}{number}{attributes}>{escape(text)}</{tag}>"


def _groups(rows: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    group: list[Sequence[str]] = []
    for row in rows:
        if row:
            group.append(row)
        elif group:
            yield group
            group = []
    if group:
        yield group


_STYLE = """
:root { --text: #1c1c1e; --soft: #5b5b63; --page: #ffffff; --card: #f5f5f7; --line: #d4d4da;
  --link: #0059a8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ececf0; --soft: #a8a8b3; --page: #17181b; --card: #22242a; --line: #3c3f47;
    --link: #7cbcff; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 3rem; background: var(--page);
  color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
  overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.4rem 0 .5rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
nav ol { margin: 1rem 0; padding: .7rem 1rem .7rem 2.4rem; background: var(--card);
  border-radius: .5rem; }
.caption { margin: 1.2rem 0 .3rem; color: var(--soft); font-size: .9rem; }
.scroll { overflow-x: auto; max-width: 100%; border: 1px solid var(--line); border-radius: .5rem; }
.scroll:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .32rem .7rem; text-align: left; white-space: nowrap; }
thead th { background: var(--card); border-bottom: 1px solid var(--line); }
tbody + tbody { border-top: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.figures { display: grid; gap: 1rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; padding: .5rem; border: 1px solid var(--line); border-radius: .5rem; }
figure img { display: block; width: 100%; max-width: 36rem; height: auto; margin: 0 auto;
  background: #ffffff; border-radius: .3rem; }
figcaption { padding: .4rem .2rem 0; color: var(--soft); font-size: .9rem; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .85rem; }
@media print { nav { display: none; } .scroll { overflow: visible; } }
"""
