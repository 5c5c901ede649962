"""A missing package is named with the way to get it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from svmosaic.exceptions import MissingDependencyError
from svmosaic.utils.optional import import_optional


def test_a_package_at_hand_is_imported():
    assert import_optional("json", "read") is sys.modules["json"]


@pytest.mark.parametrize(
    ("module", "install"),
    [("matplotlib.figure", r"pip install 'svmosaic\[plot\]'"), ("nowhere", "pip install nowhere")],
)
def test_a_missing_package_is_named(monkeypatch, module, install):
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(
        MissingDependencyError, match=rf"needed to draw. Install it with: {install}"
    ):
        import_optional(module, "draw")


def test_what_saves_a_model_comes_with_the_package():
    text = Path(__file__).parents[2].joinpath("pyproject.toml").read_text()

    dependencies = tomllib.loads(text)["project"]["dependencies"]

    assert any(requirement.startswith("safetensors>=") for requirement in dependencies)
