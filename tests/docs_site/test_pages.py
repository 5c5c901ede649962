"""The pages of the site, as files: links, images, and what a new user finds in few clicks."""

from __future__ import annotations

import re
from collections import deque

import pytest

from site_pages import all_pages, read_page, resolve

pytestmark = [pytest.mark.docs, pytest.mark.usefixtures("site")]

# What a new user looks for, and words that only the answer has.
QUESTIONS = {
    "how to get probabilities": ("probabilities.html", "CalibratedClassifier"),
    "how to train on a CSV with missing values": (
        "auto_examples/classification/plot_csv_with_missing_values.html",
        "SimpleImputer",
    ),
    "how to compare two methods properly": ("guide/comparing.html", "nested_cv"),
    "how to cite": ("project/cite.html", "@software"),
}


def _links_of(path):
    """Yield the pages that a page links to."""
    for link in read_page(path).links:
        found = resolve(path, link)
        if found is not None and found[0].suffix == ".html" and found[0].is_file():
            yield found[0]


def _clicks_from(start):
    """Return how many clicks each page is away."""
    clicks, waiting = {start: 0}, deque([start])
    while waiting:
        page = waiting.popleft()
        for target in _links_of(page):
            if target not in clicks:
                clicks[target] = clicks[page] + 1
                waiting.append(target)
    return clicks


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_new_user_finds_the_answer_in_three_clicks(question, site):
    page, words = QUESTIONS[question]

    assert _clicks_from(site / "index.html")[site / page] <= 3
    assert words in read_page(site / page).text


def test_every_page_can_be_reached(site):
    reached = set(_clicks_from(site / "index.html"))
    left_out = {"search.html", "genindex.html", "py-modindex.html"}
    lost = [path for path in all_pages() if path not in reached and path.name not in left_out]

    assert lost == []


def test_links_lead_to_files_and_anchors():
    broken = []
    for path in all_pages():
        page = read_page(path)
        for link in page.links:
            found = resolve(path, link)
            if found is None:
                continue
            target, anchor = found
            to_page = anchor and target.suffix == ".html"
            if not target.exists() or (to_page and anchor not in read_page(target).ids):
                broken.append((path.name, link))

    assert broken == []


def test_no_page_loads_from_another_place():
    loads = {load for path in all_pages() for load in read_page(path).loads}

    assert [load for load in loads if re.match(r"(https?:)?//", load)] == []


def test_all_images_have_alternative_texts():
    silent = [
        (path.name, image.get("src"))
        for path in all_pages()
        for image in read_page(path).images
        if not (image.get("alt") or "").strip()
    ]

    assert silent == []


def test_the_list_for_programs_names_pages_that_exist(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    pages = re.findall(r"\]\(([^)]+)\)", text)

    assert len(pages) > 200
    assert [page for page in pages if not (site / page).is_file()] == []


def test_pages_of_estimators_link_to_the_gallery(site):
    for name in ("OLLAWVClassifier", "SMORegressor", "SVRCC", "MIRSVMClassifier", "StreamOLLAWV"):
        links = read_page(site / "api" / "generated" / f"svmosaic.{name}.html").links
        assert any("auto_examples" in link and "plot_" in link for link in links), name
