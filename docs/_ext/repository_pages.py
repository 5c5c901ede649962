"""Files of the repository as pages of the site, with links that lead to pages.

The Markdown files are written to be read in the repository. A page in ``docs/project`` stands for
each file of its root, and links from anywhere to such a file lead to that page.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

__all__ = ["setup"]

# A page, and the file whose text it shows.
PAGES = {
    "project/architecture": "ARCHITECTURE.md",
    "project/changelog": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/core": "cpp/README.md",
}
_LINK = re.compile(r"(?<=\]\()(?!https?:|#|/)([^)#\s]+)(?=[)#])")


def link_for(target: Path, page: Path, root: Path) -> str:
    """Return a link from a page to a file: to the page that shows it, if there is one."""
    by_file = {root / file: root / "docs" / f"{name}.md" for name, file in PAGES.items()}
    if target.is_dir():
        target = target / "README.md"
    target = by_file.get(target, target)
    return Path(os.path.relpath(target, page.parent)).as_posix()


def rewrite(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace a stand-in by its file, and point links to files at pages."""
    page = Path(app.env.doc2path(docname)).absolute()
    if page.suffix != ".md":
        return
    root = Path(app.srcdir).absolute().parent
    written = page
    if docname in PAGES:
        written = root / PAGES[docname]
        source[0] = written.read_text(encoding="utf-8")
        app.env.note_dependency(str(written), docname=docname)

    def replace(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(written.parent / found[1]))
        return link_for(target, page, root) if target.exists() else found[1]

    source[0] = _LINK.sub(replace, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True}
