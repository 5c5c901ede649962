"""The examples in the documentation of model files run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from svmosaic.persistence import libsvm_text, model_file
from svmosaic.persistence.schema import SCHEMAS

PAGE = Path(__file__).parents[2] / "docs" / "model_files.md"


@pytest.mark.parametrize("module", [libsvm_text, model_file], ids=lambda m: m.__name__)
def test_docstring_examples_run(module):
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0


def test_examples_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)

    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)

    assert len(blocks) >= 3
    assert len(list(tmp_path.iterdir())) == 3


def test_page_names_every_scaler():
    text = PAGE.read_text(encoding="utf-8")

    assert all(f"`{name}`" in text for name in SCHEMAS)
