"""Corpora: files that reached a line of a reader which no file before them had reached."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

__all__ = ["read_corpus", "write_corpus"]

_FOLDER = Path(__file__).parent / "corpus"


def _path(target: str) -> Path:
    return _FOLDER / f"{target.lower().replace(' ', '-')}.json"


def read_corpus(target: str) -> list[bytes]:
    """Return the files of a target; none where none were collected."""
    path = _path(target)
    if not path.exists():
        return []
    return [text.encode("latin-1") for text in json.loads(path.read_text(encoding="ascii"))]


def write_corpus(target: str, files: Sequence[bytes]) -> None:
    """Keep the files of a target, a line each; a byte is a character."""
    _FOLDER.mkdir(exist_ok=True)
    texts = [content.decode("latin-1") for content in files]
    _path(target).write_text(json.dumps(texts, indent=0) + "\n", encoding="ascii")
