"""Runs side by side in a page: rows open and fold, columns come and go, the keys walk, much is drawn little."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

import ctxlab
from ctxlab import RegexRule, Session, Trace
from ctxlab.documents import AppliesTo
from ctxlab.testing import generated_session
from ctxlab_widgets.compare import Compare
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of
from tests.gallery.samples import harbour_with, rules

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1800, rules=rules(), settings={"token-limiter.retained_characters": 60})


@pytest.fixture
def widget(harbour: Trace) -> Compare:
    return Compare(harbour, strategies=["sliding", "middle-out", "block"])


def less_of(trace: Trace) -> Trace:
    return trace.rerun({"token-limiter.budget_tokens": 1300})


def row(page: Page, key: str) -> Locator:
    return page.locator(f'.it[data-key="{key}"]')


def texts_below(page: Page, key: str) -> Locator:
    return page.locator(f'.it[data-key="{key}"] + .texts')


def held(page: Page) -> str:
    """The words of the cell that holds the keys, as a screen reader is told it."""
    return page.evaluate(
        "() => { const grid = document.querySelector('[role=grid]');"
        " return document.getElementById(grid.getAttribute('aria-activedescendant'))?.innerText ?? '' }"
    )


def column_of(page: Page) -> int:
    return page.evaluate(
        "() => { const cell = document.querySelector('.at'); return [...cell.parentElement.children].indexOf(cell) }"
    )


def names(page: Page) -> list[str]:
    return page.locator(".heads .nm").all_inner_texts()


# --- what is drawn


def test_it_draws_in_light_and_in_dark(opened: Opened, widget: Compare, tmp_path: Path, theme: str) -> None:
    page = opened.show(widget, tmp_path)
    widget.open_row("node:a8b")
    opened.pump(widget)

    tint = page.locator(".is-changed").first.evaluate("e => getComputedStyle(e).backgroundColor")

    assert tint == {"light": "rgb(217, 236, 251)", "dark": "rgb(23, 54, 80)"}[theme]
    assert colours_of(page) > 40


def test_a_row_says_what_became_of_it_in_each_run(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    cells = row(page, "node:a8b").locator("[role=gridcell]")

    assert cells.all_inner_texts() == ["~\nshortened\nfirst 60 of 292 chars\n51", "×\ncut", "×\ncut"]
    cause = cells.nth(1).get_attribute("title") or ""
    why = r"behind a10 on the way from both ends inwards, which needed \d+ where \d+ were left"
    assert re.fullmatch(rf"token-limiter / middle-out: {why}, 122 tokens", cause)
    assert page.locator(".answer").inner_text().startswith("3 runs, 41 messages: middle-out keeps g1, u5 and 3 more")


def test_the_heads_hold_the_totals_and_how_far_they_are_from_the_base(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)

    totals = {line.split("\n")[0]: line.split("\n")[1:] for line in page.locator(".total").all_inner_texts()}
    first, *others = widget.comparison.total_rows()

    assert totals["tokens"][0] == f"{first['tokens']:,}"
    assert totals["tokens"][1] == f"of 1,800, {1800 - first['tokens']:,} free"
    for other in others:
        away = other["tokens"] - first["tokens"]
        assert f"{'+' if away > 0 else '−'}{abs(away):,}" in totals["tokens"]
    assert totals["cut"][:2] == [str(first["cut_messages"]), f"{first['cut_tokens']:,} tokens"]
    assert totals["user turns"][:4] == ["5", "of 9 + summary", "5", "of 9 + summary"]
    box = page.locator(".total").last.bounding_box()
    page.get_by_role("grid").evaluate("e => { e.scrollTop = 200 }")
    opened.rest()
    assert page.locator(".total").last.bounding_box() == box, "they stay in sight"


def test_a_cell_says_what_became_of_the_message_and_never_that_a_cut_one_is_the_same(
    opened: Opened, harbour: Trace, tmp_path: Path
) -> None:
    page = opened.show(Compare(harbour, strategies=["middle-out", "block"]), tmp_path)

    cells = [each.locator("[role=gridcell]").all_inner_texts() for each in page.locator(".it").all()]

    assert all("=" not in base for base, *_ in cells)
    assert [cell for base, *others in cells for cell in others if cell.startswith("=") and "cut" in base] == [
        cell for base, *others in cells for cell in others if cell == "=\ncut"
    ]
    assert row(page, "node:g1").locator("[role=gridcell]").all_inner_texts() == ["×\ncut", "+\nkept\n81", "=\ncut"]
    green = row(page, "node:g1").locator(".is-new").evaluate("e => getComputedStyle(e).backgroundColor")
    assert green == "rgb(230, 243, 234)"


def test_task_strategies_compared(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    """No click: the sentence, the totals and the first difference are on the first screen."""
    opened.resize(1400, 900)
    page = opened.show(Compare(harbour, strategies=["middle-out", "block"]), tmp_path)
    opened.rest()

    first = page.locator(".it:has(.is-new, .is-cut)").first
    for each in (page.locator(".answer"), page.locator(".total").first, page.locator(".strip").first, first):
        box = each.bounding_box()
        assert box
        assert box["y"] + box["height"] < 900
    assert "middle-out keeps" in page.locator(".answer").inner_text()
    assert page.locator(".at").count() == 0 or first.locator(".at").count() == 1


def test_it_opens_at_the_first_difference_however_far_down_it_is(opened: Opened, tmp_path: Path) -> None:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"line {i}"} for i in range(60)]
    rule = RegexRule(id="last", regex="line 5(?=[5-9])", replacement="LINE 5", apply_to=AppliesTo(request=True))
    trace = ctxlab.build(ctxlab.read_data(said).pick(), settings={"merge-consecutive.enabled": False})
    widget = Compare({"plain": trace, "ruled": ctxlab.rebuild(trace, rules=[rule])})
    widget.opened = [line.key for line in widget.comparison.lines[:30]]
    page = opened.show(widget, tmp_path)
    opened.rest()

    assert "line 55" in page.locator(".it:has(.at)").inner_text()
    grid, found = page.get_by_role("grid").bounding_box(), page.locator(".it:has(.at)").bounding_box()
    assert grid
    assert found
    assert grid["y"] < found["y"] < grid["y"] + grid["height"] - 20


def test_the_sentence_and_the_strips_lead_to_their_messages(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator(".answer").get_by_role("button", name="u5", exact=True).click()
    opened.pump(widget)
    assert widget.selected == "node:u5"

    strip = page.locator("div.strip").first
    box = strip.bounding_box()
    assert box
    strip.click(position={"x": 2, "y": 5})
    opened.pump(widget)

    key = widget.comparison.lines[0].key
    assert widget.selected == key
    assert row(page, key).is_visible(), "what was asked for here comes out of its fold"
    assert re.fullmatch(r"sliding: \d+ kept, \d+ cut", strip.get_attribute("aria-label") or "")


def test_runs_that_do_the_same_are_one_column_until_they_are_unfolded(
    opened: Opened, harbour: Trace, tmp_path: Path
) -> None:
    page = opened.show(Compare({"one": harbour, "two": harbour, "less": less_of(harbour)}), tmp_path)
    assert names(page) == ["one", "less"]

    page.get_by_role("button", name="identical: two").click()
    assert names(page) == ["one", "two", "less"]
    assert "identical to one" in page.locator(".heads [role=columnheader]").nth(2).inner_text()
    page.get_by_role("button", name="fold identical").click()

    assert names(page) == ["one", "less"]
    assert "two does the same as one" in page.locator(".answer").inner_text()


def test_six_runs_fit_and_more_are_seen_to_go_on(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    opened.resize(1200)
    page = opened.show(Compare(harbour, budgets=[1200, 1400, 1600, 2000, 2200]), tmp_path)
    grid = page.get_by_role("grid")
    assert page.locator(".heads [data-column]").count() == 6
    assert grid.evaluate("e => e.scrollWidth <= e.clientWidth")

    page = opened.show(Compare(harbour, budgets=[1100 + 100 * i for i in range(12)]), tmp_path)
    opened.rest()

    more = page.get_by_role("button", name=re.compile(r"\d+ more runs? ›"))
    edge = grid.bounding_box()
    cut = [b for each in page.locator(".heads [data-column]").all() if (b := each.bounding_box())]
    assert edge
    assert any(b["x"] < edge["x"] + edge["width"] - 20 < b["x"] + b["width"] for b in cut), "one peeks"
    more.click()
    opened.rest()
    assert more.count() == 0


def test_a_difference_out_of_sight_names_its_run(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    opened.resize(700)
    page = opened.show(Compare({**{f"as {i}": harbour for i in range(9)}, "less": less_of(harbour)}), tmp_path)
    page.get_by_role("button", name=re.compile("identical:")).click()
    page.get_by_label("only differences").check()
    opened.rest()

    told = page.locator(".it .off").all_inner_texts()
    assert told
    assert set(told) == {"differs in less"}
    page.get_by_role("grid").evaluate("e => { e.scrollLeft = e.scrollWidth }")
    opened.rest()
    assert set(page.locator(".it .off").all_inner_texts()) == {""}


def test_what_the_base_cut_has_a_button_that_keeps_it(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    widget = Compare(harbour, strategies=["middle-out"])
    page = opened.show(widget, tmp_path)
    row(page, "node:u7").click()
    opened.pump(widget)
    page.get_by_role("button", name=re.compile("Keep it")).click()

    assert opened.pump(widget) == [{"command": "apply_remedy", "key": "node:u7"}]
    assert next(line.cells[0].is_sent for line in widget.comparison if line.key == "node:u7")
    assert "tokens; came:" in page.locator(".effect").inner_text()
    page.get_by_role("button", name="Back").click()
    opened.pump(widget)
    assert widget.trace is harbour
    assert page.locator(".effect").is_hidden()


def test_in_a_page_of_views_it_leads_to_them_and_undoes_with_them(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    widget.views = ["steps", "lore"]
    page = opened.show(widget, tmp_path)
    row(page, "node:g1").click()
    opened.pump(widget)
    page.get_by_role("button", name="Open in Steps").click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")

    assert opened.sent() == [
        {"command": "open_view", "view": "steps", "key": "node:g1"},
        {"command": "page_undo"},
        {"command": "page_redo"},
    ]
    assert page.get_by_role("button", name=re.compile("Open in (Budget|Lore)")).count() == 0


def test_bars_of_all_runs_have_one_scale(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.show(Compare(harbour, budgets=[1200, 2400]), tmp_path)

    widths = [box["width"] for bar in page.locator(".sm").all() if (box := bar.bounding_box())]

    assert [round(width / widths[2], 2) for width in widths] == [0.75, 0.5, 1]
    assert re.search(r"history kept [\d,]+, free \d+$", page.locator(".sm").first.get_attribute("aria-label") or "")


def test_a_run_that_failed_says_so_in_its_head(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.show(Compare(harbour, budgets=[10, 1200]), tmp_path)

    head = page.locator(".heads [role=columnheader]").nth(2)

    assert "the budget is 10 tokens, and what must stay needs 1,009" in head.inner_text()
    assert head.get_by_role("button").all_inner_texts() == [""]
    assert page.locator(".is-none").first.inner_text() == "no run"


# --- opening and folding


def test_a_click_opens_a_row_with_causes_and_a_difference_by_words(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    row(page, "node:a8b").click()
    opened.pump(widget)

    texts = texts_below(page, "node:a8b").locator("[role=gridcell]")

    assert (widget.opened, widget.selected) == (["node:a8b"], "node:a8b")
    assert "token-limiter / shortened: the first 60 of 292 characters stay" in texts.nth(0).inner_text()
    assert "token-limiter / middle-out: behind a10 on the way" in texts.nth(1).inner_text()
    assert texts.nth(0).locator("ins, del").count() == 0
    assert texts.nth(1).locator("del").first.inner_text() == "Seco\n[…]"
    row(page, "node:a8b").click()
    opened.pump(widget)
    assert widget.opened == []
    assert page.locator(".texts").count() == 0


def test_a_row_at_the_edge_opens_into_sight(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("grid").focus()
    page.keyboard.press("End")
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    opened.pump(widget)

    texts = texts_below(page, widget.opened[0]).bounding_box()
    grid = page.get_by_role("grid").bounding_box()

    assert texts
    assert grid
    assert texts["y"] + texts["height"] <= grid["y"] + grid["height"] + 1


def test_texts_that_are_the_same_are_shown_once(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    widget.open_row("node:s1")
    opened.pump(widget)

    texts = texts_below(page, "node:s1").locator("[role=gridcell]")

    assert "[Earlier tonight]" in texts.nth(0).inner_text()
    assert "the same text as in sliding" in texts.nth(1).inner_text()


def test_a_row_that_python_opens_inside_a_fold_comes_out(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    assert row(page, "preset:5").count() == 0

    widget.open_row("preset:5")
    opened.pump(widget)

    assert texts_below(page, "preset:5").count() == 1
    assert "chosen" in (row(page, "preset:5").get_attribute("class") or "")


def test_a_fold_opens_and_closes(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    fold = page.locator("[data-fold]").first
    before = page.locator(".it").count()
    assert fold.inner_text().split("\n")[1] == "13 messages, same"

    fold.click()
    assert page.locator(".it").count() > before
    assert row(page, "preset:0").count() == 1
    page.locator("[data-fold]").first.click()

    assert row(page, "preset:0").count() == 0


def test_only_differences_leaves_the_others_out(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_label("only differences").check()
    opened.pump(widget)

    shown = {each.get_attribute("data-key") for each in page.locator(".it").all()}

    assert widget.only_differences
    assert shown
    assert shown <= {line.key for line in widget.comparison if line.differs}


def test_a_message_selected_elsewhere_is_brought_into_sight_and_out_of_no_fold(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    widget.selected = "node:u11"
    opened.pump(widget)
    assert "chosen" in (row(page, "node:u11").get_attribute("class") or "")

    widget.selected = "preset:5"
    opened.pump(widget)
    assert row(page, "preset:5").count() == 0
    assert page.locator(".jump").inner_text().endswith("is the same in all runs. Show it")
    page.get_by_role("button", name="Show it").click()
    opened.pump(widget)

    assert "chosen" in (row(page, "preset:5").get_attribute("class") or "")
    assert page.locator(".jump").is_hidden()


# --- keys


def test_the_keys_walk_rows_and_columns(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("grid").focus()

    assert held(page).split("\n")[0].startswith("g1"), "the first difference"
    page.keyboard.press("ArrowRight")
    assert held(page) == "×\ncut"
    page.keyboard.press("ArrowRight")
    assert held(page) == "+\nkept\n81"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert column_of(page) == 0
    page.keyboard.press("End")
    assert "messages, same" in held(page)
    page.keyboard.press("Home")
    assert "13 messages, same" in held(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert (widget.selected, widget.opened) == ("node:g1", ["node:g1"])
    page.keyboard.press("ArrowDown")
    assert held(page).startswith("[Earlier tonight]"), "the open row's texts hold no keys"


def test_the_table_is_one_tab_stop_and_its_columns_another(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").focus()
    told = "() => { const e = document.activeElement; return e.getAttribute('aria-label') ?? e.tagName }"

    stops: list[Any] = []
    while "Ledger of sliding" not in stops and len(stops) < 12:
        page.keyboard.press("Tab")
        stops.append(page.evaluate(told))

    assert stops == ["Keys of this view", "BUTTON", "Messages by run", "Ledger of sliding"], "the sentence is one too"
    page.get_by_role("button", name="Ledger of sliding").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(told) == "Ledger of middle-out"


def test_keys_with_ctrl_and_keys_it_has_no_use_for_are_left_to_the_page(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.evaluate(
        "() => { window.heard = [];"
        " document.addEventListener('keydown', (e) => heard.push(e.key + e.defaultPrevented)) }"
    )
    page.get_by_role("grid").focus()

    for key in ("ArrowDown", "Control+ArrowDown", "x"):
        page.keyboard.press(key)

    assert page.evaluate("() => heard") == ["Controlfalse", "ArrowDownfalse", "xfalse"]


# --- columns


def test_a_column_is_added_by_the_form(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    page.get_by_label("Strategy").select_option("whole-exchanges")
    page.get_by_label("Budget").fill("1500")
    page.keyboard.press("Enter")

    sent = opened.pump(widget)

    assert sent == [{"command": "add", "strategy": "whole-exchanges", "budget": 1500}]
    assert names(page) == ["sliding", "middle-out", "block", "whole-exchanges 1,500"]
    assert page.locator("form").is_hidden()
    assert page.evaluate("() => document.activeElement.textContent") == "Add a column"


def test_a_branch_is_a_column_too(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    page.get_by_label("Branch").select_option("a9")
    page.get_by_role("button", name="Add", exact=True).click()
    opened.pump(widget)

    assert list(widget.traces)[-1] == "a9"
    assert page.locator(".is-new").count() > 0
    assert page.get_by_label("Agent", exact=True).count() == 0, "one agent is no choice"


def test_a_form_that_is_refused_stays_and_says_why(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    page.get_by_role("button", name="Add", exact=True).click()
    opened.pump(widget)

    assert "say what is different" in page.locator(".answer.wrong").inner_text()
    assert page.locator("form").is_visible()
    page.get_by_label("Strategy").focus()
    page.keyboard.press("Escape")
    assert page.locator("form").is_hidden()


def test_a_form_that_was_refused_twice_stays_when_another_column_goes(
    opened: Opened, widget: Compare, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    for _ in range(2):
        page.get_by_role("button", name="Add", exact=True).click()
        opened.pump(widget)
    page.get_by_label("Budget").fill("700")

    page.get_by_role("button", name="Remove block").click()
    opened.pump(widget)

    assert names(page) == ["sliding", "middle-out"]
    assert page.get_by_label("Budget").input_value() == "700"


def test_what_is_typed_keeps_the_focus_when_another_run_comes(
    opened: Opened, widget: Compare, harbour: Trace, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    page.get_by_label("Budget").focus()
    page.keyboard.type("12")

    widget.trace = harbour.rerun({"token-limiter.budget_tokens": 1500})
    opened.pump(widget)
    page.keyboard.type("34")

    assert page.get_by_label("Budget").input_value() == "1234"


def test_a_budget_beyond_all_counting_is_refused_in_a_sentence(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Add a column").click()
    page.get_by_label("Budget").fill("1e30")
    page.get_by_role("button", name="Add", exact=True).click()
    opened.pump(widget)

    assert page.locator(".answer.wrong").inner_text().startswith("a budget is below")


def test_a_column_goes_while_a_row_is_open(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    key = widget.comparison.lines[-1].key
    widget.open_row(key)
    opened.pump(widget)

    page.get_by_role("button", name="Remove block").click()
    opened.pump(widget)
    page.get_by_role("button", name="Remove middle-out").click()
    opened.pump(widget)

    assert names(page) == ["sliding"]
    assert texts_below(page, key).locator(".tx1").count() == 1


def test_a_column_becomes_the_base_or_goes(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="make base: block").click()
    opened.pump(widget)
    assert names(page) == ["block", "sliding", "middle-out"]
    assert page.locator(".heads .tag").count() == 1
    assert "block" in page.locator(".heads [role=columnheader]").filter(has=page.locator(".tag")).inner_text()

    page.get_by_role("button", name="Remove sliding").click()
    opened.pump(widget)

    assert names(page) == ["block", "middle-out"]
    assert list(widget.traces) == ["block", "middle-out"]


def test_a_ledger_opens_below_and_closes(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.get_by_role("button", name="Ledger of block", exact=True).click()
    opened.pump(widget)
    ledger = page.get_by_role("region", name="Ledger of block")
    limiter = ledger.locator("tr", has_text="token-limiter").first.locator("td").all_inner_texts()

    frame = widget.traces["block"].ledger()
    cut = frame[(frame["step"] == "token-limiter") & (frame["rule"] == "block")].iloc[0]

    assert widget.ledgers == ["block"]
    assert limiter[:4] == ["block", f"{cut['in']:,}", "", f"{cut['cut']:,}"]
    assert limiter[-1] == f"−{cut['in']:,}"
    assert ledger.locator("tfoot").inner_text().split()[-1] == f"{widget.traces['block'].tokens:,}"
    page.get_by_role("button", name="Close the ledger of block").click()
    opened.pump(widget)
    assert widget.ledgers == []
    assert page.evaluate("() => document.activeElement.dataset.ledger") == "block"


def test_another_trace_from_python_is_drawn(opened: Opened, widget: Compare, harbour: Trace, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    widget.trace = harbour.rerun({"token-limiter.budget_tokens": 1300})
    opened.pump(widget)

    assert "of 1,300," in page.locator(".total").first.inner_text()


def test_the_keys_lead_to_columns_beyond_the_edge(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    opened.resize(600)
    page = opened.show(Compare(harbour, budgets=[1200, 1500, 2000, 2400, 2800]), tmp_path)
    grid = page.get_by_role("grid")
    first = page.locator(".it .cc0").first
    before = first.bounding_box()
    assert before

    grid.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")

    assert grid.evaluate("e => e.scrollLeft") > 0
    assert (first.bounding_box() or {})["x"] == before["x"], "the words of the messages stay"
    assert column_of(page) == 5, "two budgets in which all fits are one column"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 600


# --- strangers, narrow, empty, many


def test_strangers_text_is_text(opened: Opened, tmp_path: Path) -> None:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(HOSTILE)]
    session: Session = ctxlab.read_data(said).pick()
    trace = ctxlab.build(session, budget_tokens=4000)
    bad = "<img src=x onerror=alert(1)>\u202e"
    widget = Compare({bad: trace, "other": ctxlab.rebuild(trace, settings={"token-limiter.budget_tokens": 40})})
    for line in widget.comparison:
        widget.open_row(line.key)
    widget.ledgers = [bad]

    page = opened.show(widget, tmp_path)

    shown = page.locator(".ctxlab").inner_text()
    assert page.locator(".ctxlab img, .ctxlab script, .cmp b, .ctxlab a").count() == 0
    assert "\u202e" not in shown
    assert "<img src=x onerror=alert(1)>\\u202e" in shown


def test_a_narrow_page_stacks_the_texts(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    opened.resize(420)
    page = opened.show(widget, tmp_path)
    widget.open_row("node:a8b")
    opened.pump(widget)

    boxes = [each.bounding_box() for each in texts_below(page, "node:a8b").locator("[role=gridcell]").all()]
    tops = [box["y"] for box in boxes if box]

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert tops == sorted(set(tops))
    assert all(box and box["width"] > 350 for box in boxes)
    assert page.get_by_role("grid").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_nothing_to_compare_says_what_to_pass(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    widget = Compare(strategies=["block"])
    page = opened.show(widget, tmp_path)
    assert "Compare(trace, strategies=" in page.locator(".empty").inner_text()

    widget.trace = harbour
    opened.pump(widget)

    assert page.locator(".empty").is_hidden()
    assert names(page) == ["base", "block"]


def test_one_run_alone_is_shown(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.show(Compare(harbour), tmp_path)

    assert page.locator(".answer").inner_text() == "1 run, 41 messages."
    assert page.locator(".heads .tag").count() == 0


def test_a_report_opens_rows_and_asks_for_nothing(opened: Opened, widget: Compare, tmp_path: Path) -> None:
    widget.live = False
    page = opened.show(widget, tmp_path)

    row(page, "node:a8b").click()
    page.get_by_role("button", name="Ledger of block", exact=True).click()

    assert texts_below(page, "node:a8b").count() == 1
    assert page.get_by_role("region", name="Ledger of block").is_visible()
    assert page.get_by_role("button", name=re.compile("Add|Make|Remove")).count() == 0
    assert opened.sent() == []


def long_chat(n: int) -> Compare:
    """Three runs, in one of which a rule rewrites nearly all messages, so that little folds."""
    trace = ctxlab.build(ctxlab.read_data(generated_session(n, seed=1)).pick())
    rule = RegexRule(id="loud", regex="[aeo]", replacement="A", flags="g", apply_to=AppliesTo(request=True))
    loud = ctxlab.rebuild(trace, rules=[rule])
    return Compare(
        {"plain": trace, "loud": loud, "cut": trace.rerun({"token-limiter.budget_tokens": trace.tokens // 2})}
    )


def test_of_very_many_messages_only_those_in_sight_are_drawn(opened: Opened, tmp_path: Path) -> None:
    widget = long_chat(3000)
    page = opened.show(widget, tmp_path)
    grid = page.get_by_role("grid")

    assert int(grid.get_attribute("aria-rowcount") or 0) > 500
    assert page.locator(".it").count() < 80
    grid.focus()
    page.keyboard.press("End")
    assert page.locator(".it").count() < 80
    assert held(page)
    last, edge = page.locator(".it").last.bounding_box(), grid.bounding_box()
    assert last
    assert edge
    assert abs(last["y"] + last["height"] - edge["y"] - edge["height"]) <= 2, "the last row is whole"


def test_scrolling_keeps_what_holds_the_keys(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(long_chat(1000), tmp_path)
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("ArrowDown")
    before = held(page)

    grid.evaluate("e => { e.scrollTop = 8000 }")
    opened.rest()
    assert held(page) == ""
    grid.evaluate("e => { e.scrollTop = 0 }")
    opened.rest()

    assert held(page) == before
    assert page.evaluate("() => document.activeElement.getAttribute('role')") == "grid"
