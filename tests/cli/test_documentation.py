"""The examples of the command line's page run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"

# One process for all examples: fresh, as a reader's is, so that nothing that other tests left
# behind can warn here.
_RUN_ALL = """
import contextlib, io, json, sys
from svmosaic.cli.main import main

outcomes = {}
for words in json.loads(sys.argv[1]):
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = main(words)
    outcomes[" ".join(words)] = [code, errors.getvalue()]
print(json.dumps(outcomes))
"""


@pytest.mark.usefixtures("flats", "molecules", "export")
def test_every_example_runs(tmp_path):
    text = _PAGE.read_text(encoding="utf-8")
    (scores,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    (tmp_path / "scores.csv").write_text(scores)
    lines = text.splitlines()
    examples = [shlex.split(line)[2:] for line in lines if line.startswith("$ svmosaic ")]
    # The demo has a test of its own.
    examples = [words for words in examples if words[0] != "demo"]

    child = subprocess.run(
        [sys.executable, "-c", _RUN_ALL, json.dumps(examples)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    outcomes = json.loads(child.stdout)

    assert len(outcomes) >= 10
    assert {name: err for name, (code, err) in outcomes.items() if code != 0} == {}
    assert {name: err for name, (_, err) in outcomes.items() if "warning" in err} == {}
