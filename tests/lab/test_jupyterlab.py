"""Notebooks in JupyterLab: each runs, its widgets are drawn in light and dark, and Python hears what is clicked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest
from playwright.sync_api import Locator

from tests.gallery.looking import colours_of
from tests.gallery.pages import PAINTED
from tests.lab.chat_clicks import chat_with_few_clicks
from tests.lab.notebooks import IN_LAB
from tests.lab.pages import Lab, Server
from tests.lab.stop_clicks import MOST_PIECES, busy_processes, stops

DRAWN = 24
"""A region that is drawn has more colours than this; an empty one has a handful."""


def shown_region(shown: Locator, name: str) -> Locator:
    return shown.get_by_role("region", name=name).last


def walk(lab: Lab, shown: Locator) -> None:
    widget = shown_region(shown, "Step debugger")
    before = int(lab.ask("print(widget.position)"))

    widget.get_by_role("button", name="Back").click()
    lab.until("widget.position", before - 1)
    widget.locator("[data-step=token-limiter] .no").click()
    lab.until("widget.breakpoints", ["token-limiter"])


def drag_the_budget(lab: Lab, shown: Locator) -> None:
    widget = shown_region(shown, "Token budget")
    before = int(lab.ask("print(widget.trace.table('token-limiter')['budget'][0])"))

    handle = widget.get_by_role("slider").first
    handle.focus()
    lab.page.keyboard.press("PageUp")
    lab.until(f"widget.trace.table('token-limiter')['budget'][0] > {before}", wanted=True)


def move_a_preset(lab: Lab, shown: Locator) -> None:
    widget = shown_region(shown, "Injection map")
    name = lab.ask("print(next(one for one in placed.injections if one.requested == 'depth 2').key)")

    widget.locator(f'.d[data-key="{name}"]').click()
    lab.until("widget.selected", name)
    widget.locator('.foot [name="depth"]').fill("5")
    lab.page.keyboard.press("Enter")
    lab.until(f"next(one.requested for one in landings(widget.trace).injections if one.key == {name!r})", "depth 5")


def look_at_another_branch(lab: Lab, shown: Locator) -> None:
    widget = shown_region(shown, "Branch tree")
    leaf = lab.ask("print(widget.session.leaf)")
    canvas = widget.locator("canvas.cv")

    widget.locator(".answer .lk").click()
    lab.page.evaluate(PAINTED)
    canvas.click()
    lab.until("widget.selected", f"node:{leaf}")
    while (
        lab.ask("n = widget.session.node(widget.selected[5:]); print(len(widget.session.children(n.parent_id)))") == "1"
    ):
        at = lab.ask("print(widget.selected)")
        lab.page.keyboard.press("ArrowLeft")
        lab.until(f"widget.selected != {at!r}", wanted=True)
    at = lab.ask("print(widget.selected)")
    lab.page.keyboard.press("ArrowUp")
    if lab.ask("print(widget.selected)") == at:
        lab.page.keyboard.press("ArrowDown")
    lab.until(f"widget.selected != {at!r}", wanted=True)
    lab.page.keyboard.press("Enter")
    lab.until(f"widget.session.leaf != {leaf!r}", wanted=True)


def open_a_row(lab: Lab, shown: Locator) -> None:
    row = shown_region(shown, "Compare").locator(".it").first
    key = row.get_attribute("data-key") or ""

    row.click()
    lab.until("widget.opened", [key])


def tab(shown: Locator, name: str) -> Locator:
    """A tab, whatever count stands behind its name."""
    return shown.get_by_role("tab", name=re.compile(f"^{name}"))


def ask_for_a_reason(lab: Lab, shown: Locator) -> None:
    chip = shown_region(shown, "What is sent").locator("details.att").first

    chip.locator("summary").click()
    lab.until_true(lambda: chip.get_attribute("open") is not None, "the chip opens with its reason")


def ask_whose_a_line_is(lab: Lab, shown: Locator) -> None:
    widget = shown_region(shown, "Request")

    widget.locator(".st", has_text="watch open").click()
    lab.until("widget.selected", "lore:harbour_lore/14")
    widget.get_by_role("radio", name="Gemini").click()
    lab.until("widget.payload.provider.name", "gemini")


def chat_fills_its_tab(lab: Lab, shown: Locator) -> None:
    tab(shown, "Chat").click()
    chat = shown_region(shown, "Chat")
    chat.wait_for()
    whole = (shown_region(shown, "Runs").bounding_box() or {"width": 0})["width"]
    lab.until_true(lambda: (chat.bounding_box() or {"width": 0})["width"] > whole * 0.9 > 400, "a chat one can read")
    names = shown.locator(".ctxlab-page [role=tab] > [class*=tabLabel], .ctxlab-page [role=tab] > [class*=TabLabel]")
    cut = names.evaluate_all("(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)")
    assert names.count() > 8
    assert cut == []


def open_all_tabs(lab: Lab, shown: Locator) -> None:
    names = ("What is sent", "Budget", "Injections", "Lore", "Rules", "Compression", "Compare", "Tokens")
    for opened, name in enumerate(names, 3):  # the tree and the steps are there
        tab(shown, name).click()
        lab.until("len(page.opened)", opened)
        shown.locator(".ctxlab:visible").nth(1).wait_for()
        drawn(lab, shown)

    shown_region(shown, "Token view").locator("[data-first='7']").first.click()
    lab.until("page.tokens.token", 7)
    tab(shown, "Lore").click()
    entry = shown_region(shown, "Lore decisions").locator(".lrow[data-key]").nth(1)
    entry.click()
    lab.until("page.lore.opened", entry.get_attribute("data-key"))
    turn_a_rule_off(lab, shown)
    go_back_and_forth(lab, shown)
    lab.until("all(getattr(page, name).trace is page.trace for name in page.opened)", wanted=True)
    chat_fills_its_tab(lab, shown)


def go_back_and_forth(lab: Lab, shown: Locator) -> None:
    """The head of the page: a link of its sentence, its one undo, a chip."""
    head = shown_region(shown, "Runs")
    lab.until("len(page.runs)", 2)

    head.get_by_role("button", name="Undo").click()
    lab.until("page.runs.current is page.runs[0]", wanted=True)
    head.get_by_role("button", name="lore entries fired").click()
    lab.until_true(lambda: tab(shown, "Lore").get_attribute("aria-selected") == "true", "the link opens its view")
    head.locator(".run").last.click()
    lab.until("page.runs.current is page.runs[1]", wanted=True)


def turn_a_rule_off(lab: Lab, shown: Locator) -> None:
    """By keyboard: from tab to tab with the arrows, Enter opens one."""
    hits = "len(page.trace.table('regex-processor')) if page.trace.step('regex-processor').reports else 0"
    before = int(lab.ask(f"print({hits})"))

    tab(shown, "Lore").focus()
    lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("Enter")
    rule = shown_region(shown, "Rules").get_by_role("switch").nth(1)
    rule.wait_for()
    rule.press("Space")
    lab.until(f"{hits} < {before}", wanted=True)


USES: Mapping[str, Callable[[Lab, Locator], None]] = {
    "06_step_debugger": walk,
    "07_token_budgets": drag_the_budget,
    "08_injection_positions": move_a_preset,
    "09_branches": look_at_another_branch,
    "10_compare_truncation": open_a_row,
    "11_attachments": ask_for_a_reason,
    "12_requests": ask_whose_a_line_is,
    "index": open_all_tabs,
}


def drawn(lab: Lab, shown: Locator) -> int:
    """How many widgets the notebook shows; each of them, and each canvas in it, comes to be more than an empty box."""
    widgets = shown.locator(".ctxlab:visible").all()
    for widget in widgets:
        for each in (widget, *widget.locator("canvas:visible").all()):
            lab.until_true(lambda each=each: colours_of(each) > DRAWN, f"{widget.get_attribute('aria-label')} is drawn")
    return len(widgets)


@pytest.mark.parametrize("name", sorted(IN_LAB))
def test_a_notebook_runs_is_drawn_and_heard(lab: Lab, name: str) -> None:
    with lab.notebook(f"notebooks/{name}.ipynb") as shown:
        assert lab.run_all() == []
        cells = lab.cells()
        assert all(cell["execution_count"] for cell in cells)
        assert any("text/html" in output.get("data", {}) for cell in cells for output in cell["outputs"])

        light = drawn(lab, shown)
        USES[name](lab, shown)
        lab.dark(on=True)

        assert drawn(lab, shown) == light
        assert {widget.get_attribute("data-theme") for widget in shown.locator(".ctxlab").all()} <= {"dark"}
        assert light


def test_a_chat_is_had_in_few_clicks(lab: Lab, server: Server) -> None:
    chat_with_few_clicks(lab, server)


def test_stop_is_said_at_once_and_ends_a_fast_answer_on_a_busy_machine(lab: Lab, server: Server) -> None:
    with busy_processes(4):
        found = stops(lab, server, tries=3)

    # In order, whatever the machine does: the page says so before Python's answer is there, and the pieces end.
    assert all(each["said"] <= each["stopped"] for each in found)
    assert all(each["pieces"] < MOST_PIECES for each in found)


# It ends once it sees that the answer was stopped, which it would wait for in vain were Stop to wait for it.
WAITING = """
import time
print("begun", flush=True)
for _ in range(6000):
    if panel.turns.running is None: break
    time.sleep(0.01)
else:
    LOG.update(waited_in_vain=True)
"""


def test_stop_is_heard_while_a_cell_runs(lab: Lab, server: Server) -> None:
    (found,) = stops(lab, server, tries=1, cell=WAITING)

    assert not found["waited_in_vain"]
