"""The head of a page: its sentence, its chips, their card, and the keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import ctxlab
from ctxlab_widgets import lab
from ctxlab_widgets.lab_page import LabPage
from ctxlab_widgets.run_history import RunHistory
from tests.browser.conftest import Opened

HOSTILE = "<img src=x onerror=alert(1)>\u202e"
DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "chat.json", { type: "application/json" }));
  const at = document.querySelector(".ctxlab");
  for (const name of ["dragover", "drop"])
    at.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def page_with_runs() -> LabPage:
    """A page with four runs, the last of which was made after going back."""
    page = lab(ctxlab.example("harbour"), budget_tokens=1800)
    page.trace = page.trace.rerun({"worldbook-processor.scan_depth": 3})
    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2100})
    page.go_to("scan depth 3")
    page.trace = page.trace.rerun({"token-limiter.strategy": "middle-out"})
    return page


@pytest.fixture
def lab_page() -> LabPage:
    return page_with_runs()


def chip(page: Page, name: str) -> Any:
    return page.locator(f'.run[data-run="{name}"]')


def test_the_answer_is_one_sentence_of_links(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)

    sentence = page.locator(".answer")
    expect(sentence).to_contain_text(f"{lab_page.trace.tokens:,} of 1,800 tokens; ")
    assert sentence.evaluate("(e) => [...e.querySelectorAll('button')].map((b) => b.dataset.topic)") == [
        "messages",
        "budget",
        "cut",
        "lore",
        "rules",
    ]
    sentence.get_by_role("button", name="lore entries fired").click()
    assert opened.sent() == [{"command": "open_view", "view": "lore", "key": "topic:lore"}]


def test_a_click_goes_back_and_the_sentence_is_that_of_the_run(
    opened: Opened, lab_page: LabPage, tmp_path: Path
) -> None:
    page = opened.show(lab_page.head, tmp_path)
    expect(chip(page, "middle-out")).to_have_attribute("aria-current", "true")

    chip(page, "1,800").click()
    opened.pump(lab_page.head)

    expect(chip(page, "1,800")).to_have_attribute("aria-current", "true")
    expect(page.locator('.run[aria-current="true"]')).to_have_count(1)
    expect(page.locator(".answer")).to_contain_text(f"{lab_page.trace.tokens:,} of 1,800 tokens")


def test_a_fork_stands_below_the_run_it_was_made_from(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)

    first, fork = (chip(page, name).bounding_box() for name in ("2,100", "middle-out"))
    assert first["x"] == fork["x"]
    assert fork["y"] > first["y"] + first["height"]
    expect(page.locator("h3")).to_contain_text("4, one forked")


def test_the_card_says_what_came_and_went_below_the_chips(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)

    chip(page, "scan depth 3").hover()
    opened.rest()

    card = page.locator(".card")
    expect(card).to_contain_text("came: 罗盘 · The compass")
    numbers = card.locator(".cg .num").all_inner_texts()
    amounts = [int(each.replace("\u2212", "-").replace("±", "").replace(",", "")) for each in numbers if each]
    assert sum(amounts[:-1]) == amounts[-1]
    bottom = max(box["y"] + box["height"] for each in page.locator(".run").all() if (box := each.bounding_box()))
    assert card.bounding_box()["y"] >= bottom
    expect(card.locator("pre")).to_have_text(lab_page.runs.python(lab_page.runs["scan depth 3"]))
    page.locator("h2").hover()
    opened.rest()
    expect(card).to_be_hidden()
    page.locator(".run").first.focus()
    opened.rest()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_keys_walk_go_back_pick_undo_and_redo(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)
    chip(page, "middle-out").focus()

    page.keyboard.press("ArrowLeft")
    expect(chip(page, "2,100")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")

    assert opened.sent() == [{"command": "go_to", "name": "2,100"}, {"command": "undo"}, {"command": "redo"}]
    assert page.evaluate("() => window.ctxlabHost.model.get('picked')") == ["2,100"]


def test_two_picked_runs_can_be_compared(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)
    compare = page.get_by_role("button", name="Compare 2")
    expect(compare).to_be_hidden()

    for name in ("1,800", "2,100"):
        chip(page, name).click(modifiers=["Shift"])
    compare.click()

    assert opened.sent() == [{"command": "compare"}]
    expect(chip(page, "2,100").locator(".pick")).to_have_text("2")


def test_a_file_that_is_dropped_goes_to_python(opened: Opened, lab_page: LabPage, tmp_path: Path) -> None:
    page = opened.show(lab_page.head, tmp_path)
    opened.rest()

    page.evaluate(DROP, "[]")

    page.wait_for_function("() => window.ctxlabHost.model.sent.length")
    assert opened.sent() == [{"command": "open_file", "name": "chat.json"}]


def test_a_name_from_a_stranger_is_text(opened: Opened, tmp_path: Path) -> None:
    session = ctxlab.Session(id="s", name=HOSTILE).append("", role="system", id="root").append("Hi", id=HOSTILE)
    head = lab(session).head

    page = opened.show(head, tmp_path)

    assert page.locator("img").count() == 0
    expect(page.locator("h2")).to_contain_text("<img src=x")
    assert "\u202e" not in page.locator(".w").inner_text()


@pytest.mark.parametrize("width", [380, 700, 1100])
def test_many_runs_stay_inside_and_the_current_one_in_sight(opened: Opened, width: int, tmp_path: Path) -> None:
    head = RunHistory(ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800))
    for budget in range(1801, 1831):
        assert head.trace is not None
        head.trace = head.trace.rerun({"token-limiter.budget_tokens": budget})

    page = opened.show(head, tmp_path)
    opened.resize(width)

    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    row, current = page.locator(".runs").bounding_box(), chip(page, "1,830").bounding_box()
    assert row is not None
    assert row["x"] <= current["x"]
    assert current["x"] + current["width"] <= row["x"] + row["width"] + 1
    assert current["y"] + current["height"] <= row["y"] + row["height"] + 1
