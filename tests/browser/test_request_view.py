"""A vendor's request in a browser: numbered lines that fold, messages behind values, problems with their mends."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import ctxlab
from ctxlab import Payload
from ctxlab_widgets import RequestView
from tests.browser.conftest import Opened
from tests.gallery.requests import scripted_request
from tests.gallery.samples import harbour

LONG = 5000


def line(page: Page, path: str) -> Locator:
    return page.locator(f"[data-line][data-path='{path}']").first


def focused(page: Page, name: str) -> str | None:
    return page.evaluate("(name) => document.activeElement.getAttribute(name)", name)


@pytest.fixture(scope="module")
def long() -> Payload:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"words number {i} " * 3} for i in range(LONG)]
    return ctxlab.payload(ctxlab.build(ctxlab.read_data(said).pick()), "openai")


def test_it_begins_with_what_the_vendor_would_say_of_it(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RequestView(scripted_request(harbour())), tmp_path)

    assert page.locator(".answer").inner_text() == "1 problem: the vendor would refuse it. 1,645 tokens, 56 kB."
    losses = page.locator(".losses li").all_inner_texts()
    assert losses[0] == "seed 7: this vendor has none"
    assert losses[1].startswith("the name “Ada” (5 times): no field for it")
    problem = page.locator(".jprob")
    assert problem.inner_text().startswith("budget_tokens 4,096 is not below max_tokens 700")
    above, under = page.locator(".jl.bad").bounding_box(), problem.bounding_box()
    assert above is not None
    assert under is not None
    assert 0 <= under["y"] - above["y"] - above["height"] < 4
    assert page.locator(".jl .wrong").inner_text() == "4096"


def test_a_value_tells_of_its_message_and_a_click_chooses_it(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)
    value = page.locator(".st", has_text="watch open")

    value.hover()

    card = page.locator(".card")
    assert "怀表 · The watch" in card.inner_text()
    assert "Put there by 06 injection-assembler, touched by 11 merge-consecutive." in card.inner_text()
    assert page.locator(".stp.hit .id").all_inner_texts() == ["injection-assembler", "merge-consecutive", "scripted"]
    value.click()
    opened.pump(view)
    assert view.selected == "lore:harbour_lore/14"
    expect(page.locator("[data-line][aria-selected='true']")).to_have_count(1)
    page.keyboard.press("Escape")
    opened.pump(view)
    assert view.selected == ""


def test_another_view_chooses_a_message_and_its_line_is_unfolded(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)
    line(page, "messages").locator(".fo").click()
    expect(line(page, "messages[1]")).to_have_count(0)

    view.selected = "node:u13"
    opened.pump(view)

    expect(page.locator("[data-line][aria-selected='true']")).to_be_visible()


def test_a_mend_is_a_button_and_back_takes_it_back(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)

    page.locator(".jprob").get_by_role("button", name="Budget 2,100").click()
    assert [each["command"] for each in opened.pump(view)] == ["fix"]

    assert view.trace is not harbour()
    banner = page.locator(".effect")
    assert banner.inner_text().startswith("Budget 2,100: problems 1 as before")
    banner.get_by_role("button", name="Back").click()
    opened.pump(view)
    assert view.trace is harbour()


def test_the_keys_alone_are_enough(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)
    line(page, "").focus()

    page.keyboard.press("p")
    assert "jprob" in (focused(page, "class") or "")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.textContent") == "Reply 6,144"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    assert focused(page, "data-path") == "tools"
    assert focused(page, "aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    assert focused(page, "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    assert focused(page, "data-path") == "tools[0]"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert focused(page, "aria-posinset") == "1"
    assert page.locator("[role=tree] [tabindex='0']").count() == 1
    line(page, "messages[0].content[2]").focus()
    page.keyboard.press("Enter")
    opened.pump(view)
    assert view.selected == "node:u9b"


def test_a_long_text_opens_and_bytes_are_a_kind_and_a_size(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)

    page.get_by_role("button", name="characters").first.click()

    said = line(page, "system[0]").locator(".jt").nth(1).inner_text()
    assert len(said) > len(view.payload.body["system"][0]["text"])
    assert page.locator(".fo8", has_text="image/png, 36 kB").is_visible()


def test_what_is_cached_has_a_band_down_to_the_last_mark(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RequestView(scripted_request(harbour())), tmp_path)

    idle, mark = page.locator(".jmark").all_inner_texts()

    assert idle.startswith("cache mark at 743 tokens has no effect")
    assert mark.startswith("cache mark: 1,517 tokens, 92 % of the request")
    banded = page.evaluate("() => [...document.querySelectorAll('.jl')].map((each) => each.matches('.cached'))")
    assert banded == sorted(banded, reverse=True)
    assert 0 < sum(banded) < len(banded)


def test_two_vendors_side_by_side(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(scripted_request(harbour()))
    page = opened.show(view, tmp_path)

    page.get_by_label("Compare with").select_option("openai")
    opened.pump(view)

    table = page.locator(".cmp")
    assert table.locator("h3").inner_text() == "Scripted against OpenAI"
    assert table.locator("tbody tr").count() == len(view.request_comparison.differences)
    page.get_by_label("only differences").uncheck()
    found = view.request_comparison
    assert table.locator("tbody tr").count() == len(found.differences) + len(found.same)
    table.get_by_role("button", name="Close").click()
    opened.pump(view)
    assert table.is_hidden()


def test_a_vendor_and_a_model_are_chosen_at_the_head(opened: Opened, tmp_path: Path) -> None:
    view = RequestView(harbour(), provider="openai")
    page = opened.show(view, tmp_path)

    page.get_by_role("radio", name="Anthropic").click()
    opened.pump(view)

    assert view.payload.provider.name == "anthropic"
    expect(page.get_by_role("radio", name="Anthropic")).to_have_attribute("aria-checked", "true")
    assert page.get_by_label("Model", exact=True).input_value() == view.payload.model.name
    page.get_by_label("Model", exact=True).fill("claude-haiku-4-5")
    page.keyboard.press("Enter")
    opened.pump(view)
    assert view.payload.model.name == "claude-haiku-4-5"


def test_of_ten_thousand_lines_those_in_sight_are_drawn(opened: Opened, long: Payload, tmp_path: Path) -> None:
    page = opened.show(RequestView(long), tmp_path)
    line(page, "").focus()
    assert 5 < page.locator("[data-line]").count() < 150

    page.keyboard.press("End")
    opened.rest()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")

    assert focused(page, "data-path") == f"messages[{LONG - 1}]"
    assert page.locator("[data-line]").count() < 150


def test_the_side_stands_beside_and_below_700_pixels_under_the_body(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RequestView(scripted_request(harbour())), tmp_path)

    def box(of: str) -> tuple[float, float]:
        found = page.locator(of).bounding_box()
        assert found is not None
        return found["x"], found["y"]

    assert box(".side")[1] == box(".json")[1]
    opened.resize(360)
    assert box(".side")[0] == box(".json")[0]
    assert box(".side")[1] > box(".json")[1]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


def test_nothing_to_show_is_said(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RequestView(), tmp_path)

    assert page.locator(".empty").inner_text().startswith("Nothing to show: pass a trace")
