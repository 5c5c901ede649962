"""The directive ``api-table``: every public name, what it does, and its section."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from docstring_text import escape_bars

__all__ = ["rows", "setup"]

_MODULE = re.compile(r"\.\. currentmodule:: (\S+)")
_NAME = re.compile(r"   (\w+)")


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the full name, the first sentence of the docstring and the page, in order of names."""
    found = []
    for page in folder.glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := _MODULE.match(line):
                module = match[1]
            elif module and (match := _NAME.fullmatch(line)):
                value = getattr(importlib.import_module(module), match[1])
                text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
                found.append((f"{module}.{match[1]}", escape_bars([text])[0], page.stem))
    yield from sorted(found, key=lambda row: (row[0].rpartition(".")[2].lower(), row[0]))


class ApiTable(SphinxDirective):
    """Insert the table."""

    def run(self) -> list[nodes.Node]:
        """Return the table, with a class by which scripts find it."""
        lines = [".. list-table::", "   :header-rows: 1", ""]
        lines += ["   * - Name", "     - What it does", "     - Section"]
        for full, text, page in rows(Path(self.env.srcdir) / "api"):
            module, _, name = full.rpartition(".")
            lines += [
                f"   * - :py:obj:`{name} <{full}>`",
                f"     - {text}",
                f"     - :doc:`{page}` (``{module}``)",
            ]
        box = nodes.container(classes=["api-table"])
        box += self.parse_text_to_nodes("\n".join(lines))
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("api-table", ApiTable)
    return {"parallel_read_safe": True}
