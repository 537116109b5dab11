"""`make docs-check` finds what is wrong with a page: a site with one fault of each kind is planted for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.site.links import broken_links, pages_of
from tests.site.opened_page import LOOKS, Reader, reader
from tests.site.searches import failed_searches

GOOD = """<!doctype html><html lang="en"><head><title>A page</title></head>
<body><main><h1 id="top">A page</h1>{}</main></body></html>"""

FAULTS = {
    '<img src="nowhere.png" alt="a picture">': "a picture isn't there",
    '<div style="width: 2000px">wide</div>': "it scrolls sideways by",
    '<button type="button"></button>': "button-name",
    '<p style="color: #bbb; background: #fff">pale</p>': "color-contrast",
    '<script src="https://cdn.example/a.js"></script>': "it asks for https://cdn.example/a.js",
    "<script>throw new Error('thrown')</script>": "its script fails: thrown",
    "<script>console.error('complained')</script>": "its console says: complained",
    '<iframe title="a view" srcdoc="<script>window.ctxlabHost = 1</script><button></button>"></iframe>': "in a view",
}


@pytest.fixture
def reading(browser: Browser, tmp_path: Path) -> Iterator[Reader]:
    opened = reader(browser, LOOKS[0], tmp_path)
    yield opened
    opened.page.context.close()


def test_each_fault_of_a_page_is_found_and_a_good_page_has_none(reading: Reader, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(GOOD.format("<p>Words.</p>"), encoding="utf-8")
    assert list(reading.problems_of(page)) == []
    for fault, named in FAULTS.items():
        page.write_text(GOOD.format(fault), encoding="utf-8")
        found = list(reading.problems_of(page))
        assert any(named in problem for problem in found), (fault, found)


LINKS = {
    '<a href="gone.html">on</a>': "gone.html isn't there",
    '<a href="other.html#gone">on</a>': "other.html#gone names a place that other.html doesn't have",
    '<a href="#gone">on</a>': "#gone names a place that page.html doesn't have",
    '<a href="../outside.html">on</a>': "../outside.html leaves the folder of the site",
    '<a href="javascript:go()">on</a>': "javascript:go() is no address of a page",
    '<img src="gone.png">': "gone.png isn't there",
    '<source srcset="gone.webp 2x">': "gone.webp isn't there",
    '<link rel="stylesheet" href="https://cdn.example/a.css">': "https://cdn.example/a.css is fetched from elsewhere",
    '<script src="//cdn.example/a.js"></script>': "//cdn.example/a.js is fetched from elsewhere",
}
WELL = '<a href="other.html#top">on</a><a href="https://a.example">elsewhere</a><a href="mailto:a@a.example">write</a>'


def test_each_broken_link_is_found_and_good_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text(GOOD.format(""), encoding="utf-8")
    for fault, named in LINKS.items():
        (tmp_path / "page.html").write_text(GOOD.format(WELL + fault), encoding="utf-8")
        assert list(broken_links(tmp_path)) == [f"page.html: {named}"]


def test_live_views_are_opened_inside_of_pages_and_not_alone(tmp_path: Path) -> None:
    for name in ("index.html", "live/view.html", "questions/why.html", "_static/theme.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GOOD.format(""), encoding="utf-8")
    assert [page.relative_to(tmp_path).as_posix() for page in pages_of(tmp_path)] == [
        "index.html",
        "questions/why.html",
    ]


SEARCH = """<div id="search-results"></div><script>
const found = { "lore": ["a.html#top"], "罗盘": [] }[new URLSearchParams(location.search).get("q")] ?? ["b.html"];
document.querySelector("#search-results").innerHTML =
  "<p>Search finished</p>" + found.map((one) => `<li><a href="${one}">it</a></li>`).join("");
</script>"""


def test_a_search_that_does_not_bring_its_page_is_found(reading: Reader, tmp_path: Path) -> None:
    (tmp_path / "search.html").write_text(SEARCH, encoding="utf-8")
    assert list(failed_searches(reading.page, tmp_path, {"lore": "a.html", "罗盘": "a.html"})) == [
        "search for '罗盘' brings 0 pages without a.html",
        "search for nonsense brings b.html",
    ]
