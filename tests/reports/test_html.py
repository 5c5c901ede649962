"""The HTML page."""

from __future__ import annotations

import base64
from html.parser import HTMLParser

import pytest

from svmosaic.reports import Document, Figure, Section, Table, render, write_html

_EVIL = "<script>alert('x')</script> & \"quoted\""
_VOID = {"meta", "img"}


class _Reader(HTMLParser):
    """Collects tags and attributes, and checks that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def _read(page):
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture
def document():
    """A document with something evil in every place for text."""
    table = Table([_EVIL, "n"], [[_EVIL, "1"], [], ["b", _EVIL]], _EVIL, "lr")
    figure = Figure(b"<svg/>", "image/svg+xml", _EVIL, _EVIL)
    sections = [Section(_EVIL, f"{_EVIL}\n\nsecond", [table], [figure]), Section("Two")]
    return Document(_EVIL, sections, summary=_EVIL, footer=_EVIL)


def test_everything_is_escaped(document):
    page = render(document)

    reader = _read(page)
    assert "script" not in reader.tags
    assert "<script" not in page
    # Title, heading, summary, contents, heading and text of the section, caption of figure and
    # table, two cells, header, footer.
    assert "".join(reader.text).count(_EVIL) == 12
    assert sum(value == _EVIL for _, _, value in reader.attributes) == 2


def test_the_page_loads_nothing(document):
    reader = _read(render(document))

    policy = [value for _, name, value in reader.attributes if name == "content"]
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in policy
    links = [value for _, name, value in reader.attributes if name in ("src", "href")]
    assert links
    assert all(link.startswith(("data:", "#")) for link in links)
    assert "http://" not in "".join(links)
    assert "url(" not in render(document)
    assert not {"link", "script", "iframe", "object", "embed", "base"} & set(reader.tags)


def test_the_policy_stands_before_everything_it_governs(document):
    page = render(document)

    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<img")


def test_a_figure_is_data_inside_the_page(document):
    reader = _read(render(document))

    (source,) = [value for tag, name, value in reader.attributes if (tag, name) == ("img", "src")]
    kind, _, encoded = source.partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert base64.b64decode(encoded) == b"<svg/>"


def test_wide_tables_scroll_in_their_own_box(document):
    page = render(document)

    assert '<div class="scroll" tabindex="0"' in page
    assert "overflow-x: auto" in page
    assert 'content="width=device-width, initial-scale=1"' in page
    assert "prefers-color-scheme: dark" in page


@pytest.mark.parametrize(("n_columns", "has_hint"), [(2, False), (3, False), (8, True)])
def test_a_table_too_wide_for_a_phone_has_a_hint(n_columns, has_hint):
    header = [f"c{i}" for i in range(n_columns)]
    table = Table(header, [["0.1234"] * n_columns])

    page = render(Document("t", [Section("s", tables=[table])]))

    assert ('<p class="hint">' in page) == has_hint


def test_figures_of_plots_follow_the_colour_scheme():
    plots = pytest.importorskip("svmosaic.plots")
    pytest.importorskip("matplotlib")
    drawn = Figure(plots.to_svg(plots.new_axes()), "image/svg+xml", "drawn")
    foreign = Figure(b"<svg><style></style></svg>", "image/svg+xml", "foreign")

    page = render(Document("t", [Section("s", figures=[drawn, foreign])]))

    sources = [value for _, name, value in _read(page).attributes if name == "src"]
    first, second = (base64.b64decode(source.partition(",")[2]) for source in sources)
    assert b"@media (prefers-color-scheme: dark)" in first
    assert second == foreign.data
    assert page.count('<img class="follows"') == 1


def test_an_empty_row_begins_a_new_group(document):
    assert _read(render(document)).tags.count("tbody") == 2


def test_one_section_needs_no_contents():
    assert "<nav" not in render(Document("t", [Section("only")]))


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="Row 1 of a table has 1 cells; its header has 2"):
        Table(["a", "b"], [["1", "2"], ["1"]])


def test_an_alignment_of_another_length_is_refused():
    with pytest.raises(ValueError, match="one letter per column"):
        Table(["a", "b"], [], align="l")


def test_the_page_is_written_whole(document, tmp_path):
    write_html(document, tmp_path / "page.html")

    assert (tmp_path / "page.html").read_text(encoding="utf-8") == render(document)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
