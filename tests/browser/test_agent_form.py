"""The form of an agent in a browser: controls, origins, the linked bar, steps, keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from ctxlab import Agent
from ctxlab_widgets import AgentForm
from tests.browser.conftest import Opened

PARAMETERS = {"temperature": 0.7, "maxTokens": 4096, "stop": ["\nAda:", "【完】"], "seed": 7}


def form(**parameters: Any) -> AgentForm:
    agent = Agent.model_validate({"id": "a", "name": "沈砚", "parameters": {**PARAMETERS, **parameters}})
    return AgentForm(agent, model="claude-sonnet-4-5", call={"max_tokens": 2048})


def row(page: Page, name: str) -> Any:
    return page.locator(f'.fr[data-name="{name}"]')


def test_what_is_typed_is_taken_over_and_escape_gives_it_back(opened: Opened, tmp_path: Path) -> None:
    widget = form()
    page = opened.show(widget, tmp_path)
    field = row(page, "temperature").get_by_label("Temperature", exact=True)

    field.fill("0.2")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert (widget.edited.parameters or {})["temperature"] == 0.2

    field.fill("9")
    page.keyboard.press("Enter")
    opened.pump(widget)
    expect(row(page, "temperature").get_by_role("alert")).to_contain_text("Temperature must be at most 2, not 9.")
    assert field.get_attribute("aria-invalid") == "true"
    assert field.input_value() == "9"
    page.keyboard.press("Escape")
    assert field.input_value() == "0.2"

    page.keyboard.press("ArrowUp")
    opened.pump(widget)
    assert (widget.edited.parameters or {})["temperature"] == 0.22


def test_a_square_goes_back_to_its_origin_by_keys(opened: Opened, tmp_path: Path) -> None:
    widget = form()
    page = opened.show(widget, tmp_path)
    squares = row(page, "maxTokens").locator("button.sq")
    assert [each.get_attribute("data-state") for each in squares.all()] == ["empty", "overruled", "overruled", "counts"]

    squares.nth(3).focus()
    page.keyboard.press("ArrowLeft")
    expect(squares.nth(2)).to_be_focused()
    assert squares.nth(2).get_attribute("aria-label") == "agent: 4,096 overruled"
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert widget.edited_call == {}
    expect(row(page, "maxTokens").locator(".og > span").last).to_have_text("agent")


def test_both_ends_of_a_bound_pair_offer_the_mend(opened: Opened, tmp_path: Path) -> None:
    widget = form(thinkingEnabled=True, thinkingBudget=4096)
    page = opened.show(widget, tmp_path)
    budget = row(page, "thinkingBudget")
    expect(budget.get_by_role("alert")).to_contain_text("4,096 must be below the reply limit 2,048.")
    expect(budget.get_by_role("img")).to_have_attribute("aria-label", "thinking 4,096, reply limit 2,048: "
        "2,048 too many; nothing left for the answer")  # fmt: skip
    expect(page.get_by_role("button", name="Save")).to_have_attribute("aria-disabled", "true")

    budget.get_by_role("button", name="Thinking 1,024").click()
    opened.pump(widget)

    expect(page.locator(".fr.bad")).to_have_count(0)
    expect(budget.get_by_role("img")).to_have_attribute(
        "aria-label", "thinking 1,024, reply limit 2,048: 1,024 left for the answer"
    )
    page.keyboard.press("Control+s")
    opened.pump(widget)
    assert (widget.agent or Agent()).parameters == {**PARAMETERS, "thinkingEnabled": True, "thinkingBudget": 1024}


def test_what_the_model_does_not_take_is_folded_until_all_is_shown(opened: Opened, tmp_path: Path) -> None:
    widget = form()
    page = opened.show(widget, tmp_path)
    assert row(page, "seed").is_hidden()
    expect(page.get_by_role("button", name="not sent: ").filter(has_text="seed 7")).to_contain_text("kept")

    page.get_by_role("radio", name="All").click()
    opened.pump(widget)

    expect(row(page, "seed")).to_contain_text("kept as 7")


def test_texts_are_added_and_taken_out(opened: Opened, tmp_path: Path) -> None:
    widget = form()
    page = opened.show(widget, tmp_path)
    stop = row(page, "stop")
    assert stop.locator("code").all_inner_texts() == ["\\nAda:", "【完】"]

    stop.get_by_role("button", name="Take out \\nAda:").click()
    opened.pump(widget)
    stop.get_by_role("textbox").fill("\\n\\n灯")
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert (widget.edited.parameters or {})["stop"] == ["【完】", "\n\n灯"]


def test_a_step_is_moved_switched_and_set(opened: Opened, tmp_path: Path) -> None:
    widget = form()
    page = opened.show(widget, tmp_path)
    before = list(widget.pipeline.ids)
    step = page.locator('.st[data-step="regex-processor"]')

    step.get_by_role("button", name="Regex rules", exact=True).focus()
    page.keyboard.press("Alt+ArrowDown")
    opened.pump(widget)
    at = before.index("regex-processor")
    assert list(widget.pipeline.ids)[at : at + 2] == [before[at + 1], "regex-processor"]
    expect(step.get_by_role("button", name="Regex rules", exact=True)).to_be_focused()

    step.get_by_role("checkbox").click()
    opened.pump(widget)
    assert not widget.pipeline.stage("regex-processor").enabled

    merge = page.locator('.st[data-step="merge-system"]')
    merge.get_by_role("button", name="Merge system messages", exact=True).click()
    merge.get_by_label("Hoist", exact=True).select_option(label="all, moved to the head")
    opened.pump(widget)
    assert widget.pipeline.stage("merge-system").processor.settings.hoist == "all"
    merge.get_by_role("button", name="Undo Hoist").click()
    opened.pump(widget)
    assert widget.pipeline.stage("merge-system").processor.settings.hoist == "leading"


def test_it_has_one_column_where_there_is_no_room(opened: Opened, tmp_path: Path) -> None:
    opened.resize(320)
    page = opened.show(form(thinkingEnabled=True, thinkingBudget=4096), tmp_path)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    side, fields = page.locator(".side").bounding_box(), page.locator(".pane").bounding_box()
    assert side is not None
    assert fields is not None
    assert side["y"] >= fields["y"] + fields["height"]
