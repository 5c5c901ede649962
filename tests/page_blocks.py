"""The fenced blocks of README and docs, and what must be installed to run them.

A block that not every computer can run has a comment on the line before it, which readers do not
see: ``<!-- needs: cuml -->``. `NEEDS` says how each of these names is looked for.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[1]
# What the site's build wrote is not ours to test.
_WRITTEN = {"_build", "auto_examples", "generated"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if not _WRITTEN & set(p.parts)),
]
_FENCE = re.compile(
    r"^(?: *<!-- needs: (?P<needs>[\w, ]+) -->\n)?"
    r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=indent)(?P=ticks) *$",
    re.DOTALL | re.MULTILINE,
)


def _has_cuda():
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


# Tests with the markers slow and dask run the last two.
NEEDS = {
    "cuml": lambda: find_spec("cuml") is not None,
    "cuda": _has_cuda,
    "river": lambda: find_spec("river") is not None,
    "capymoa": lambda: find_spec("capymoa") is not None,
    "weka": lambda: False,
    "libsvm": lambda: shutil.which("svm-train") is not None,
    "minutes": lambda: False,
    "cluster": lambda: False,
}


@dataclass(frozen=True)
class Block:
    """A fenced block: where it is, in which language, and what it needs."""

    page: Path
    line: int
    language: str
    code: str
    needs: tuple[str, ...]

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def missing(self):
        """Return the names of what is not on this computer."""
        return [name for name in self.needs if not NEEDS[name]()]

    def commands(self):
        """Return the commands of a console block, without prompts, comments and outputs."""
        text = self.code.replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line.strip() and line[0] != "#"]
        if any(line.startswith("$ ") for line in lines):
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        return [re.sub(r"\s+#.*", "", line).strip() for line in lines]


@cache
def blocks_of(page):
    """Return the blocks of a page; directives of the site are none."""
    text = page.read_text(encoding="utf-8")
    return tuple(
        Block(
            page,
            text[: found.start("ticks")].count("\n") + 1,
            found["language"].strip(),
            dedent(found["code"]),
            tuple(re.split(r", *", found["needs"])) if found["needs"] else (),
        )
        for found in _FENCE.finditer(text)
        if not found["language"].startswith("{")
    )


def all_blocks(*languages):
    """Return the blocks of all pages in these languages; in all of them if none is given."""
    return [
        block
        for page in PAGES
        for block in blocks_of(page)
        if not languages or block.language in languages
    ]
