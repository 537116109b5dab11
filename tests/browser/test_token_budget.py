"""The budget in a page: handles and lines that are dragged end in Python, and what Python then holds is drawn."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

import ctxlab
from ctxlab import Session, Trace
from ctxlab.testing import generated_session
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from ctxlab_widgets.token_budget import TokenBudget
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of
from tests.gallery.samples import harbour_with

DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1800)


@pytest.fixture(scope="module")
def long() -> Trace:
    return ctxlab.build(ctxlab.read_data(generated_session(1000, seed=1)).pick(), budget_tokens=60_000)


@pytest.fixture
def widget(harbour: Trace) -> TokenBudget:
    return TokenBudget(harbour)


def chat(texts: list[str]) -> Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]).pick()


def view(widget: TokenBudget) -> dict[str, Any]:
    return json.loads(widget.view)


def settled(opened: Opened, widget: TokenBudget) -> list[Any]:
    """Everything that the page still wants to send, answered one by one."""
    answered: list[Any] = []
    for _ in range(40):
        opened.page.evaluate(DRAWN)
        messages = opened.pump(widget)
        if not messages:
            return answered
        answered += messages
    raise AssertionError("the page never stops asking")


def asked_for(widget: TokenBudget, budget: int) -> TokenBudget:
    widget._handle_custom_msg({"command": "budget", "tokens": budget}, [])
    return widget


def handle(page: Page) -> Locator:
    return page.locator(".hand")


def box_of(found: Locator) -> dict[str, float]:
    box = found.bounding_box()
    assert box is not None
    return {**box}


def middle(found: Locator) -> tuple[float, float]:
    box = box_of(found)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def row(page: Page, key: str) -> Locator:
    return page.locator(f'.mb[data-key="{key}"]')


# --- the picture


def test_it_draws_in_light_and_in_dark(opened: Opened, widget: TokenBudget, tmp_path: Path, theme: str) -> None:
    page = opened.show(widget, tmp_path)

    preset = page.locator(".seg.src-preset").evaluate("(each) => getComputedStyle(each).backgroundColor")

    assert preset == {"light": "rgb(66, 105, 208)", "dark": "rgb(117, 144, 236)"}[theme]
    assert colours_of(page.locator(".ctxlab")) > 60


def test_the_bar_is_drawn_to_scale_with_what_did_not_fit_outside(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    segments = view(widget)["segments"]
    boxes = {look: box_of(page.locator(f".seg.src-{look}")) for _, look, _ in segments}
    scale = box_of(page.locator(".bar0"))["width"] / sum(tokens for _, _, tokens in segments)
    edge = middle(page.locator(".edge"))[0]

    assert [look for _, look, _ in segments] == sorted(boxes, key=lambda look: boxes[look]["x"])
    for _, look, tokens in segments:
        assert boxes[look]["width"] == pytest.approx(max(1, tokens * scale - 1), abs=1)
    assert boxes["cut"]["x"] == pytest.approx(edge, abs=2)
    assert middle(handle(page))[0] == pytest.approx(edge, abs=2)


def test_every_message_has_a_row_and_the_line_parts_them(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    rows = json.loads(widget.messages)["rows"]
    line = box_of(page.locator(".cutline"))["y"]

    assert page.locator(".mb").evaluate_all("(all) => all.map(each => each.dataset.key)") == [each[0] for each in rows]
    cut = page.locator(".mb.is-cut")
    assert cut.count() == view(widget)["states"].count("c")
    assert box_of(cut.last)["y"] < line < box_of(row(page, "node:u9b"))["y"]
    border, free = view(widget)["border"], 1800 - widget.trace.tokens
    assert page.locator(".cutline").inner_text() == f"cut a8b needed {border['needed']}, left {border['left']}"
    sent = f"12 messages, {widget.trace.tokens:,} of 1,800 tokens, {free} free"
    assert page.locator(".answer").inner_text() == f"{sent}; 9 older messages did not fit"


def test_the_legend_adds_up_to_what_is_sent(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    cells = page.locator(".leg tr").evaluate_all(
        "(all) => all.map(tr => [tr.dataset.look ?? 'sent',"
        " Number(tr.querySelector('.num').textContent.replace(',', ''))])"
    )
    found = dict(cells)

    sent = sum(tokens for look, tokens in cells if look not in ("free", "reserve", "cut", "sent"))
    assert found["sent"] == sent == widget.trace.tokens


# --- the handle


def test_a_dragged_handle_sends_one_command_at_a_time_and_the_scale_stays(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    ticks = page.locator(".axis").inner_text()
    width = box_of(page.locator(".bar0"))["width"]
    x, y = middle(handle(page))
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, 31):
        page.mouse.move(x - 5 * i, y)
    page.evaluate(DRAWN)

    (first,) = opened.sent()
    assert first["command"] == "budget"
    assert "continues" not in first
    assert middle(handle(page))[0] == pytest.approx(x - 150, abs=2)
    widget._handle_custom_msg(first, [])
    opened.pump(widget)
    later = settled(opened, widget)
    assert [(each["drag"], each["continues"]) for each in later] == [(True, True)]
    assert later[0]["tokens"] == pytest.approx(1800 - 150 * 2497 / width, abs=20)
    assert view(widget)["budget"] == later[0]["tokens"]
    assert page.locator(".axis").inner_text() == ticks
    assert page.locator(".mb.out").count() == view(widget)["marks"].count("-") > 0
    page.mouse.up()
    page.evaluate(DRAWN)
    assert page.locator(".axis").inner_text() != ticks


def test_the_keys_move_the_handle(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    ladder = json.loads(widget.messages)["ladder"]
    handle(page).focus()

    for key, tokens in (
        ("ArrowRight", 1816),
        ("ArrowLeft", 1800),
        ("PageUp", 2056),
        ("PageDown", 1800),
        ("ArrowDown", 1784),
        ("Home", ladder[0]),
        ("End", ladder[-1]),
    ):
        page.keyboard.press(key)
        settled(opened, widget)
        assert view(widget)["budget"] == tokens
        assert handle(page).get_attribute("aria-valuenow") == str(tokens)
    assert page.evaluate("() => document.activeElement.className").startswith("hand")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "rows"
    assert view(widget)["cut"] == 0


def test_slider_and_field_set_the_budget_too(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    slider = page.locator("input[type=range]")
    slider.focus()
    slider.evaluate("(each) => { each.value = 1500; each.dispatchEvent(new Event('input', { bubbles: true })) }")
    assert settled(opened, widget) == [{"command": "budget", "tokens": 1500, "drag": True}]

    field = page.get_by_label("Budget in tokens", exact=True).and_(page.locator("input"))
    field.fill("1900")
    field.press("Enter")
    settled(opened, widget)
    assert (view(widget)["budget"], slider.input_value()) == (1900, "1900")
    field.fill("")
    field.press("Enter")
    settled(opened, widget)
    assert (view(widget)["budget"], page.locator(".cap").first.inner_text()) == (None, "no budget set, drag to try one")


def test_where_there_is_no_budget_the_handle_sets_one(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    widget = TokenBudget(harbour.rerun({"token-limiter.budget_tokens": None}))
    page = opened.show(widget, tmp_path)
    assert "no budget is set" in page.locator(".answer").inner_text()
    assert page.locator(".cutline").is_hidden()

    handle(page).focus()
    page.keyboard.press("PageDown")
    settled(opened, widget)

    assert view(widget)["budget"] == harbour.rerun({"token-limiter.budget_tokens": None}).tokens - 256
    assert page.locator(".cutline").is_visible()


def test_too_small_a_budget_is_drawn_where_it_was_put(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    segments = view(widget)["segments"]
    x, y = middle(handle(page))
    bar = box_of(page.locator(".bar0"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(bar["x"] + 150, y)
    settled(opened, widget)

    over = box_of(page.locator(".over"))
    assert "what must stay needs 1,009" in page.locator(".answer.wrong").inner_text()
    assert middle(handle(page))[0] == pytest.approx(bar["x"] + 150, abs=2)
    assert over["x"] == pytest.approx(bar["x"] + 150, abs=2)
    sent = bar["x"] + bar["width"] * widget.trace.tokens / sum(tokens for _, _, tokens in segments)
    assert over["x"] + over["width"] == pytest.approx(sent, abs=2)
    assert (view(widget)["segments"], view(widget)["budget"]) == (segments, 1800)
    page.mouse.up()
    page.keyboard.press("End")
    settled(opened, widget)
    assert page.locator(".over").is_hidden()
    assert page.locator(".answer.wrong").count() == 0


def test_enter_commits_and_escape_gives_back(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    field = page.get_by_role("spinbutton", name="Budget in tokens")
    # JupyterLab gives no `change` after Enter.
    page.evaluate("() => addEventListener('change', (event) => event.stopImmediatePropagation(), true)")

    field.fill("2100")
    field.press("Enter")
    assert settled(opened, widget) == [{"command": "budget", "tokens": 2100}]
    field.fill("77")
    field.press("Escape")
    assert field.input_value() == "2100"
    kept = page.get_by_label("Retained characters")
    kept.fill("40")
    kept.press("Enter")

    assert settled(opened, widget)[-1]["settings"] == {"retained_characters": 40}
    assert view(widget)["shortened"] == 1
    page.reload()


def test_a_refused_budget_dims_what_is_stale_and_the_least_one_is_a_click(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    field = page.get_by_role("spinbutton", name="Budget in tokens")
    field.fill("500")
    field.press("Enter")
    settled(opened, widget)
    assert "budget_tokens" not in page.locator(".ctxlab").inner_text()
    assert "As with the last budget, 1,800 tokens" in page.locator(".rhs").inner_text()
    assert page.locator(".leg").evaluate("(each) => getComputedStyle(each).opacity") == "0.5"
    assert page.locator(".keep .btn:visible").count() == 0

    page.get_by_role("button", name="Use 1,009, the least possible").click()
    settled(opened, widget)

    assert (view(widget)["budget"], page.locator(".answer.wrong").count()) == (1009, 0)
    assert page.locator(".leg").evaluate("(each) => getComputedStyle(each).opacity") == "1"
    assert page.locator(".effect").inner_text().startswith("Budget 1,009")


# --- a message back

KEEP = ".keep .btn:visible"


def test_task_message_back_is_one_click(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    row(page, "node:a7").hover()
    button = page.locator(KEEP).filter(has_text="Keep it")
    price = int(button.inner_text().rpartition("+")[2])

    button.click()
    settled(opened, widget)

    assert "is-cut" not in (row(page, "node:a7").get_attribute("class") or "")
    assert view(widget)["budget"] == 1800 + price
    assert page.locator(".effect").inner_text().startswith(f"Keep it: a7 {widget.effect['text']}")
    assert page.evaluate("() => document.activeElement.className") == "rows"
    page.locator(".effect").get_by_role("button", name="Back").click()
    settled(opened, widget)
    assert (view(widget)["budget"], page.locator(".effect").is_visible()) == (1800, False)


def test_the_cut_line_keeps_the_border_by_a_click_and_a_key_the_row_in_focus(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.locator(KEEP).filter(has_text="Keep a8b").click()
    settled(opened, widget)
    assert "is-cut" not in (row(page, "node:a8b").get_attribute("class") or "")

    row(page, "node:a6").click()
    page.keyboard.press("k")
    settled(opened, widget)
    assert "is-cut" not in (row(page, "node:a6").get_attribute("class") or "")
    page.keyboard.press("Control+z")
    settled(opened, widget)
    assert "is-cut" in (row(page, "node:a6").get_attribute("class") or "")
    page.get_by_role("button", name="Undo").click()
    settled(opened, widget)
    assert view(widget)["budget"] == 1800


@pytest.mark.parametrize("strategy", ["middle-out", "block", "head-and-tail", "whole-exchanges", "by-priority"])
def test_where_no_ladder_has_the_price_the_chosen_message_has_its_button(
    opened: Opened, harbour: Trace, tmp_path: Path, strategy: str
) -> None:
    widget = TokenBudget(harbour.rerun({"token-limiter.strategy": strategy}))
    page = opened.show(widget, tmp_path)
    cut = page.locator(".mb.is-cut").first
    key = cut.get_attribute("data-key") or ""
    cut.hover()
    assert page.locator(KEEP).count() == 0

    cut.click()
    settled(opened, widget)
    page.locator(".card").get_by_role("button", name="Keep it").click()
    settled(opened, widget)

    assert "is-cut" not in (row(page, key).get_attribute("class") or "")


def test_in_a_page_undo_is_the_pages_and_strategies_are_compared_by_one_click(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    widget.views = ["tree", "compare"]
    page = opened.show(widget, tmp_path)
    assert page.get_by_role("button", name="Undo").count() == 0

    page.get_by_role("button", name="Compare strategies").click()
    page.locator(".rows").focus()
    page.keyboard.press("Control+z")
    sent = settled(opened, widget)

    assert sent == [{"command": "open_view", "view": "compare", "key": ""}, {"command": "page_undo"}]


# --- touch


def touched(page: Page, from_: tuple[float, float], to: tuple[float, float]) -> None:
    """A finger that goes down in one place, moves in steps and comes up in another."""
    session = page.context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    send("touchStart", from_)
    for i in range(1, 9):
        send("touchMove", (from_[0] + (to[0] - from_[0]) * i / 8, from_[1] + (to[1] - from_[1]) * i / 8))
    send("touchEnd")
    session.detach()


def test_a_finger_moves_the_handle(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    x, y = middle(handle(page))

    touched(page, (x, y), (x - 100, y))
    settled(opened, widget)

    assert view(widget)["budget"] == pytest.approx(1800 - 100 * 2562 / box_of(page.locator(".bar0"))["width"], abs=60)
    assert page.evaluate("() => scrollY") == 0


def test_a_finger_moves_the_cut_line_and_the_slider(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    line = page.locator(".cutline .grip")
    x, y = middle(line)
    touched(page, (x, y), (x, middle(row(page, "node:a7"))[1]))
    settled(opened, widget)
    kept = view(widget)["budget"]
    assert kept in json.loads(widget.messages)["ladder"]
    assert kept > 1800

    slider = page.locator("input[type=range]")
    box = box_of(slider)
    touched(page, (box["x"] + 20, box["y"] + 12), (box["x"] + 2, box["y"] + 12))
    settled(opened, widget)
    assert view(widget)["budget"] < kept


def test_in_forced_colours_the_handle_the_line_and_a_refusal_have_the_systems(
    opened: Opened, widget: TokenBudget, tmp_path: Path
) -> None:
    page = opened.page
    page.emulate_media(forced_colors="active")
    try:
        opened.show(asked_for(widget, 500), tmp_path)
        system = page.evaluate(
            "() => ['CanvasText', 'Highlight'].map((name) => { const i = document.body.appendChild(document"
            ".createElement('i')); i.style.cssText = `forced-color-adjust: none; color: ${name}`;"
            " const { color } = getComputedStyle(i); i.remove(); return color; })"
        )
        found = [
            page.locator(place).evaluate(f"(each) => getComputedStyle(each).{what}")
            for place, what in ((".hand", "backgroundColor"), (".cutline .grip", "backgroundColor"))
        ]
        assert found == [system[0], system[0]]
        assert page.locator(".over").evaluate("(each) => getComputedStyle(each).borderTopColor") == system[1]
    finally:
        page.emulate_media(forced_colors="none")


# --- the cut line


def test_up_keeps_one_more_and_down_cuts_one_more(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    ladder = json.loads(widget.messages)["ladder"]
    kept = len(ladder) - 1 - view(widget)["cut"]
    line = page.locator(".cutline")
    line.focus()

    for key, units in (("ArrowUp", kept + 1), ("ArrowUp", kept + 2), ("ArrowDown", kept + 1), ("ArrowDown", kept)):
        page.keyboard.press(key)
        settled(opened, widget)
        assert (view(widget)["budget"], line.get_attribute("aria-valuenow")) == (ladder[units], str(units))
    assert page.evaluate("() => document.activeElement.className").startswith("cutline")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.className") == "rows"


@pytest.mark.parametrize(
    ("place", "own", "others"),
    [
        (".hand", ["ArrowUp", "ArrowLeft", "PageUp", "PageDown", "Home", "End"], ["a", "Enter", "Control+End"]),
        (".cutline", ["ArrowUp", "ArrowDown"], ["a", "Alt+ArrowUp"]),
        (".seg.src-lore", ["ArrowRight", "ArrowLeft", "Escape"], ["a", "Alt+ArrowLeft"]),
        (".rows", ["ArrowDown", "ArrowUp", "Enter", "Escape"], ["a", "Control+Home"]),
    ],
)
def test_only_keys_that_do_something_are_kept_from_the_page(
    opened: Opened, widget: TokenBudget, tmp_path: Path, place: str, own: list[str], others: list[str]
) -> None:
    page = opened.show(widget, tmp_path)
    page.evaluate("() => { window.heard = []; addEventListener('keydown', (event) => heard.push(event.key)) }")
    page.locator(place).focus()

    for key in own:
        page.keyboard.press(key)
        settled(opened, widget)
    assert page.evaluate("() => heard") == []
    for key in others:
        page.locator(place).focus()
        page.keyboard.press(key)
    assert len(page.evaluate("() => heard")) >= len(others)


def test_a_dragged_line_snaps_to_units(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    ladder = json.loads(widget.messages)["ladder"]
    x, y = middle(page.locator(".cutline"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, middle(row(page, "node:a10"))[1] + 4, steps=8)
    settled(opened, widget)
    assert view(widget)["budget"] in ladder
    assert row(page, "node:a10").get_attribute("class") == "mb is-cut out"
    assert "is-cut" not in (row(page, "node:u11").get_attribute("class") or "")

    page.mouse.move(x, middle(row(page, "node:a5"))[1] - 4, steps=8)
    settled(opened, widget)
    page.mouse.up()

    assert "is-cut" not in (row(page, "node:a5").get_attribute("class") or "")
    assert "is-cut" in (row(page, "node:u5").get_attribute("class") or "")
    assert view(widget)["budget"] in ladder


@pytest.mark.parametrize(("strategy", "shown"), [("whole-exchanges", True), ("middle-out", False)])
def test_only_where_one_line_parts_them_is_there_one(
    opened: Opened, widget: TokenBudget, tmp_path: Path, strategy: str, shown: bool
) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_label("Strategy").select_option(strategy)
    settled(opened, widget)

    assert view(widget)["strategy"] == strategy
    assert page.locator(".cutline").is_visible() is shown
    assert page.locator(".cutline[role=slider]").count() == 0


# --- strategies and tokenizers


def test_a_strategy_brings_its_number(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_label("Strategy").select_option("head-and-tail")
    settled(opened, widget)
    share = page.get_by_label("Head share")
    assert share.input_value() == "0.25"

    share.fill("0.6")
    share.press("Tab")

    assert settled(opened, widget)[-1]["settings"] == {"head_share": 0.6}
    assert "is-cut" not in (row(page, "node:g1").get_attribute("class") or "")
    assert "in: " in page.locator(".changed").inner_text()


def test_two_tokenizers_are_held_against_each_other(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    assert page.locator(".versus").is_hidden()
    page.get_by_label("Tokenizer").select_option("cl100k_base")
    settled(opened, widget)

    words = page.locator(".versus").inner_text()
    assert f"{widget.trace.tokens:,}" in words
    assert f"{view(widget)['own']['sent']:,}" in words
    first, second = [box_of(each)["width"] for each in page.locator(".versus .fill").all()]
    assert first / second == pytest.approx(widget.trace.tokens / view(widget)["own"]["sent"], rel=0.02)


# --- the card, and what is selected


def test_the_card_says_what_would_keep_a_cut_message(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    row(page, "node:a8b").hover()
    card = page.locator(".card")
    border = view(widget)["border"]
    free = 1800 - widget.trace.tokens
    assert f"sliding: needed 122 tokens, {border['left']} were left" in card.inner_text()
    assert "119 + 3 overhead = 122 needed" in card.inner_text()
    assert f"{border['left']} left + {free - border['left']} saved by merge-system" in card.inner_text()
    assert f"= {free} free" in card.inner_text()
    assert "would keep it" not in card.inner_text()  # nobody has worked it out
    row(page, "node:a8b").click()
    opened.pump(widget)
    assert f"{122 - border['left']} more tokens would keep it: a budget of" in card.inner_text()
    row(page, "node:a7").click()
    opened.pump(widget)
    assert f"older than a8b, which needed 122 where {border['left']} were left" in card.inner_text()
    assert str(widget.trace.why("node:a7").remedy).replace("node:", "") in card.inner_text()

    row(page, "node:a10").hover()
    assert "session-loader, step 1" in card.inner_text()
    assert "yes, after 3 others" in card.inner_text()
    row(page, "preset:1").hover()
    assert "no, protected" in card.inner_text()


def test_the_card_shows_the_segment_under_the_pointer(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    card = page.locator(".card")
    before = card.inner_text()

    page.locator(".seg.src-preset").hover()
    assert card.inner_text().startswith("system, presets")
    page.locator(".seg.src-lore").hover()
    assert card.inner_text().startswith("lore")
    page.mouse.move(5, 5)

    assert card.inner_text() == before
    assert (opened.pump(widget), widget.pinned) == ([], "")


@pytest.mark.parametrize("width", [1100, 720, 420])
@pytest.mark.parametrize("budget", [1, 1800, 2400, 10**9])
def test_labels_of_the_axis_never_touch(
    opened: Opened, harbour: Trace, tmp_path: Path, width: int, budget: int
) -> None:
    widget = asked_for(TokenBudget(harbour), budget)
    opened.resize(width)
    page = opened.show(widget, tmp_path)

    boxes = [box_of(each) for each in page.locator(".axis span").all()]

    assert len(boxes) >= 2
    for one, next_one in pairwise(boxes):
        assert one["x"] + one["width"] + 4 < next_one["x"]
    field = page.get_by_role("spinbutton", name="Budget in tokens")
    assert field.evaluate("(field) => field.scrollWidth <= field.clientWidth")


def test_the_keys_begin_where_the_list_is_scrolled_to(opened: Opened, long: Trace, tmp_path: Path) -> None:
    page = opened.show(TokenBudget(long), tmp_path)
    page.locator(".rows").focus()
    page.keyboard.press("Shift")

    shelf, active = box_of(page.locator(".shelf")), box_of(page.locator(".mb.at"))

    assert shelf["y"] <= active["y"] <= shelf["y"] + shelf["height"] - active["height"]
    assert page.locator(".mb.at").evaluate("(row) => getComputedStyle(row).outlineStyle") == "solid"


def test_it_says_that_the_cut_is_still_to_come(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    early = harbour.upto("injection-assembler")
    page = opened.show(TokenBudget(early), tmp_path)

    sent = f"{len(early.result.drafts)} messages, {early.tokens:,} tokens"
    assert page.locator(".answer").inner_text() == f"{sent}; the cut is still to come"
    assert page.locator(".cap").first.inner_text() == "not cut yet"


def test_when_python_goes_away_nothing_can_be_asked(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    assert page.locator(".hand[role=slider]").count() == 1

    widget.live = False
    opened.pump(widget)

    assert page.locator(".hand[role=slider], select, input").count() == 0


def test_a_segment_is_pinned_by_click_and_by_key(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator(".seg.src-lore").click()
    opened.pump(widget)
    assert (widget.pinned, widget.selected) == ("source:lore", "lore:harbour_lore/0")
    page.mouse.move(5, 5)
    assert page.locator(".card").inner_text().startswith("lore")

    page.keyboard.press("ArrowRight")
    assert page.locator(".card").inner_text().startswith("overhead")
    assert "where texts join" in page.locator(".card").inner_text()
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.pinned == "source:overhead"
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert widget.pinned == ""


def test_a_click_selects_and_the_keys_walk(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    row(page, "node:a10").click()
    opened.pump(widget)
    assert (widget.selected, widget.pinned) == ("node:a10", "node:a10")
    assert row(page, "node:a10").get_attribute("aria-selected") == "true"

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "preset:11@4" in page.locator(".card").inner_text()
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.selected == "preset:11@4"
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    opened.pump(widget)
    assert widget.selected == "lore:harbour_lore/0"


def test_what_is_selected_elsewhere_stands_out(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    widget.selected = "preset:11"
    opened.pump(widget)

    assert page.locator(".mb[aria-selected=true]").evaluate_all("(all) => all.map(each => each.dataset.key)") == [
        "preset:11@16",
        "preset:11@12",
        "preset:11@8",
        "preset:11@4",
    ]
    assert "Harbour bell" in page.locator(".card").inner_text()


# --- very many, none, strangers


def test_of_many_only_what_is_in_sight_is_drawn(opened: Opened, long: Trace, tmp_path: Path) -> None:
    widget = TokenBudget(long)
    page = opened.show(widget, tmp_path)
    page.evaluate(DRAWN)
    assert page.locator(".mb").count() < 60
    assert page.locator(".over64 .bin").count() == 64
    assert page.locator(".cutline").is_visible()
    top = page.evaluate("() => scrollY")

    widget.selected = "node:m12"
    opened.pump(widget)
    assert row(page, "node:m12").get_attribute("aria-selected") == "true"
    scroller, found = box_of(page.locator(".shelf")), box_of(row(page, "node:m12"))
    assert scroller["y"] <= found["y"] <= scroller["y"] + scroller["height"] - found["height"]
    assert page.evaluate("() => scrollY") == top


def test_the_overview_scrolls_to_its_place(opened: Opened, long: Trace, tmp_path: Path) -> None:
    page = opened.show(TokenBudget(long), tmp_path)
    box = box_of(page.locator(".over64"))

    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + 20)
    page.evaluate(DRAWN)

    shown = page.locator(".mb").evaluate_all("(all) => all.map(each => Number(each.dataset.row))")
    assert min(shown) > 850
    assert max(shown) < 950


def test_a_slid_budget_of_many_draws_the_new_cut(opened: Opened, long: Trace, tmp_path: Path) -> None:
    widget = TokenBudget(long)
    page = opened.show(widget, tmp_path)
    slider = page.locator("input[type=range]")
    for tokens in (55_000, 20_000, 90_000):
        slider.evaluate(
            "(each, tokens) => { each.value = tokens; each.dispatchEvent(new Event('input', { bubbles: true })) }",
            tokens,
        )
        settled(opened, widget)

    border = view(widget)["border"]
    assert view(widget)["budget"] == 90_000
    assert f"needed {border['needed']}, left {border['left']}" in page.locator(".cutline").inner_text()
    assert page.locator(".cutline").is_visible()


def test_strangers_text_is_text(opened: Opened, tmp_path: Path) -> None:
    widget = TokenBudget(ctxlab.build(chat(HOSTILE), budget_tokens=70))
    page = opened.show(widget, tmp_path)
    for each in page.locator(".mb").all():
        each.click()
        opened.pump(widget)

    shown = page.locator(".ctxlab").inner_text()
    assert page.locator(".ctxlab img, .ctxlab script").count() == 0
    assert "<script>" in shown
    assert not {"\u202e", "\x1b"} & set(shown)
    assert page.title() == "live"


def test_a_narrow_page_does_not_scroll_sideways(opened: Opened, long: Trace, tmp_path: Path) -> None:
    opened.resize(420)
    widget = TokenBudget(long)
    page = opened.show(widget, tmp_path)
    widget.set_tokenizer("estimate")
    opened.pump(widget)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert box_of(page.locator(".card"))["y"] < box_of(page.locator(".list"))["y"]
    caps = [box_of(each) for each in page.locator(".cap:not(.away)").all()]
    assert all(cap["x"] >= 0 and cap["x"] + cap["width"] <= 420 for cap in caps)


def test_nothing_to_show_says_what_to_pass_and_then_shows(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    widget = TokenBudget()
    page = opened.show(widget, tmp_path)
    assert "TokenBudget(ctxlab.build(session))" in page.locator(".empty").inner_text()

    widget.trace = harbour
    opened.pump(widget)
    assert page.locator(".mb").count() == 41
    widget.trace = None
    opened.pump(widget)
    assert page.locator(".empty").is_visible()


def test_one_message_stretches_nothing(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenBudget(ctxlab.build(chat(["Where is it?"]))), tmp_path)

    assert "1 message, in the order in which it is sent" in page.locator(".lh").inner_text()
    assert page.locator(".mb").count() == 1
    assert box_of(page.locator(".mb"))["height"] == 18


def test_a_report_shows_and_asks_nothing(opened: Opened, widget: TokenBudget, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page_of(bundle_path(TokenBudget), {**synced_state(widget), "live": False}, title="report"))
    page = opened.open(file)

    assert page.locator("[role=slider], select, input").count() == 0
    row(page, "node:a8b").click()
    assert "needed 122" in page.locator(".card").inner_text()
    page.locator(".hand").click(force=True)
    page.locator(".cutline").click()
    assert opened.sent() == []
