"""The injection map in a browser: wires follow the layout, what is typed arrives in Python and comes back drawn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import ctxlab
from ctxlab import Agent, Trace
from ctxlab.testing import generated_session
from ctxlab_widgets.injection_map import InjectionMap
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of
from tests.gallery.samples import harbour_with
from tests.widgets.test_injection_map import archive

DATASETS = Path(__file__).parents[2] / "datasets"
ENDS = """(key) => {
  const at = (e) => e.getBoundingClientRect(), frame = at(document.querySelector('.map'));
  const ends = [...document.querySelectorAll(`.wires g[data-key="${key}"] .wire`)].map((path) => {
    const n = path.getTotalLength(), from = path.getPointAtLength(0), to = path.getPointAtLength(n);
    return [from.x, from.y, to.x + 4, to.y].map((v, i) => v + (i % 2 ? frame.top : frame.left)) });
  return ends }"""


def wires(page: Page, key: str) -> list[list[float]]:
    """Both ends of every line of a definition, in the page: x and y where it leaves, x and y where it arrives."""
    return page.evaluate(ENDS, key)


def joins(page: Page, key: str, rows: list[int]) -> bool:
    """Whether the lines of a definition run from its element to these rows, wherever these are by now."""
    box = """(q) => { const r = document.querySelector(q).getBoundingClientRect();
      return [r.left, r.right, r.top, r.bottom] }"""
    _, right, top, bottom = page.evaluate(box, f'.d[data-key="{key}"]')
    found = wires(page, key)
    targets = [page.evaluate(box, f'.bx[data-row="{row}"]') for row in rows]
    return len(found) == len(targets) and all(
        abs(x1 - right) < 1 and top <= y1 <= bottom and abs(x2 - to[0]) < 1 and to[2] <= y2 <= to[3]
        for (x1, y1, x2, y2), to in zip(found, targets, strict=True)
    )


def landings(widget: InjectionMap, key: str) -> list[int]:
    groups = json.loads(widget.view)["groups"]
    return next(each["landings"] for group in groups for each in group["definitions"] if each["key"] == key)


def define(page: Page, key: str) -> Any:
    return page.locator(f'.d[data-key="{key}"]')


def field(page: Page, name: str) -> Any:
    return page.locator(f'.foot [name="{name}"]')


@pytest.fixture
def widget() -> InjectionMap:
    return InjectionMap(archive())


@pytest.fixture(scope="module")
def harbour() -> Callable[..., Trace]:
    return harbour_with


# --- drawing


def test_it_draws_in_light_and_in_dark(
    opened: Opened, harbour: Callable[..., Trace], tmp_path: Path, theme: str
) -> None:
    page = opened.show(InjectionMap(harbour()), tmp_path)
    colour = "(q) => { const s = getComputedStyle(document.querySelector(q)); return [s.backgroundColor, s.stroke] }"

    assert page.evaluate(colour, ".w")[0] == {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 28, 32)"}[theme]
    assert (
        page.evaluate(colour, '.wires g[data-key="preset:11"] .wire')[1]
        == {"light": "rgb(66, 105, 208)", "dark": "rgb(117, 144, 236)"}[theme]
    )
    assert colours_of(page) > 60


def test_wires_run_from_each_definition_to_all_its_landings(
    opened: Opened, harbour: Callable[..., Trace], tmp_path: Path
) -> None:
    widget = InjectionMap(harbour())
    page = opened.show(widget, tmp_path)

    assert len(landings(widget, "preset:11")) == 4
    for key in ("preset:0", "preset:11", "lore:harbour_lore/14"):
        assert joins(page, key, landings(widget, key))
    page.get_by_role("button", name="9 more entries not sent").click()
    assert define(page, "lore:harbour_lore/9").inner_text().splitlines()[1:] == [
        "not fired",
        "None of its 4 second keys was found in the newest 2 messages.",
    ]
    assert wires(page, "lore:harbour_lore/9") == []


def test_wires_follow_when_the_page_gets_another_width(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    before = wires(page, "preset:5")

    for width in (600, 1100):
        opened.resize(width)
        opened.rest()
        assert joins(page, "preset:5", landings(widget, "preset:5"))
    opened.resize(420)
    opened.rest()
    assert joins(page, "preset:5", landings(widget, "preset:5"))
    assert wires(page, "preset:5") != before


def test_a_depth_that_isnt_there_has_a_ghost_and_the_landing_a_heavy_wire(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)

    assert page.locator(".ghost").inner_text() == "depth 12 asked, no message there"
    asked, there = page.locator('.wires g[data-key="preset:4"] .wire').all()
    assert (asked.get_attribute("stroke-dasharray"), asked.get_attribute("stroke-width")) == ("3 3", "1")
    assert (there.get_attribute("stroke-dasharray"), there.get_attribute("stroke-width")) == (None, "2")
    assert "Asked depth 12, landed at 7: the history has 7 messages." in define(page, "preset:4").inner_text()
    assert page.locator(".answer").inner_text() == (
        "5 of 6 presets and 2 of 3 lore entries are placed; elsewhere than asked: Author's note; "
        "unknown anchor: Scene intro."
    )
    page.locator(".answer").get_by_role("button", name="Author's note").click()
    assert define(page, "preset:4").get_attribute("aria-pressed") == "true"


def test_an_unknown_anchor_is_amber_and_dashed(
    opened: Opened, widget: InjectionMap, tmp_path: Path, theme: str
) -> None:
    page = opened.show(widget, tmp_path)
    amber = {"light": "rgb(133, 86, 0)", "dark": "rgb(226, 177, 85)"}[theme]

    stroke = "(e) => { const s = getComputedStyle(e); return [s.stroke, s.strokeDasharray] }"
    assert page.locator('.wires g[data-key="preset:2"] .wire').evaluate(stroke) == [amber, "5px, 3px"]
    assert define(page, "preset:2").locator(".why").evaluate("(e) => getComputedStyle(e).color") == amber
    assert "did you mean 'chat_history'?" in define(page, "preset:2").inner_text()


def test_ticks_of_the_ruler_lie_between_the_messages(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)

    told = page.evaluate(
        """() => [...document.querySelectorAll('.slot')].map((slot) => {
          const [words, depth] = ['.bx', '.dp'].map((part) => slot.querySelector(part).innerText);
          return [words.split('\\n').pop(), depth] }).filter(([, depth]) => depth)"""
    )
    assert told == [
        ["depth 12 asked, no message there", "12"],
        ["Author's note", "7"],
        ["Three keepers.", "6"],
        ["And in April?", "5"],
        ["North Quay", "4"],
        ["Who signed?", "3"],
        ["Tone", "2"],
        ["Where?", "1"],
        ["end of the history", "0"],
    ]
    tick, row, above = page.evaluate(
        """() => {
          const all = [...document.querySelectorAll('.slot')], at = all.findIndex((s) => s.innerText.includes('Tone'));
          const box = (slot, part) => slot.querySelector(part).getBoundingClientRect();
          return [box(all[at], '.dp').top, box(all[at], '.bx').top, box(all[at - 1], '.bx').bottom] }"""
    )
    assert above <= tick <= row


def test_what_is_cut_later_is_hatched_and_says_so(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(InjectionMap(archive(budget_tokens=90)), tmp_path)

    cut = page.locator(".bx.cut")
    assert cut.count() > 0
    assert "cut later" in cut.first.inner_text()
    assert "repeating-linear-gradient" in cut.first.evaluate("(e) => getComputedStyle(e).backgroundImage")
    assert f"{cut.count()} cut later" in page.locator(".col h3").inner_text()


# --- looking


def test_the_pointer_lights_one_wire_and_the_rest_fades(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    faint = "(key) => getComputedStyle(document.querySelector(`.wires g[data-key='${key}']`)).opacity"

    define(page, "preset:5").hover()
    assert [page.evaluate(faint, key) for key in ("preset:5", "preset:0", "lore:salt/3")] == ["1", "0.2", "0.2"]
    assert page.locator(".bx.lit").inner_text() == "Tone"
    page.get_by_role("list").get_by_text("North Quay").hover()
    assert [page.evaluate(faint, key) for key in ("preset:5", "lore:salt/3")] == ["0.2", "1"]
    page.mouse.move(2, 2)
    assert page.evaluate(faint, "preset:0") == "1"


def test_what_is_chosen_at_either_side_is_known_in_python_and_the_other_way_round(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)

    define(page, "preset:5").click()
    opened.pump(widget)
    assert widget.selected == "preset:5"
    assert page.locator(".bx.chosen").inner_text() == "Tone"
    page.locator(".bx", has_text="Who signed?").click()
    opened.pump(widget)
    assert widget.selected.startswith("node:")
    assert "2 messages of the history below it" in page.locator(".chosen-row").inner_text()
    assert page.locator(".foot").count() == 0
    widget.selected = "lore:salt/3"
    opened.pump(widget)
    assert define(page, "lore:salt/3").get_attribute("aria-pressed") == "true"
    assert define(page, "lore:salt/3").locator("+ .foot").count() == 1, "the editor is right under it"


def test_up_and_down_walk_the_definitions_and_tab_leaves(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    focused = "() => document.activeElement.dataset.key"
    page.get_by_role("button", name="Keys of this view").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Author's note", "a part of the sentence"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "preset:0"

    for key, wanted in (("ArrowDown", "preset:1"), ("End", "lore:salt/9"), ("ArrowUp", "lore:salt/3")):
        page.keyboard.press(key)
        assert page.evaluate(focused) == wanted
    assert page.locator(".wires g.on").get_attribute("data-key") == "lore:salt/3"
    assert page.locator('.defs [tabindex="0"]').count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.row") == "0"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(focused) == "lore:salt/3"


# --- moving


def test_enter_edits_enter_applies_and_escape_gives_the_focus_back(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    define(page, "preset:5").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.name") == "depth"

    page.keyboard.type("5")
    page.keyboard.press("Enter")
    assert opened.pump(widget) == [{"command": "place", "key": "preset:5", "depth": 5}]
    assert "depth 5, order 50" in define(page, "preset:5").inner_text()
    assert joins(page, "preset:5", landings(widget, "preset:5"))
    page.keyboard.press("ArrowUp")
    assert field(page, "depth").input_value() == "6"
    page.keyboard.press("Escape")
    assert opened.pump(widget) == []
    assert field(page, "depth").input_value() == "5"
    assert page.evaluate("() => document.activeElement.dataset.key") == "preset:5"


def test_a_depth_and_an_anchor_take_each_other_away(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    define(page, "preset:5").click()
    assert field(page, "position").is_disabled()

    field(page, "anchor").select_option("chat_history")
    assert field(page, "depth").input_value() == ""
    field(page, "position").select_option("before")
    page.get_by_role("button", name="Apply").click()
    assert opened.pump(widget) == [
        {"command": "place", "key": "preset:5", "anchor": "chat_history", "position": "before"}
    ]
    assert "before Chat history, order 50" in define(page, "preset:5").inner_text()
    field(page, "depth").fill("0")
    assert field(page, "anchor").input_value() == ""


def test_lore_is_moved_in_its_book(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    define(page, "lore:salt/12").click()
    assert field(page, "depth").is_disabled()

    field(page, "position").select_option("at_depth")
    field(page, "depth").fill("1")
    field(page, "order").fill("20")
    field(page, "order").press("Enter")
    opened.pump(widget)

    entry = widget.books[0].entry(12)
    assert (entry.position, entry.depth, entry.order) == (4, 1, 20)
    assert joins(page, "lore:salt/12", landings(widget, "lore:salt/12"))


def test_a_move_says_what_else_it_did_and_goes_back(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    undo = page.get_by_role("button", name="Undo")
    before = widget.trace
    define(page, "preset:5").click()
    assert not undo.is_visible()
    field(page, "depth").fill("5")
    field(page, "depth").press("Enter")
    opened.pump(widget)
    assert page.locator(".effect").inner_text().startswith("Tone to depth 5 ±0 tokens; moved: Tone")
    assert undo.is_visible()

    page.get_by_role("button", name="Back").click()
    assert opened.pump(widget) == [{"command": "undo"}]

    assert widget.trace is before
    assert field(page, "depth").input_value() == "2"
    assert not undo.is_visible()
    assert page.locator(".effect").is_hidden()


def test_in_a_page_of_views_it_leads_to_them_and_undoes_with_them(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    widget.views = ["lore", "steps"]
    widget.place("preset:5", depth=5)
    page = opened.show(widget, tmp_path)
    assert not page.get_by_role("button", name="Undo").is_visible()

    define(page, "lore:salt/3").click()
    page.get_by_role("button", name="Open in Lore").click()
    define(page, "preset:5").click()
    assert page.get_by_role("button", name="Open in Lore").count() == 0
    page.get_by_role("button", name="Open in Steps").click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")

    assert opened.sent() == [
        {"command": "open_view", "view": "lore", "key": "lore:salt/3"},
        {"command": "open_view", "view": "steps", "key": "preset:5"},
        {"command": "page_undo"},
        {"command": "page_redo"},
    ]


# --- dragging


def middle(page: Page, found: str) -> tuple[float, float]:
    box = page.locator(found).first.bounding_box()
    assert box
    return box["x"] + 40, box["y"] + box["height"] / 2


def above(page: Page, words: str) -> float:
    box = page.locator(".bx", has_text=words).bounding_box()
    assert box
    return box["y"] + 2


def lift(page: Page, key: str) -> float:
    x, y = middle(page, f'.bx[data-key="{key}"]')
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 6)
    return x


def test_task_preset_to_depth_1(opened: Opened, harbour: Callable[..., Trace], tmp_path: Path) -> None:
    """Two clicks and a number, or one drag."""
    widget = InjectionMap(harbour())
    before = widget.trace
    page = opened.show(widget, tmp_path)
    mood = next(each for each in json.loads(widget.view)["groups"][1]["definitions"] if each["name"] == "Mood")
    clicks = 0
    for each in (define(page, mood["key"]), field(page, "depth")):
        each.click()
        clicks += 1
    opened.pump(widget)
    assert page.locator(".foot").evaluate("e => e.getBoundingClientRect().bottom <= innerHeight"), "it opens in view"
    field(page, "depth").fill("1")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert clicks <= 3
    assert depths(widget, mood["key"]) == [1]

    widget.trace = before
    opened.pump(widget)
    page.locator(f'.bx[data-key="{mood["key"]}"]').scroll_into_view_if_needed()
    x = lift(page, mood["key"])
    page.mouse.move(x, above(page, "u13"))
    told = page.locator(".drop").inner_text()
    page.mouse.up()

    assert told.startswith("Mood: between ")
    assert told.endswith(" and u13, depth 1")
    assert opened.pump(widget) == [{"command": "place", "key": mood["key"], "depth": 1}]
    assert depths(widget, mood["key"]) == [1]
    assert widget.agent is not None
    strategy = widget.agent.preset_messages[int(mood["key"].removeprefix("preset:"))].injection_strategy
    assert strategy is not None
    assert strategy.depth == 1
    assert page.locator(".effect").inner_text().startswith("Mood to depth 1 ")


def depths(widget: InjectionMap, key: str) -> list[int]:
    rows = json.loads(widget.view)["rows"]
    return [rows[at]["below"] for at in landings(widget, key)]


def test_lore_is_dragged_to_a_depth_and_a_click_stays_a_click(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    x = lift(page, "lore:salt/12")
    page.mouse.move(x, above(page, "Fennick."))
    page.mouse.up()
    assert opened.pump(widget) == [{"command": "place", "key": "lore:salt/12", "position": "at_depth", "depth": 2}]
    assert depths(widget, "lore:salt/12") == [2]

    page.locator('.bx[data-key="lore:salt/3"]').click()
    opened.pump(widget)
    assert widget.selected == "lore:salt/3"


def test_a_drag_that_can_not_be_says_why_and_changes_nothing(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    page = opened.show(widget, tmp_path)
    before = widget.trace
    x = lift(page, "preset:1")
    page.mouse.move(x, above(page, "Fennick."))
    assert page.locator(".drop.wrong").inner_text().startswith("It marks the place of User profile")
    page.mouse.up()

    x = lift(page, "preset:5")
    page.mouse.move(x, above(page, "Who kept") - 90)
    assert page.locator(".drop.wrong").inner_text().startswith("Above the history")
    page.mouse.up()

    x = lift(page, "preset:5")
    page.mouse.move(x, above(page, "Who signed?"))
    assert page.locator(".drop").inner_text().endswith("depth 3")
    page.keyboard.press("Escape")
    assert page.locator(".drop").is_hidden()
    page.mouse.up()

    assert opened.pump(widget) == []
    assert widget.trace is before


def test_a_finger_scrolls_and_a_long_press_lifts(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    x, y = middle(page, '.bx[data-key="preset:5"]')
    target = above(page, "Who signed?")
    press = """([x, y, type]) => {
      const of = { bubbles: true, cancelable: true, pointerId: 1, isPrimary: true, pointerType: 'touch', button: 0 };
      window.finger ??= document.elementFromPoint(x, y);
      window.finger.dispatchEvent(new PointerEvent(type, { ...of, clientX: x, clientY: y })) }"""
    page.evaluate("() => { Element.prototype.setPointerCapture = () => {}; delete window.finger }")
    page.evaluate(press, [x, y, "pointerdown"])
    page.evaluate(press, [x, y - 20, "pointermove"])
    opened.rest()
    assert page.locator(".drop").is_hidden(), "a finger that moves at once scrolls"
    page.evaluate(press, [x, y - 20, "pointerup"])

    page.evaluate(press, [x, y, "pointerdown"])
    opened.rest()
    assert page.locator(".bx.lifted").count() == 1
    page.evaluate(press, [x, target, "pointermove"])
    page.evaluate(press, [x, target, "pointerup"])

    assert opened.pump(widget) == [{"command": "place", "key": "preset:5", "depth": 3}]


def test_a_refusal_is_a_sentence_and_what_was_typed_stays(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    define(page, "preset:5").click()
    field(page, "depth").fill("-2")
    field(page, "depth").press("Enter")
    opened.pump(widget)

    assert page.locator(".answer.wrong").inner_text().startswith("depth can't be -2")
    assert field(page, "depth").input_value() == "-2"


def test_what_marks_a_place_says_why_it_isnt_moved(opened: Opened, widget: InjectionMap, tmp_path: Path) -> None:
    page = opened.show(widget, tmp_path)
    define(page, "preset:1").focus()
    page.keyboard.press("Enter")

    assert "It marks the place of User profile" in page.locator(".foot").inner_text()
    assert page.locator(".foot input").count() == 0
    assert page.evaluate("() => document.activeElement.dataset.key") == "preset:1"


def test_in_a_report_nothing_can_be_moved_and_the_rest_works(
    opened: Opened, widget: InjectionMap, tmp_path: Path
) -> None:
    widget.live = False
    page = opened.show(widget, tmp_path)
    define(page, "preset:5").click()

    assert page.locator(".foot input, .foot select").count() == 0
    assert not page.get_by_role("button", name="Apply").is_visible()
    assert "depth 2, order 50" in page.locator(".foot").inner_text()


# --- strangers, nothing, very many


def test_strangers_texts_are_shown_as_text(opened: Opened, tmp_path: Path) -> None:
    presets = [
        {"id": f"p{i}", "role": "system", "name": text, "content": text, "injectionStrategy": {"anchorTarget": text}}
        for i, text in enumerate(HOSTILE)
    ]
    said = [{"role": "user", "content": text} for text in HOSTILE]
    session = ctxlab.read_data(said).pick().with_(name=HOSTILE[0])
    widget = InjectionMap(ctxlab.build(session, Agent.model_validate({"id": "x", "presetMessages": presets})))
    widget.selected = "preset:0"
    page = opened.show(widget, tmp_path)

    assert "<script>document.title" in define(page, "preset:0").inner_text()
    assert page.title() == "live"
    assert page.locator(".map img, .map script, .head img").count() == 0
    assert "\u202e" not in page.locator(".w").inner_text()


def test_a_narrow_page_has_no_sideways_scroll(opened: Opened, harbour: Callable[..., Trace], tmp_path: Path) -> None:
    widget = InjectionMap(harbour(budget_tokens=1600))
    widget.selected = "preset:11"
    page = opened.show(widget, tmp_path)
    opened.resize(420)
    opened.rest()

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert joins(page, "preset:11", landings(widget, "preset:11"))
    widest = page.evaluate(
        """() => { const all = document.querySelectorAll('.d, .bx, .dp span, .foot > *');
          return Math.max(...[...all].map((e) => e.getBoundingClientRect().right)) }"""
    )
    assert widest <= 412
    assert "every 4th message, order 100" in define(page, "preset:11").inner_text(), "its place has a line of its own"


def test_without_a_run_it_says_what_to_pass_until_one_comes(opened: Opened, tmp_path: Path) -> None:
    widget = InjectionMap()
    page = opened.show(widget, tmp_path)
    assert page.locator(".empty").inner_text().startswith("Nothing to show: pass a run")

    widget.trace = archive()
    opened.pump(widget)

    assert page.locator(".empty").count() == 0
    assert joins(page, "preset:5", landings(widget, "preset:5"))


def test_without_injections_it_says_so_beside_the_history(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(
        InjectionMap(ctxlab.build(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick())), tmp_path
    )

    assert page.locator(".defs").inner_text().startswith("Nothing is injected")
    assert page.locator(".col h3").inner_text().split("\n")[0] == "Sent, 1 message"


def test_a_thousand_messages_are_folded_around_a_hundred_presets(opened: Opened, tmp_path: Path) -> None:
    presets = [
        {"id": f"p{i}", "role": "system", "name": f"N{i}", "content": "x", "injectionStrategy": {"depth": 900 - 3 * i}}
        for i in range(100)
    ]
    agent = Agent.model_validate({"id": "m", "presetMessages": presets})
    widget = InjectionMap(ctxlab.build(ctxlab.read_data(generated_session(1000, seed=1)).pick(), agent))
    page = opened.show(widget, tmp_path)

    first = page.locator(".slot").first
    assert first.inner_text().split("\n") == ["100 messages of history", "1,000"]
    assert page.locator(".slot").count() < 250
    assert page.locator(".wires .wire").count() == 100
    assert joins(page, "preset:99", landings(widget, "preset:99"))

    last = page.locator(".bx.fold").last
    assert last.inner_text() == "603 messages of history"
    last.click()
    opened.rest()
    assert page.locator(".bx.fold").last.inner_text() == "503 messages of history"
    assert joins(page, "preset:99", landings(widget, "preset:99"))


def test_what_lands_every_few_messages_folds_with_them(opened: Opened, tmp_path: Path) -> None:
    often = {"id": "p", "role": "system", "name": "Bell", "content": "x", "injectionStrategy": {"depthConfig": "4~4"}}
    agent = Agent.model_validate({"id": "m", "presetMessages": [often]})
    widget = InjectionMap(ctxlab.build(ctxlab.read_data(generated_session(1000, seed=1)).pick(), agent))
    page = opened.show(widget, tmp_path)

    assert len(landings(widget, "preset:0")) == 250
    fold = page.locator(".bx.fold").first
    assert fold.inner_text() == "968 messages of history, 242 injected"
    assert page.locator(".slot").count() < 30
    assert len(wires(page, "preset:0")) == 9, "one to the fold, one to each of the newest landings"

    define(page, "preset:0").click()
    opened.pump(widget)
    assert page.locator(".slot").count() < 30
    hidden = json.loads(widget.view)["rows"][landings(widget, "preset:0")[100]]["key"]
    widget.selected = hidden
    opened.pump(widget)
    assert page.locator(f'.bx[data-key="{hidden}"]').get_attribute("aria-pressed") == "true"


def test_depths_are_whole_on_a_narrow_page(opened: Opened, tmp_path: Path) -> None:
    said = [{"role": "user", "content": f"line {i}"} for i in range(10_000)]
    widget = InjectionMap(ctxlab.build(ctxlab.read_data(said).pick()))
    opened.resize(420)
    page = opened.show(widget, tmp_path)

    top = page.locator(".dp.t span").first
    assert top.inner_text() == "10,000"
    assert top.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    assert top.evaluate("(e) => e.getBoundingClientRect().right < document.querySelector('.w').clientWidth + 8")


def test_a_depth_beyond_all_counting_stays_in_its_column(opened: Opened, tmp_path: Path) -> None:
    far = {"id": "p", "role": "system", "name": "Far", "content": "x", "injectionStrategy": {"depth": 1e300}}
    agent = Agent.model_validate({"id": "m", "presetMessages": [far]})
    page = opened.show(
        InjectionMap(ctxlab.build(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick(), agent)), tmp_path
    )

    edge = page.locator(".w").evaluate("(e) => e.getBoundingClientRect().right")
    assert all(box.bounding_box()["x"] + box.bounding_box()["width"] <= edge for box in page.locator(".dp span").all())


def test_a_run_that_stopped_before_placing_says_so(
    opened: Opened, harbour: Callable[..., Trace], tmp_path: Path
) -> None:
    page = opened.show(InjectionMap(harbour().upto(0)), tmp_path)

    assert page.locator(".defs").inner_text().startswith("This run stopped before injection-assembler")
    assert page.locator(".answer").inner_text().startswith("This run stopped before injection-assembler")
    assert page.locator(".foot").count() == 0


def test_the_wires_keep_up_when_a_fold_above_a_landing_opens(opened: Opened, tmp_path: Path) -> None:
    presets = [{"id": "p", "role": "system", "name": "Low", "content": "x", "injectionStrategy": {"depth": 1}}]
    said = [{"role": "user", "content": f"line {i}"} for i in range(40)]
    agent = Agent.model_validate({"id": "m", "presetMessages": presets})
    widget = InjectionMap(ctxlab.build(ctxlab.read_data(said).pick(), agent))
    page = opened.show(widget, tmp_path)
    before = wires(page, "preset:0")

    page.get_by_role("button", name="37 messages of history").click()
    opened.rest()

    assert wires(page, "preset:0")[0][3] > before[0][3] + 800
    assert joins(page, "preset:0", landings(widget, "preset:0"))
