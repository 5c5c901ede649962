"""The example of the page on tables is a whole table, and the index has every table."""

from __future__ import annotations

import re
from pathlib import Path

from svmosaic.reproduce import list_tables, reproduce

_DOCS = Path(__file__).parents[2] / "docs"


def test_the_example_is_a_table_that_runs(small_table, monkeypatch):
    page = (_DOCS / "reproduce.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    small_table["9.9"] = ("9.9.toml", text)
    printed = [{"dataset": "iris", "metric": "accuracy", "method": "k-NN", "value": "95"}]
    monkeypatch.setattr(
        "svmosaic.reproduce.printed.read_rows", {"table-9.9.csv": printed}.__getitem__
    )

    result = reproduce("9.9", "out", size="quick")

    assert result.numbers.methods == ("neighbours",)
    assert result.numbers.cells["sklearn-iris", "accuracy", "neighbours"].paper == 95.0


def test_the_index_and_the_page_have_every_table():
    index = (_DOCS / "results" / "README.md").read_text(encoding="utf-8")
    page = (_DOCS / "reproduce.md").read_text(encoding="utf-8")

    for name in list_tables():
        assert f"| {name} |" in index
        assert re.search(rf"\| .*\b{re.escape(name)}\b.* \|", page)


def test_every_committed_page_is_in_the_index():
    index = (_DOCS / "results" / "README.md").read_text(encoding="utf-8")

    for path in (_DOCS / "results").glob("*.md"):
        assert path.name == "README.md" or f"]({path.name})" in index
