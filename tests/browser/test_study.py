"""A study in a browser: points and rows that are picked, a rectangle that chooses, cases that open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ctxlab_widgets import Study
from tests.browser.conftest import Opened
from tests.gallery.studies import made_up_result, result
from tests.studies.synthetic_study import study_frame

BEST, NEXT = "summary and relevant", "relevant and recent"


def point(page: Page, variant: str) -> Locator:
    return page.locator(f".pt[data-variant='{variant}']")


def row(page: Page, variant: str) -> Locator:
    return page.locator(f".variants tr[data-variant='{variant}']")


def focused(page: Page, name: str) -> str | None:
    return page.evaluate("(name) => document.activeElement.getAttribute(name)", name)


def test_a_point_and_a_row_are_picked_and_their_difference_is_told(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    page = opened.show(widget, tmp_path)

    point(page, BEST).locator(".dot").click()
    opened.pump(widget)
    row(page, NEXT).click()
    opened.pump(widget)

    assert widget.picked == [BEST, NEXT]
    side = page.locator(".side section").first
    expect(side).to_contain_text(f"{BEST} against {NEXT}: +6.1 points")
    expect(page.locator(".claim.warn")).to_have_text(
        "The interval holds 0: the difference is open, and no order is claimed."
    )
    expect(point(page, NEXT)).to_have_attribute("aria-pressed", "true")
    expect(row(page, BEST)).to_have_attribute("aria-selected", "true")
    side.get_by_role("button", name="Clear").click()
    opened.pump(widget)
    assert widget.picked == []


def test_a_kind_of_case_is_chosen(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    page = opened.show(widget, tmp_path)
    select = page.get_by_label("Kind of case")
    kind = select.locator("option").nth(1).get_attribute("value")

    select.select_option(kind)
    opened.pump(widget)

    assert widget.kind == kind
    expect(page.locator(".side")).to_contain_text("kind of case")
    expect(select).to_have_value(kind or "")


def test_an_open_difference_is_grey_and_a_decided_one_is_not(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    page = opened.show(widget, tmp_path)
    colour = "(e) => getComputedStyle(e.querySelector('.df .mean')).backgroundColor"

    looks = {each.variant: row(page, each.variant).evaluate(colour) for each in widget.table.rows if each.difference}

    verdicts = {each.variant: each.verdict for each in widget.table.rows}
    grey = {look for name, look in looks.items() if verdicts[name] == "open"}
    green = {look for name, look in looks.items() if verdicts[name] == "better"}
    assert (len(grey), len(green)) == (1, 1)
    assert not grey & green


def test_a_case_opens_its_run(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    widget.picked = [BEST, NEXT]
    page = opened.show(widget, tmp_path)

    page.get_by_role("button", name="Cases that differ, 24").click()
    opened.pump(widget)
    expect(page.locator(".cases tbody tr")).to_have_count(24)
    page.locator(".cases tbody tr").nth(2).get_by_role("button").first.click()
    opened.pump(widget)

    assert widget.trace is not None
    assert widget.selected_variant == BEST
    expect(page.locator(".cases [aria-current]")).to_have_count(1)
    expect(page.locator(".opened")).to_contain_text(f"{widget.selected_case} under {BEST} is in Python")


def test_a_rectangle_chooses_and_a_click_beside_the_points_takes_it_away(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    page = opened.show(widget, tmp_path)
    box = page.locator(".pane").bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 0.5 * box["height"])
    page.mouse.up()
    opened.pump(widget)

    assert set(widget.chosen) == {BEST, NEXT, "lexical", "embeddings"}
    order = [each.get_attribute("data-variant") for each in page.locator(".variants tbody tr").all()]
    assert order[0] == "sliding"
    assert set(order[1:5]) == set(widget.chosen)
    expect(page.locator(".variants tr.out")).to_have_count(4)
    expect(page.locator("[data-corner]")).to_have_count(4)
    corner = page.locator("[data-corner=sw]").bounding_box()
    assert corner is not None
    page.mouse.move(corner["x"] + 10, corner["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 2)
    page.mouse.up()
    opened.pump(widget)
    assert len(widget.chosen) == 9
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.8 * box["height"])
    opened.pump(widget)
    assert widget.chosen == []
    expect(page.locator(".brush")).to_have_count(0)


def test_the_keys_alone_are_enough(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    page = opened.show(widget, tmp_path)
    row(page, "sliding").focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.picked == ["head-and-tail"]
    assert focused(page, "data-variant") == "head-and-tail"
    page.keyboard.press("End")
    page.keyboard.press("p")
    opened.pump(widget)
    assert widget.baseline == BEST
    page.keyboard.press("b")
    opened.pump(widget)
    assert widget.chosen == [BEST]
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert (widget.chosen, widget.picked) == ([], [])
    page.locator(".pt[tabindex='0']").focus()
    page.keyboard.press("Home")
    assert focused(page, "data-variant") == "block"
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    opened.pump(widget)
    assert widget.picked == ["lexical, frozen 8 turns"]
    page.keyboard.press("?")
    expect(page.locator(".keylist")).to_be_visible()


def test_names_in_the_plot_touch_nothing(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(Study(result()), tmp_path)
    drawn = "[...document.querySelectorAll('.plot text.nm, .plot .dot')]"
    boxes = page.evaluate(f"() => {drawn}.map((each) => each.getBoundingClientRect().toJSON())")

    def meet(a: dict[str, float], b: dict[str, float]) -> bool:
        return a["left"] < b["right"] and b["left"] < a["right"] and a["top"] < b["bottom"] and b["top"] < a["bottom"]

    dots = page.locator(".plot .dot").count()
    assert len(boxes) > dots + 5
    names = [box for box in boxes if box["width"] > 20]
    assert [1 for i, a in enumerate(names) for b in names[i + 1 :] if meet(a, b)] == []
    assert [1 for a in names for b in boxes if b["width"] <= 20 and meet(a, b)] == []


@pytest.mark.parametrize("width", [1100, 380])
def test_whiskers_of_a_column_have_one_scale(opened: Opened, width: int, tmp_path: Path) -> None:
    widget = Study(result())
    opened.resize(width)
    page = opened.show(widget, tmp_path)
    places = page.evaluate(
        "() => [...document.querySelectorAll('.variants .ev .mean')].map((e) => parseFloat(e.style.left))"
    )

    means = [each["mean"][0] for each in json.loads(widget.view)["rows"]]

    ratios = [place / mean for place, mean in zip(places, means, strict=True)]
    assert max(ratios) - min(ratios) < 0.01


def test_one_variant_has_no_column_of_differences(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(Study(study_frame(variants={"sliding": 0.3}, budgets=(2048,), cases=4)), tmp_path)

    expect(page.locator(".variants tbody tr")).to_have_count(1)
    expect(page.locator(".variants .df")).to_have_count(0)


def test_too_few_conversations_stand_above_everything(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(Study(made_up_result(conversations=4, cases=4)), tmp_path)

    expect(page.locator(".loud")).to_contain_text("TOO FEW CONVERSATIONS")
    expect(page.locator(".variants .whisker.ok")).to_have_count(0)


def test_without_a_study_it_says_what_to_do(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(Study(), tmp_path)

    expect(page.locator(".empty")).to_contain_text("run a study with scorers")
    expect(page.locator(".variants")).to_be_hidden()


def test_without_python_nothing_is_offered_that_needs_it(opened: Opened, tmp_path: Path) -> None:
    widget = Study(result())
    widget.live = False
    page = opened.show(widget, tmp_path)

    row(page, NEXT).click()

    assert opened.sent() == []
    assert page.locator(".ctxlab select:visible, .ctxlab .btn:visible:not(.keys)").count() == 0
