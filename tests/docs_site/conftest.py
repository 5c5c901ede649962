"""Tests of the built site skip where it was not built."""

from __future__ import annotations

import pytest

from site_pages import SITE


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built: run make docs")
    return SITE
