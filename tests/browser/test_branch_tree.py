"""The tree is drawn in pixels, dragged by a mouse, walked by keys; what Python holds afterwards is what was asked."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import ctxlab
from ctxlab import Session
from ctxlab.display.theme import theme_of
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from ctxlab_widgets.branch_tree import BranchTree
from tests.browser.conftest import Opened
from tests.gallery.kept_page import at_rest
from tests.gallery.looking import HOSTILE
from tests.gallery.trees import long, session_of, small

COUNTS = """() => {
  const c = document.querySelector('canvas.cv'), counts = new Map();
  const { buffer } = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (const abgr of new Uint32Array(buffer)) counts.set(abgr, (counts.get(abgr) ?? 0) + 1);
  const found = {};
  for (const [abgr, count] of counts) {
    const name = '#' + [0, 8, 16].map((by) => ((abgr >> by) & 255).toString(16).padStart(2, '0')).join('');
    found[name] = (found[name] ?? 0) + count;
  }
  return found;
}"""


def bushy(n: int = 10_000) -> Session:
    """Many branches of many lengths, the same every time."""
    above = [0, *(i - 1 if i % 7 else max(0, i - 1 - i * 31 % 97) for i in range(1, n))]
    return session_of({"r": None} | {f"u{i}": f"u{above[i]}" if i else "r" for i in range(n)}, f"u{n - 1}")


def as_tree(session: Session) -> BranchTree:
    """So many messages open as an outline unless somebody wants a tree."""
    widget = BranchTree(session)
    widget.mode = "tree"
    return widget


def grid_of(page: Page) -> tuple[float, float, float, float]:
    """From column to column, from row to row, width and height of a box."""
    column, row, wide, tall, _ = (page.locator("canvas.cv").get_attribute("data-grid") or "").split()
    return float(column), float(row), float(wide), float(tall)


def spots(page: Page, widget: BranchTree) -> dict[str, tuple[float, float]]:
    """Where on the page the middle of each message's box is; a folded chain is the box of all its messages."""
    keys, n = json.loads(widget.texts)["keys"], len(widget.flags) // 2
    x, y, _, counts = (struct.unpack_from(f"={n}{kind}", widget.places, 4 * n * i) for i, kind in enumerate("ffii"))
    signs = [i for i, count in enumerate(counts) for _ in range(count)]
    at_rest(page)
    scale, left, top = map(float, (page.locator("canvas.cv").get_attribute("data-camera") or "").split())
    column, row, wide, tall = grid_of(page)
    box = page.locator("canvas.cv").bounding_box()
    assert box is not None
    left, top = box["x"] + left, box["y"] + top
    return {
        key: (left + (x[sign] * column + wide / 2) * scale, top + (y[sign] * row + tall / 2) * scale)
        for key, sign in zip(keys, signs, strict=True)
    }


def spot(page: Page, widget: BranchTree, key: str) -> tuple[float, float]:
    """Where on the page the middle of a message's box is."""
    return spots(page, widget)[key]


def pixels(page: Page) -> dict[str, int]:
    at_rest(page)
    return page.evaluate(COUNTS)


def foot(page: Page) -> str:
    return page.locator(".foot .told").inner_text()


def drag(page: Page, widget: BranchTree, key: str, onto: str, *, then: Any = None) -> None:
    start, end = spot(page, widget, key), spot(page, widget, onto)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 8, start[1] + 6, steps=2)
    page.mouse.move(*end, steps=5)
    if then:
        then()
    page.mouse.up()


CAMERA = "() => document.querySelector('canvas.cv').dataset.camera"


def wheel(page: Page, by: float) -> None:
    """Turn the wheel with Ctrl, and wait until the tree is seen from elsewhere: the event takes its time."""
    before = page.evaluate(CAMERA)
    page.keyboard.down("Control")
    page.mouse.wheel(0, by)
    page.keyboard.up("Control")
    page.wait_for_function(f"(before) => ({CAMERA})() !== before", arg=before)


def answer(page: Page) -> str:
    return page.locator(".answer").inner_text()


def reads(key: str) -> dict[str, str]:
    """The commands with which the page asks for a message."""
    return {"command": "preview", "node": key}


def test_it_is_drawn_in_light_and_in_dark(opened: Opened, tmp_path: Path, theme: str) -> None:
    look = theme_of("light" if theme == "light" else "dark")
    widget = BranchTree(small(u3={"isEnabled": False}, c2={"role": "tool"}))
    page = opened.show(widget, tmp_path)

    found = pixels(page)

    assert max(found, key=lambda name: found[name]) == look.surface
    for role in ("root", "user", "assistant", "tool"):
        assert found.get(look.roles[role], 0) > 60, role
    assert found.get(look.ring, 0) > 150  # around the active leaf
    assert found.get(look.ink, 0) > 40  # the active path, 2 px
    assert len(found) > 40


def test_switched_off_folded_and_compressed_messages_look_different(opened: Opened, tmp_path: Path) -> None:
    look = theme_of("light")
    page = opened.show(BranchTree(small()), tmp_path)
    plain = pixels(page)

    hidden = {"isCompressionNode": True, "compressedNodeIds": ["u1"]}
    off = small(u3={"isEnabled": False}, b1={"role": "system", "metadata": hidden})
    found = pixels(opened.show(BranchTree(off), tmp_path))

    assert look.side not in plain
    assert found[look.side] > 1000  # u3 is off and u1 has its summary
    assert found[look.sources["summary"]] > 10


