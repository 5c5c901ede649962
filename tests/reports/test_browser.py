"""The page in a real browser, at the width of a desk and of a phone.

The screenshots stay in the folder of the test, or in that of SVMOSAIC_SCREENSHOTS.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from browser import Browser, find_browser
from journals import EVIL, QUOTED, write_run
from svmosaic.reports import write_report

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium or Chrome is installed")

_SECONDS = 20.0

# What is seen of each image and table: its box, and whether it is inside the page or scrolls.
_LOOK = """
(() => {
  const wide = document.documentElement.clientWidth;
  const inside = (node) => {
    const box = node.getBoundingClientRect();
    if (box.left >= -0.5 && box.right <= wide + 0.5) return true;
    for (let up = node.parentElement; up; up = up.parentElement) {
      const outer = up.getBoundingClientRect();
      if (getComputedStyle(up).overflowX === "auto" && up.scrollWidth > up.clientWidth)
        return outer.left >= -0.5 && outer.right <= wide + 0.5;
    }
    return false;
  };
  const look = (node) => {
    const box = node.getBoundingClientRect();
    return {name: node.alt || node.textContent.slice(0, 40), width: box.width, height: box.height,
      natural: node.naturalWidth, visible: node.checkVisibility(), inside: inside(node)};
  };
  return {
    images: [...document.images].map(look),
    tables: [...document.querySelectorAll("table")].map(look),
    page: document.documentElement.scrollWidth,
    window: window.innerWidth,
    text: document.body.innerText,
    scripts: document.scripts.length,
  };
})()
"""
_OPEN = "document.querySelectorAll('details').forEach((node) => { node.open = true; })"
_CLOSED = "document.querySelectorAll('details:not([open])').length"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report with everything on it: evil names, failures, maps, many wide columns."""
    scores = [
        [[0.9, 0.8], [0.8, 0.9], [0.5, 0.6], [0.5, 0.6]],
        [[0.7, 0.7], [0.6, 0.6], [0.5, 0.5], [0.5, 0.4]],
        [[0.9, 0.9], [0.9, 0.8], [0.8, 0.8], [0.7, None]],
    ]
    methods = [EVIL, QUOTED, "a method with a very long name of several words", "x" * 50]
    folder = tmp_path_factory.mktemp("report") / "run"
    return write_report(write_run(folder, scores, methods=methods, name=f"Run of {EVIL}"))[0]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile"), seconds=_SECONDS) as started:
        yield started


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (390, False), (1280, True)], ids=["desk", "phone", "dark"]
)
def test_everything_is_seen(browser, page, tmp_path, width, dark):
    browser.open(page, width=width, height=900, dark=dark)
    closed = browser.evaluate(_CLOSED)
    browser.evaluate(_OPEN)
    found = browser.evaluate(_LOOK)
    shots = Path(os.environ.get("SVMOSAIC_SCREENSHOTS") or tmp_path)
    browser.screenshot(shots / f"report-{width}{'-dark' if dark else ''}.png")

    assert closed > 3
    assert len(found["images"]) == 14
    assert len(found["tables"]) >= 10
    for image in found["images"]:
        assert image["natural"] > 0, image
        assert image["width"] > 150, image
        assert image["height"] > 40, image
    for thing in found["images"] + found["tables"]:
        assert thing["visible"], thing
        assert thing["inside"], thing
    # The page itself never scrolls sideways.
    assert found["page"] <= found["window"] == width
    assert browser.complaints() == []


# Whether boxes scroll sideways, and whether a hint before them is seen.
_HINTS = """
[...document.querySelectorAll(".scroll, .wide")].map((box) => {
  const hint = box.previousElementSibling;
  const seen = hint !== null && hint.className === "hint" && hint.offsetHeight > 0;
  return {scrolls: box.scrollWidth > box.clientWidth + 1, seen, text: box.textContent.slice(0, 60)};
})
"""


def test_a_phone_says_what_can_be_swiped(browser, page):
    browser.open(page, width=390, height=900)
    browser.evaluate(_OPEN)
    on_phone = browser.evaluate(_HINTS)
    browser.open(page, width=1280, height=900)
    browser.evaluate(_OPEN)
    on_desk = browser.evaluate(_HINTS)

    assert sum(box["scrolls"] for box in on_phone) > 5
    assert [box for box in on_phone if box["scrolls"] and not box["seen"]] == []
    assert not any(box["seen"] for box in on_desk)


def test_figures_are_dark_on_a_dark_page(browser, page, tmp_path):
    image = pytest.importorskip("matplotlib.image")

    def brightness(dark):
        browser.open(page, width=1280, height=900, dark=dark)
        browser.screenshot(tmp_path / "page.png")
        box = browser.evaluate(
            "(({x, y, width, height}) => [x, y, width, height])"
            "(document.querySelector('img.follows').getBoundingClientRect())"
        )
        x, y, width, height = map(int, box)
        pixels = image.imread(tmp_path / "page.png")[y : y + height, x : x + width, :3]
        return pixels.mean(), pixels.max() - pixels.min()

    (light, _), (dark, contrast) = brightness(False), brightness(True)
    assert light > 0.8
    assert dark < 0.25
    assert contrast > 0.7


def test_names_are_text_and_nothing_is_loaded(browser, page):
    browser.open(page, width=1280, height=900)
    found = browser.evaluate(_LOOK)

    assert f"Run of {EVIL}" in found["text"]
    assert QUOTED in found["text"]
    assert found["scripts"] == 0
    loaded = [url for url in browser.requests() if not url.startswith("data:")]
    assert loaded == [page.absolute().as_uri()]


def test_a_complaint_is_heard(browser, tmp_path):
    (tmp_path / "bad.html").write_text(
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        "<script>alert(1)</script>"
    )

    browser.open(tmp_path / "bad.html", width=390, height=400)

    assert any("Content Security Policy" in complaint for complaint in browser.complaints())


def test_the_contents_lead_to_the_sections(browser, page):
    browser.open(page, width=390, height=900)

    broken = browser.evaluate(
        "[...document.querySelectorAll('nav a')].filter((link) => "
        "!document.querySelector(link.getAttribute('href'))).length"
    )
    assert broken == 0
    assert browser.evaluate("document.querySelectorAll('nav a').length") == 10


def test_a_browser_that_hangs_fails_cleanly(tmp_path):
    hanging = Browser(tmp_path, seconds=0)

    with pytest.raises(TimeoutError, match="did not answer in time"):
        hanging.__enter__()
    assert hanging._process.poll() is not None
