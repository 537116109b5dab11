"""Labels take the room there is, large trees are outlines, and what is folded says how much it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

import ctxlab
from ctxlab import Session
from ctxlab_widgets.branch_tree import BranchTree
from tests.browser.conftest import Opened
from tests.browser.test_branch_tree import as_tree, bushy, spot
from tests.gallery.trees import session_of, small

DATASETS = Path(__file__).parents[2] / "datasets"

# Every text that is written on the big canvas, in the order of one picture.
LISTEN = """() => {
  const pen = document.querySelector('canvas.cv').getContext('2d');
  const write = pen.fillText.bind(pen), clear = pen.setTransform.bind(pen);
  window.written = [];
  window.places = [];
  pen.setTransform = (...m) => { window.written = []; window.places = []; clear(...m); };
  pen.fillText = (text, x, y) => {
    const { a, d, e, f } = pen.getTransform();
    window.written.push(text);
    window.places.push([text, (a * x + e) / devicePixelRatio, (d * y + f) / devicePixelRatio]);
    write(text, x, y);
  };
}"""


def listening(page: Page) -> Page:
    page.evaluate(LISTEN)
    return page


def written(opened: Opened) -> list[str]:
    """The lines that the canvas has for readers now."""
    opened.page.evaluate("() => dispatchEvent(new Event('resize'))")
    opened.rest()
    return opened.page.evaluate("() => window.written")


def labels(opened: Opened) -> list[str]:
    """Cut or whole, without counts and notes."""
    return [text for text in written(opened) if any(letter.isalpha() for letter in text) and "folded" not in text]


def number(count: str) -> int:
    """Of a sign such as "+1,946 messages"."""
    return int(count[1:].split()[0].replace(",", ""))


def median_length(texts: list[str]) -> int:
    return sorted(map(len, texts))[len(texts) // 2]


def talk() -> Session:
    """One conversation of four messages with much to say, and a branch."""
    words = "The keeper wrote down every ship that passed, and 灯塔里的灯由三人轮值。" * 4
    parents = {"r": None, "u1": "r", "a1": "u1", "u2": "a1", "a2": "u2", "b2": "u2"}
    return session_of(parents, "a2", **{key: {"content": f"{key}: {words}"} for key in parents if key != "r"})


def test_labels_are_longer_where_there_is_more_room(opened: Opened, tmp_path: Path) -> None:
    lengths: list[int] = []
    for width in (700, 1100):
        opened.resize(width)
        listening(opened.show(BranchTree(ctxlab.load(DATASETS / "research_tree.session.json")), tmp_path))
        lengths.append(median_length([text for text in labels(opened) if text.endswith("…")]))

    assert lengths[0] >= 10
    assert lengths[1] > lengths[0]


def test_above_120_percent_there_is_more_text_and_no_larger_one(opened: Opened, tmp_path: Path) -> None:
    page = listening(opened.show(BranchTree(talk()), tmp_path))
    before = labels(opened)
    lines = sum(text.startswith("a2: ") for text in before), len(before)

    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    after = labels(opened)

    assert page.locator(".zoom .pc").inner_text() == "156 %"
    assert lines[0] == sum(text.startswith("a2: ") for text in after) == 1
    at = next(i for i, text in enumerate(after) if text.startswith("a2: "))
    assert not after[at].endswith("…")
    assert not after[at + 1].startswith(("a2: ", "b2: ", "u"))  # its second line


def test_fit_folds_what_can_not_be_read_and_the_sign_unfolds_it(opened: Opened, tmp_path: Path) -> None:
    widget = as_tree(bushy(2000))
    page = listening(opened.show(widget, tmp_path))

    page.get_by_role("button", name="Fit", exact=True).click()
    texts = written(opened)
    counts = [text for text in texts if text.startswith("+")]

    assert page.locator(".zoom .pc").inner_text() == "100 %"
    assert sum(map(number, counts)) > 1000
    assert all(len(text) >= 10 for text in labels(opened) if text.endswith("…"))
    x, y = page.evaluate("() => window.places.find(([text]) => text.startsWith('+')).slice(1)")
    box = page.locator("canvas.cv").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + x - 10, box["y"] + y - 4)
    assert written(opened) != texts
    page.get_by_role("button", name="All", exact=True).click()
    opened.rest()
    assert page.locator(".zoom .pc").inner_text() != "100 %"
    assert opened.pump(widget) == []


# --- the outline


def rows(page: Page) -> list[str]:
    return page.locator(".outline .row").evaluate_all("(rows) => rows.map((row) => row.dataset.key)")


def asked(opened: Opened, widget: BranchTree) -> list[Any]:
    return [message["command"] for message in opened.pump(widget)]


def test_large_trees_open_as_an_outline_at_the_active_leaf_with_only_rows_in_view(
    opened: Opened, tmp_path: Path
) -> None:
    widget = BranchTree(bushy())
    page = opened.show(widget, tmp_path)
    opened.rest()

    assert page.get_by_role("radio", name="Outline").get_attribute("aria-checked") == "true"
    assert page.locator("canvas.cv").is_hidden()
    assert len(rows(page)) < 80
    leaf = page.locator(".outline .row.leaf")
    assert leaf.get_attribute("data-key") == "u9999"
    assert leaf.is_visible()
    page.get_by_role("radio", name="Tree").click()
    opened.pump(widget)
    assert (widget.mode, page.locator("canvas.cv").is_visible()) == ("tree", True)


def test_the_outline_is_walked_folded_and_switched_by_keys(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.mode = "outline"
    widget.selected = "node:u1"
    page = opened.show(widget, tmp_path)
    outline = page.get_by_role("tree", name="Messages")
    outline.focus()

    def press(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        opened.pump(widget)
        return widget.selected.removeprefix("node:")

    assert rows(page) == ["r", "u1", "b1", "u3", "a1", "u2", "c2", "a2"]
    assert press("ArrowDown") == "b1"
    assert press("ArrowRight") == "u3"
    assert press("ArrowUp", "ArrowUp", "ArrowLeft") == "u1"
    assert rows(page) == ["r", "u1"]
    row = page.locator(".outline [data-key=u1]")
    assert [row.get_attribute(f"aria-{name}") for name in ("level", "expanded", "selected")] == ["2", "false", "true"]
    assert row.locator(".fold").inner_text() == "+6"
    assert press("ArrowRight", "End") == "a2"
    assert press("ArrowUp") == "c2"
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.session.leaf == "c2"
    page.keyboard.press("x")
    widget.selected = "node:u3"
    opened.pump(widget)
    page.keyboard.press("v")
    opened.pump(widget)
    assert widget.session.node("c2").parent_id == "u3"


def test_a_row_is_read_by_a_click_and_its_sign_unfolds_it(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    widget.mode = "outline"
    page = opened.show(widget, tmp_path)

    page.locator(".outline [data-key=b1] .words").click()
    assert asked(opened, widget) == ["preview"]
    assert (widget.selected, widget.session.leaf) == ("node:b1", "a2")
    page.keyboard.press("f")
    assert "u3" not in rows(page)
    page.locator(".outline [data-key=b1] .fold").click()
    assert "u3" in rows(page)
    assert asked(opened, widget) == []


def test_a_hit_that_is_folded_away_comes_into_view(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(bushy(600))
    page = opened.show(widget, tmp_path)

    widget.find("words of u3")
    opened.pump(widget)

    hit = page.locator(".outline .row.sought")
    assert hit.get_attribute("data-key") == widget.hits[0]
    assert hit.is_visible()


# --- layouts


def test_a_layout_is_chosen_and_springs_are_laid_out_by_python(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(small())
    page = opened.show(widget, tmp_path)
    before = spot(page, widget, "u1"), spot(page, widget, "a1")
    assert before[0][1] == before[1][1]

    page.get_by_label("Layout").select_option("top-down")
    opened.pump(widget)
    assert widget.tree_layout == "top-down"
    assert (page.locator("canvas.cv").get_attribute("data-grid") or "").split()[4] == "top-down"
    page.get_by_label("Layout").select_option("force")
    opened.pump(widget)
    opened.rest()
    assert (page.locator("canvas.cv").get_attribute("data-grid") or "").split()[4] == "force"


def test_springs_are_refused_with_the_reason_where_there_are_too_many(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(as_tree(bushy(4000)), tmp_path)

    option = page.locator("option[value=force]")

    assert option.is_disabled()
    assert option.get_attribute("title") == "Springs are for up to 1,000 boxes"


def test_a_narrow_tall_room_is_drawn_from_the_top_down(opened: Opened, tmp_path: Path) -> None:
    opened.resize(420)
    widget = BranchTree(small())
    widget.height = 700

    page = opened.show(widget, tmp_path)
    opened.rest()

    assert (page.locator("canvas.cv").get_attribute("data-grid") or "").split()[4] == "top-down"
