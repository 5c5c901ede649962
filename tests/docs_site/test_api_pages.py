"""Every public name has a place in the API reference."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import sys
from pathlib import Path

import pytest

import svmosaic

ROOT = Path(__file__).parents[2]
# Modules whose names are for users.
PUBLIC = (
    *("svmosaic", "svmosaic.boundary", "svmosaic.dask", "svmosaic.datasets", "svmosaic.exceptions"),
    *("svmosaic.experiments", "svmosaic.metrics", "svmosaic.model_selection"),
    *("svmosaic.multi_instance", "svmosaic.multi_instance.peers", "svmosaic.persistence"),
    *("svmosaic.plots", "svmosaic.preprocessing", "svmosaic.regression.peers", "svmosaic.reports"),
    *("svmosaic.reproduce", "svmosaic.stats", "svmosaic.streams", "svmosaic.svm"),
    "svmosaic.testing",
)


def listed():
    """Return the full names in the pages of the API reference."""
    names = []
    for page in sorted((ROOT / "docs" / "api").glob("*.rst")):
        module = None
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = found[1]
            elif module and (found := re.fullmatch(r"   (\w+)", line)):
                names.append(f"{module}.{found[1]}")
    return names


def value_of(full):
    module, _, name = full.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("name", ["accessible_html", "docstring_text", "source_links"])
def test_examples_of_our_extensions(name, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))

    assert doctest.testmod(importlib.import_module(name)).failed == 0
    sys.modules.pop(name)


def test_examples_of_the_report_on_links(monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    check_links = importlib.import_module("check_links")
    row = {"filename": "a.md", "uri": "https://a.org", "status": "broken", "info": "ProxyError()"}
    (tmp_path / "output.json").write_text(json.dumps(row) + "\n")

    assert doctest.testmod(check_links).failed == 0
    assert check_links.main(str(tmp_path / "output.json")) == 3
    assert "No server could be reached: nothing was checked." in capsys.readouterr().out


def test_no_name_is_listed_twice():
    assert len(set(listed())) == len(listed())


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_reference(module):
    shown = {id(value_of(name)) for name in listed()}
    found = importlib.import_module(module)
    missing = [
        n for n in found.__all__ if n != "__version__" and id(getattr(found, n)) not in shown
    ]

    assert missing == []


def test_every_estimator_has_advice(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from sklearn.base import BaseEstimator

    from estimator_table import ADVICE, estimators, rows

    values = [getattr(svmosaic, name) for name in svmosaic.__all__]
    classes = [v for v in values if isinstance(v, type) and issubclass(v, BaseEstimator)]

    assert {cls.__name__ for cls in classes} <= set(ADVICE)
    assert len(list(estimators())) == len(ADVICE)
    assert all(len(row) == 10 for row in rows())
    sys.modules.pop("estimator_table")


def test_the_map_leads_to_names_that_exist(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from estimator_map import COLUMNS, FASTER

    for box in (box for column in COLUMNS.values() for box in column):
        assert box.page.removeprefix("api/generated/") in listed()
    assert all((ROOT / "docs" / f"{box.page}.md").is_file() for box in FASTER)
    sys.modules.pop("estimator_map")


def test_related_examples_belong_to_names_that_exist(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from related_examples import RELATED, paths_by_name

    assert [e for e in RELATED if not (ROOT / "examples" / f"{e}.py").is_file()] == []
    assert set(paths_by_name()) <= set(listed())
    sys.modules.pop("related_examples")
