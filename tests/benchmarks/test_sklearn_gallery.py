"""The benchmark of scikit-learn's gallery: what it runs and compares, and the gallery itself."""

from __future__ import annotations

import csv
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sklearn_gallery.py"
# The folder `examples` of scikit-learn's source distribution, in the version that is installed.
EXAMPLES = os.environ.get("SKLEARN_EXAMPLES")

EXAMPLE = """
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True)
model = SVC().fit(X, y)
print(f"{model.score(X, y):.3f}, handed back: {SVC(gamma=0.0).fit(X, y).score(X, y):.1f}")
plt.scatter(X[:, 0], X[:, 1], c=model.predict(X))
plt.show()
"""


@pytest.fixture(scope="module")
def gallery():
    """Return the module of the benchmark."""
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("sklearn_gallery", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    # Records look themselves up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def run(folder, out, *options):
    """Return the rows of a run as a user starts it."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--examples", str(folder), "--out", str(out), *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with out.open(newline="", encoding="utf-8") as stream:
        return {row["example"]: row for row in csv.DictReader(stream)}


def test_an_example_runs_twice_and_is_compared(tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "examples"
    (folder / "svm").mkdir(parents=True)
    (folder / "svm" / "plot_one.py").write_text(EXAMPLE, encoding="utf-8")
    (folder / "plot_two.py").write_text(f"{EXAMPLE}\nfetch_openml('x')\n", encoding="utf-8")
    (folder / "plot_three.py").write_text("from sklearn.svm import LinearSVC\n", encoding="utf-8")
    (folder / "plot_four.py").write_text("import numpy\n", encoding="utf-8")

    rows = run(folder, tmp_path / "rows.csv")

    assert list(rows) == ["svm/plot_one.py", "plot_three.py", "plot_two.py"]
    row = rows["svm/plot_one.py"]
    assert (row["outcome"], row["reason"]) == ("same", "")
    assert (row["exit_original"], row["exit_patched"]) == ("0", "0")
    assert (row["fitted_by_svmosaic"], row["handed_back"], row["figures"]) == ("1", "1", "1")
    assert float(row["svm_patched"]) > 0.0
    assert rows["plot_two.py"]["reason"] == "fetch_openml needs a network"
    assert rows["plot_three.py"]["reason"] == "fits none of the classes that are replaced"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("score 0.973\n", "score 0.970\n", True),
        ("score 0.97\n", "score 0.90\n", False),
        ("fitted in 3.1 s\n", "fitted in 0.2 s\n", True),
        ("score=0.900 total time=   0.0s\n", "score=0.900 total time=   0.1s\n", True),
        ("[1 2 3]\n", "[1 2]\n", False),
        ("yes\n", "no\n", False),
        ("one\n", "one\ntwo\n", False),
    ],
)
def test_printed_numbers_may_differ_by_rounding(gallery, first, second, same):
    assert (gallery.first_difference(first, second) is None) == same


def test_figures_are_compared_by_pixel(gallery):
    blank, dotted = np.zeros((10, 10, 4)), np.zeros((10, 10, 4))
    dotted[0, 0, 0] = 1.0

    assert gallery.different_pixels({"1.png": blank}, {"1.png": dotted}) == 0.01
    assert gallery.different_pixels({"1.png": blank}, {"1.png": blank}) == 0.0
    assert gallery.different_pixels({"1.png": blank}, {}) == 1.0
    assert gallery.different_pixels({"1.png": blank}, {"1.png": blank[1:]}) == 1.0


def test_a_failure_of_the_patched_program_is_a_difference(gallery):
    good = gallery.Run(0, 1.0, 1.0)
    bad = gallery.Run(1, 1.0, 1.0, errors="Traceback\nValueError: no")

    assert gallery.compare("x.py", good, bad) == "exit 0 became 1: ValueError: no"
    assert gallery.judge("x.py", Path("x.py"), 1.0, good, bad)[0] == "differs"
    assert gallery.judge("x.py", Path("x.py"), 1.0, bad, bad)[0] == "fails in both"


@pytest.mark.slow
@pytest.mark.skipif(EXAMPLES is None, reason="SKLEARN_EXAMPLES does not name the gallery")
def test_the_gallery_of_scikit_learn_runs_patched(tmp_path):
    rows = run(Path(EXAMPLES), tmp_path / "rows.csv", "--limit", "900")

    assert len(rows) > 40
    assert {row["outcome"] for row in rows.values()} <= {"same", "explained", "varies", "skipped"}
    assert sum(int(row["fitted_by_svmosaic"] or 0) for row in rows.values()) > 1000
