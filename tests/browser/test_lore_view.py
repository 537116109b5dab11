"""LoreView in a page: rows are walked through, opened, filtered and tried, and strangers' text stays text."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab import LoreEntry, Worldbook
from ctxlab_widgets.lore_view import LoreView
from tests.browser.conftest import Opened
from tests.gallery.looking import colours_of
from tests.gallery.samples import book, harbour

COMPASS = "lore:harbour_lore/9"
RAIN = "lore:harbour_lore/6"


@pytest.fixture
def widget() -> LoreView:
    return LoreView(harbour())


def row(key: str) -> str:
    return f'.lrow[data-key="{key}"]'


def shown(opened: Opened) -> list[str | None]:
    return [each.get_attribute("data-key") for each in opened.page.locator(".lrow[data-key]").all()]


def focused(opened: Opened) -> tuple[str | None, int]:
    """Key and column of the cell in focus."""
    return tuple(
        opened.page.evaluate(
            "() => { const cell = document.activeElement, row = cell.closest('.lrow');"
            " return [row && row.dataset.key, row ? [...row.children].indexOf(cell) : -1] }"
        )
    )


def test_it_draws_what_fired_in_green_and_what_was_blocked_in_amber(
    opened: Opened, widget: LoreView, tmp_path: Path, theme: str
) -> None:
    page = opened.show(widget, tmp_path)

    colours = page.evaluate(
        "() => ['.d-fired', '.d-blocked', 'mark'].map((s, i) =>"
        " getComputedStyle(document.querySelector(s))[i < 2 ? 'color' : 'borderBottomColor'])"
    )

    assert (
        colours
        == {
            "light": ["rgb(26, 116, 66)", "rgb(133, 86, 0)", "rgb(138, 47, 12)"],
            "dark": ["rgb(108, 199, 148)", "rgb(226, 177, 85)", "rgb(207, 130, 68)"],
        }[theme]
    )
    assert colours_of(page.locator(".ctxlab")) > 40


def test_the_key_is_lit_beside_the_number_of_its_message(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    cell = page.locator(f"{row(COMPASS)} .tx")

    assert cell.locator("mark").all_inner_texts() == ["compass"]
    assert cell.locator(".mno").inner_text() == "message 19"
    assert page.locator(f"{row(RAIN)} .tx .chip").inner_text() == "雾港 · Mistwick"


def test_filters_have_counts_and_choose_what_is_shown(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    labels = page.get_by_role("radio").all_inner_texts()

    page.get_by_role("radio", name="Blocked 3").click()
    opened.pump(widget)
    assert widget.kind == "blocked"
    assert shown(opened) == [RAIN, COMPASS, "lore:harbour_lore/15"]
    page.keyboard.press("ArrowRight")
    opened.pump(widget)
    assert (widget.kind, len(shown(opened))) == ("not-hit", 6)
    widget.filter("all")
    opened.pump(widget)

    assert labels == ["All 18", "Fired 9", "Blocked 3", "Not hit 6"]
    assert len(shown(opened)) == 18


def test_find_looks_through_titles_and_keys(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.locator(f"{row(RAIN)} > div").first.focus()
    page.keyboard.press("/")
    page.keyboard.type("HERON")
    opened.pump(widget)
    assert (widget.find, shown(opened)) == ("HERON", [COMPASS])
    assert page.locator(".answer").inner_text().startswith("1 found; 9 of 18 entries fired")
    page.keyboard.type(" <b>")
    opened.pump(widget)

    assert shown(opened) == []
    assert "“HERON <b>”" in page.locator(".lore .empty").inner_text()


def test_arrows_walk_through_rows_and_columns_and_enter_opens(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    keys = shown(opened)
    page.locator(".answer button").last.focus()
    page.keyboard.press("Tab")

    assert focused(opened) == (keys[0], 0)
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "End"):
        page.keyboard.press(key)
    assert focused(opened) == (keys[1], 4)
    page.keyboard.press("Control+End")
    assert focused(opened) == (keys[-1], 4)
    page.keyboard.press("ArrowDown")
    assert focused(opened) == (keys[-1], 4)
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert (widget.opened, widget.selected) == (keys[-1], keys[-1])
    assert page.locator(".lopen").count() == 1
    assert focused(opened) == (keys[-1], 4)
    page.keyboard.press("Escape")
    opened.pump(widget)

    assert (widget.opened, page.locator(".lopen").count()) == ("", 0)
    assert focused(opened) == (keys[-1], 4)


def test_only_keys_that_do_something_are_kept_from_the_page(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.evaluate("() => { window.heard = []; addEventListener('keydown', (event) => heard.push(event.key)) }")
    keys = shown(opened)
    page.locator(f"{row(str(keys[0]))} > div").first.focus()

    for key in ("ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Home", "End", "Control+Home", "Enter"):
        page.keyboard.press(key)
        opened.pump(widget)
    assert [key for key in page.evaluate("() => heard") if key != "Control"] == []
    assert widget.opened == keys[0]
    for key in ("Control+PageDown", "Control+ArrowDown", "Alt+ArrowLeft", "a"):
        page.keyboard.press(key)

    assert {"PageDown", "ArrowDown", "ArrowLeft", "a"} <= set(page.evaluate("() => heard"))
    assert focused(opened) == (keys[0], 0)


def test_the_table_is_one_tab_stop(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    page.locator(f"{row(COMPASS)} > div").nth(3).focus()

    assert page.locator(".lore [tabindex='0']").count() == 1
    page.keyboard.press("Tab")

    assert focused(opened) == (None, -1)


def test_an_opened_row_shows_the_whole_text_the_gates_and_the_change(
    opened: Opened, widget: LoreView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    page.locator(row(COMPASS)).click()
    opened.pump(widget)

    more = page.locator(".lopen")
    assert more.locator(".mno").all_inner_texts() == ["message 18", "message 19"]
    assert more.locator("mark").all_inner_texts() == ["compass"]
    assert more.locator(".g-stopped").count() == 1
    assert "heron engraved" in more.locator(".content").inner_text()
    page.locator(row(COMPASS)).click()
    opened.pump(widget)
    assert widget.opened == ""


def priced(opened: Opened, widget: LoreView) -> None:
    """The page asks for the prices of what it shows, until it has them all."""
    while opened.pump(widget):
        pass


def test_task_entry_made_to_fire(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    """From the opened view: one click."""
    page = opened.show(widget, tmp_path)
    priced(opened, widget)
    cell = page.locator(f"{row(COMPASS)} .why")
    box = page.locator(row(COMPASS)).bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 400
    assert cell.inner_text().splitlines()[0].startswith("None of its 4 second keys was found in the newest 2 messages")

    cell.get_by_role("button", name="Scan depth 3, prompt +40").click()
    opened.pump(widget)

    assert page.locator(".effect").inner_text().startswith("Fires now: 罗盘 · The compass. +40 tokens; came: ")
    assert page.locator(f"{row(COMPASS)} .tag.d-fired").count() == 1


def test_a_change_is_tried_in_its_place_and_taken_back(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    priced(opened, widget)
    first, order = widget.trace, shown(opened)

    page.locator(f"{row(COMPASS)} [data-change]").click()
    assert opened.pump(widget) == [{"command": "try_change", "key": COMPASS}]
    assert page.locator(f"{row(COMPASS)} .tag.add").inner_text() == "new"
    assert page.get_by_role("radio", name="Fired 10").count() == 1
    assert shown(opened) == order
    page.evaluate("() => scrollTo(0, 600)")
    banner = page.locator(".effect").bounding_box()
    assert banner is not None
    assert 0 <= banner["y"] < 40
    page.get_by_role("button", name="Back").click()
    opened.pump(widget)

    assert widget.trace is first
    assert not page.locator(".effect").is_visible()
    assert page.get_by_role("radio", name="Fired 9").count() == 1


def test_t_tries_the_change_of_the_row_in_focus_and_ctrl_z_takes_it_back(
    opened: Opened, widget: LoreView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    priced(opened, widget)
    first = widget.trace
    page.locator(f"{row(COMPASS)} > div").nth(1).focus()

    page.keyboard.press("t")
    opened.pump(widget)
    assert widget.trace is not first
    assert focused(opened) == (COMPASS, 1)
    page.keyboard.press("Control+z")
    opened.pump(widget)

    assert widget.trace is first


def test_in_a_page_back_and_ctrl_z_are_the_pages(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    widget.views = ["steps", "lore"]
    page = opened.show(widget, tmp_path)
    priced(opened, widget)

    page.locator(f"{row(COMPASS)} [data-change]").click()
    priced(opened, widget)
    page.get_by_role("button", name="Back").click()
    assert opened.sent() == [{"command": "page_undo"}]
    page.locator(f"{row(RAIN)} > div").first.focus()
    page.keyboard.press("Control+z")

    assert opened.sent() == [{"command": "page_undo"}]


def test_the_sentence_leads_to_its_parts(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    page.locator(".answer").get_by_role("button", name="3 were blocked").click()
    opened.pump(widget)
    assert (widget.kind, len(shown(opened))) == ("blocked", 3)
    page.locator(".answer").get_by_role("button", name="罗盘").click()
    opened.pump(widget)

    assert (widget.kind, widget.opened) == ("all", COMPASS)
    assert page.locator(".lopen").count() == 1


def test_an_entry_that_is_shown_from_python_is_open_and_in_sight(
    opened: Opened, widget: LoreView, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)

    widget.show_key("lore:harbour_lore/17")
    opened.pump(widget)

    box = page.locator(row("lore:harbour_lore/17")).bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 900 - box["height"]
    assert page.locator(".lopen").count() == 1


def test_a_typed_text_is_scanned_and_the_field_keeps_what_is_typed_meanwhile(opened: Opened, tmp_path: Path) -> None:
    widget = LoreView(book(), "nothing")
    page = opened.show(widget, tmp_path)
    field = page.get_by_role("textbox", name="Text to scan")

    field.fill("the heron on the compass")
    page.wait_for_function("() => window.ctxlabHost.model.sent.some((each) => each.command === 'set_text')")
    field.press_sequentially("!")
    opened.pump(widget)

    assert widget.text == "the heron on the compass"
    assert page.locator(f"{row(COMPASS)} mark").all_inner_texts() == ["heron", "compass"]
    assert field.input_value() == "the heron on the compass!"


def test_selected_elsewhere_is_marked_here(opened: Opened, widget: LoreView, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    widget.selected = COMPASS
    opened.pump(widget)

    assert page.locator("[aria-selected=true]").get_attribute("data-key") == COMPASS


def test_another_run_is_drawn(opened: Opened, tmp_path: Path) -> None:
    widget = LoreView()
    page = opened.show(widget, tmp_path)
    assert "LoreView(trace)" in page.locator(".empty").inner_text()

    widget.trace = harbour()
    opened.pump(widget)

    assert len(shown(opened)) == 18


def test_of_ten_thousand_entries_a_few_are_drawn_and_all_can_be_reached(opened: Opened, tmp_path: Path) -> None:
    entries = {str(i): LoreEntry(uid=i, key=(f"word{i}",), comment=f"Entry {i}") for i in range(10_000)}
    widget = LoreView(Worldbook(name="big", entries=entries), "word77 and word5")
    page = opened.show(widget, tmp_path)
    assert 0 < page.locator(".lrow").count() < 200

    page.locator(".lrow[data-key] > div").first.focus()
    page.keyboard.press("Control+End")
    assert focused(opened) == ("lore:big/9999", 4)
    opened.rest()
    assert page.locator(".lrow").count() < 200
    assert page.locator(row("lore:big/9999")).is_visible()
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert "gates" in (page.locator(".lopen ul").get_attribute("class") or "")
    page.locator(".find").fill("entry 4711")
    opened.pump(widget)

    assert shown(opened) == ["lore:big/4711"]


def test_strangers_text_is_text(opened: Opened, tmp_path: Path) -> None:
    bad = "<img src=x onerror=alert(1)>\u202egnp"
    entry = LoreEntry(uid=bad, key=(bad, "red"), comment=bad, content=f"{bad}\x1b[31m", group=bad)
    widget = LoreView(Worldbook(name=bad, entries={"0": entry}), f"{bad} red \x1b[0m </script>")
    page = opened.show(widget, tmp_path)
    page.locator(".lrow[data-key]").click()
    opened.pump(widget)

    told = page.locator(".ctxlab").inner_text()
    assert page.locator(".ctxlab img").count() == 0
    assert "<img src=x onerror=alert(1)>\\u202egnp" in told
    assert not {"\u202e", "\x1b"} & set(told)


def test_a_narrow_page_stacks_what_a_wide_one_has_side_by_side(
    opened: Opened, widget: LoreView, tmp_path: Path
) -> None:
    opened.resize(420)
    page = opened.show(widget, tmp_path)
    page.locator(row(COMPASS)).click()
    opened.pump(widget)

    boxes = [page.locator(f"{row(COMPASS)} > .{name}").bounding_box() for name in ("who", "decided", "tx", "why")]
    who, _, tx, why = [box["y"] for box in boxes if box]
    assert who < tx < why
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420


def test_a_cell_that_a_narrow_page_leaves_out_is_passed_over(
    opened: Opened, widget: LoreView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab_widgets.lore_view.payload.MOST_COUNTED", 0)  # as in a book of thousands
    opened.resize(420)
    page = opened.show(LoreView(widget.trace), tmp_path)
    page.locator(f"{row(COMPASS)} > div").nth(3).focus()

    page.keyboard.press("ArrowRight")

    assert focused(opened) == (COMPASS, 3)


def test_a_report_of_it_opens_rows_and_offers_no_change(opened: Opened, tmp_path: Path) -> None:
    widget = LoreView(ctxlab.lore_scan(book(), "a lamp"))
    widget.live = False
    page = opened.show(widget, tmp_path)

    page.locator(row("lore:harbour_lore/8")).click()
    opened.rest()

    assert page.locator(".lopen .gates li").count() > 1
    assert page.locator("[data-change]").count() == 0
    assert "To make it fire: add a message" in page.locator(row("lore:harbour_lore/9")).inner_text()
