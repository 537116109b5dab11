"""What is clicked and typed in the live widget arrives in Python, and what Python then holds is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from ctxlab.context import Table
from tests.reports import left

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page
from pydantic import Field

import ctxlab
from ctxlab import Context
from ctxlab.documents import AppliesTo
from ctxlab.pipeline import Processor, ProcessorFailed, ProcessorSettings, Services
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab_widgets._shared.html_page import page
from ctxlab_widgets._shared.widget import bundle_path
from ctxlab_widgets.step_debugger import StepDebugger
from tests.browser.conftest import Opened
from tests.gallery.looking import colours_of
from tests.gallery.samples import harbour

CONTRAST = (Path(__file__).parents[1] / "gallery" / "contrast.js").read_text(encoding="utf-8")
ONLY_SENT = AppliesTo(render=False, request=True)

RUNNING = [stage.id for stage in ctxlab.default_pipeline().running()]


def chat() -> ctxlab.Session:
    said = [("user", "Where is it?"), ("assistant", "By the pier."), ("user", "Thanks.")]
    return ctxlab.read_data([{"role": role, "content": text} for role, text in said]).pick()


@pytest.fixture
def widget() -> StepDebugger:
    return StepDebugger(ctxlab.debug(chat()))


def test_buttons_step_run_and_go_back(opened: Opened, widget: StepDebugger, tmp_path: Path, theme: str) -> None:
    page = opened.show(widget, tmp_path)
    last = len(widget.debugger.pipeline.running())

    page.get_by_role("button", name="Step", exact=True).click()
    assert opened.pump(widget) == [{"command": "step"}]
    assert (widget.position, page.locator("[aria-current=step]").get_attribute("data-step")) == (1, "session-loader")
    page.get_by_role("button", name="Run", exact=True).click()
    opened.pump(widget)
    assert widget.position == last
    page.get_by_role("button", name="Back").click()
    opened.pump(widget)
    assert widget.position == last - 1
    assert f"after {last - 1} of {last}" in page.locator("[aria-live]").inner_text()


def test_keys_do_the_same(opened: Opened, widget: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=session-loader]").focus()

    for key, position in (("n", 1), ("n", 2), ("Shift+N", 1)):
        page.keyboard.press(key)
        opened.pump(widget)
        assert widget.position == position
    page.keyboard.press("End")
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("t")
    opened.pump(widget)

    assert widget.position == 4
    assert page.evaluate("() => document.activeElement.dataset.step") == widget.debugger.trace.steps[3].id


def test_a_breakpoint_is_set_by_key_or_by_number_and_stops_the_run(
    opened: Opened, widget: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=token-limiter] .no").click()
    opened.pump(widget)
    assert widget.breakpoints == ["token-limiter"]
    assert "breakpoint" in page.locator("[data-step=token-limiter]").inner_text()

    page.locator("[data-step=merge-system]").focus()
    page.keyboard.press("b")
    page.keyboard.press("r")
    opened.pump(widget)

    assert widget.breakpoints == ["merge-system", "token-limiter"]
    assert widget.debugger.next_id == "token-limiter"


def test_a_step_is_switched_off_and_the_rest_runs_again(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(ctxlab.build(chat(), budget_tokens=1000))
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=merge-system]").click()
    page.get_by_role("button", name="Switch off").click()
    opened.pump(widget)

    off = page.locator("[data-step=merge-system]")
    assert "off" in (off.get_attribute("class") or "").split()
    assert widget.rerun == ["merge-consecutive", "request-gate", "asset-resolver"]
    assert "rerun" in page.locator("[data-step=merge-consecutive]").inner_text()
    off.click()
    opened.pump(widget)
    page.keyboard.press("o")
    opened.pump(widget)
    assert "merge-system" in [step.id for step in widget.debugger.known.steps]


def test_a_double_click_runs_to_a_step_and_back_to_it(opened: Opened, widget: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=token-limiter] .nm").dblclick()
    opened.pump(widget)
    assert widget.debugger.trace.steps[-1].id == "token-limiter"

    page.locator("[data-step=regex-processor] .nm").dblclick()
    opened.pump(widget)
    assert widget.debugger.trace.steps[-1].id == "regex-processor"


def test_a_step_that_fails_is_red_and_says_why(opened: Opened, tmp_path: Path) -> None:
    def breaks(ctx: Context) -> Context:
        raise ValueError("no <b>luck</b>")

    widget = StepDebugger(ctxlab.debug(chat(), pipeline=ctxlab.default_pipeline().with_processor(breaks)))
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=session-loader]").focus()
    page.keyboard.press("r")
    opened.pump(widget)

    assert page.locator("[aria-live]").inner_text() == "breaks failed: ValueError: no <b>luck</b>"
    assert "failed" in (page.locator("[data-step=breaks]").get_attribute("class") or "")


def test_nothing_to_show_says_what_to_pass(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "empty.html"
    file.write_text(page(bundle_path(StepDebugger), {"view": ""}, title="empty"), encoding="utf-8")

    assert "StepDebugger(ctxlab.build(session))" in opened.open(file).locator(".empty").inner_text()


def test_the_widget_leaves_nothing_behind(opened: Opened, widget: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.evaluate("() => window.ctxlabHost.stop()")
    page.evaluate("() => window.ctxlabHost.model.put({ position: 0 })")

    assert page.locator(".ctxlab").count() == 0


# --- settings


LIMITER = "token-limiter"


def long_chat(n: int = 12) -> ctxlab.Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": f"some words of {i} " * 5} for i in range(n)]).pick()


@pytest.fixture
def limited() -> StepDebugger:
    """Of a run that has cut a good part."""
    return StepDebugger(ctxlab.build(long_chat(), budget_tokens=200))


def field(page: Page, name: str) -> Locator:
    return page.locator(f".form [data-name={name}]:not([type=range])")


def settings_of(widget: StepDebugger) -> Any:
    return widget.debugger.pipeline.stage(LIMITER).processor.settings


def pumped(opened: Opened, widget: StepDebugger) -> list[Any]:
    """The commands of a person, without those with which the page asks for messages in sight."""
    return [message for message in opened.pump(widget) if message["command"] not in ("remedies", "tokens")]


def show_limiter(opened: Opened, widget: StepDebugger, folder: Path) -> Page:
    page = opened.show(widget, folder)
    if widget.debugger.trace.steps and widget.debugger.trace.steps[-1].id != LIMITER:
        page.locator(f"[data-step={LIMITER}]").click()
        opened.pump(widget)
    page.locator(f"[data-step={LIMITER}]").focus()
    return page


def test_a_setting_is_typed_and_the_run_done_again(
    opened: Opened, limited: StepDebugger, tmp_path: Path, theme: str
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("1,250")
    page.keyboard.press("Enter")
    assert pumped(opened, limited) == [{"command": "set", "step": LIMITER, "name": "budget_tokens", "value": 1250}]

    assert settings_of(limited).budget_tokens == 1250
    assert field(page, "budget_tokens").input_value() == "1250"
    assert page.evaluate("() => document.activeElement.dataset.name") == "budget_tokens"
    assert "rerun" in page.locator(f"[data-step={LIMITER}]").inner_text()
    assert "of 1,250 tokens" in page.locator(".answer").inner_text()
    assert page.locator(".side h3 .tag").inner_text() == "changed"
    assert colours_of(page) > 40


def test_leaving_a_field_is_as_good_as_enter_and_escape_takes_it_back(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("77")
    page.keyboard.press("Escape")
    assert field(page, "budget_tokens").input_value() == "200"
    field(page, "marker").fill("cut")
    page.keyboard.press("Tab")

    assert pumped(opened, limited) == [{"command": "set", "step": LIMITER, "name": "marker", "value": "cut"}]


def test_a_choice_is_a_list_and_yes_or_no_a_box(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)
    page.get_by_label("Strategy", exact=True).select_option("middle-out")
    opened.pump(limited)
    page.locator("[data-step=session-loader]").click()
    page.get_by_role("checkbox", name="HTML to Markdown").check()
    opened.pump(limited)

    assert settings_of(limited).strategy == "middle-out"
    assert limited.debugger.pipeline.stage("session-loader").processor.settings.html_to_markdown is True
    assert page.get_by_role("checkbox", name="HTML to Markdown").is_checked()


def test_lines_are_typed_with_shift_and_enter(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(limited, tmp_path)
    page.locator("[data-step=merge-system]").click()
    assert field(page, "separator").input_value() == "\n\n---\n\n"
    field(page, "separator").fill("a")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("b")
    page.keyboard.press("Enter")
    opened.pump(limited)

    assert limited.debugger.pipeline.stage("merge-system").processor.settings.separator == "a\nb"


def test_none_is_an_empty_field(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("")
    page.keyboard.press("Enter")
    opened.pump(limited)

    assert settings_of(limited).budget_tokens is None
    assert field(page, "budget_tokens").get_attribute("placeholder") == "none"


@pytest.mark.parametrize(
    ("typed", "told"), [("0", "Budget must be at least 1, not 0."), ("so", "Budget must be a whole number, not 'so'.")]
)
def test_a_wrong_value_is_told_beside_the_field_and_stays_in_it(
    opened: Opened, limited: StepDebugger, tmp_path: Path, typed: str, told: str
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill(typed)
    page.keyboard.press("Enter")
    opened.pump(limited)

    assert page.locator(".form [role=alert]:visible").inner_text() == told
    assert field(page, "budget_tokens").input_value() == typed
    assert field(page, "budget_tokens").get_attribute("aria-invalid") == "true"
    field(page, "budget_tokens").fill("300")
    page.keyboard.press("Enter")
    opened.pump(limited)
    assert page.locator(".form [role=alert]:visible").count() == 0
    assert settings_of(limited).budget_tokens == 300


class Lists(Processor):
    id = "lists"
    name = "<b>Lists</b>"

    class Settings(ProcessorSettings):
        names: list[str] = Field(default_factory=list[str], description="<i>Names</i>")
        share: float = Field(0.5, ge=0, le=1)

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx.put(Table("names", tuple(self.settings.names)))


def test_a_list_is_json_and_what_is_none_is_not_sent(opened: Opened, tmp_path: Path) -> None:
    pipeline = ctxlab.default_pipeline().with_processor(Lists)
    widget = StepDebugger(ctxlab.build(chat(), pipeline=pipeline))
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=lists]").click()
    opened.pump(widget)
    field(page, "names").fill('["a", ')
    page.keyboard.press("Enter")
    assert opened.pump(widget) == []
    assert "Names is not JSON: lists are" in page.locator(".form [role=alert]:visible").inner_text()
    field(page, "names").fill('["a", "b"]')
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert left(widget.debugger.context, "names") == ("a", "b")
    assert field(page, "names").input_value() == '["a","b"]'
    assert page.locator(".side b, .side i").count() == 0
    assert "<b>Lists</b>" in page.locator(".side").inner_text()


DRAG = """(handle, values) => values.forEach((value) => {
  handle.value = value;
  handle.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def test_a_handle_is_dragged_and_the_run_follows_when_it_rests(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    handle = page.get_by_label("Budget, slider")
    box = handle.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    high = int(handle.get_attribute("max") or 0)
    page.mouse.move(box["x"] + box["width"] * 200 / high, middle)
    page.mouse.down()
    # In one task of the page: on a busy machine the handle would rest between moves of the mouse.
    handle.evaluate(DRAG, [int(high * share) for share in (0.6, 0.7, 0.8)])
    opened.rest()
    first = pumped(opened, limited)
    page.mouse.move(box["x"] + box["width"] * 0.9, middle)
    opened.rest()
    second = pumped(opened, limited)
    page.mouse.up()

    assert [message["name"] for message in first + second] == ["budget_tokens", "budget_tokens"]
    assert first[0]["value"] < second[0]["value"] == settings_of(limited).budget_tokens
    assert limited.comparison["settings"][0]["old"] == 200
    assert handle.get_attribute("max") == str(high)
    assert field(page, "budget_tokens").input_value() == str(settings_of(limited).budget_tokens)


def test_a_handle_is_moved_by_key_in_the_steps_of_a_budget(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, StepDebugger(ctxlab.build(long_chat(60), budget_tokens=1000)), tmp_path)
    handle = page.get_by_label("Budget, slider")
    handle.focus()

    for key, value in (("ArrowRight", 1016), ("PageUp", 1272), ("ArrowLeft", 1256), ("PageDown", 1000), ("Home", 1)):
        page.keyboard.press(key)
        assert handle.input_value() == str(value)


def test_no_slider_where_an_end_is_unknown(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)

    named = page.locator(".form input[type=range]").evaluate_all("all => all.map((one) => one.dataset.name)")

    assert named == ["budget_tokens", "head_share", "block_share", "recent_share", "summary_share", "pins_share"]
    assert page.get_by_label("Head share", exact=True).is_hidden()


def test_settings_that_only_another_strategy_reads_are_hidden(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)

    def shown() -> list[str]:
        return page.locator(".form > label:visible").all_inner_texts()

    assert shown() == [
        "Budget",
        "Reserve",
        "Strategy",
        "Retained characters",
        "Marker",
        "Overhead",
        "Estimate",
        "Retain",
    ]
    page.get_by_label("Strategy", exact=True).select_option("head-and-tail")
    opened.pump(limited)
    assert shown() == ["Budget", "Reserve", "Strategy", "Overhead", "Estimate", "Head share"]


def test_a_slider_comes_when_the_run_has_messages(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(ctxlab.debug(long_chat(), budget_tokens=200))
    page = show_limiter(opened, widget, tmp_path)
    assert page.get_by_label("Budget, slider").count() == 0

    page.locator("[data-does=step]").click()
    opened.pump(widget)
    page.locator(f"[data-step={LIMITER}]").click()

    assert page.get_by_label("Budget, slider").input_value() == "200"


def test_undo_brings_back_what_was_given_at_first(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)
    assert page.get_by_role("button", name="Undo").count() == 0
    for value in ("300", "400"):
        field(page, "budget_tokens").fill(value)
        page.keyboard.press("Enter")
        opened.pump(limited)
    page.get_by_role("button", name="Undo Budget").click()
    said = [each for each in opened.pump(limited) if each["command"] != "remedies"]
    assert said == [{"command": "undo", "step": LIMITER, "name": "budget_tokens"}]
    assert settings_of(limited).budget_tokens == 200
    assert page.get_by_role("button", name="Undo").count() == 0
    assert page.locator(".side h3 .tag").count() == 0

    page.get_by_label("Strategy", exact=True).select_option("block")
    opened.pump(limited)
    page.locator(f"[data-step={LIMITER}]").focus()
    page.keyboard.press("o")
    opened.pump(limited)
    page.locator("[data-does=undo]").click()
    opened.pump(limited)
    assert (settings_of(limited).strategy, limited.debugger.pipeline.stage(LIMITER).enabled) == ("sliding", True)


def test_a_setting_says_what_it_means_and_who_set_it(opened: Opened, tmp_path: Path) -> None:
    management = {"contextManagement": {"enabled": True, "maxContextTokens": 500}}
    widget = StepDebugger(ctxlab.build(long_chat(), ctxlab.Agent.model_validate({"parameters": management})))
    page = show_limiter(opened, widget, tmp_path)
    hint = page.locator(".form .hint").first

    assert hint.inner_text().startswith("Tokens for the whole prompt")
    assert "From the agent." in hint.inner_text()
    field(page, "budget_tokens").fill("300")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert "From this call." in hint.inner_text()
    page.get_by_role("button", name="Undo Budget").click()
    opened.pump(widget)
    assert "From the agent." in hint.inner_text()


def test_a_budget_that_is_too_small_keeps_the_field_at_hand(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("3")
    page.keyboard.press("Enter")
    opened.pump(limited)
    assert f"{LIMITER} failed" in page.locator(".answer").inner_text()
    assert field(page, "budget_tokens").input_value() == "3"
    assert page.get_by_label("Budget, slider").input_value() == "3"

    field(page, "budget_tokens").fill("220")
    page.keyboard.press("Enter")
    opened.pump(limited)

    assert limited.debugger.trace.steps[-1].id == LIMITER
    assert len(limited.debugger.known.steps) == len(limited.debugger.pipeline.running())
    assert page.locator(".step.failed").count() == 0


# --- what a change did


def test_what_a_change_did_stands_beside_the_messages_and_leads_to_them(
    opened: Opened, limited: StepDebugger, tmp_path: Path, theme: str
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    assert page.get_by_text("Changed against the run before").is_hidden()
    field(page, "budget_tokens").fill("300")
    page.keyboard.press("Enter")
    opened.pump(limited)
    section = page.get_by_label("Changed against the run before")
    words = section.inner_text()

    first = 1 + [stage.id for stage in limited.debugger.pipeline.stages].index(LIMITER)  # two later steps are off
    ran = f"{first:02}\u2013{first + 2:02}, {first + 5:02}\u2013{first + 6:02}"
    assert f"Budget 200\u2009\u2192\u2009300; reran {ran} in " in words
    assert f"{limited.comparison['tokens']:,} tokens" in words
    assert f"+{limited.comparison['difference']}" in words
    back = section.locator("tr", has_text="+ back in")
    key = back.first.locator("button").inner_text()
    back.first.locator("button").click()
    opened.pump(limited)
    assert limited.selected == f"node:{key}"
    assert key in page.locator("article.chosen").inner_text()
    assert colours_of(section) > 5


def test_a_message_that_is_out_is_found_though_this_step_did_not_drop_it(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("120")
    page.keyboard.press("Enter")
    opened.pump(limited)
    page.locator("[data-step=merge-system]").click()
    opened.pump(limited)

    page.locator(".chg tr", has_text="\u2212 out").last.locator("button").click()
    opened.pump(limited)

    assert page.locator("article.chosen.k-dropped").count() == 1
    assert page.locator(".step.now").get_attribute("data-step") == LIMITER
    assert page.locator("[data-value=step]").get_attribute("aria-checked") == "true"


def test_the_rows_of_a_change_are_one_stop_and_the_arrows_walk(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("330")
    page.keyboard.press("Enter")
    opened.pump(limited)
    keys = page.locator(".chg button")
    assert keys.count() > 2

    keys.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    opened.pump(limited)

    assert limited.selected == f"node:{keys.nth(1).inner_text()}"
    assert page.locator(".chg button[tabindex='0']").count() == 1


def test_switching_a_step_off_tells_what_it_did(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)
    page.get_by_role("button", name="Switch off").click()
    opened.pump(limited)

    words = page.get_by_label("Changed against the run before").inner_text()

    assert f"{LIMITER} switched off" in words
    assert "+ back in" in words
    assert page.evaluate("() => document.activeElement.innerText") == "Switch on"


# --- the message in focus


def test_a_message_clicked_or_walked_to_is_selected(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    limited.debugger.back()
    limited.show()
    page = opened.show(limited, tmp_path)
    page.locator("[data-value=start]").click()
    page.locator(".foldrow").last.click()
    opened.pump(limited)
    first = limited.selected
    assert first.startswith("node:")
    page.keyboard.press("ArrowDown")
    opened.pump(limited)

    assert limited.selected not in ("", first)
    assert page.locator("article.chosen").count() == 1
    page.locator("article .tx").last.click()
    opened.pump(limited)
    assert limited.selected == limited.debugger.context.drafts[-1].key


def test_a_message_selected_elsewhere_comes_out_of_its_fold(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(ctxlab.build(long_chat(200)))
    page = opened.show(widget, tmp_path)
    assert page.locator("article").count() == 0

    widget.selected = "node:" + widget.debugger.context.drafts[120].key.removeprefix("node:")
    opened.pump(widget)

    assert page.locator("article.chosen").count() == 1
    assert page.locator("article.chosen").bounding_box() is not None
    assert [row.split(",")[0] for row in page.locator(".foldrow .lb").all_inner_texts()] == [
        "120 unchanged messages",
        "79 unchanged messages",
    ]
    assert opened.sent() == []


def test_any_part_of_a_merged_message_may_be_selected(opened: Opened, tmp_path: Path) -> None:
    said = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    widget = StepDebugger(ctxlab.build(ctxlab.read_data(said).pick()))
    page = opened.show(widget, tmp_path)
    page.locator(".part[data-key] .tx", has_text="two").click()
    opened.pump(widget)
    second = widget.debugger.context.drafts[0].merged[1].key
    assert widget.selected == second

    widget.selected = widget.debugger.context.drafts[0].merged[2].key
    opened.pump(widget)

    assert page.locator("article.chosen").count() == 1


# --- tokens


def test_tokens_in_sight_are_tinted_and_numbered(
    opened: Opened, limited: StepDebugger, tmp_path: Path, theme: str
) -> None:
    page = opened.show(limited, tmp_path)
    page.locator("[data-value=start]").click()
    before = page.locator("article.k-same .tx, article.k-dropped .tx").first.inner_text()
    page.locator("[data-value=token]").click()
    opened.rest()
    asked = opened.pump(limited)
    article = page.locator("article", has=page.locator(".tok")).first
    draft = article.get_attribute("data-draft") or ""

    assert "tokens" in [message["command"] for message in asked]
    assert article.locator(".tok").count() == len(limited.token_ends[draft])
    assert article.locator(".tx").inner_text() == before
    assert article.locator(".tok").nth(1).get_attribute("title") == f"token 2 of {len(limited.token_ends[draft])}"
    tints = article.locator(".tok").evaluate_all("all => new Set(all.map((t) => getComputedStyle(t).background)).size")
    assert tints == 4
    assert page.evaluate(CONTRAST)["wrong"] == []
    opened.rest()
    assert pumped(opened, limited) == []


def test_tokens_that_share_a_character_are_one_stretch(opened: Opened, tmp_path: Path) -> None:
    session = ctxlab.read_data([{"role": "user", "content": "灯塔 🫠 and <b>x</b>"}]).pick()
    widget = StepDebugger(ctxlab.build(session))
    page = opened.show(widget, tmp_path)
    page.locator("[data-value=start]").click()
    page.locator(".foldrow").click()
    page.locator("[data-value=token]").click()
    opened.rest()
    opened.pump(widget)

    words = page.locator("article .tx")
    assert words.inner_text() == "灯塔 🫠 and <b>x</b>"
    shared = words.locator(".tok", has_text="🫠")
    assert (shared.count(), (shared.get_attribute("title") or "").split()[0]) == (1, "tokens")
    assert words.locator("b").count() == 0


def test_tokens_go_on_across_what_a_step_rewrote_and_leave_out_what_it_removed(opened: Opened, tmp_path: Path) -> None:
    rule = ctxlab.RegexRule(id="r", name="say hello", regex="hi", replacement="hello", apply_to=ONLY_SENT)
    session = ctxlab.read_data([{"role": "user", "content": "hi there, hi"}]).pick()
    widget = StepDebugger(ctxlab.build(session, rules=[rule]))
    page = opened.show(widget, tmp_path)
    page.locator("[data-value=start]").click()
    page.locator("[data-value=token]").click()
    opened.rest()
    opened.pump(widget)
    opened.rest()

    words = page.locator("article .tx")
    assert "".join(words.locator(".tok").all_inner_texts()) == "hello there, hello"
    assert words.locator("del .tok").count() == 0
    assert words.locator("del").count() == 2


def test_estimated_tokens_are_not_tinted_and_it_says_so(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(ctxlab.build(long_chat(), model="claude-sonnet-4"))
    page = opened.show(widget, tmp_path)
    page.locator("[data-value=start]").click()
    page.locator("[data-value=token]").click()
    opened.rest()

    assert "estimated" in page.locator(".msgs > .hint").first.inner_text()
    assert opened.pump(widget) == []
    assert page.locator(".tok").count() == 0


# --- the run


def test_a_run_comes_and_goes(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger()
    page = opened.show(widget, tmp_path)
    assert "pass a trace" in page.locator(".empty").inner_text()

    widget.trace = ctxlab.build(chat())
    opened.pump(widget)
    assert page.locator(".step.now").inner_text().startswith("Result")
    page.get_by_role("button", name="Back").click()
    opened.pump(widget)
    assert page.locator(".step.now").get_attribute("data-step") == RUNNING[-1]
    assert (widget.position, widget.result) == (len(widget.debugger.pipeline.running()), False)
    widget.trace = None
    opened.pump(widget)
    assert page.locator(".step").count() == 0
    assert "pass a trace" in page.locator(".empty").inner_text()


def test_a_change_sends_what_is_new_and_draws_what_python_holds(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(ctxlab.build(long_chat(450), budget_tokens=600))
    page = show_limiter(opened, widget, tmp_path)
    before = widget.view
    for value in ("900", "400"):
        field(page, "budget_tokens").fill(value)
        page.keyboard.press("Enter")
        opened.pump(widget)
        kept = widget.debugger.context.drafts
        assert page.locator(".msgs .bar").inner_text().split("\n")[-1].startswith(f"{len(kept)} messages")

    assert widget.view == before
    assert len(widget.delta) < len(widget.view) / 3


def test_very_many_messages_are_few_rows_however_they_alternate(opened: Opened, tmp_path: Path) -> None:
    rule = ctxlab.RegexRule(id="r", name="even", regex="even", replacement="EVEN", apply_to=ONLY_SENT)
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": f"message {i}, {('even', 'odd')[i % 2]}"} for i in range(3000)]
    widget = StepDebugger(ctxlab.build(ctxlab.read_data(said).pick(), rules=[rule]))
    page = opened.show(widget, tmp_path)
    page.locator("[data-value=start]").click()
    rows = page.locator(".feed > [data-id]")

    assert rows.count() < 250
    rest = page.locator(".f-mixed")
    assert "more messages: 1," in rest.inner_text()
    before = rows.count()
    rest.scroll_into_view_if_needed()
    opened.rest()  # rows that come into view get their own heights
    rest.click()
    assert rows.count() == before + 100
    widget.selected = widget.debugger.context.drafts[1501].key
    opened.pump(widget)
    assert page.locator("article.chosen").count() == 1
    assert rows.count() < 400


def test_the_form_fits_a_narrow_page(opened: Opened, limited: StepDebugger, tmp_path: Path, theme: str) -> None:
    opened.resize(420)
    page = show_limiter(opened, limited, tmp_path)
    field(page, "budget_tokens").fill("300")
    page.keyboard.press("Enter")
    opened.pump(limited)
    page.locator("[data-value=token]").click()

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert page.evaluate(CONTRAST)["wrong"] == []


# --- a click on a step, what is sent, selections from elsewhere


def test_one_click_goes_to_a_step_and_its_settings_follow(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(limited, tmp_path)
    assert page.locator(".step.now").get_attribute("data-step") == LIMITER

    page.locator("[data-step=merge-system] .nm").click()
    opened.pump(limited)

    assert limited.debugger.trace.steps[-1].id == "merge-system"
    assert page.locator(".step.now").get_attribute("data-step") == "merge-system"
    assert page.locator(".side h3 .name").inner_text() == "Merge system messages"
    page.locator("[data-step=convert-system]").click()
    opened.pump(limited)
    assert limited.debugger.trace.steps[-1].id == "merge-system"
    assert page.locator(".side h3 .name").inner_text() == "System to user"


def test_behind_the_last_step_is_what_is_sent_and_back_leads_to_the_step(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(limited, tmp_path)
    page.locator(".step.result").click()
    opened.pump(limited)

    sent = limited.debugger.known.result.drafts
    assert limited.result
    assert page.locator(".answer").inner_text().startswith(f"{len(sent)} messages sent, ")
    assert page.locator("[data-value=start]").get_attribute("aria-checked") == "true"
    assert page.locator("article.k-dropped").count() >= 1
    page.locator("[data-value=step]").click()
    opened.pump(limited)
    assert not limited.result
    assert page.locator(".step.now").get_attribute("data-step") == RUNNING[-1]


def test_a_selection_from_elsewhere_changes_no_scope_and_offers_a_jump(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(limited, tmp_path)
    kept = limited.debugger.context.drafts[-1].key

    limited.selected = kept
    opened.pump(limited)

    assert page.locator("[data-value=step]").get_attribute("aria-checked") == "true"
    jump = page.locator(".jump")
    assert jump.inner_text() == f"{kept.removeprefix('node:')} is unchanged here \u00b7 show in Result"
    jump.get_by_role("button").click()
    opened.pump(limited)
    assert limited.result
    assert page.locator("article.chosen").count() == 1
    page.locator("[data-step=merge-system]").click()
    opened.pump(limited)
    limited.selected = limited.debugger.context.dropped[0].drafts[0].key
    opened.pump(limited)
    assert f"is taken out at {LIMITER}" in jump.inner_text()
    page.locator("article .tx, .foldrow").first.click()
    assert jump.is_hidden()


# --- buttons of messages


def test_every_message_cut_for_want_of_room_has_its_button_without_being_selected(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(limited, tmp_path)
    opened.rest()
    opened.pump(limited)
    cut = page.locator("article.k-dropped")

    assert cut.count() > 1
    assert page.locator("article.k-dropped .remedy button").count() == cut.count()
    assert limited.selected == ""
    for i in range(cut.count()):
        key = page.evaluate("(i) => document.querySelectorAll('.k-dropped .key')[i].title", i)
        extra = limited.debugger.known.why(key).least_budget.extra_tokens
        assert cut.nth(i).locator(".remedy button").inner_text() == f"Keep it, budget +{extra}"
        assert cut.nth(i).locator(".cause .strong").inner_text() == cut_causes(limited.debugger.known)[key]


def test_task_a_cut_message_is_brought_back_with_one_click_and_undone_with_another(
    opened: Opened, tmp_path: Path
) -> None:
    widget = StepDebugger(harbour())
    page = opened.show(widget, tmp_path)
    opened.rest()
    opened.pump(widget)
    row = page.locator("article.k-dropped", has=page.locator("[title='node:a7']"))
    before = widget.trace

    row.get_by_role("button", name="Keep it").click()
    opened.pump(widget)

    assert widget.trace is not None
    assert "node:a7" in [part.key for draft in widget.trace.result.drafts for part in draft.parts]
    words = page.locator(".effect").inner_text()
    assert words.startswith("Keep it: a7 ")
    assert "came: " in words
    assert page.locator(".step.now").get_attribute("data-step") == LIMITER
    assert page.locator(".side h3 .tag").inner_text() == "changed"
    page.locator(".effect").get_by_role("button", name="Back").click()
    opened.pump(widget)
    assert widget.trace is before
    assert page.locator(".effect").is_hidden()


def test_task_a_message_is_edited_at_the_limiter_and_the_run_goes_on_with_three_clicks(
    opened: Opened, tmp_path: Path
) -> None:
    widget = StepDebugger(harbour())
    page = opened.show(widget, tmp_path)  # it opens at the limiter

    page.locator(".foldrow").last.click()
    message = page.locator("article", has=page.locator("[title='node:u13']"))
    message.locator(".tx").dblclick()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Is it <b>him</b>?")
    page.keyboard.press("Enter")
    page.keyboard.type("So it is.")
    page.keyboard.press("Control+Enter")
    opened.pump(widget)

    assert widget.trace is not None
    assert widget.trace.messages[-2]["content"] == "Is it <b>him</b>?\nSo it is."
    ids = [step.id for step in widget.trace.steps]
    assert ids[ids.index("edit") - 1 :][:3] == [LIMITER, "edit", "merge-system"]
    assert page.locator(".step.now").inner_text().split("\n")[1:3] == ["by hand", "edit"]
    assert page.locator("article .tag.hand").all_inner_texts() == ["edited by hand"]
    assert page.evaluate("() => document.activeElement.querySelector('.key').title") == "node:u13"
    assert page.locator("article b").count() == 0
    assert page.locator(".effect").inner_text().startswith("Edited u13 by hand ")
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert widget.trace is harbour()


def test_an_edit_begins_with_e_is_given_back_with_escape_and_dropped_messages_have_none(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(limited, tmp_path)
    opened.rest()
    page.locator(".foldrow").last.click()
    page.locator("article:not(.k-dropped)").last.focus()
    page.keyboard.press("e")
    page.keyboard.type("never mind nrtbo")
    page.keyboard.press("Escape")
    assert page.locator(".editor").count() == 0
    assert page.evaluate("() => document.activeElement.matches('article')")
    page.locator("article.k-dropped").first.focus()
    page.keyboard.press("e")
    page.locator("article.k-dropped .tx").first.dblclick()
    assert page.locator(".editor").count() == 0
    page.locator("article:not(.k-dropped)").last.hover()
    page.locator("article:not(.k-dropped) [data-edit]").last.click()
    page.get_by_role("button", name="Save").click()

    assert pumped(opened, limited) == []


def test_an_edit_that_is_lost_is_said_to_be_in_the_row_and_in_the_notes(
    opened: Opened, limited: StepDebugger, tmp_path: Path
) -> None:
    first = limited.debugger.context.drafts[0].key
    limited.edit_message(first, "other words")
    limited.set_setting(LIMITER, "budget_tokens", 70)
    page = opened.show(limited, tmp_path)

    assert page.locator(".step.lost").inner_text().split("\n")[1:3] == ["lost", "edit"]
    assert f"the edit of {first.removeprefix('node:')} by hand is lost: it is taken out before" in (
        page.get_by_label("Notes").inner_text()
    )


def test_links_to_other_views_are_there_where_the_views_are(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(harbour())
    page = opened.show(widget, tmp_path)
    assert page.get_by_role("button", name="Open in").count() == 0
    widget.views = ["budget", "lore", "rules"]
    page = opened.show(widget, tmp_path)
    opened.rest()
    opened.pump(widget)
    row = page.locator("article.k-dropped", has=page.locator("[title='node:a7']"))
    row.get_by_role("button", name="Open in Budget").click()
    assert pumped(opened, widget)[-1] == {"command": "open_view", "view": "budget", "key": "node:a7"}

    page.locator("[data-step=regex-processor]").click()
    opened.pump(widget)
    page.locator("article.k-rewritten").first.hover()
    page.get_by_role("button", name="Open in Rules").first.click()
    assert pumped(opened, widget) == [{"command": "open_view", "view": "rules", "key": "short-directions"}]
    page.locator("[data-step=injection-assembler]").click()
    opened.pump(widget)
    page.locator("article.k-added", has=page.locator("[title^='lore:']")).first.hover()
    page.get_by_role("button", name="Open in Lore").first.click()
    (asked,) = pumped(opened, widget)
    assert (asked["view"], asked["key"].startswith("lore:")) == ("lore", True)


# --- every key


WATCHED = """() => {
  window.heard = [];
  document.addEventListener('keydown', (event) => window.heard.push(event.key));
}"""


def in_focus(page: Page) -> str:
    return page.evaluate("() => document.activeElement.dataset.step ?? document.activeElement.tagName")


LORE = RUNNING.index("worldbook-processor") + 1
"""The position after the step in focus."""


@pytest.mark.parametrize(
    ("key", "focus", "position", "asked"),
    [
        ("ArrowLeft", RUNNING[LORE - 2], LORE + 1, []),
        ("ArrowRight", "injection-assembler", LORE + 1, []),
        ("Home", "session-loader", LORE + 1, []),
        ("End", "", LORE + 1, []),
        ("t", "worldbook-processor", LORE, [{"command": "run_to", "position": LORE}]),
        ("b", "worldbook-processor", LORE + 1, [{"command": "breakpoint", "step": "worldbook-processor", "on": True}]),
        ("o", "worldbook-processor", LORE, [{"command": "switch", "step": "worldbook-processor", "on": False}]),
        ("n", "worldbook-processor", LORE + 2, [{"command": "step"}]),
        ("Shift+N", "worldbook-processor", LORE, [{"command": "back"}]),
        ("r", "worldbook-processor", len(RUNNING), [{"command": "run"}]),
        ("Enter", "worldbook-processor", LORE, [{"command": "run_to", "position": LORE}]),
    ],
)
def test_a_key_on_a_step_does_its_thing_and_goes_no_further(
    opened: Opened, widget: StepDebugger, tmp_path: Path, key: str, focus: str, position: int, asked: list[Any]
) -> None:
    widget.run_to(LORE + 1)
    page = opened.show(widget, tmp_path)
    page.evaluate(WATCHED)
    page.locator("[data-step=worldbook-processor]").focus()

    page.keyboard.press(key)

    assert opened.pump(widget) == asked
    assert (in_focus(page), widget.position) == (focus, position)
    assert [heard for heard in page.evaluate("() => window.heard") if heard != "Shift"] == []
    shown = page.locator(".step[aria-pressed=true]").get_attribute("data-step")
    if key == "Enter":
        assert shown == "worldbook-processor"


def test_keys_with_ctrl_and_in_fields_are_left_alone(opened: Opened, limited: StepDebugger, tmp_path: Path) -> None:
    page = show_limiter(opened, limited, tmp_path)
    page.locator(f"[data-step={LIMITER}]").focus()
    for key in ("Control+b", "Alt+n", "Meta+o", "Control+z", "Control+Shift+z"):
        page.keyboard.press(key)
    field(page, "marker").focus()
    page.keyboard.type("nrtboe")

    assert pumped(opened, limited) == []
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.name") != "marker"


def rewritten_chat() -> StepDebugger:
    """Of messages with stretches of their own: "a hello b hello c"."""
    rule = ctxlab.RegexRule(id="r", name="say hello", regex="HI", replacement="hello", apply_to=ONLY_SENT)
    said = [("user", "a HI b HI c"), ("assistant", "d HI e")]
    session = ctxlab.read_data([{"role": role, "content": text} for role, text in said]).pick()
    return StepDebugger(ctxlab.build(session, rules=[rule]))


def quoted(page: Page) -> list[str]:
    return [page.locator(f".pop .{part}").inner_text() for part in ("quote", "ph .muted")]


def test_the_keys_walk_through_a_messages_words_and_back_out(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(rewritten_chat(), tmp_path)
    page.locator("[data-value=start]").click()
    page.evaluate(WATCHED)
    page.locator("article").first.focus()

    page.keyboard.press("Enter")
    assert quoted(page) == ["“a ”", "message 1, 2 characters"]
    page.keyboard.press("ArrowRight")
    assert page.locator("[data-span].sel").inner_text() == "hello"
    page.keyboard.press("ArrowLeft")
    assert quoted(page)[0] == "“a ”"
    page.keyboard.press("Shift+ArrowRight")
    assert quoted(page) == ["“a”", "message 1, 1 character"]
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Escape")
    assert page.locator(".pop").count() == 0
    assert page.evaluate("() => document.activeElement.dataset.id").startswith("m:")
    assert [heard for heard in page.evaluate("() => window.heard") if heard != "Shift"] == []


def test_escape_leads_back_to_the_message_whose_words_were_chosen_last(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(rewritten_chat(), tmp_path)
    page.locator("[data-value=start]").click()
    for i in (0, 1):
        page.locator("article").nth(i).locator("[data-span]").first.click()

    page.locator(".pop").get_by_role("button", name="Close").click()

    assert page.evaluate("() => document.activeElement.innerText").startswith("2")


def test_a_long_stretch_is_counted_whole_though_its_middle_is_hidden(opened: Opened, tmp_path: Path) -> None:
    words = "灯塔🫠" + "x" * 2000 + "y"
    widget = StepDebugger(ctxlab.build(ctxlab.read_data([{"role": "user", "content": words}]).pick()))
    page = opened.show(widget, tmp_path)
    page.locator("[data-value=start]").click()
    page.locator(".foldrow").click()
    page.locator("article").focus()
    assert page.locator(".more").count() == 1

    page.keyboard.press("Enter")

    assert quoted(page) == ["“灯塔🫠xxxx … xxxxxxxy”", "message 1, 2,004 characters"]


def test_two_clicks_on_a_number_are_a_breakpoint_and_none_and_nothing_runs(
    opened: Opened, widget: StepDebugger, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)

    page.locator("[data-step=token-limiter] .no").click()
    opened.pump(widget)
    page.locator("[data-step=token-limiter] .no").dblclick()
    opened.pump(widget)

    assert widget.position == 0


class Fields(Processor):
    id = "fields"

    class Settings(ProcessorSettings):
        maybe_choice: Literal["x", "y"] | None = None
        number: Literal[1, 2] = 1
        flag: bool = False
        maybe_flag: bool | None = None
        whole: int = 3
        maybe_whole: int | None = None
        share: float = Field(0.5, ge=0, le=1)
        words: str = "hello"
        maybe_words: str | None = None
        names: list[str] = Field(default_factory=list[str])
        table: dict[str, int] = Field(default_factory=dict[str, int])

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("maybe_choice", "y", "y"),
        ("number", "2", 2),
        ("maybe_flag", "no", False),
        ("whole", "-1,200", -1200),
        ("maybe_whole", "7", 7),
        ("share", "0.75", 0.75),
        ("words", "", ""),
        ("maybe_words", "灯塔", "灯塔"),
        ("names", '["a"]', ["a"]),
        ("table", '{"a": 1}', {"a": 1}),
    ],
)
def test_a_field_of_every_kind_takes_a_value_and_gives_it_back(
    opened: Opened, tmp_path: Path, name: str, given: str, value: object
) -> None:
    widget = StepDebugger(ctxlab.build(chat(), pipeline=ctxlab.default_pipeline().with_processor(Fields)))
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=fields]").click()
    control = field(page, name)

    def shown() -> str:
        return control.evaluate("(one) => one.selectedOptions?.[0].textContent ?? one.value")

    before, first = shown(), getattr(Fields.Settings(), name)
    if control.evaluate("(one) => one.tagName") == "SELECT":
        control.select_option(label=given)
    else:
        control.fill(given)
        page.keyboard.press("Enter")
    opened.pump(widget)
    assert getattr(widget.debugger.pipeline.stage("fields").processor.settings, name) == value

    page.locator(f"[data-undo={name}]").click()
    opened.pump(widget)
    assert getattr(widget.debugger.pipeline.stage("fields").processor.settings, name) == first
    assert shown() == before


@pytest.mark.parametrize("width", [420, 736, 760, 1100])
@pytest.mark.parametrize("steps", [11, 20])
def test_no_name_of_a_step_is_clipped_and_no_row_is_wider_than_the_page(
    opened: Opened, tmp_path: Path, width: int, steps: int
) -> None:
    def breaks(ctx: Context) -> Context:
        raise ValueError("no luck")

    pipeline = ctxlab.default_pipeline()
    for i in range(steps - len(pipeline.ids) - 1):
        pipeline = pipeline.with_processor(type(f"Step{i}", (Fields,), {"id": f"consecutive-processor-{i}"}))
    debugger = ctxlab.debug(chat(), pipeline=pipeline.with_processor(breaks))
    with pytest.raises(ProcessorFailed) as failed:
        debugger.run()
    opened.resize(width)
    page = opened.show(StepDebugger(failed.value.trace), tmp_path)

    is_wide = "one.clientWidth && one.scrollWidth > one.clientWidth + 1"
    wide = page.locator(".step, .step *:not(.vh)").evaluate_all(
        f"all => all.filter((one) => {is_wide}).map((one) => one.outerHTML)"
    )

    assert wide == []
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    frame, current = page.locator(".steps").bounding_box(), page.locator(".step.now").bounding_box()
    assert frame is not None
    assert current is not None
    assert frame["x"] <= current["x"]
    assert current["x"] + current["width"] <= frame["x"] + frame["width"] + 1
