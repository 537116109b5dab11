"""What is sent, in a browser: a chat with facts at the margin, ghosts with prices, the life of any words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import ctxlab
from ctxlab import Session, Trace
from ctxlab_widgets import SentView
from tests.browser.conftest import Opened
from tests.gallery.samples import harbour

ADDED_UP = """() => {
  const number = (element) => Number(element.innerText.replace(/,/g, "").replace("\u2212", "-"));
  const margin = [...document.querySelectorAll(".mg > .num, .foldrow:not(.gone) > .num")].map(number);
  const words = document.querySelector(".sum").innerText.replace(/,/g, "").replace("\u2212", "-");
  const sum = words.match(/-?\\d+(?= (at|of|tokens))/g).map(Number);
  return { margin: margin.reduce((a, b) => a + b, 0), sum };
}"""


def article(page: Page, key: str) -> Locator:
    """The part of a key."""
    return page.locator(f"article[data-id$=':{key}']")


def focused(page: Page, name: str) -> str | None:
    return page.evaluate("(name) => document.activeElement.getAttribute(name)", name)


@pytest.fixture(scope="module")
def long() -> Trace:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"words number {i} " * 9} for i in range(10_000)]
    return ctxlab.build(ctxlab.read_data(said).pick())


def test_it_begins_with_what_is_sent_and_its_numbers_add_up(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)

    answer = page.locator(".answer").inner_text()
    added = page.evaluate(ADDED_UP)

    cut = sum(each.tokens for each in SentView(harbour()).prompt.cut if each.fits_not)
    assert answer.startswith(f"12 messages, 1,645 tokens; 9 more, {cut} tokens, did not fit.")
    *parts, whole = added["sum"]
    assert whole == sum(parts) == harbour().tokens
    assert added["margin"] == parts[0]


def test_click_on_words_opens_their_life_under_the_line(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    words = article(page, "lore:harbour_lore/14").locator("[data-span]").first

    words.click()

    card = page.locator(".pop")
    assert "怀表 · The watch" in card.inner_text()
    assert "depth 1, as asked; key “怀表” in a12" in card.inner_text()
    assert "part 2 of 2" in card.inner_text()
    line, life = words.bounding_box(), card.bounding_box()
    assert line is not None
    assert life is not None
    assert life["y"] >= line["y"] + line["height"] - 2
    page.keyboard.press("Escape")
    assert card.count() == 0


def test_the_keys_alone_are_enough(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    article(page, "preset:0").focus()

    page.keyboard.press("Enter")
    first = focused(page, "data-span")
    page.keyboard.press("ArrowRight")

    assert focused(page, "data-span") != first
    assert "macro" in page.locator(".pop").inner_text()
    page.keyboard.press("Escape")
    assert (focused(page, "data-id") or "").endswith("preset:0")
    page.keyboard.press("ArrowDown")
    assert (focused(page, "data-fold") or "").startswith("f:")
    page.keyboard.press("Enter")
    assert article(page, "lore:harbour_lore/2").is_visible()
    page.keyboard.press("End")
    assert focused(page, "data-ghost") == "preset:12"
    page.keyboard.press("Home")
    assert focused(page, "aria-posinset") == "1"
    assert page.locator(".sent [data-id][tabindex='0']").count() == 1


def test_a_ghost_stands_where_it_was_and_is_kept_at_its_own_price(opened: Opened, tmp_path: Path) -> None:
    view = SentView(harbour())
    page = opened.show(view, tmp_path)
    ghosts = page.locator("article[data-ghost]")
    keys = [each.get_attribute("data-ghost") for each in ghosts.all()]
    prices = {key: price for key in keys if (price := ghosts.locator(f"xpath=self::*[@data-ghost='{key}']//button"))}

    assert keys[-3:-2] == ["node:a8b"]
    assert prices["node:a8b"].inner_text() == "Keep it, budget +6"
    assert prices["node:u8b"].inner_text() == "Keep it, budget +54"
    prices["node:u8b"].click()
    assert opened.pump(view) == [{"command": "apply_remedy", "key": "node:u8b"}]

    assert page.locator("article[data-ghost='node:u8b']").count() == 0
    assert article(page, "node:u8b").is_visible()
    banner = page.locator(".effect")
    assert banner.inner_text().startswith("Keep it: u8b +")
    banner.get_by_role("button", name="Back").click()
    opened.pump(view)
    assert page.locator("article[data-ghost='node:u8b']").is_visible()
    assert banner.is_hidden()


def test_k_keeps_the_ghost_that_holds_the_keys(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    page.locator("article[data-ghost='node:a8b']").focus()

    page.keyboard.press("k")

    assert opened.sent() == [{"command": "apply_remedy", "key": "node:a8b"}]


def test_a_fold_of_ghosts_opens_and_asks_for_their_prices(opened: Opened, tmp_path: Path) -> None:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"words number {i}"} for i in range(80)]
    view = SentView(ctxlab.build(ctxlab.read_data(said).pick(), budget_tokens=100))
    page = opened.show(view, tmp_path)
    fold = page.locator(".foldrow.gone")
    assert re.fullmatch(r"›\s*\d+ messages, .* to .*, cut by the same rule, sliding\s*[\d,]+", fold.inner_text())

    fold.click()
    opened.rest()
    asked = opened.pump(view)

    assert [message["command"] for message in asked] == ["prices"]
    first = page.locator("article[data-ghost]").first
    assert first.get_by_role("button").inner_text().startswith("Keep it, budget +")


def test_marks_and_ghosts_can_be_hidden_and_raw_is_the_text_as_it_is_sent(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    assert page.locator("article del").count() > 0

    page.get_by_label("what rules changed").uncheck()
    page.get_by_label("cut").uncheck()

    assert page.locator("article del, article ins, article[data-ghost]").count() == 0
    page.get_by_role("radio", name="Raw").click()
    shown = page.locator("pre.tx").all_inner_texts()
    assert shown == [str(draft.text) for draft in harbour().result.drafts]
    page.locator("pre.tx [data-span]").first.click()
    assert page.locator(".pop .chain").count() == 1


def test_words_are_found_with_enter_and_again_with_enter(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    article(page, "preset:0").focus()
    page.keyboard.press("/")
    page.keyboard.type("MOON")

    page.keyboard.press("Enter")

    found = sum(str(draft.text).lower().count("moon") for draft in harbour().result.drafts)
    assert page.locator(".hits").inner_text() == f"1 of {found}"
    assert page.locator("article.found mark").first.inner_text().lower() == "moon"
    page.keyboard.press("Enter")
    assert page.locator(".hits").inner_text() == f"2 of {found}"
    page.keyboard.press("Shift+Enter")
    assert page.locator(".hits").inner_text() == f"1 of {found}"
    page.get_by_label("Find in what is sent").fill("nowhere at all")
    page.keyboard.press("Enter")
    assert page.locator(".hits").inner_text() == "not found"


def test_the_message_in_focus_is_that_of_the_other_views(opened: Opened, tmp_path: Path) -> None:
    view = SentView(harbour())
    page = opened.show(view, tmp_path)

    article(page, "node:u12").focus()
    opened.pump(view)
    assert view.selected == "node:u12"
    view.selected = "lore:harbour_lore/2"  # inside a fold
    opened.pump(view)

    expect(article(page, "lore:harbour_lore/2")).to_have_attribute("aria-current", "true")
    assert page.locator("article[aria-current]").count() == 1


def test_what_can_be_opened_elsewhere_is_offered_where_there_is_an_elsewhere(opened: Opened, tmp_path: Path) -> None:
    view = SentView(harbour())
    page = opened.show(view, tmp_path)
    article(page, "lore:harbour_lore/14").focus()
    assert page.locator(".ways button").count() == 0
    view.views = ["lore", "steps", "sent"]
    opened.pump(view)

    article(page, "lore:harbour_lore/0").focus()
    page.get_by_role("button", name="Open in Lore").click()

    assert opened.sent() == [{"command": "open_view", "view": "lore", "key": "lore:harbour_lore/0"}]


def test_of_ten_thousand_messages_those_in_sight_are_drawn(opened: Opened, long: Trace, tmp_path: Path) -> None:
    page = opened.show(SentView(long), tmp_path)
    page.locator("article").first.focus()
    assert 5 < page.locator("article").count() < 120

    page.keyboard.press("End")
    opened.rest()

    last = page.locator("article[data-message='9999']")
    assert last.is_visible()
    assert focused(page, "data-message") == "9999"
    assert page.locator("article").count() < 120
    page.keyboard.press("ArrowUp")
    assert focused(page, "data-message") == "9998"
    page.keyboard.press("Enter")
    assert page.locator(".pop").is_visible()


def test_facts_stand_at_the_margin_and_below_700_pixels_with_the_text(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(harbour()), tmp_path)
    words = article(page, "node:u12").locator(".words")
    facts = article(page, "node:u12").locator(".mg")

    def left(of: Locator) -> float:
        box = of.bounding_box()
        assert box is not None
        return box["x"]

    assert left(facts) > left(words) + 400
    opened.resize(600)
    assert abs(left(facts) - left(words)) < 2


def test_calls_and_files_are_named_and_their_fields_are_in_raw(opened: Opened, tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"page": 61}'}}
    said = [
        {"role": "user", "content": "See page 61."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "torn out"},
    ]
    page = opened.show(SentView(ctxlab.build(ctxlab.read_data(said).pick())), tmp_path)

    assert page.locator(".beside").all_inner_texts() == ["calls look_up", "answers the call c1"]
    page.get_by_role("radio", name="Raw").click()

    assert '"tool_calls"' in page.locator("pre.fields").first.inner_text()
    assert '"tool_call_id": "c1"' in page.locator("pre.fields").last.inner_text()


def test_nothing_to_send_is_said(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(ctxlab.build(Session(id="empty"))), tmp_path)

    assert page.locator(".answer").inner_text() == "Nothing to send"
    assert page.locator(".empty").is_visible()
    page = opened.show(SentView(), tmp_path)
    assert page.locator(".empty").inner_text().startswith("Nothing to show: pass a trace")


def many_lines() -> ctxlab.Trace:
    numbers = "\n".join(f"number {n}" for n in range(100))
    return ctxlab.build(ctxlab.Session(id="s").append(numbers, id="u1"))


def test_a_text_of_many_lines_folds_and_what_is_found_in_it_opens_it(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(many_lines()), tmp_path)
    more = page.get_by_role("button", name="84 more lines")

    expect(more).to_be_visible()
    assert page.locator(".tx").bounding_box()["height"] < 500  # pyright: ignore[reportOptionalSubscript]
    page.locator("input.find").fill("number 97")
    page.keyboard.press("Enter")
    expect(more).to_have_count(0)
    expect(page.locator("mark", has_text="number 97")).to_be_in_viewport()


def test_the_life_of_words_is_on_screen(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(many_lines()), tmp_path)
    page.get_by_role("button", name="84 more lines").click()

    page.locator("[data-span]").first.click(position={"x": 20, "y": 8})

    expect(page.locator(".pop")).to_be_in_viewport()
