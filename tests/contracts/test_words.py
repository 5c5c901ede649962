"""Words that CONTRIBUTING replaces by plainer ones stay out of texts, docstrings and messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from page_blocks import PAGES as ALL_PAGES

ROOT = Path(__file__).parents[2]
# CONTRIBUTING has the table that names the words. Decisions and logs are not edited later, and
# pages of results are written by a program.
LATER = {"decisions", "attacks", "results"}
PAGES = [
    *(
        page
        for page in ALL_PAGES
        if page.name != "CONTRIBUTING.md" and page.parent.name not in LATER
    ),
    ROOT / "CHANGELOG.md",
]
SOURCES = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "cpp").rglob("*.[ch]pp"))]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))

_PLAINER = {
    r"anew": "again",
    r"at hand": "available",
    r"mends?|mended": "fix",
    r"[Gg]o(es)? on (from|with|where)": "continue, resume",
    r"[Ss]o many(?! (that|as))": "this many",
    r"the memory is not enough": "out of memory",
    r"(is|are|was|were) told": "is reported",
    r"cannot be told from": "cannot be distinguished from",
    r"(equal|smaller|larger|bigger|plain|whole|fitted) machines?": "model",
    r"no questions": "the default choice",
    r"where [^.;\n]{1,40}\bstands(?! for)": "the state of",
    r"(user|caller|monitor|clock) said": "asked, gave, showed",
    r"([Nn]ame|[Ll]eave) [^.;\n]{0,40}\bby -": "with (an option)",
    r"in vain": "not needed",
    r"(?<![Tt]here )is no (valid|feature|column|probability|support vector|dict)": "is not a",
    r"found out\b(?! (which|whether|how))": "detected",
}
_TABLE_OR_PICTURE = re.compile(r"\||!\[|    |#")


def test_plain_words():
    found = {
        f"{path.relative_to(ROOT)}: {match[0]!r}; say {plainer!r}"
        for path in [*PAGES, *SOURCES, *EXAMPLES]
        for pattern, plainer in _PLAINER.items()
        for match in re.finditer(rf"\b({pattern})(?!\w)", path.read_text(encoding="utf-8"))
    }

    assert not found


def _prose(text):
    """Yield the lines of a page, numbered, that are not code, tables, headings or pictures."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        ticks = re.match(r" *(`{3,})", line)
        if ticks and fence is None:
            fence = ticks[1]
        elif ticks and line.strip() == fence:
            fence = None
        elif fence is None and not _TABLE_OR_PICTURE.match(line):
            yield number, line


@pytest.mark.parametrize(
    "page",
    [page for page in [*ALL_PAGES, ROOT / "CHANGELOG.md"] if page.parent.name != "results"],
    ids=lambda page: page.name,
)
def test_lines_of_prose_have_at_most_a_hundred_characters(page):
    long = [n for n, line in _prose(page.read_text(encoding="utf-8")) if len(line) > 100]

    assert long == []
