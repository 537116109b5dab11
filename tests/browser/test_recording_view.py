"""A recording in a browser: requests chosen by keys and mouse, the brush, any two, findings at their place."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ctxlab_widgets import RecordingView
from tests.browser.conftest import Opened
from tests.gallery.looking import colours_of
from tests.gallery.recordings import long_recording, tidebook

BREAKS = ["e025", "e032", "e039", "e044"]


@cache
def long_one() -> RecordingView:
    return RecordingView(long_recording(2000))


@pytest.fixture
def widget() -> RecordingView:
    return RecordingView(tidebook())


def answered(opened: Opened, widget: RecordingView) -> None:
    """What the page asks once its keys have come to rest is answered and drawn."""
    opened.rest()
    opened.pump(widget)
    opened.rest()


def plot(page: Page) -> dict[str, float]:
    box = page.locator(".plot").bounding_box()
    assert box is not None
    return {**box}


def in_sight(page: Page) -> str:
    return page.locator(".plot").get_attribute("data-sight") or ""


def test_keys_walk_from_request_to_request_and_from_break_to_break(
    opened: Opened, widget: RecordingView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    assert widget.request == "e032"
    page.locator(".plot").focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".plot")).to_have_attribute("aria-valuenow", "34")
    expect(page.locator(".facts")).to_contain_text("34: ")
    answered(opened, widget)
    assert widget.request == "e034"
    expect(page.locator(".pair h3")).to_have_text("34 against 33")
    page.keyboard.press("]")
    answered(opened, widget)
    assert widget.request == BREAKS[2]
    page.keyboard.press("[")
    page.keyboard.press("[")
    answered(opened, widget)
    assert widget.request == BREAKS[0]
    page.keyboard.press("End")
    answered(opened, widget)
    assert widget.request == "e050"
    page.keyboard.press("Home")
    answered(opened, widget)
    assert widget.request == "e001"
    expect(page.locator(".pair")).to_contain_text("no request is before it")


def test_keys_that_are_held_down_ask_python_once(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.evaluate(
        "() => { const plot = document.querySelector('.plot'); for (let n = 0; n < 8; n++)"
        " plot.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })); }"
    )
    opened.rest()

    assert opened.sent() == [{"command": "select", "request": "e024", "base": ""}]


def test_a_click_chooses_and_a_click_with_shift_sets_against(
    opened: Opened, widget: RecordingView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    box = plot(page)

    page.mouse.click(box["x"] + box["width"] * 9.5 / 50, box["y"] + 100)
    answered(opened, widget)
    assert (widget.request, widget.base) == ("e010", "")
    page.keyboard.down("Shift")
    page.mouse.click(box["x"] + box["width"] * 3.5 / 50, box["y"] + 100)
    page.keyboard.up("Shift")
    answered(opened, widget)
    assert (widget.request, widget.base) == ("e010", "e004")
    expect(page.locator(".pair h3")).to_have_text("10 against 4")
    page.locator(".plot").focus()
    page.keyboard.press("Shift+ArrowRight")
    answered(opened, widget)
    assert widget.base == "e005"
    page.keyboard.press("Escape")
    answered(opened, widget)
    assert widget.base == ""


def test_any_two_are_set_against_each_other_by_number(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.get_by_role("button", name="Any two…").click()
    page.get_by_role("spinbutton", name="Set against request").fill("12")
    page.keyboard.press("Enter")
    answered(opened, widget)
    assert widget.base == "e012"
    expect(page.locator(".pair h3")).to_have_text("32 against 12")
    page.get_by_role("button", name="Request behind, 33").click()
    answered(opened, widget)
    assert (widget.request, widget.base) == ("e033", "")


def test_the_first_difference_stands_there_with_both_sides(
    opened: Opened, widget: RecordingView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    rows = page.locator(".pd").first.locator("> div")

    expect(rows).to_have_count(3)
    expect(rows.nth(1).locator(".at")).to_have_text("G")
    expect(rows.nth(2).locator(".at")).to_have_text("g")
    expect(page.locator(".told")).to_contain_text("The tools are others from number 4 on")
    expect(page.locator(".told b")).to_contain_text("tokens read anew, US$ 0.05 at list prices")


def test_the_whole_difference_opens_and_each_row_of_it(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    widget.select("e039")
    page = opened.show(widget, tmp_path)

    page.get_by_role("button", name="Whole difference").click()
    opened.pump(widget)
    rows = page.locator(".pd.whole > div")
    assert rows.count() > 20
    more = page.locator(".pd.whole button[data-row]").nth(1)
    long = more.get_attribute("data-row")
    before = len(rows.nth(int(long or 0)).inner_text())
    more.click()
    opened.pump(widget)
    assert len(rows.nth(int(long or 0)).inner_text()) > before
    expect(page.locator(f".pd.whole button[data-row='{long}']")).to_be_focused()
    page.get_by_role("button", name="Whole difference").click()
    opened.pump(widget)
    expect(page.locator(".pd.whole")).to_be_hidden()


def test_a_finding_leads_to_its_request_and_shows_its_words(
    opened: Opened, widget: RecordingView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    row = page.locator(".find li", has_text="Instructions inside a result")

    row.get_by_role("button").first.click()
    answered(opened, widget)

    assert widget.request == "e008"
    expect(page.locator(".below mark")).to_have_text("ignore all previous instructions")
    expect(page.locator(".pair h3")).to_have_text("8 against 7")
    page.locator(".plot").focus()
    page.keyboard.press("Escape")
    opened.pump(widget)
    expect(page.locator(".below")).to_have_count(0)


def test_a_break_is_a_button_that_leads_to_it(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    buttons = page.locator(".ticks button")

    expect(buttons).to_have_count(4)
    assert [each.get_attribute("tabindex") for each in buttons.all()] == ["-1", "0", "-1", "-1"]
    buttons.nth(1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    answered(opened, widget)
    assert widget.request == BREAKS[2]
    page.get_by_role("button", name="What it kept").click()
    opened.pump(widget)
    expect(page.locator(".fates tbody tr").first).to_contain_text("lost")


def test_steps_and_body_are_asked_for_by_buttons(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.get_by_role("button", name="Steps").click()
    opened.pump(widget)
    assert widget.trace is not None
    page.get_by_role("button", name="Request", exact=True).click()
    opened.pump(widget)
    assert widget.payload is not None
    expect(page.locator(".opened")).to_contain_text("The body of request 32")


def test_the_brush_is_dragged_resized_and_zoomed(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    widget.sight = [10, 29]
    page = opened.show(widget, tmp_path)
    brush = page.locator(".brush").bounding_box()
    assert brush is not None
    middle, level = brush["x"] + brush["width"] / 2, brush["y"] + 15
    one = brush["width"] / 20

    page.mouse.move(middle, level)
    page.mouse.down()
    page.mouse.move(middle + 2 * one, level)
    page.mouse.move(middle + 5 * one, level)
    page.mouse.up()
    opened.rest()
    assert in_sight(page) == "15-34"
    page.mouse.move(brush["x"] + 25 * one - 1, level)
    page.mouse.down()
    page.mouse.move(brush["x"] + 30 * one, level)
    page.mouse.up()
    opened.rest()
    first, last = map(int, in_sight(page).split("-"))
    assert first == 15
    assert last >= 38
    box = plot(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    opened.rest()
    closer = in_sight(page)
    assert int(closer.split("-")[1]) - int(closer.split("-")[0]) < last - first
    opened.pump(widget)
    assert f"{widget.sight[0]}-{widget.sight[1]}" == closer


def test_the_brush_has_keys(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    widget.sight = [20, 35]
    page = opened.show(widget, tmp_path)
    page.locator(".brush").focus()

    for key, sight in (
        ("ArrowLeft", "19-34"),
        ("Shift+ArrowRight", "19-35"),
        ("Home", "0-16"),
        ("PageUp", "17-33"),
        ("End", "33-49"),
    ):
        page.keyboard.press(key)
        opened.rest()
        assert in_sight(page) == sight
    expect(page.locator(".brush")).to_have_attribute("aria-valuetext", "requests 34 to 50")


def test_it_stacks_by_source_tool_and_file(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    expect(page.locator(".facts")).to_contain_text("files read")

    page.get_by_role("radio", name="Source").focus()
    page.keyboard.press("ArrowRight")
    opened.pump(widget)
    assert widget.stack == "tool"
    expect(page.locator(".facts")).to_contain_text("Read")
    page.get_by_role("radio", name="File").click()
    opened.pump(widget)
    expect(page.locator(".facts")).to_contain_text("uv.lock")


def test_files_of_a_tool_fold(opened: Opened, widget: RecordingView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    fold = page.locator(".tool button.fold", has_text="Read")

    expect(page.locator(".tool .sub")).to_have_count(5)
    fold.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".tool .sub")).to_have_count(0)


def test_two_thousand_requests_are_few_elements_and_stay_in_reach(opened: Opened, tmp_path: Path) -> None:
    widget = long_one()
    page = opened.show(widget, tmp_path)
    page.locator(".plot").focus()

    page.keyboard.press("End")
    opened.rest()
    assert in_sight(page) == "1900-1999"
    page.locator(".brush").focus()
    for _ in range(12):
        page.keyboard.press("-")
    opened.rest()
    assert in_sight(page) == "0-1999"
    assert page.evaluate("() => document.querySelectorAll('.ctxlab *').length") < 1000
    assert colours_of(page.locator(".plot")) > 10


def test_a_long_recording_says_that_it_was_not_checked(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab_widgets.recording_view.MOST_CHARACTERS", 100)
    widget = RecordingView(tidebook())
    page = opened.show(widget, tmp_path)

    expect(page.locator(".ask")).to_contain_text("looking for findings and for lost rules takes a while")
    page.get_by_role("button", name="Check").click()
    opened.pump(widget)
    assert page.locator(".find li").count() > 5
    expect(page.locator(".ask")).to_be_hidden()


def test_agents_are_chosen(opened: Opened, tmp_path: Path) -> None:
    widget = RecordingView(long_recording(20, agents=("", "scout")))
    page = opened.show(widget, tmp_path)

    page.get_by_role("combobox", name="Agent").select_option("scout")
    opened.pump(widget)

    assert widget.agent == "scout"
    expect(page.locator(".answer")).to_contain_text("10 of 20 requests")
    expect(page.locator(".plot")).to_have_attribute("aria-valuemin", "2")


def test_a_recording_of_one_request_has_one_bar(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RecordingView(long_recording(1)), tmp_path)

    expect(page.locator(".over")).to_be_hidden()
    expect(page.locator(".ticks")).to_be_hidden()
    assert colours_of(page.locator(".plot")) > 3


@pytest.mark.parametrize("width", [1100, 600])
def test_the_theme_is_followed_by_what_is_drawn(opened: Opened, width: int, tmp_path: Path) -> None:
    opened.resize(width)
    page = opened.show(RecordingView(tidebook()), tmp_path)
    drawn = "() => document.querySelector('.plot canvas').toDataURL().length"
    picture = "() => document.querySelector('.plot canvas').toDataURL()"
    light = page.evaluate(picture)

    page.evaluate("() => document.documentElement.setAttribute('data-theme', 'dark')")
    opened.rest()
    dark = page.evaluate(picture)
    page.evaluate("() => document.documentElement.removeAttribute('data-theme')")
    opened.rest()

    assert light != dark
    assert page.evaluate(drawn) > 5000


def test_without_python_the_differences_that_came_along_are_shown(opened: Opened, tmp_path: Path) -> None:
    widget = RecordingView(tidebook())
    widget.keep_for_page()
    widget.live = False
    page = opened.show(widget, tmp_path)

    page.locator(".plot").focus()
    page.keyboard.press("ArrowLeft")
    opened.rest()
    expect(page.locator(".pair h3")).to_have_text("31 against 30")
    page.locator(".find li").nth(1).get_by_role("button").first.click()
    opened.rest()
    expect(page.locator(".pair h3")).to_have_text("4 against 3")
    assert opened.sent() == []
    expect(page.get_by_role("button", name="Steps")).to_have_count(0)


def test_without_a_recording_it_says_what_to_do(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RecordingView(), tmp_path)

    expect(page.locator(".empty")).to_contain_text("ctxlab.read_recording")
    expect(page.locator(".plot")).to_be_hidden()
