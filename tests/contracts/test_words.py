"""Words that CONTRIBUTING replaces by plainer ones stay out of texts, docstrings and messages."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# CONTRIBUTING has the table that names them.
PAGES = [
    *(path for path in ROOT.glob("*.md") if path.name != "CONTRIBUTING.md"),
    *(ROOT / "docs").glob("*.md"),
]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

_PLAINER = {
    r"anew": "again",
    r"at hand": "available",
    r"mends?|mended": "fix",
    r"[Gg]o(es)? on (from|with|where)": "continue, resume",
    r"[Ss]o many(?! (that|as))": "this many",
    r"the memory is not enough": "out of memory",
    r"(is|are|was|were) told": "is reported",
    r"(equal|smaller|larger|bigger|plain|whole|fitted) machines?": "model",
    r"no questions": "the default choice",
}


def test_plain_words():
    found = {
        f"{path.relative_to(ROOT)}: {match[0]!r}; say {plainer!r}"
        for path in [*PAGES, *SOURCES]
        for pattern, plainer in _PLAINER.items()
        for match in re.finditer(rf"\b({pattern})\b", path.read_text(encoding="utf-8"))
    }

    assert not found
