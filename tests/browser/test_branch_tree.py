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
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from ctxlab_widgets.branch_tree import BranchTree
from tests.browser.conftest import Opened
from tests.gallery.kept_page import at_rest
from tests.gallery.looking import HOSTILE
from tests.gallery.trees import long, session_of, small

WIDE, ROW = 115, 44
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


def spots(page: Page, widget: BranchTree) -> dict[str, tuple[float, float]]:
    """Where on the page the middle of each message's box is; a folded chain is the box of all its messages."""
    keys, n = json.loads(widget.texts)["keys"], len(widget.flags) // 2
    x, y, _, counts = (struct.unpack_from(f"={n}{kind}", widget.places, 4 * n * i) for i, kind in enumerate("ffii"))
    signs = [i for i, count in enumerate(counts) for _ in range(count)]
    at_rest(page)
    scale, left, top = map(float, (page.locator("canvas.cv").get_attribute("data-camera") or "").split())
    box = page.locator("canvas.cv").bounding_box()
    assert box is not None
    left, top = box["x"] + left, box["y"] + top
    return {
        key: (left + (x[sign] * WIDE + 51) * scale, top + (y[sign] * ROW + 12) * scale)
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


def wheel(page: Page, by: float) -> None:
    """Turn the wheel, and wait until the tree is seen from elsewhere: the event takes its time."""
    camera = "() => document.querySelector('canvas.cv').dataset.camera"
    before = page.evaluate(camera)
    page.mouse.wheel(0, by)
    page.wait_for_function(f"(before) => ({camera})() !== before", arg=before)


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


def test_a_click_switches_the_branch_and_selects(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    page.mouse.click(*spot(page, widget, "b1"))
    assert opened.pump(widget) == [{"command": "switch_to", "node": "b1"}]
    assert (widget.session.leaf, widget.selected) == ("u3", "node:b1")
    assert page.locator("[role=treeitem][aria-selected=true]").inner_text().startswith("assistant b1")
    page.get_by_role("button", name="Undo").click()
    opened.pump(widget)
    assert widget.session.leaf == "a2"
    page.get_by_role("button", name="Redo").click()
    opened.pump(widget)
    assert widget.session.leaf == "u3"


def test_a_message_dragged_onto_another_is_grafted_and_that_is_undone(opened: Opened, tmp_path: Path) -> None:
    widget, look = BranchTree(small()), theme_of("light")
    page = opened.show(widget, tmp_path)
    assert look.ok not in pixels(page)

    def over() -> None:
        found = pixels(page)
        assert found.get(look.ok, 0) > 100
        assert found.get(look.ok_tint, 0) > 100

    drag(page, widget, "a1", "u3", then=over)
    assert opened.pump(widget) == [{"command": "graft", "node": "a1", "parent": "u3"}]
    assert [widget.session.node(key).parent_id for key in ("a1", "u2", "a2")] == ["u3", "a1", "u2"]
    assert look.ok not in pixels(page)
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert widget.session == small()


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

    page.mouse.move(before[0], before[1] + 90)
    page.mouse.down()
    page.mouse.move(before[0] + 60, before[1] + 50, steps=4)
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


def test_the_overview_moves_what_is_seen(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(bushy(600))
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
    assert opened.pump(widget) == []


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
    opened.pump(widget)
    assert (widget.hits, page.locator(".count").inner_text()) == ([], "")
    assert page.evaluate("() => document.activeElement.tagName") == "CANVAS"


def test_what_python_finds_is_shown(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)

    widget.find("words of u")
    opened.pump(widget)

    assert page.get_by_label("Find in messages").input_value() == "words of u"
    assert page.locator(".count").inner_text() == "1 of 3"


def test_a_double_click_unfolds_a_chain_and_folds_it_again(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(long())
    page = opened.show(widget, tmp_path)
    assert page.locator(".totals").inner_text() == "40 messages, 1 leaf, 1 folded chain"
    before = spot(page, widget, "m5")

    page.mouse.dblclick(*before)
    opened.pump(widget)
    assert page.locator(".totals").inner_text() == "40 messages, 1 leaf"
    assert spot(page, widget, "m0")[0] == pytest.approx(before[0], abs=1)  # it unfolds from where it was
    page.mouse.dblclick(*spot(page, widget, "m1"))
    opened.pump(widget)
    assert page.locator(".totals").inner_text() == "40 messages, 1 leaf, 1 folded chain"


def test_two_picked_messages_are_compared(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    assert foot(page) == "Shift+click two messages to compare their branches"

    for key in ("a2", "c2"):
        x, y = spot(page, widget, key)
        page.keyboard.down("Shift")
        page.mouse.click(x, y)
        page.keyboard.up("Shift")
        opened.pump(widget)

    found: dict[str, Any] = widget.shared_history
    assert widget.picked == ["a2", "c2"]
    assert foot(page).split("\n") == [
        f"a2 and c2 share 3 messages, {found['shared_tokens']} tokens",
        f"a2 +{found['own_tokens'][0]}",
        f"c2 +{found['own_tokens'][1]}",
    ]


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
    assert page.locator(".panel").is_hidden()
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
    assert (widget.editing, page.locator(".panel").is_hidden()) == ("", True)
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

    press("Edit")
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
    assert page.locator(".panel").is_hidden()


def test_ten_thousand_messages_are_drawn(opened: Opened, tmp_path: Path) -> None:
    widget, look = BranchTree(bushy()), theme_of("light")
    page = opened.show(widget, tmp_path)
    page.wait_for_function("() => performance.getEntriesByName('ctxlab:branch-tree:drawn').length")
    found = pixels(page)
    assert found.get(look.ring, 0) > 150
    assert found.get(look.roles["user"], 0) > 500

    page.get_by_role("button", name="Fit").click()
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
    widget, look = BranchTree(bushy(4000)), theme_of("light")
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
    page.keyboard.press("Tab")

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
    assert page.locator(".totals").inner_text() == "1 message, 1 leaf"


def test_a_report_is_walked_and_searched_and_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.live = False
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

    page.mouse.click(*spot(page, widget, "b1"))
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
        ("ArrowLeft", "u1", []),
        ("ArrowRight", "u2", []),
        ("ArrowUp", "a1", []),
        ("ArrowDown", "b1", []),
        ("Home", "r", []),
        ("End", "a2", []),
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
    assert opened.pump(widget) == [{"command": "graft", "node": "a1", "parent": "b1"}]
    page.keyboard.press("f")
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.type") == "search"
    assert page.evaluate("() => window.heard") == []
    canvas.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.tagName") == "BUTTON"


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
    assert covered(page, widget, ".zoom", n=17) == []
    assert leaf not in covered(page, widget, ".mini", n=17)


def test_it_begins_anew_in_another_width_until_somebody_has_looked_elsewhere(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(session_of({"r": None} | {f"m{i}": f"m{i - 1}" if i else "r" for i in range(20)}, "m19"))
    page = opened.show(widget, tmp_path)
    assert spot(page, widget, "m19")[0] < 1100

    opened.resize(420)
    assert spot(page, widget, "m19")[0] < 420
    page.mouse.move(200, 200)
    wheel(page, 60)
    opened.rest()
    before = page.locator("canvas.cv").get_attribute("data-camera")
    opened.resize(700)
    opened.rest()
    assert page.locator("canvas.cv").get_attribute("data-camera") == before
