"""The site in Chromium: looks, search, map and keyboard; and axe-core's rules of accessibility."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from browser import Browser, find_browser

pytestmark = [
    pytest.mark.docs,
    pytest.mark.skipif(find_browser() is None, reason="needs Chromium or Chrome"),
]

PAGES = {
    "start": "index.html",
    "guide": "guide/classification.html",
    "example": "auto_examples/classification/plot_first_model.html",
    "gallery": "auto_examples/index.html",
    "map": "which_estimator.html",
    "API": "api/generated/svmosaic.OLLAWVClassifier.html",
    "names": "api/index.html",
    "source": "_modules/svmosaic/classification/ollawv.html",
    "search": "search.html",
}
SIZES = {"desktop": (1280, 900), "phone": (390, 800)}
# Where `npm pack axe-core` was unpacked; make test-docs does it.
AXE = Path(os.environ.get("AXE", Path(__file__).parents[2] / "build/axe/package/axe.min.js"))


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile"), seconds=90.0) as opened:
        opened.call("Emulation.setFocusEmulationEnabled", enabled=True)
        yield opened


def _wait_for(browser, condition, seconds=30.0):
    """Wait until a JavaScript condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # The page may be leaving for another one.
        with contextlib.suppress(RuntimeError):
            if browser.evaluate(condition):
                return
        time.sleep(0.1)
    pytest.fail(f"The page never came to {condition!r}.")


@pytest.fixture(params=["light", "dark"])
def dark(request):
    return request.param == "dark"


@pytest.fixture(params=SIZES)
def size(request):
    return SIZES[request.param]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole(page, size, dark, browser, site, tmp_path):
    width, height = size
    browser.open(site / PAGES[page], width=width, height=height, dark=dark)

    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
    # Nothing sticks out on the right.
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("document.documentElement.dataset.theme") == (
        "dark" if dark else "light"
    )
    broken = "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    assert browser.evaluate(broken) == []
    shot = tmp_path / "page.png"
    browser.screenshot(shot, whole=False)
    assert shot.stat().st_size > 5_000


@pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: set AXE, or run make test-docs")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible(page, size, dark, browser, site):
    width, height = size
    browser.open(site / PAGES[page], width=width, height=height, dark=dark)
    # Colours fade in; while they do, their contrast is anything.
    browser.evaluate("Promise.allSettled(document.getAnimations().map(a => a.finished))")
    browser.evaluate(AXE.read_text(encoding="utf-8") + "; 0")

    found = browser.evaluate(
        "axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa']})"
        ".then(r => JSON.stringify(r.violations.map(v => [v.id,"
        " v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])))"
    )

    assert json.loads(found) == []


def test_search_finds_pages_without_a_network(browser, site):
    browser.open(site / "search.html", width=1280, height=900)
    browser.call("Page.navigate", url=(site / "search.html").as_uri() + "?q=calibrated")
    _wait_for(browser, "document.querySelectorAll('ul.search li a').length > 3")

    links = browser.evaluate("[...document.querySelectorAll('ul.search li a')].map(a => a.href)")
    assert any("CalibratedClassifier" in link for link in links)
    assert any("probabilities" in link for link in links)


def test_the_map_works_with_the_keyboard(browser, site):
    browser.open(site / "which_estimator.html", width=1280, height=900)
    first = "document.querySelector('.estimator-map a')"
    browser.evaluate(f"{first}.focus(); 0")

    assert browser.evaluate(f"document.activeElement === {first}")
    assert browser.evaluate(f"getComputedStyle({first}.querySelector('rect')).strokeWidth") == "3px"
    for kind in ("keyDown", "keyUp"):
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        browser.call("Input.dispatchKeyEvent", type=kind, **key)
    _wait_for(browser, "location.pathname.includes('svmosaic.OLLAWVClassifier')")


def test_tab_reaches_the_first_estimator(browser, site):
    browser.open(site / "which_estimator.html", width=1280, height=900)
    for _ in range(40):
        for kind in ("rawKeyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", windowsVirtualKeyCode=9)
        if browser.evaluate("!!document.activeElement.closest('.estimator-map a')"):
            return
    pytest.fail("The map cannot be reached with the Tab key.")


TABLES = {"estimator-table": "which_estimator.html", "api-table": "api/index.html"}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_can_be_filtered(table, browser, site):
    browser.open(site / TABLES[table], width=1280, height=900)
    shown = f"[...document.querySelectorAll('.{table} tbody tr')].filter(r => !r.hidden).length"
    before = browser.evaluate(shown)
    browser.evaluate(
        "(() => { const field = document.querySelector('.estimator-filter input[type=search]');"
        " field.value = 'stream'; field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )

    assert 2 <= browser.evaluate(shown) < before


def test_formulas_are_drawn_without_a_network(browser, site):
    page = "api/generated/svmosaic.UniformSVC.html"
    browser.open(site / page, width=1280, height=900)
    _wait_for(browser, "document.querySelectorAll('mjx-container').length > 0")

    assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
