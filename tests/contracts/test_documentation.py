"""The examples of README and docs run, and the docstrings' do too."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import runpy
import sys
import warnings
from importlib.util import find_spec

import pytest

import svmosaic
from page_blocks import NEEDS as BLOCK_NEEDS
from page_blocks import PAGES, ROOT, all_blocks, blocks_of

# Modules that import an optional package, which need not be installed.
NEEDS = {"svmosaic.engine.gpu.triton_": "triton", "svmosaic.engine.gpu.": "torch"}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(svmosaic.__path__, "svmosaic.")
    if not module.name.endswith("_core")
    and all(find_spec(package) or not module.name.startswith(n) for n, package in NEEDS.items())
)


# The examples of CONTRIBUTING.md are modules; test_worked_examples.py runs them.
WITH_PYTHON = [
    page
    for page in PAGES
    if page.name != "CONTRIBUTING.md" and any(b.language == "python" for b in blocks_of(page))
]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    blocks = [block for block in blocks_of(page) if block.language == "python"]
    ready = [block.code for block in blocks if not block.missing()]
    if not ready:
        pytest.skip(f"needs {', '.join(blocks[0].missing())}")
    script = tmp_path / "page.py"
    script.write_text("\n".join(ready), encoding="utf-8")
    # In a folder of its own, so that an example may write files.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script), run_name="__main__")


# Languages of blocks that are run, and of those that are only read.
RUN = {"python", "console", "toml"}
READ = {"text", "csv", "bibtex"}


def test_every_block_is_run_or_only_read():
    unknown = [f"{b}: {b.language!r}" for b in all_blocks() if b.language not in RUN | READ]

    assert unknown == []
    assert {name for block in all_blocks() for name in block.needs} <= set(BLOCK_NEEDS)
    # A program in a block that is not run would hide there.
    hidden = [
        str(block)
        for block in all_blocks("text")
        if re.search(
            r"^(\$ |svmosaic |pip |make |from \w+ import|import )", block.code, re.MULTILINE
        )
    ]
    assert hidden == []


@pytest.mark.parametrize(
    "block", [block for block in all_blocks() if block.needs], ids=lambda block: str(block)
)
def test_blocks_that_were_left_out_are_listed(block):
    """The list that pytest prints of skipped tests names every block that was not run."""
    if block.missing():
        pytest.skip(f"{block} was not run: it needs {', '.join(block.missing())}")


def test_every_test_that_the_page_on_trust_names_exists():
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", text)

    assert len(named) > 30
    for file, test in named:
        assert f"def {test}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), (file, test)


RESULTS = ("passed", "partly", "not done")


def test_the_page_on_trust_counts_right():
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)

    assert [int(row[0]) for row in rows] == list(range(1, 33))
    results = [row[2] for row in rows]
    assert set(results) <= set(RESULTS)
    counts = [results.count(result) for result in RESULTS]
    told = re.search(r"(\d+) are passed, (\d+) partly, (\d+) not done", text)
    assert [int(number) for number in told.groups()] == counts
    for *_, where in rows:
        for file in re.findall(r"`([\w/]+\.py)", where):
            folder = ROOT if file.startswith("benchmarks/") else ROOT / "tests"
            assert (folder / file).is_file(), file


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_merge_was_left_half_done(page):
    text = page.read_text(encoding="utf-8")

    assert re.search(r"^(<{7} |={7}$|>{7} )", text, re.MULTILINE) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name))

    assert result.failed == 0


@pytest.mark.parametrize("name", svmosaic.__all__)
def test_every_public_name_exists_and_is_documented(name):
    assert getattr(svmosaic, name).__doc__ or name == "__version__"


def _data_for(estimator, X, y):
    """Return samples, or bags of them for a classifier of bags."""
    from sklearn.utils import get_tags

    if get_tags(estimator).input_tags.two_d_array:
        return X, y
    # Two classes: with more, most attributes are those of the binary classifiers.
    kept = y < 2
    return [X[kept][i : i + 2] for i in range(0, 100, 2)], y[kept][::2]


def test_every_parameter_and_attribute_is_documented():
    from sklearn.base import BaseEstimator
    from sklearn.datasets import load_iris

    estimators = [
        value
        for value in (getattr(svmosaic, name) for name in svmosaic.__all__)
        if isinstance(value, type) and issubclass(value, BaseEstimator)
    ]
    for estimator in estimators:
        documented = set(re.findall(r"^    (\w[\w, ]*?) :", estimator.__doc__, re.MULTILINE))
        names = {name for group in documented for name in re.split(r", ", group)}
        fitted = estimator().fit(*_data_for(estimator(), *load_iris(return_X_y=True)))
        attributes = {n for n in vars(fitted) if n.endswith("_") and not n.startswith("_")}
        assert set(estimator().get_params()) <= names, estimator
        assert attributes - {"n_features_in_"} <= names, estimator
