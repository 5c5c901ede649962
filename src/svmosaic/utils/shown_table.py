"""Results that show their main table: as text at the prompt, as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["ShownAsTable", "ShownTable"]

# Of a longer table the first rows and columns are shown.
_MOST_ROWS = 20
_MOST_COLUMNS = 9


@dataclass(frozen=True)
class ShownTable:
    """A small table of text.

    Attributes
    ----------
    title : str
        A line above it.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        The cells; the first one names its row.
    note : str
        A line below it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def cut(self) -> ShownTable:
        """Return what is shown of it; the note says how much more there is."""
        more = [
            f"{n - most} more {what}"
            for n, most, what in (
                (len(self.rows), _MOST_ROWS, "rows"),
                (len(self.header), _MOST_COLUMNS, "columns"),
            )
            if n > most
        ]
        rows = [row[:_MOST_COLUMNS] for row in self.rows[:_MOST_ROWS]]
        note = "; ".join(part for part in (" and ".join(more), self.note) if part)
        return ShownTable(self.title, self.header[:_MOST_COLUMNS], rows, note)

    def text(self) -> str:
        """Return the table as lines; numbers are at the right."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[j]) for line in lines) for j in range(len(self.header))]
        shown = [
            "  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *shown, *([self.note] if self.note else [])])

    def html(self) -> str:
        """Return the table as HTML; all text is escaped."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.header)
        body = "".join(
            f'<tr><th scope="row" style="text-align: left">{escape(row[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{note}"
        )


class ShownAsTable:
    """Mixin of results that are shown as a table."""

    def _shown(self) -> ShownTable:
        raise NotImplementedError(f"{type(self).__name__} does not say which table it shows.")

    def __repr__(self) -> str:
        return self._shown().cut().text()

    def _repr_html_(self) -> str:
        return self._shown().cut().html()
