"""The page on model files names what can be stored."""

from __future__ import annotations

from pathlib import Path

from svmosaic.persistence.storable import storable_classes

PAGE = Path(__file__).parents[2] / "docs" / "model_files.md"


def test_page_names_every_class():
    text = PAGE.read_text(encoding="utf-8")

    assert all(f"`{name}`" in text for name in storable_classes())
