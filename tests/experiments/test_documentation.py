"""The example of the page on experiments runs."""

from __future__ import annotations

import re
from pathlib import Path

from svmosaic.experiments import read_results, read_spec, run_experiment

_PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"


def test_three_estimators_on_two_files_from_fifteen_lines(folder):
    (spec,) = re.findall(r"```toml\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (folder / "compare.toml").write_text(spec)
    table = (folder / "two.csv").read_text()
    (folder / "flowers.csv").write_text(table)
    (folder / "stones.csv").write_text(table.replace("class", "kind"))

    summary = run_experiment(read_spec("compare.toml"), "compare.run")

    assert len(spec.splitlines()) <= 15
    assert (summary.n_done, summary.n_failed) == (30, 0)
    assert {record["dataset"] for record in read_results("compare.run")} == {"flowers", "stones"}