def test_other_colours_come_with_another_theme(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(BranchTree(small()), tmp_path)
    assert theme_of("light").ring in pixels(page)

    page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    opened.rest()
    found = pixels(page)

    assert theme_of("dark").ring in found
    assert theme_of("light").ring not in found


def test_what_was_hidden_is_drawn_when_it_is_seen(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    page.evaluate("() => { document.querySelector('main').style.display = 'none' }")
    opened.rest()
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    opened.rest()
    page.evaluate("() => { document.querySelector('main').style.display = '' }")

    assert pixels(page).get(theme_of("dark").ring, 0) > 150


@pytest.mark.parametrize("width", [1100, 620])
def test_a_click_reads_a_message_and_a_double_click_switches_to_its_branch(
    opened: Opened, tmp_path: Path, width: int
) -> None:
    opened.resize(width)
    widget = BranchTree(small(b1={"content": "one\n" * 60 + "the end", "timestamp": "2026-01-12T18:06:14.100Z"}))
    page = opened.show(widget, tmp_path)
    before = widget.session

    page.mouse.click(*spot(page, widget, "b1"))
    assert opened.pump(widget) == [reads("b1")]
    assert (widget.session, widget.selected) == (before, "node:b1")
    assert page.locator("[role=treeitem][aria-selected=true]").inner_text().startswith("assistant b1")
    panel, tree = page.locator(".preview"), page.locator(".tree")
    assert (panel.locator("h3").inner_text(), panel.locator("h3").get_attribute("title")) == ("assistant", "b1")
    assert panel.locator(".text").text_content() == widget.session.node("b1").content
    facts = f"{widget.tokenizer.count(widget.session.node('b1').content)} tokens, 2 messages deep, 2026-01-12 18:06"
    assert panel.locator(".facts").inner_text() == facts
    beside, drawn = panel.bounding_box(), tree.bounding_box()
    assert beside is not None
    assert drawn is not None
    assert (beside["x"] >= drawn["x"] + drawn["width"] - 1) == (width >= 700)
    assert (beside["y"] >= drawn["y"] + drawn["height"] - 1) == (width < 700)

    page.mouse.dblclick(*spot(page, widget, "u3"))
    assert opened.pump(widget) == [reads("u3"), {"command": "switch_to", "node": "u3"}]
    assert widget.session.leaf == "u3"
    assert foot(page) == "Switched to the branch that ends with u3."
    page.get_by_role("button", name="Undo").first.click()
    opened.pump(widget)
    assert widget.session.leaf == "a2"
    page.get_by_role("button", name="Redo").click()
    opened.pump(widget)
    assert widget.session.leaf == "u3"


def test_a_double_click_counts_where_the_panel_opens_between_its_clicks(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(session_of({"r": None} | {f"m{i}": f"m{i - 1}" if i else "r" for i in range(7)}, "m5"))
    page = opened.show(widget, tmp_path)
    x, y = spot(page, widget, "m6")

    page.mouse.click(x, y)
    opened.pump(widget)
    page.wait_for_function("([x, y]) => document.elementFromPoint(x, y).closest('.preview')", arg=[x, y])
    page.mouse.click(x, y)

    assert opened.pump(widget) == [{"command": "switch_to", "node": "m6"}]
    assert widget.session.leaf == "m6"


def test_the_panel_switches_edits_and_closes(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small(u3={"name": "Ada"}))
    page = opened.show(widget, tmp_path)
    panel, here = page.locator(".preview"), page.get_by_role("button", name="Continue here")

    page.mouse.click(*spot(page, widget, "u3"))
    opened.pump(widget)
    assert panel.locator("h3").inner_text().split() == ["Ada", "user"]
    here.click()
    assert opened.pump(widget) == [{"command": "switch_to", "node": "u3"}]
    assert here.get_attribute("aria-disabled") == "true"
    widget.selected = "node:b1"  # in another view
    opened.pump(widget)
    assert panel.locator(".text").inner_text() == "words of b1"
    panel.get_by_role("button", name="Edit").click()
    opened.pump(widget)
    assert panel.is_hidden()
    assert json.loads(page.get_by_label("Data of b1 as JSON").input_value())["id"] == "b1"
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert panel.is_visible()
    page.locator(".preview .text").focus()
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (panel.is_hidden(), widget.preview) == (True, "")


def test_a_message_dragged_onto_another_is_grafted_and_that_is_undone(opened: Opened, tmp_path: Path) -> None:
    widget, look = BranchTree(small()), theme_of("light")
    widget.height = 400
    page = opened.show(widget, tmp_path)
    assert look.ok not in pixels(page)

    def over() -> None:
        found = pixels(page)
        assert found.get(look.ok, 0) > 100
        assert found.get(look.ok_tint, 0) > 100

    end = spot(page, widget, "u3")
    drag(page, widget, "a1", "u3", then=over)
    assert opened.pump(widget) == [{"command": "graft", "node": "a1", "parent": "u3"}]
    assert [widget.session.node(key).parent_id for key in ("a1", "u2", "a2")] == ["u3", "a1", "u2"]
    assert foot(page) == "Grafted 4 messages under u3."
    x, y = spot(page, widget, "a1")
    _, _, wide, tall = grid_of(page)
    assert (x, y) == (pytest.approx(end[0] + 10 + wide / 2, abs=1), pytest.approx(end[1] + 14 + tall / 2, abs=1))
    assert pixels(page).get(look.ok, 0) > 100  # around what was hung there
    page.locator(".foot").get_by_role("button", name="Undo").click()
    assert opened.pump(widget) == [{"command": "undo"}]
    assert widget.session == small()
    assert look.ok not in pixels(page)
    assert not foot(page).startswith("Grafted")


def test_with_alt_one_message_is_moved(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    page.keyboard.down("Alt")
    drag(page, widget, "a1", "u3")
    page.keyboard.up("Alt")
    assert opened.pump(widget) == [{"command": "move", "node": "a1", "parent": "u3"}]
    assert [widget.session.node(key).parent_id for key in ("a1", "u2")] == ["u3", "u1"]
    page.locator("canvas.cv").focus()
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert widget.session == small()


def test_what_can_not_hang_there_is_refused_with_the_reason(opened: Opened, tmp_path: Path) -> None:
    widget, look = BranchTree(small()), theme_of("light")
    page = opened.show(widget, tmp_path)

    red: list[int] = []
    drag(page, widget, "a1", "a2", then=lambda: red.append(pixels(page).get(look.error, 0)))

    assert red[0] > 100
    assert opened.pump(widget) == []
    assert foot(page) == "refused: a2 is part of what you drag"
    assert widget.session == small()


def test_python_has_the_last_word(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    drag(page, widget, "a1", "u3")
    widget.delete("b1")  # meanwhile
    opened.pump(widget)

    assert widget.error == foot(page)
    assert "no node 'u3'" in foot(page)


def test_escape_lets_go_of_what_is_dragged(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    drag(page, widget, "a1", "u3", then=lambda: page.keyboard.press("Escape"))

    assert opened.pump(widget) == []


def test_the_ground_is_pulled_and_the_wheel_zooms_at_the_pointer(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    before = spot(page, widget, "a1")

    page.mouse.move(before[0] - 200, before[1] + 60)
    page.mouse.down()
    page.mouse.move(before[0] - 140, before[1] + 20, steps=4)
    page.mouse.up()
    moved = spot(page, widget, "a1")
    assert moved == (pytest.approx(before[0] + 60), pytest.approx(before[1] - 40))

    page.mouse.move(*moved)
    wheel(page, -120)
    assert spot(page, widget, "a1") == (pytest.approx(moved[0], abs=1), pytest.approx(moved[1], abs=1))
    assert page.locator(".zoom .pc").inner_text() == "127 %"
    page.get_by_role("button", name="Fit").click()
    opened.rest()
    assert page.locator(".zoom .pc").inner_text() == "100 %"
    assert opened.pump(widget) == []


def test_the_plain_wheel_scrolls_the_page_and_once_says_how_to_zoom(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    page.evaluate("() => { document.querySelector('main').style.paddingBottom = '3000px' }")
    hint = page.locator(".wheelhint")
    before = page.evaluate(CAMERA)
    x, y = spot(page, widget, "a1")
    page.mouse.move(x, y)
    assert hint.is_hidden()

    page.mouse.wheel(0, 60)
    page.wait_for_function("() => scrollY === 60")
    assert page.evaluate(CAMERA) == before
    assert hint.inner_text() == "Ctrl+wheel zooms"
    page.mouse.move(x + 20, y)
    assert hint.is_hidden()
    page.mouse.wheel(0, -60)
    page.wait_for_function("() => scrollY === 0")
    assert hint.is_hidden()


def touches(page: Page) -> Any:
    """Fingers on the page: `touch("touchStart", (x, y), ...)`, and none for those that are lifted."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    return touch


def test_one_finger_pulls_the_ground_two_zoom_and_a_tap_reads(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.height = 400
    page = opened.show(widget, tmp_path)
    touch = touches(page)
    x, y = spot(page, widget, "a1")

    touch("touchStart", (x, y))
    for by in (8, 20, 40):
        touch("touchMove", (x + by, y + by / 2))
    touch("touchEnd")
    assert opened.pump(widget) == []  # it began on a message, and nothing was grafted
    x, y = spot(page, widget, "a1")
    assert spot(page, widget, "u2")[0] == pytest.approx(x + grid_of(page)[0])

    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 30, y), (x + 30, y))
    touch("touchEnd")
    opened.rest()
    assert int(page.locator(".zoom .pc").inner_text().split()[0]) > 120
    assert opened.pump(widget) == []

    x, y = spot(page, widget, "b1")
    touch("touchStart", (x, y))
    touch("touchEnd")
    opened.rest()
    assert opened.pump(widget) == [reads("b1")]


def test_a_finger_that_rests_lifts_a_message_and_lets_it_go_elsewhere(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    touch = touches(page)
    (x, y), onto = spot(page, widget, "a1"), spot(page, widget, "u3")

    touch("touchStart", (x, y))
    opened.rest()
    touch("touchMove", (x + 10, y + 4))
    touch("touchMove", onto)
    assert theme_of("light").ok in pixels(page)
    touch("touchEnd")
    opened.rest()

    assert opened.pump(widget) == [{"command": "graft", "node": "a1", "parent": "u3"}]
    assert foot(page) == "Grafted 4 messages under u3."
    page.locator(".foot").get_by_role("button", name="Undo").click()
    opened.pump(widget)
    assert widget.session == small()


def test_what_is_hung_elsewhere_moves_unless_a_person_wants_no_motion(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    frames = """(state) => new Promise((done) => {
      const pen = CanvasRenderingContext2D.prototype, fill = pen.fillText, seen = new Set();
      pen.fillText = function (...words) {
        if (words[0] === "words of r" || words[0].startsWith("words of b1")) seen.add(Math.round(words[2]));
        return fill.apply(this, words);
      };
      window.ctxlabHost.model.put(JSON.parse(state));
      const look = () => window.timersDue.size
        ? requestAnimationFrame(look)
        : requestAnimationFrame(() => requestAnimationFrame(() => { pen.fillText = fill; done(seen.size); }));
      requestAnimationFrame(look);
    })"""

    def places() -> int:
        return page.evaluate(frames, as_json(synced_state(widget)))

    widget.graft("a1", "u3")
    assert places() > 1
    page.emulate_media(reduced_motion="reduce")
    widget.undo()
    still = places()
    page.emulate_media(reduced_motion="no-preference")
    assert still == 1


def test_the_overview_moves_what_is_seen(opened: Opened, tmp_path: Path) -> None:
    widget = as_tree(bushy(600))
    page = opened.show(widget, tmp_path)
    box = page.locator("canvas.mini").bounding_box()
    assert box is not None
    before = spot(page, widget, "r")

    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, box["y"] + 30, steps=3)
    page.mouse.up()

    assert spot(page, widget, "r")[0] > before[0]


def test_the_keys_walk_switch_pick_and_hang(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()

    def press(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        opened.pump(widget)
        return widget.selected

    assert press("ArrowLeft") == "node:u2"
    assert press("ArrowRight", "ArrowDown") == "node:c2"
    assert widget.session.leaf == "a2"
    press("Enter")
    assert widget.session.leaf == "c2"
    assert press("ArrowLeft", "ArrowLeft", "ArrowLeft") == "node:u1"
    assert press("Home", "ArrowLeft") == "node:r"
    assert press("End") == "node:c2"
    press(" ", "ArrowUp", " ")
    assert widget.picked == ["c2", "a2"]
    press("x")
    assert foot(page).startswith("a2 is cut")
    widget.selected = "node:u3"
    opened.pump(widget)
    press("v")
    assert widget.session.node("a2").parent_id == "u3"
    press("Control+z")
    assert widget.session.node("a2").parent_id == "u2"
    press("Control+Shift+Z", "Control+z", "Control+y")
    assert widget.session.node("a2").parent_id == "u3"
    widget.selected = "node:a1"
    opened.pump(widget)
    press("x")
    widget.selected = "node:u3"
    opened.pump(widget)
    press("Alt+v")
    assert [widget.session.node(key).parent_id for key in ("a1", "u2")] == ["u3", "u1"]


def test_a_cut_is_refused_below_itself_and_left_by_escape(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:a1"
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()

    page.keyboard.press("x")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    assert foot(page) == "refused: u2 is part of what you drag"
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    assert foot(page).startswith("Nothing is cut")
    assert opened.pump(widget) == [reads("u2")]
    assert widget.session == small()


def test_those_who_hear_it_get_the_focus_with_its_neighbours(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:u2"
    page = opened.show(widget, tmp_path)
    tree = page.locator("canvas[role=tree]")

    item = page.locator(f"#{tree.get_attribute('aria-activedescendant')}")

    assert item.inner_text() == "user u2: words of u2"
    assert [item.get_attribute(f"aria-{name}") for name in ("level", "expanded", "selected")] == ["4", "true", "true"]
    heard = page.locator("canvas [role=treeitem]").all_inner_texts()
    assert [text.split(":")[0].split()[-1] for text in heard] == ["a1", "u2", "a2", "c2"]
    assert heard[2] == "assistant a2: words of a2, active leaf"


def test_messages_are_found_also_in_folded_chains(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(long())
    page = opened.show(widget, tmp_path)
    assert "#0b57d0" not in pixels(page)
    page.locator("canvas.cv").focus()

    page.keyboard.press("/")
    page.keyboard.type("OF M1")
    opened.rest()
    assert opened.pump(widget)[-1] == {"command": "find", "text": "OF M1"}
    assert widget.hits == ["m1", *(f"m{i}" for i in range(10, 20))]
    assert page.locator(".count").inner_text() == "1 of 11"
    assert pixels(page).get("#0b57d0", 0) > 100  # the ring around the chain
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert page.locator(".count").inner_text() == "3 of 11"
    assert widget.selected == "node:m11"
    page.get_by_role("button", name="Previous hit").click()
    opened.pump(widget)
    assert widget.selected == "node:m10"
    page.get_by_label("Find in messages").focus()
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.tagName") == "CANVAS"
    opened.pump(widget)
    assert (len(widget.hits), page.locator(".hits").is_hidden()) == (11, True)  # the marks stay, but dim
    assert pixels(page).get("#0b57d0", 0) < 500
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    opened.pump(widget)
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (widget.hits, page.locator(".count").inner_text()) == ([], "")


def test_hits_are_rows_with_their_words_and_the_chosen_one_is_in_the_middle(opened: Opened, tmp_path: Path) -> None:
    nodes = {f"u{i}": {"content": f"{'before ' * 20}Needle {i} {'after ' * 40}"} for i in range(0, 2000, 4)}
    widget = as_tree(
        session_of({"r": None} | {f"u{i}": f"u{i - 1}" if i % 50 else "r" for i in range(2000)}, "u9", **nodes)
    )
    page = opened.show(widget, tmp_path)
    page.keyboard.press("Tab")
    page.get_by_label("Find in messages").fill("needle")
    opened.rest()
    opened.pump(widget)
    rows, current = page.locator(".hit"), page.locator(".hit[aria-selected=true]")

    def in_the_middle(key: str) -> bool:
        box = page.locator("canvas.cv").bounding_box()
        assert box is not None
        x, y = spot(page, widget, key)
        return abs(x - box["x"] - box["width"] / 2) < 2 and abs(y - box["y"] - box["height"] / 2) < 2

    assert len(widget.hits) == 500
    assert rows.count() < 40
    assert current.locator("mark").inner_text() == "Needle"
    assert (current.locator(".words").inner_text()[0], current.locator(".num").inner_text()) == ("…", "1")
    page.keyboard.press("ArrowDown")
    opened.pump(widget)
    assert widget.selected == f"node:{widget.hits[1]}"
    assert page.locator(".preview .text").inner_text() == widget.session.node(widget.hits[1]).content
    rows.nth(4).click()
    opened.pump(widget)
    assert widget.selected == f"node:{widget.hits[4]}"
    assert in_the_middle(widget.hits[4])
    page.get_by_label("Find in messages").focus()
    page.keyboard.press("ArrowUp")
    assert page.locator(".count").inner_text() == "4 of 500"
    for _ in range(4):
        page.keyboard.press("Shift+Enter")
    opened.pump(widget)
    assert widget.selected == f"node:{widget.hits[-1]}"
    assert current.is_visible()
    assert current.get_attribute("id") == page.get_by_label("Find in messages").get_attribute("aria-activedescendant")


def test_what_python_finds_is_shown(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    widget.find("words of u")
    opened.pump(widget)

    assert page.get_by_label("Find in messages").input_value() == "words of u"
    assert page.locator(".count").inner_text() == "1 of 3"


def test_the_sign_of_a_chain_unfolds_it_and_the_panel_folds_it_again(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(long())
    page = opened.show(widget, tmp_path)
    assert answer(page) == "40 messages, 1 leaf, 1 folded chain; active leaf m39, 40 messages deep"
    before = spot(page, widget, "m5")
    left = before[0] - grid_of(page)[2] / 2

    page.mouse.move(left + 11, before[1])
    assert page.locator("canvas.cv").get_attribute("title") == "Unfold 39 messages"
    page.mouse.click(left + 11, before[1])
    assert opened.pump(widget) == [{"command": "unfold", "node": "m0"}]
    assert answer(page) == "40 messages, 1 leaf; active leaf m39, 40 messages deep"
    assert spot(page, widget, "m0")[0] - grid_of(page)[2] / 2 == pytest.approx(left, abs=1)  # from where it was
    page.mouse.click(*spot(page, widget, "m1"))
    opened.pump(widget)
    page.get_by_role("button", name="Fold").click()
    opened.pump(widget)
    assert "1 folded chain" in answer(page)
    assert page.get_by_role("button", name="Unfold 39 messages").is_visible()


def test_two_picked_messages_are_compared(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    assert "Shift+click picks two to compare" in foot(page)
    ink = pixels(page)[theme_of("light").ink]

    for key in ("a2", "c2"):
        x, y = spot(page, widget, key)
        page.keyboard.down("Shift")
        page.mouse.click(x, y)
        page.keyboard.up("Shift")
        assert opened.pump(widget) == []

    found: dict[str, Any] = widget.shared_history
    assert widget.picked == ["a2", "c2"]
    assert foot(page).split("\n") == [
        f"a2 and c2 share 3 messages, {found['shared_tokens']} tokens, up to u2",
        f"a2 +{found['own_tokens'][0]}",
        f"c2 +{found['own_tokens'][1]}",
    ]
    assert pixels(page)[theme_of("light").ink] > ink + 300  # the badges, and the ring where they part
    assert page.get_by_role("button", name="Open in Compare").count() == 0  # no such view beside it


def test_without_a_shift_key_two_are_picked_and_opened_side_by_side(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.views = ["steps", "compare"]
    page = opened.show(widget, tmp_path)
    pick = page.get_by_role("button", name="Compare", exact=True)

    pick.click()
    assert pick.get_attribute("aria-pressed") == "true"
    assert foot(page) == "Pick two messages to compare their branches"
    for key in ("a2", "u3"):
        page.mouse.click(*spot(page, widget, key))
        assert opened.pump(widget) == []
    assert widget.picked == ["a2", "u3"]
    page.get_by_role("button", name="Open in Compare").click()
    assert opened.sent() == [{"command": "open_view", "view": "compare", "key": 'branches:["a2","u3"]'}]
    page.get_by_role("button", name="Clear").click()
    opened.pump(widget)
    assert (widget.picked, pick.get_attribute("aria-pressed")) == ([], "false")


def test_in_a_page_one_undo_serves_all_views(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.views = ["steps"]
    widget.graft("a1", "u3")
    page = opened.show(widget, tmp_path)

    assert page.get_by_role("button", name="Redo").count() == 0
    page.locator("canvas.cv").focus()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+Z")
    page.locator(".foot").get_by_role("button", name="Undo").click()

    assert [asked["command"] for asked in opened.sent()] == ["page_undo", "page_redo", "page_undo"]


def test_a_message_is_edited_and_nothing_that_was_typed_is_lost(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small(u2={"mood": "odd"}))
    widget.selected = "node:u2"
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()
    page.keyboard.press("e")
    opened.pump(widget)
    field = page.get_by_label("Data of u2 as JSON")
    assert page.evaluate("() => document.activeElement.tagName") == "TEXTAREA"
    assert json.loads(field.input_value()) == widget.session.node("u2").to_data()

    wrong = field.input_value().replace('"words of u2"', '"other words",,')
    field.fill(wrong)
    page.keyboard.press("Control+Enter")
    opened.pump(widget)
    assert "line 5, column" in page.locator(".panel .wrong").inner_text()
    assert field.input_value() == wrong

    field.fill(wrong.replace(",,", "").replace('"u2"', '"u9"'))
    page.get_by_role("button", name="Apply").click()
    opened.pump(widget)
    assert "'id' is structure" in page.locator(".panel .wrong").inner_text()

    page.locator("canvas.cv").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert page.locator(".panel:not(.preview)").is_hidden()
    page.keyboard.press("e")
    opened.pump(widget)
    assert '"u9"' in field.input_value()

    field.fill(field.input_value().replace('"u9"', '"u2"'))
    page.get_by_role("button", name="Apply").click()
    opened.pump(widget)
    node = widget.session.node("u2")
    assert (node.content, node.to_data()["mood"], widget.error) == ("other words", "odd", "")
    assert page.get_by_role("button", name="Apply").get_attribute("aria-disabled") == "true"
    field.focus()
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (widget.editing, page.locator(".panel:not(.preview)").is_hidden()) == ("", True)
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert widget.session.node("u2").content == "words of u2"


def test_the_panel_switches_off_copies_and_deletes(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:a1"
    page = opened.show(widget, tmp_path)

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()
        opened.pump(widget)

    page.locator("canvas.cv").focus()
    page.keyboard.press("e")
    opened.pump(widget)
    press("Off, all below")
    assert [key for key, node in widget.session.nodes.items() if not node.enabled] == ["a1", "u2", "a2", "c2"]
    press("Switch on")
    assert widget.session.node("a1").enabled
    press("End here")
    assert widget.session.leaf == "a1"
    press("Copy beside")
    assert widget.session.node(widget.session.leaf or "").content == "words of a1"
    widget.selected = "node:a1"
    widget.open_message("a1")
    opened.pump(widget)
    press("Delete 4 messages")
    assert "a1" not in widget.session.nodes
    assert page.locator(".panel:not(.preview)").is_hidden()


def test_ten_thousand_messages_are_drawn(opened: Opened, tmp_path: Path) -> None:
    widget, look = as_tree(bushy()), theme_of("light")
    page = opened.show(widget, tmp_path)
    page.wait_for_function("() => performance.getEntriesByName('ctxlab:branch-tree:drawn').length")
    found = pixels(page)
    assert found.get(look.ring, 0) > 150
    assert found.get(look.roles["user"], 0) > 500

    page.get_by_role("button", name="All", exact=True).click()
    dots = pixels(page)
    assert dots.get(look.roles["user"], 0) > 2000
    assert dots[look.surface] > 10_000
    page.locator("canvas.cv").focus()
    page.keyboard.press("a")
    page.keyboard.press("0")
    x, y = spot(page, widget, "u9999")
    box = page.locator("canvas.cv").bounding_box()
    assert box is not None
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.selected == f"node:{widget.session.node('u9999').parent_id}"


def dark(found: dict[str, int]) -> int:
    """Pixels of letters: nearly as dark as ink, and as grey."""
    shades = {name: [int(name[i : i + 2], 16) for i in (1, 3, 5)] for name in found}
    return sum(found[name] for name, rgb in shades.items() if max(rgb) < 100 and max(rgb) - min(rgb) < 20)


def test_labels_go_from_far_away_and_signs_become_dots(opened: Opened, tmp_path: Path) -> None:
    widget, look = as_tree(bushy(4000)), theme_of("light")
    widget.end_at("r")  # then no line has the ink of the labels
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()
    seen: dict[int, tuple[int, int]] = {}
    for _ in range(9):
        found = pixels(page)
        percent = int(page.locator(".zoom .pc").inner_text().split()[0])
        seen[percent] = (dark(found), found.get(look.roles["user"], 0))
        page.keyboard.press("-")

    assert max(seen) == 100
    assert min(seen) < 20
    assert all((ink > 50) == (percent >= 60) for percent, (ink, _) in seen.items())
    assert all(signs > 100 for _, signs in seen.values())


def test_strangers_words_are_words(opened: Opened, tmp_path: Path) -> None:
    parents: dict[str, str | None] = {"r": None} | {f"<b>{i}": "r" for i in range(len(HOSTILE))}
    nodes = {f"<b>{i}": {"content": text} for i, text in enumerate(HOSTILE)}
    session = session_of(parents, "<b>0", **nodes)
    widget = BranchTree(session)
    widget.selected = "node:<b>0"
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()
    for _ in HOSTILE:
        page.keyboard.press("ArrowDown")
        page.keyboard.press(" ")
        page.keyboard.press("e")
        opened.pump(widget)

    assert page.locator(".w b b, .w script, .w img").count() == 0
    assert page.title() == "live"
    assert "<b>" in foot(page)
    assert "\u202e" not in page.locator(".w").inner_text()
    page.get_by_label("Find in messages").fill("<script>")
    opened.rest()
    opened.pump(widget)
    assert widget.hits == ["<b>0", "<b>1"]


def test_a_narrow_page_is_never_scrolled_sideways(opened: Opened, tmp_path: Path) -> None:
    opened.resize(420)
    widget = BranchTree(small())
    widget.pick("a2", "c2")
    widget.open_message("u2")
    page = opened.show(widget, tmp_path)

    field, tree = page.get_by_label("Data of u2 as JSON").bounding_box(), page.locator(".tree").bounding_box()

    assert field is not None
    assert tree is not None
    assert field["y"] > tree["y"] + tree["height"]
    assert page.evaluate("() => document.documentElement.scrollWidth") == 420
    assert pixels(page).get(theme_of("light").ring, 0) > 100


def test_nothing_to_show_is_said_until_there_is_something(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree()
    page = opened.show(widget, tmp_path)
    assert page.locator(".empty").inner_text().startswith("Nothing to show: pass a session")
    assert page.get_by_role("button").count() == page.get_by_role("searchbox").count() == 0

    widget.session = Session(id="s")
    opened.pump(widget)
    assert page.locator(".empty").inner_text() == "This session has no messages yet."
    widget.session = small()
    opened.pump(widget)
    assert page.locator(".empty").is_hidden()
    assert pixels(page).get(theme_of("light").ring, 0) > 100
    widget.session = Session(id="other").append("hi", id="h")
    opened.pump(widget)
    assert pixels(page).get(theme_of("light").ring, 0) > 100
    assert answer(page) == "1 message, 1 leaf; active leaf h, 1 message deep"


def test_a_report_is_walked_and_searched_and_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.live, widget.height = False, 400
    file = tmp_path / "report.html"
    file.write_text(page_of(bundle_path(BranchTree), synced_state(widget), title="report"), encoding="utf-8")
    page = opened.open(file)

    assert page.get_by_role("button", name="Undo").count() == page.get_by_role("button", name="Edit").count() == 0
    drag(page, widget, "a1", "u3")
    page.mouse.click(*spot(page, widget, "b1"))
    page.keyboard.press("x")
    page.keyboard.press("e")
    assert page.locator("[role=treeitem][aria-selected=true]").inner_text().startswith("assistant b1")
    page.get_by_label("Find in messages").fill("OF u")
    opened.rest()
    assert page.locator(".count").inner_text() == "1 of 3"
    assert opened.sent() == []


def test_a_branch_that_is_clicked_is_a_new_run(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(ctxlab.build(small()))
    page = opened.show(widget, tmp_path)

    page.mouse.dblclick(*spot(page, widget, "b1"))
    opened.pump(widget)

    assert [draft.key for draft in widget.trace.result.drafts] == ["node:u1", "node:b1", "node:u3"]


def test_when_it_ends_nothing_of_it_stays(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(BranchTree(small()), tmp_path)

    page.evaluate("() => window.ctxlabHost.stop()")
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; dispatchEvent(new Event('resize')) }")
    opened.rest()

    assert page.locator(".ctxlab").count() == 0


# --- every key


WATCHED = """() => {
  window.heard = [];
  document.addEventListener('keydown', (event) => window.heard.push(event.key));
}"""


@pytest.mark.parametrize(
    ("key", "selected", "asked"),
    [
        ("ArrowLeft", "u1", [reads("u1")]),
        ("ArrowRight", "u2", [reads("u2")]),
        ("ArrowUp", "a1", [reads("a1")]),
        ("ArrowDown", "b1", [reads("b1")]),
        ("Home", "r", [reads("r")]),
        ("End", "a2", [reads("a2")]),
        ("a", "a2", []),
        ("Enter", "a1", [{"command": "switch_to", "node": "a1"}]),
        ("e", "a1", [{"command": "open_message", "node": "a1"}]),
        ("Control+z", "a1", [{"command": "undo"}]),
        ("Control+Shift+Z", "a1", [{"command": "redo"}]),
        ("Control+y", "a1", [{"command": "redo"}]),
    ],
)
def test_a_key_in_the_tree_does_its_thing_and_goes_no_further(
    opened: Opened, tmp_path: Path, key: str, selected: str, asked: list[Any]
) -> None:
    widget = BranchTree(small())
    widget.selected = "node:a1"
    page = opened.show(widget, tmp_path)
    page.evaluate(WATCHED)
    page.locator("canvas.cv").focus()

    page.keyboard.press(key)

    assert opened.pump(widget) == asked
    assert widget.selected == f"node:{selected}"
    assert [heard for heard in page.evaluate("() => window.heard") if heard not in ("Control", "Shift")] == []


@pytest.mark.parametrize(("keys", "percent"), [("+", "125 %"), ("-", "80 %"), ("++0", "100 %"), ("=", "125 %")])
def test_a_key_zooms_the_tree(opened: Opened, tmp_path: Path, keys: str, percent: str) -> None:
    page = opened.show(BranchTree(small()), tmp_path)
    page.evaluate(WATCHED)
    page.locator("canvas.cv").focus()

    for key in keys:
        page.keyboard.press(key)
    opened.rest()

    assert page.locator(".zoom .pc").inner_text() == percent
    assert page.evaluate("() => window.heard") == []


def test_the_keys_pick_cut_and_hang_and_unfold_and_find_and_tab_leaves(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:a1"
    page = opened.show(widget, tmp_path)
    page.evaluate(WATCHED)
    canvas = page.locator("canvas.cv")
    canvas.focus()

    page.keyboard.press(" ")
    opened.pump(widget)
    assert widget.picked == ["a1"]
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("v")
    assert opened.pump(widget) == [reads("b1"), {"command": "graft", "node": "a1", "parent": "b1"}]
    page.keyboard.press("f")
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.type") == "search"
    assert page.evaluate("() => window.heard") == []
    canvas.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") in ("text", "edge")


def test_letters_in_a_field_and_keys_with_alt_are_left_alone(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:a1"
    page = opened.show(widget, tmp_path)
    page.locator("canvas.cv").focus()
    for key in ("Alt+x", "Alt+a", "Meta+e"):
        page.keyboard.press(key)
    page.get_by_label("Find in messages").focus()
    page.keyboard.type("xve-+0")
    opened.rest()

    assert opened.pump(widget) == [{"command": "find", "text": "xve-+0"}]
    assert widget.selected == "node:a1"
    assert page.get_by_label("Find in messages").input_value() == "xve-+0"


# --- where one looks first


def covered(page: Page, widget: BranchTree, by: str, *, n: int) -> list[str]:
    """Messages with the middle of their box under something that lies on the canvas."""
    over = page.locator(by).bounding_box()
    assert over is not None
    return [
        key
        for key, (x, y) in list(spots(page, widget).items())[:n]
        if over["x"] < x < over["x"] + over["width"] and over["y"] < y < over["y"] + over["height"]
    ]


def fan(n: int, leaf: str) -> Session:
    return session_of({"r": None, "u": "r"} | {f"a{i}": "u" for i in range(n)}, leaf)


@pytest.mark.parametrize("width", [420, 1100])
@pytest.mark.parametrize("leaf", ["a0", "a7", "a14"])
def test_the_active_leaf_and_its_path_are_seen_first_and_no_button_lies_on_them(
    opened: Opened, tmp_path: Path, leaf: str, width: int
) -> None:
    opened.resize(width)
    widget = BranchTree(fan(15, leaf))
    page = opened.show(widget, tmp_path)
    tree = page.locator("canvas.cv").bounding_box()
    assert tree is not None

    x, y = spot(page, widget, leaf)

    assert tree["x"] < x < tree["x"] + tree["width"]
    assert tree["y"] + 12 < y < tree["y"] + tree["height"] - 12
    assert leaf not in covered(page, widget, ".mini", n=17)


def test_it_begins_anew_in_another_width_until_somebody_has_looked_elsewhere(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(session_of({"r": None} | {f"m{i}": f"m{i - 1}" if i else "r" for i in range(20)}, "m19"))
    page = opened.show(widget, tmp_path)
    assert spot(page, widget, "m19")[0] < 1100

    opened.resize(420)
    assert spot(page, widget, "m19")[0] < 420
    page.mouse.move(200, 180)
    wheel(page, 60)
    opened.rest()
    before = page.locator("canvas.cv").get_attribute("data-camera")
    opened.resize(700)
    opened.rest()
    assert page.locator("canvas.cv").get_attribute("data-camera") == before


# --- height, colours


def test_the_height_follows_the_tree_until_somebody_pulls_its_edge(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    tree, edge = page.locator(".tree"), page.get_by_role("separator", name="Height of the tree")

    def height() -> float:
        opened.pump(widget)
        box = tree.bounding_box()
        assert box is not None
        return box["height"]

    widget.session = fan(3, "a1")
    three = height()
    assert 160 <= three <= 180  # three rows
    widget.session = fan(30, "a3")
    assert height() == 420
    box = edge.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 83, steps=3)
    page.mouse.up()
    assert (height(), widget.height, edge.get_attribute("aria-valuenow")) == (500, 500, "500")
    widget.session = fan(3, "a1")
    assert height() == 500
    edge.focus()
    page.keyboard.press("ArrowUp")
    assert height() == 484
    page.keyboard.press("Home")
    assert (height(), widget.height) == (three, 0)


def test_nothing_lies_on_a_tree_that_is_seen_whole(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(BranchTree(small()), tmp_path)
    assert page.locator("canvas.mini").is_hidden()
    assert page.locator(".tree .zoom").count() == 0

    page = opened.show(as_tree(bushy(600)), tmp_path)
    assert page.locator("canvas.mini").is_visible()


def test_with_forced_colours_the_tree_has_those_of_the_system(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.selected = "node:b1"
    page = opened.show(widget, tmp_path)
    page.emulate_media(forced_colors="active")
    system = """() => Object.fromEntries(["Canvas", "CanvasText", "Highlight", "LinkText"].map((name) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = name;
      const [r, g, b, a = 1] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
      probe.remove();
      const over = [r, g, b].map((part) => Math.round(part * a + 255 * (1 - a)));  // a marker may let the page through
      return [name, "#" + over.map((part) => part.toString(16).padStart(2, "0")).join("")];
    }))"""
    colours = page.evaluate(system)
    found = pixels(page)
    page.emulate_media(forced_colors="none")

    assert max(found, key=lambda name: found[name]) == colours["Canvas"]
    assert found.get(colours["CanvasText"], 0) > 500
    assert found.get(colours["Highlight"], 0) > 100  # the selected one
    assert found.get(colours["LinkText"], 0) > 100  # around the active leaf
    assert found.get(theme_of("light").roles["user"], 0) == 0
