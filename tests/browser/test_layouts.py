"""Every view holds in every font: nothing lies over another, nothing is cut unsaid, nothing scrolls sideways."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from ctxlab_widgets import Study
from tests.browser.conftest import Opened
from tests.browser.test_every_widget import made
from tests.gallery.fonts import FONT_SETS
from tests.gallery.kept_page import KeptPage, kept_page
from tests.gallery.pages import launched
from tests.gallery.samples import SAMPLES, WITH_FILES
from tests.gallery.studies import made_up_result

LAYOUT = (Path(__file__).parents[1] / "gallery" / "layout.js").read_text(encoding="utf-8")
WIDTHS = (1100, 420)
STUDIES, AT_ONCE = 60, 20
"""Random studies that are drawn in each font, and at how many a test looks; 200 were drawn once."""
# Boxes of names and points of the plot, and whether they stay in it.
NAMES = """() => {
  const box = (each) => each.getBoundingClientRect().toJSON();
  const all = (what) => [...document.querySelectorAll(`.plot ${what}`)].map(box);
  return { names: all("text.nm"), dots: all(".dot"), texts: all("text:not(.nm)"), plot: all("svg")[0] };
}"""


@pytest.fixture(params=sorted(FONT_SETS), scope="module")
def lettered(browser: Browser, request: pytest.FixtureRequest) -> Iterator[KeptPage]:
    """A page whose browser has the fonts of one set alone."""
    with launched(browser.browser_type, request.param) as own:
        yield kept_page(own)


@pytest.mark.parametrize("name", sorted({**SAMPLES, **WITH_FILES}))
def test_a_view_holds(lettered: KeptPage, name: str, tmp_path: Path) -> None:
    found = {}
    for width in WIDTHS:
        lettered.resize(width)
        page = lettered.show(made(name), tmp_path)
        lettered.rest()
        found[width] = page.evaluate(LAYOUT)

    assert all(each["texts"] > 5 for each in found.values())
    assert {width: each["over"] for width, each in found.items() if each["over"]} == {}
    assert {width: each["cut"] for width, each in found.items() if each["cut"]} == {}
    assert {width: each["sideways"] for width, each in found.items() if each["sideways"]} == {}


@cache
def study_of(seed: int) -> Study:
    """A study with scores and names drawn at random: near one another as often as apart."""
    dice = random.Random(seed)
    words = [
        "sliding",
        "head-and-tail",
        "middle-out",
        "MMMMW",
        "illil",
        "检索与最近",
        "relevant, 8 turns",
        "灯塔 WM il",
    ]
    names = [f"{dice.choice(words)} {n}" + dice.choice(["", " frozen", " with a much longer name"]) for n in range(12)]
    near, far = dice.random(), dice.random() * 0.3
    scores = {
        name: (min(0.98, near + far * dice.random()), near * dice.random(), "block")
        for name in names[: dice.randint(3, 12)]
    }
    return Study(made_up_result(conversations=6, cases=2, variants=scores))


@pytest.mark.parametrize("first", range(0, STUDIES, AT_ONCE))
def test_names_in_the_plot_of_any_study_touch_nothing(lettered: KeptPage, first: int, tmp_path: Path) -> None:
    named = 0
    for seed in range(first, first + AT_ONCE):
        lettered.resize((1100, 760, 420)[seed % 3])
        page = lettered.show(study_of(seed), tmp_path)
        lettered.rest()
        found = page.evaluate(NAMES)

        named += len(found["names"])
        assert touching(found["names"], found["names"]) == [], seed
        assert touching(found["names"], found["dots"]) == [], seed
        assert [each for each in (*found["names"], *found["texts"]) if not inside(each, found["plot"])] == [], seed
    assert named > AT_ONCE


Box = dict[str, float]


def touching(some: list[Box], others: list[Box]) -> list[tuple[Box, Box]]:
    return [
        (a, b)
        for i, a in enumerate(some)
        for b in (others[i + 1 :] if others is some else others)
        if a["left"] < b["right"] and b["left"] < a["right"] and a["top"] < b["bottom"] and b["top"] < a["bottom"]
    ]


def inside(box: Box, of: Box) -> bool:
    """Within a pixel, by which letters are smoothed."""
    across = of["left"] - 1 <= box["left"] and box["right"] <= of["right"] + 1
    return across and of["top"] - 1 <= box["top"] and box["bottom"] <= of["bottom"] + 1


def test_the_look_at_layouts_finds_what_is_wrong(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(made("compare"), tmp_path)
    page.add_style_tag(content="body { min-width: 3000px }")
    page.evaluate(
        """() => {
          const add = (style) => {
            const added = document.querySelector(".ctxlab .w").appendChild(document.createElement("div"));
            added.style.cssText = style;
            added.textContent = "too long";
          };
          add("width: 20px; overflow: hidden; white-space: nowrap");
          add("margin-top: -12px");
        }"""
    )

    found = page.evaluate(LAYOUT)

    assert found["cut"]
    assert found["over"]
    assert found["sideways"]


def test_the_fonts_that_come_along_are_those_that_are_drawn(lettered: KeptPage, tmp_path: Path) -> None:
    page = lettered.show(made("sent_view"), tmp_path)
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": ".ctxlab h2"})["nodeId"]
    drawn = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    session.detach()

    assert {each["familyName"] for each in drawn} <= {fonts.sans for fonts in FONT_SETS.values()}
    assert len(drawn) == 1
