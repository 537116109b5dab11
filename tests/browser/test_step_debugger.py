"""What is clicked and typed in the live widget arrives in Python, and what Python then holds is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab import Context
from ctxlab_widgets._shared.page import page
from ctxlab_widgets._shared.widget import bundle_of
from ctxlab_widgets.step_debugger import StepDebugger
from tests.browser.conftest import Opened


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
    assert "breakpoint" in (page.locator("[data-step=token-limiter]").get_attribute("aria-label") or "")

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
    assert widget.rerun == ["merge-consecutive"]
    assert "rerun" in page.locator("[data-step=merge-consecutive]").inner_text()
    off.click()
    page.keyboard.press("o")
    opened.pump(widget)
    assert "merge-system" in [step.id for step in widget.trace.steps]


def test_a_double_click_runs_to_a_step_and_back_to_it(opened: Opened, widget: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator("[data-step=token-limiter] .nm").dblclick()
    opened.pump(widget)
    assert widget.trace.steps[-1].id == "token-limiter"

    page.locator("[data-step=regex-processor] .nm").dblclick()
    opened.pump(widget)
    assert widget.trace.steps[-1].id == "regex-processor"


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
    file.write_text(page(bundle_of(StepDebugger), {"view": ""}, title="empty"), encoding="utf-8")

    assert "StepDebugger(ctxlab.build(session))" in opened.open(file).locator(".empty").inner_text()


def test_the_widget_leaves_nothing_behind(opened: Opened, widget: StepDebugger, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.evaluate("() => window.ctxlabHost.stop()")
    page.evaluate("() => window.ctxlabHost.model.put({ position: 0 })")

    assert page.locator(".ctxlab").count() == 0
