"""Each committed page is what the committed folds of its table give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from svmosaic.datasets.loading import data_folder
from svmosaic.reproduce import reproduce

RESULTS = Path(__file__).parents[2] / "docs" / "results"
FILES = sorted(RESULTS.glob("*.csv.gz"))


def test_there_are_files():
    assert FILES


def _content(page):
    """Return a page without what tells when, where and from which file it was made."""
    page = re.sub(r"(?m)^\| (date|computer|system|versions|commit|code|jobs) \|.*\n", "", page)
    return re.sub(r"(?m)^\d+ of \d+ cells were taken from .*\n\n", "", page)


# The larger ones take five and ten seconds, and go the way of the others.
_LARGE = ("3.csv.gz", "4.csv.gz")
_PATHS = [pytest.param(p, marks=pytest.mark.slow if p.name in _LARGE else ()) for p in FILES]


@pytest.mark.parametrize("path", _PATHS, ids=[path.name for path in FILES])
def test_the_page_is_made_from_the_folds(path, tmp_path):
    if data_folder() is None:
        pytest.skip("needs the data folder: set SVMOSAIC_DATA")
    found = re.fullmatch(r"(.+?)(?:-(quick|large))?(?:-(\d)-repeats)?\.csv\.gz", path.name)
    size, repeats = found[2] or "full", found[3] and int(found[3])
    result = reproduce(
        found[1], tmp_path, size=size, repeats=repeats, reuse=path, only_finished=True
    )

    assert not result.failures
    committed = (RESULTS / path.name.replace(".csv.gz", ".md")).read_text(encoding="utf-8")
    assert _content(result.files[1].read_text()) == _content(committed)
