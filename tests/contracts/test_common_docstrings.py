"""Common parameters read the same in all estimators, unless one says otherwise on purpose."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "fill_docstrings.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("fill_docstrings", TOOL)
    module = importlib.util.module_from_spec(spec)
    # Its records look up their module.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, spec.name, module)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def estimators(tool):
    return tool.find_estimators()


def test_every_docstring_has_the_common_texts(tool, estimators):
    texts = tool.read_texts()

    different = [e.__name__ for e in estimators if tool.outdated(e, texts) is not None]

    assert len(estimators) > 35
    assert different == [], "run `make docstrings`, or name the exception in common_docstrings.toml"


def test_no_exception_is_left_over(tool, estimators):
    assert tool.stale_exceptions(tool.read_texts(), estimators) == []


def test_an_outdated_text_is_found_and_filled_in(tool, estimators):
    texts = tool.read_texts()
    (verbose,) = texts["Parameters", "verbose"]
    texts["Parameters", "verbose"] = [
        tool.CommonText(verbose.type, "Another text, " + "long enough for a second line " * 4)
    ]
    (estimator,) = (e for e in estimators if e.__name__ == "SMOClassifier")

    path, before, after = tool.outdated(estimator, texts)

    assert path == Path(inspect.getsourcefile(estimator))
    old, new = set(before.split("\n")), set(after.split("\n"))
    assert old - new == {"        If positive, log progress once a second."}
    assert all(len(line) <= 100 for line in new - old)
    assert len(new - old) == 2


def test_all_parameters_are_documented_in_their_order(tool, estimators):
    for estimator in estimators:
        signature = [p for p in inspect.signature(estimator).parameters if p != "self"]
        text = estimator.__doc__.split("Parameters\n    ----------\n")[1].split("\n\n")[0]
        heads = [line for line in text.split("\n") if line[:4] == "    " and line[4:5] != " "]
        named = [name.strip() for head in heads for name in head.split(" : ")[0].split(",")]

        assert sorted(named) == sorted(signature), estimator.__name__
