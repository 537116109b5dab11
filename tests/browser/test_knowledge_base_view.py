"""KnowledgeBaseView in a page: keys walk and open entries, a base is asked, few rows are drawn, text stays text."""

from __future__ import annotations

from pathlib import Path

import ctxlab
from ctxlab_widgets import KnowledgeBaseView
from tests.browser.conftest import Opened
from tests.gallery.samples import papers

HOSTILE = "<img src=x onerror=alert(1)>\u202eabc"
ROWS = ".entries .er"


def test_keys_walk_and_show_the_pieces_of_an_entry(opened: Opened, tmp_path: Path) -> None:
    widget = KnowledgeBaseView(papers())
    page = opened.show(widget, tmp_path)
    place = next(n for n, each in enumerate(papers().entries) if each.kind == "markdown")
    page.locator(".entries").focus()

    for _ in range(place):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    opened.pump(widget)

    active = page.locator(f"#{page.locator('.entries').get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-expanded") == "true"
    assert "Tower book > October" in page.locator(".er.piece").all_inner_texts()[1]

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    opened.pump(widget)
    assert page.locator(".er.piece").count() == 0
    active = page.locator(f"#{page.locator('.entries').get_attribute('aria-activedescendant')}")
    assert papers().entries[place].key in active.inner_text()


def test_a_base_is_asked(opened: Opened, tmp_path: Path) -> None:
    widget = KnowledgeBaseView(papers())
    page = opened.show(widget, tmp_path)
    page.locator(".entries").focus()

    page.keyboard.press("/")
    page.keyboard.type("Who carries the lamp? 灯塔")
    page.keyboard.press("Enter")
    sent = opened.pump(widget)

    assert sent == [{"command": "ask", "text": "Who carries the lamp? 灯塔"}]
    assert widget.trace is not None
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert widget.trace is None


def test_of_a_thousand_entries_those_in_sight_are_drawn(opened: Opened, tmp_path: Path) -> None:
    many = ctxlab.knowledge_base("many", entries={f"note {n}": f"Lamp {n}." for n in range(1000)})
    widget = KnowledgeBaseView(many)
    page = opened.show(widget, tmp_path)
    page.locator(".entries").focus()

    page.keyboard.press("End")
    opened.pump(widget)
    opened.painted()

    assert 0 < page.locator(ROWS).count() < 80
    assert "note 999" in page.locator(".entries").inner_text()


def test_words_of_strangers_stay_text(opened: Opened, tmp_path: Path) -> None:
    base = ctxlab.knowledge_base(
        HOSTILE, entries=[{"id": "1", "key": HOSTILE, "content": HOSTILE, "tags": [HOSTILE], "source": HOSTILE}]
    ).with_(losses=(HOSTILE,), description=HOSTILE)
    page = opened.show(KnowledgeBaseView(base), tmp_path)

    assert page.locator(".ctxlab img").count() == 0
    assert "\u202e" not in page.locator(".ctxlab").inner_text()
    assert page.locator(".er.piece .text").inner_text() == HOSTILE.replace("\u202e", "\\u202e")


def test_a_report_shows_the_entries_and_no_field(opened: Opened, tmp_path: Path) -> None:
    widget = KnowledgeBaseView(papers())
    widget.live = False
    page = opened.show(widget, tmp_path)

    assert page.locator(ROWS).count() > 5
    assert page.get_by_label("Query").count() == 0
