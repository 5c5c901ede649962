"""Small experiments in a folder of their own."""

from __future__ import annotations

import pytest

SPEC = """
name = "small"
[protocol]
outer = 3
inner = 2
scoring = ["accuracy", "f1_macro"]
[[data]]
name = "sklearn-iris"
[[data]]
path = "two.csv"
[[methods]]
name = "ours"
estimator = "OLLAWVClassifier"
grid = { C = [1.0, 10.0] }
[[methods]]
name = "neighbours"
estimator = "sklearn.neighbors.KNeighborsClassifier"
"""

TABLE = "size,weight,class\n" + "".join(
    f"{i % 7},{i % 5},{'yes' if (i % 7) + (i % 5) > 5 else 'no'}\n" for i in range(60)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with ``spec.toml`` and its data; it is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.toml").write_text(SPEC)
    (tmp_path / "two.csv").write_text(TABLE)
    return tmp_path
