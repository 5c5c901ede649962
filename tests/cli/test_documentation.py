"""The examples of the command line's page run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


@pytest.mark.usefixtures("flats", "molecules")
def test_every_example_runs(svmosaic, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = _PAGE.read_text(encoding="utf-8")
    (scores,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    (tmp_path / "scores.csv").write_text(scores)
    lines = text.splitlines()
    examples = [shlex.split(line)[2:] for line in lines if line.startswith("$ svmosaic ")]
    # The demo has a test of its own.
    examples = [words for words in examples if words[0] != "demo"]

    outcomes = {" ".join(words): svmosaic(*words) for words in examples}

    assert len(outcomes) >= 10
    assert {name: o.err for name, o in outcomes.items() if o.code != 0} == {}
    assert all("warning" not in outcome.err for outcome in outcomes.values())
