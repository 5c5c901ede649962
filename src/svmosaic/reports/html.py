"""One self-contained HTML page from a small document model.

The page loads nothing: figures are data inside it, the style sheet is in it, and it has no
scripts. A content security policy tells the browser to hold it to that. All text is escaped.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Sequence
from html import escape

from svmosaic.reports.dark_figures import follow_color_scheme
from svmosaic.reports.document import Cell, Details, Document, Figure, Row, Section, Table
from svmosaic.reports.style_sheet import STYLE
from svmosaic.utils.atomic import atomic_write

__all__ = ["render", "write_html"]

CONTENT_SECURITY_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

# Cells of longer text are broken into lines.
_LONG = 45

# What the style sheet makes of a phone of 390 pixels: the width of the page, of a letter and of the
# padding of a cell, and the letters of a broken cell, in the first column and elsewhere.
_PHONE = 355.0
_LETTER = 7.6
_PADDING = 19.0
_BROKEN_LETTERS = {True: 16, False: 31}
# Seen on narrow pages only.
_SWIPE = "Swipe sideways to see all of"


def render(document: Document) -> str:
    """Return the document as one HTML page.

    Parameters
    ----------
    document : Document
        Title and sections.

    Returns
    -------
    str
        The page, which loads nothing from elsewhere.

    Examples
    --------
    >>> from svmosaic.reports import Document, Section, render
    >>> page = render(Document("Numbers < letters", [Section("First", "Some text.")]))
    >>> "<h1>Numbers &lt; letters</h1>" in page
    True
    """
    return "\n".join(_page(document)) + "\n"


def write_html(document: Document, path: str | os.PathLike[str]) -> None:
    """Write the document as one HTML page, atomically.

    Parameters
    ----------
    document : Document
        Title and sections.
    path : path-like
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.reports import Document, Section, write_html
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pathlib.Path(folder, "page.html")
    ...     write_html(Document("Title", [Section("First", "Some text.")]), page)
    ...     page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
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
    yield f"<style>{STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield "<header>"
    yield f"<h1>{escape(document.title)}</h1>"
    yield from _paragraphs(document.summary)
    if document.facts:
        yield from _facts(document.facts)
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


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield '<dl class="facts">'
    for name, value in facts:
        yield f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
    yield "</dl>"


def _contents(sections: Sequence[Section]) -> Iterator[str]:
    yield '<nav aria-label="Contents"><ol>'
    for number, section in enumerate(sections, 1):
        yield f'<li><a href="#section-{number}">{escape(section.title)}</a></li>'
    yield "</ol></nav>"


def _section(section: Section, number: int) -> Iterator[str]:
    yield f'<section id="section-{number}">'
    yield f"<h2>{escape(section.title)}</h2>"
    yield from _content(section)
    for details in section.details:
        yield from _details(details)
    yield "</section>"


def _details(details: Details) -> Iterator[str]:
    yield "<details open>" if details.opened else "<details>"
    yield f"<summary>{escape(details.title)}</summary>"
    yield from _content(details)
    if details.code:
        # Reachable by the keyboard, as it scrolls.
        yield f'<pre tabindex="0">{escape(details.code)}</pre>'
    yield "</details>"


def _content(part: Section | Details) -> Iterator[str]:
    yield from _paragraphs(part.text)
    if part.figures:
        yield '<div class="figures">'
        for figure in part.figures:
            yield from _figure(figure)
        yield "</div>"
    for table in part.tables:
        yield from _table(table)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if paragraph.strip():
            yield f"<p>{escape(paragraph.strip())}</p>"


def _figure(figure: Figure) -> Iterator[str]:
    adapted = follow_color_scheme(figure.data) if figure.media_type == "image/svg+xml" else None
    encoded = base64.b64encode(adapted or figure.data).decode("ascii")
    yield "<figure>"
    source = f"data:{escape(figure.media_type)};base64,{encoded}"
    kind = ' class="follows"' if adapted else ""
    image = f'<img{kind} src="{source}" alt="{escape(figure.alt)}">'
    if figure.wide:
        yield f'<p class="hint">{_SWIPE} the figure.</p>'
        yield f'<div class="wide" tabindex="0">{image}</div>'
    else:
        yield image
    if figure.caption:
        yield f"<figcaption>{escape(figure.caption)}</figcaption>"
    yield "</figure>"


def _table(table: Table) -> Iterator[str]:
    align = table.align or "l" * len(table.header)
    # A caption inside the box would scroll away with the table.
    if table.caption:
        yield f'<p class="caption">{escape(table.caption)}</p>'
    if _phone_width(table) > _PHONE:
        yield f'<p class="hint">{_SWIPE} the table: {len(table.header)} columns.</p>'
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
            yield _row(row, align)
        yield "</tbody>"
    yield "</table></div>"


def _phone_width(table: Table) -> float:
    """Return about how many pixels wide a table is on a phone."""
    widths = [_longest_word(title) for title in table.header]
    for row in table.rows:
        # The first cell of a row and long ones are broken into lines.
        for column, cell in enumerate(row):
            text = cell if isinstance(cell, str) else cell.text + cell.note
            is_broken = column == 0 or len(text) > _LONG
            length = min(len(text), _BROKEN_LETTERS[column == 0]) if is_broken else len(text)
            widths[column] = max(widths[column], length)
    return sum(_LETTER * width + _PADDING for width in widths)


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _row(row: Row, align: str) -> str:
    first, *others = zip(row, align, strict=True)
    # The first cell names the row; it stays in sight while the others scroll.
    cells = [_cell("th", *first, ' scope="row"'), *(_cell("td", c, a) for c, a in others)]
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, cell: str | Cell, align: str, attributes: str = "") -> str:
    if isinstance(cell, str):
        cell = Cell(cell)
    kinds = {
        "number": align == "r",
        "best": cell.bold,
        "long": tag == "td" and len(cell.text) > _LONG,
    }
    names = [name for name, on in kinds.items() if on]
    classes = f' class="{" ".join(names)}"' if names else ""
    text = escape(cell.text)
    if cell.bold:
        text = f"<strong>{text}</strong>"
    if cell.note:
        text = f"{text}<small>{escape(cell.note)}</small>"
    return f"<{tag}{classes}{attributes}>{text}</{tag}>"


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in rows:
        if row:
            group.append(row)
        elif group:
            yield group
            group = []
    if group:
        yield group
