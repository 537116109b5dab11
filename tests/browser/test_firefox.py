"""Firefox draws the report and each live page, and its console complains of nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("websocket")

import ctxlab_widgets
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from tests.gallery.firefox import Firefox, firefox
from tests.gallery.pages import NoBrowser
from tests.gallery.samples import SAMPLES, harbour

pytestmark = pytest.mark.slow

SHOWN = """() => {
  const frame = document.querySelector("main > section:not([hidden]) .ctxlab, main > .ctxlab");
  const { width, height } = frame.getBoundingClientRect();
  return { width, height, words: frame.innerText.trim().length };
}"""
TABS = """async () => {
  const out = {};
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.click();
    const panel = document.getElementById(tab.getAttribute("aria-controls"));
    while (!panel.querySelector(".ctxlab .w")) await new Promise((done) => requestAnimationFrame(done));
    out[tab.dataset.view] = panel.querySelector(".ctxlab").getBoundingClientRect().height;
  }
  return out;
}"""


@pytest.fixture(scope="module")
def fox() -> Iterator[Firefox]:
    """Not required: a machine without Firefox has tested the same pages in another browser."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(firefox())
        except NoBrowser as missing:
            pytest.skip(str(missing))
        yield found


@pytest.fixture(autouse=True)
def nothing_went_wrong(fox: Firefox) -> Iterator[None]:
    fox.errors.clear()
    yield
    assert fox.errors == []


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_it_draws_each_live_page(fox: Firefox, name: str, tmp_path: Path) -> None:
    widget = SAMPLES[name]()
    file = tmp_path / "live.html"
    file.write_text(page_of(bundle_path(type(widget)), synced_state(widget), title=name), encoding="utf-8")

    fox.open(file)

    shown: dict[str, Any] = fox.run(SHOWN)
    assert shown["width"] > 600
    assert shown["height"] > 100
    assert shown["words"] > 100


def test_it_draws_each_page_of_a_report(fox: Firefox, tmp_path: Path) -> None:
    fox.open(ctxlab_widgets.report(harbour(), tmp_path / "page.html"))

    heights: dict[str, float] = fox.run(TABS)

    assert list(heights) == ["sent", "steps", "budget", "injections", "lore", "rules"]
    assert min(heights.values()) > 100


def test_it_says_what_went_wrong(fox: Firefox, tmp_path: Path) -> None:
    fox.open(ctxlab_widgets.report(harbour(), tmp_path / "page.html"))

    fox.run("() => console.error('a complaint')")

    assert fox.errors == ["a complaint"]
    fox.errors.clear()
