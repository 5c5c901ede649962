"""A small table that runs in seconds, as if its two files were in the package."""

from __future__ import annotations

import pytest

import svmosaic.reproduce.paper_spec as spec_module

TABLE = """
id = "0.1"
title = "Neighbours against a tree"
source = "Nobody (2000), table 0.1"
minutes = 0.1
notes = ["The printed numbers are invented."]
[protocol]
outer = 3
inner = 2
[[data]]
name = "sklearn-iris"
[[data]]
name = "sklearn-wine"
[[data]]
name = "flowers"
dataset = "sklearn-iris"
classes = [1, 2]
positive = 2
[[data]]
name = "isolet"
[[methods]]
name = "neighbours"
paper = "k-NN"
estimator = "sklearn.neighbors.KNeighborsClassifier"
grid = { n_neighbors = [1, 5] }
[[methods]]
name = "ours"
estimator = "OLLAWVClassifierCV"
tunes_itself = true
params = { Cs = [1, 10], gammas = [0.1, 1] }
[[methods]]
name = "tree"
paper = "C4.5"
estimator = "sklearn.tree.DecisionTreeClassifier"
params = { max_depth = 3 }
[[methods]]
name = "oracle"
needs = "no_such_package"
estimator = "no_such_package.Oracle"
[printed]
file = "table-0.1.csv"
datasets = { "sklearn-iris" = "iris", "sklearn-wine" = "wine" }
[statistics]
control = "neighbours"
[[metrics]]
name = "accuracy"
label = "accuracy (%)"
factor = 100
[[metrics]]
name = "time"
field = "fit_seconds"
of_folds = "sum"
higher_is_better = false
as_ratio = true
[quick]
minutes = 0.05
data = ["sklearn-iris", "sklearn-wine"]
methods_left_out = ["oracle"]
protocol = { outer = 2 }
methods.neighbours.grid = { n_neighbors = [3] }
methods.tree.params = { min_samples_leaf = 2 }
"""

FIGURE = """
id = "fig-0.1"
title = "Time against size"
source = "Nobody (2000), figure 0.1"
minutes = 0.1
[figure]
kind = "growth"
table = "0.1"
metric = "time"
logarithmic = true
sizes = "sizes-0.1.csv"
[quick]
minutes = 0.05
"""

PRINTED = [
    {"dataset": d, "metric": m, "method": k, "value": v}
    for d, m, k, v in [
        ("iris", "accuracy", "k-NN", "90.0"),
        ("iris", "accuracy", "C4.5", "95.0"),
        ("wine", "accuracy", "k-NN", "80.0"),
        ("wine", "accuracy", "C4.5", "70.0"),
        ("iris", "time", "k-NN", "1.0"),
        ("iris", "time", "C4.5", "2.0"),
    ]
]
SIZES = [{"dataset": "iris", "n_samples": "150"}]


@pytest.fixture
def small_table(tmp_path, monkeypatch):
    """The current folder is a new one, and there are a table 0.1 and a figure of it."""
    monkeypatch.chdir(tmp_path)
    files = {"0.1": ("0.1.toml", TABLE), "fig-0.1": ("fig-0.1.toml", FIGURE)}
    monkeypatch.setattr(spec_module, "_files", lambda: files)
    rows = {"table-0.1.csv": PRINTED, "sizes-0.1.csv": SIZES}
    monkeypatch.setattr("svmosaic.reproduce.printed.read_rows", rows.get)
    monkeypatch.setattr("svmosaic.reproduce.paper_figures.read_rows", rows.get)
    # No folder of real data, and nothing that was fetched.
    monkeypatch.setenv("SVMOSAIC_DATA", str(tmp_path))
    monkeypatch.setenv("SVMOSAIC_CACHE", str(tmp_path / "cache"))
    return files
