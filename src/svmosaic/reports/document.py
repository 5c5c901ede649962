"""The parts of a report: plain records, which know nothing of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Cell", "Details", "Document", "Figure", "Row", "Section", "Table"]


@dataclass(frozen=True)
class Cell:
    """A cell of a table that is more than plain text.

    Attributes
    ----------
    text : str
        What it says.
    bold : bool
        Whether it is emphasised, as the best of its row.
    note : str
        Something small behind the text, such as a deviation.
    """

    text: str
    bold: bool = False
    note: str = ""


Row = Sequence[str | Cell]


@dataclass(frozen=True)
class Table:
    """A table of text.

    Attributes
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str or Cell
        The cells. An empty sequence draws a line between groups of rows.
    caption : str
        What the table shows.
    align : str
        One letter per column, ``l`` or ``r``; empty means all left.
    """

    header: Sequence[str]
    rows: Sequence[Row]
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
        The text below it.
    wide : bool
        Whether it keeps its width on a phone and scrolls, because its letters are small.
    """

    data: bytes
    media_type: Literal["image/svg+xml", "image/png"]
    alt: str
    caption: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Details:
    """Something longer that the reader opens and closes.

    Attributes
    ----------
    title : str
        What is always seen.
    text : str
        Paragraphs, with an empty line between them.
    tables : sequence of Table
        The tables.
    figures : sequence of Figure
        The figures.
    code : str
        Text that keeps its line breaks, such as a file or a traceback.
    opened : bool
        Whether it is open at first.
    """

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    code: str = ""
    opened: bool = False


@dataclass(frozen=True)
class Section:
    """A part of a document, shown in the order text, figures, tables, details.

    Attributes
    ----------
    title : str
        The heading.
    text : str
        Paragraphs, with an empty line between them.
    tables : sequence of Table
        The tables.
    figures : sequence of Figure
        The figures, side by side where there is room.
    details : sequence of Details
        What the reader may open.
    """

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    details: Sequence[Details] = ()


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
    facts : sequence of tuples of str
        A few names and values to show below the summary.
    """

    title: str
    sections: Sequence[Section]
    summary: str = ""
    footer: str = ""
    facts: Sequence[tuple[str, str]] = ()
