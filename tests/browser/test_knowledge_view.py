"""KnowledgeView in a page: rows on one scale, a minimum that is moved, a query that is asked, text that stays text."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab_widgets.knowledge_view import KnowledgeView
from tests.browser.conftest import Opened
from tests.gallery.looking import colours_of
from tests.gallery.samples import with_knowledge
from tests.widgets.test_knowledge_view import found, rows_of

HOSTILE = "<img src=x onerror=alert(1)>\u202eabc"


@pytest.fixture
def widget() -> KnowledgeView:
    return KnowledgeView(with_knowledge())


def shown(opened: Opened) -> list[str | None]:
    return [each.get_attribute("data-key") for each in opened.page.locator(".krow[data-key]").all()]


def test_marks_stand_on_one_scale_and_the_line_goes_through_every_row(
    opened: Opened, widget: KnowledgeView, tmp_path: Path, theme: str
) -> None:
    page = opened.show(widget, tmp_path)
    lines = page.evaluate(
        "() => [...document.querySelectorAll('.krow .thr')].map((line) => line.getBoundingClientRect().left)"
    )
    handle = page.get_by_role("slider", name="Minimum")
    box = handle.bounding_box()

    assert (len(lines), len({round(left) for left in lines})) == (19, 1)
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - lines[0] - 1) < 1.5
    assert page.locator(".krow").nth(1).locator(".decides").count() == 1
    assert handle.get_attribute("aria-valuetext") == "0.30, cosine"
    assert colours_of(page.locator(".ctxlab")) > 30


def test_the_minimum_moves_by_keys_says_what_it_would_do_and_enter_does_it(
    opened: Opened, widget: KnowledgeView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    run = widget.trace
    handle = page.get_by_role("slider", name="Minimum")

    handle.focus()
    page.keyboard.press("PageUp")
    opened.pump(widget)
    assert (widget.preview["minimum"], widget.trace) == (0.4, run)
    assert page.locator(".preview").inner_text().startswith("If the minimum were 0.4: Goes: ")
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (widget.preview, handle.get_attribute("aria-valuenow")) == ({}, "0.30")
    assert page.locator(".preview").is_hidden()
    page.keyboard.press("PageUp")
    opened.pump(widget)
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert widget.trace is not run
    assert page.locator(".effect").inner_text().startswith("Minimum 0.3 → 0.4. Goes: ")
    assert page.locator(".answer").inner_text().startswith("0 of 19 pieces sent")
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert widget.trace is run


def test_the_minimum_is_dragged(opened: Opened, widget: KnowledgeView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    track = page.locator(".track").bounding_box()
    handle = page.get_by_role("slider", name="Minimum").bounding_box()
    assert track is not None
    assert handle is not None

    page.mouse.move(handle["x"] + 5, handle["y"] + 5)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] * 0.35, handle["y"] + 5)
    opened.pump(widget)
    page.mouse.up()
    page.get_by_role("button", name="Try 0.35").click()
    opened.pump(widget)

    assert {row["minimum"] for row in rows_of(widget)} == {0.35}


def test_arrows_walk_through_rows_enter_opens_and_t_tries(
    opened: Opened, widget: KnowledgeView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    keys = shown(opened)

    page.locator(".krow[data-key]").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.opened == keys[1]
    assert page.locator(".side .doc p.on").count() == 1
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (widget.opened, page.locator(".side").is_hidden()) == ("", True)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("t")
    opened.pump(widget)

    assert rows_of(widget)[4]["kind"] == "sent"
    assert page.locator(".effect").inner_text().startswith("Most characters 700 → 753")


def test_a_query_is_asked_and_a_word_chooses_rows(opened: Opened, widget: KnowledgeView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Query to ask instead").fill("Who carries the lamp over the causeway?")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert page.locator(".qpart").inner_text() == "Who carries the lamp over the causeway?"
    page.locator(".word", has_text="causeway").click()
    opened.pump(widget)

    assert (widget.word, 0 < len(shown(opened)) < 5) == ("causeway", True)
    page.get_by_role("button", name="The conversation’s own query").click()
    opened.pump(widget)
    assert page.locator(".qpart").inner_text().startswith("the user: 那我们就走吧")


def test_a_placeholder_that_is_not_active_is_woken(opened: Opened, widget: KnowledgeView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.get_by_label("Placeholder").select_option("1")
    opened.pump(widget)
    assert "is not active" in page.locator(".answer").inner_text()
    page.locator(".idle button").click()
    opened.pump(widget)

    assert page.locator(".krow[data-key]").count() == len(rows_of(widget)) > 0


def test_of_a_thousand_pieces_those_in_sight_are_drawn(opened: Opened, tmp_path: Path) -> None:
    many = ctxlab.knowledge_base(
        "many", entries=[{"id": str(n), "key": f"note {n}", "content": f"Lamp {n}."} for n in range(1000)]
    )
    widget = KnowledgeView(found("lamp", many, candidates=1000))
    page = opened.show(widget, tmp_path)
    few = len(shown(opened))

    page.locator(".krow[data-key]").first.focus()
    page.keyboard.press("End")

    assert few < 80
    assert rows_of(widget)[-1]["key"] in shown(opened)
    assert len(shown(opened)) < 160


def test_words_of_strangers_stay_text(opened: Opened, tmp_path: Path) -> None:
    base = ctxlab.knowledge_base(
        HOSTILE, entries=[{"id": "1", "key": HOSTILE, "content": f"lamp {HOSTILE}", "tags": [HOSTILE]}]
    )
    widget = KnowledgeView(found(f"lamp {HOSTILE}", base))
    widget.open_row(rows_of(widget)[0]["key"])
    page = opened.show(widget, tmp_path)

    assert page.locator(".ctxlab img").count() == 0
    assert "\u202e" not in page.locator(".ctxlab").inner_text()
    assert "<img src=x" in page.locator(".side .doc").inner_text()


def test_a_report_shows_the_pieces_without_what_needs_python(
    opened: Opened, widget: KnowledgeView, tmp_path: Path
) -> None:
    widget.live = False
    page = opened.show(widget, tmp_path)

    assert page.locator(".krow[data-key]").count() == 19
    assert page.get_by_role("button", name="Edit").is_hidden()
    assert page.get_by_role("slider").is_disabled()
    page.locator(".krow[data-key]").first.click()
    assert page.locator(".side .doc p.on").count() == 1
    assert page.locator(".change1").count() == 0
