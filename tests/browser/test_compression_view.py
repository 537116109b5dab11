"""A compression in a browser: handles that stop at legal cuts, the summary as a text, facts by state and kind."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

import ctxlab
from ctxlab import History
from ctxlab_widgets import BranchTree, CompressionView, StepDebugger
from tests.browser.conftest import Opened
from tests.gallery.samples import compression, harbour, session


def inside(page: Page) -> list[str]:
    return page.locator(".cr.in .strong").all_inner_texts()


def test_the_arrows_move_a_handle_from_cut_to_cut(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    end = page.get_by_role("slider", name="End of the range")
    expect(end).to_have_attribute("aria-valuetext", "before u8b")
    before = inside(page)

    end.press("ArrowUp")

    assert inside(page) == before[:-2]
    expect(end).to_be_focused()
    opened.rest()
    assert [each["command"] for each in opened.pump(view)] == ["range"]
    assert view.compression is not None
    assert [*view.compression.gone, *view.compression.folded] != [*compression().gone, *compression().folded]
    assert inside(page) == before[:-2]
    expect(end).to_be_focused()


def test_a_handle_that_is_dragged_stops_at_the_nearest_legal_cut(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    start = page.get_by_role("slider", name="Start of the range")
    box, target = start.bounding_box(), page.locator(".cr", has_text="a5").bounding_box()
    assert box is not None
    assert target is not None

    page.mouse.move(box["x"] + 10, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, target["y"] + 3, steps=4)
    page.mouse.up()

    expect(start).to_have_attribute("aria-valuetext", "before u5")
    assert [(each["command"], each["first"]) for each in opened.pump(view)] == [("range", "u5")]
    assert view.compression is not None
    assert view.compression.folded == ()


def test_a_handle_is_dragged_by_a_finger_that_meets_it_at_its_edge(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    start = page.get_by_role("slider", name="Start of the range")
    box, target = start.bounding_box(), page.locator(".cr", has_text="a6").bounding_box()
    assert box is not None
    assert target is not None
    fingers = page.context.new_cdp_session(page)

    x = box["x"] - 4  # beside what is drawn
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": box["y"] + 7}]})
    for y in (box["y"] + 30, target["y"] + 4):
        fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    fingers.detach()

    expect(start).to_have_attribute("aria-valuetext", "before u6")
    assert [(each["command"], each["first"]) for each in opened.pump(view)] == [("range", "u6")]


def test_ctrl_z_is_that_of_the_preview_before_it_is_the_pages(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    view.write("They talked.")
    view.views = ["steps"]
    page = opened.show(view, tmp_path)
    page.locator(".cr").first.click()
    opened.sent()

    page.keyboard.press("Control+z")
    assert [each["command"] for each in opened.pump(view)] == ["back"]
    page.keyboard.press("Control+z")
    assert [each["command"] for each in opened.pump(view)] == ["page_undo"]


def test_the_text_is_the_summary_and_ctrl_z_takes_it_back(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    field = page.get_by_role("textbox", name="Text of the summary")

    field.fill("<b>沈砚</b> waits.")
    field.press("Enter")
    opened.pump(view)

    assert view.compression is not None
    assert view.compression.summary == "<b>沈砚</b> waits."
    expect(page.locator(".summary .muted")).to_contain_text("by hand")
    expect(page.locator(".ctxlab .summary b")).to_have_count(0)
    page.get_by_role("button", name="Undo").press("Control+z")
    opened.pump(view)
    assert view.compression.summary == compression().summary
    expect(field).to_have_value(compression().summary)


def test_facts_are_chosen_by_state_and_kind_and_put_back(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression().with_summary("She only waits."))
    page = opened.show(view, tmp_path)
    assert view.compression is not None
    totals = view.compression.report().totals()
    rows = page.locator(".fact[data-state]")
    expect(rows).to_have_count(sum(totals.values()))

    page.get_by_role("radio", name="Lost").click()
    expect(rows).to_have_count(totals["lost"])
    page.get_by_label("Kind of fact").select_option("must-keep")
    lost = [fact for fact in view.compression.report().lost if fact.kind == "must-keep"]
    expect(rows).to_have_count(len(lost))
    assert page.locator(".facts mark.lost").all_inner_texts() == [fact.text for fact in lost]

    rows.first.get_by_role("button").click()
    opened.pump(view)
    assert lost[0].text in view.compression.summary
    expect(rows).to_have_count(len(lost) - 1)


def test_whole_ranges_speak_of_the_message_that_was_chosen(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    page.locator(".cr", has_text="u6").click()
    expect(page.get_by_role("radio", name="Above u6")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    above = page.get_by_role("radio", name="Above u7")

    above.click()
    opened.pump(view)

    assert view.selected == "node:u7"
    assert view.compression is not None
    assert view.compression.gone[-1] == "a6"
    assert inside(page)[-1] == "a6"
    expect(above).to_have_attribute("aria-checked", "true")
    page.get_by_role("slider", name="End of the range").press("ArrowUp")
    expect(page.get_by_role("radio", name="Chosen")).to_have_attribute("aria-checked", "true")


def test_home_and_end_move_a_handle_as_far_as_it_goes(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    end = page.get_by_role("slider", name="End of the range")

    end.press("End")
    expect(end).to_have_attribute("aria-valuetext", "before u10")
    end.press("Home")
    expect(end).to_have_attribute("aria-valuetext", "before s1")
    expect(end).to_be_focused()


def test_guidance_and_items_to_keep_are_fields_that_write_the_summary_anew(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    field = page.get_by_role("textbox", name="One more item to keep")

    field.fill("re:eleven minutes|十一分钟")
    field.press("Enter")
    opened.pump(view)

    assert view.compression is not None
    assert "re:eleven minutes|十一分钟" in [item.pattern and f"re:{item.pattern}" for item in view.compression.items]
    expect(page.locator(".items li")).to_have_count(5)
    expect(field).to_have_value("")
    page.get_by_role("button", name="Remove: 阿蓉").click()
    opened.pump(view)
    expect(page.locator(".items li")).to_have_count(4)
    guidance = page.get_by_role("textbox", name="Guidance for the summariser")
    guidance.fill("引文照抄")
    guidance.press("Enter")
    opened.pump(view)
    assert view.compression.wanted is not None
    assert view.compression.wanted.guidance == "引文照抄"


def test_a_model_is_asked_again_only_by_a_button(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(ctxlab.compress(session(), summariser=lambda _: "They talked."))
    view.write("They spoke.")
    page = opened.show(view, tmp_path)

    page.get_by_role("slider", name="End of the range").press("ArrowUp")
    opened.rest()
    assert opened.pump(view) == []
    page.get_by_role("button", name="Summarise", exact=False).click()
    opened.pump(view)

    assert view.compression is not None
    assert view.compression.summary == "They talked."
    expect(page.locator(".ask")).to_be_hidden()


def test_of_many_messages_and_facts_those_in_sight_are_in_the_page(opened: Opened, tmp_path: Path) -> None:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": f"The box {i} holds {i + 1000} letters."} for i in range(2000)]
    made = ctxlab.compress(ctxlab.read_data(said).pick(), everything=True, summariser=lambda _: "Letters.")
    page = opened.show(CompressionView(made), tmp_path)
    facts = page.locator(".fact[data-state]")

    assert page.locator(".cr").count() < 100
    assert 0 < facts.count() < 100
    page.get_by_role("slider", name="End of the range").focus()
    page.locator(".report .scroll").evaluate("each => { each.scrollTop = each.scrollHeight }")
    opened.rest()
    assert 0 < facts.count() < 100
    assert int(facts.last.get_attribute("aria-rowindex") or 0) > 1000
    page.locator(".cr[tabindex='0']").press("Home")
    expect(page.locator(".cr", has_text="The box 0 holds")).to_be_focused()


def test_both_prompts_are_on_one_scale_with_what_stays_the_same(opened: Opened, tmp_path: Path) -> None:
    view = CompressionView(compression())
    page = opened.show(view, tmp_path)
    shown = view.compression
    assert shown is not None

    bars = [each.bounding_box() for each in page.locator(".sources").all()]
    ends = [each.locator(".fill").last.bounding_box() for each in page.locator(".sources").all()]
    same = page.locator(".pre.has i").bounding_box()

    assert None not in (*bars, *ends, same)
    before, after = (end["x"] + end["width"] - bar["x"] for bar, end in zip(bars, ends, strict=True) if bar and end)
    assert bars[0] and bars[1] and same
    assert bars[0]["x"] == bars[1]["x"] == same["x"]
    assert abs(after / before - shown.after_tokens / shown.before_tokens) < 0.02
    assert abs(same["width"] / before - shown.prefix.kept_tokens / shown.before_tokens) < 0.02


def test_a_history_has_a_button_that_applies_it(opened: Opened, tmp_path: Path) -> None:
    history = History(compression().original)
    view = CompressionView(compression(), history=history)
    page = opened.show(view, tmp_path)
    button = page.get_by_role("button", name="Compress")

    button.click()
    opened.pump(view)

    assert history.session == compression().session
    expect(button).to_be_hidden()
    expect(page.locator(".answer")).to_contain_text("Undo takes it back")


def test_a_summary_among_the_steps_opens_to_what_it_stands_for(opened: Opened, tmp_path: Path) -> None:
    widget = StepDebugger(harbour())
    page = opened.show(widget, tmp_path)
    page.locator("[data-step='session-loader']").first.click()
    opened.pump(widget)
    line = page.locator(".stands").first

    line.locator("summary").press("Enter")

    expect(line.locator("summary")).to_have_text("stands for 8 messages: u1 to a4")
    expect(line.locator("div")).to_have_count(8)
    expect(line.locator("div").first).to_contain_text("I shake the rain off my coat")


def test_a_summary_in_the_tree_opens_to_what_it_stands_for(opened: Opened, tmp_path: Path) -> None:
    widget = BranchTree(session())
    widget._handle_custom_msg({"command": "preview", "node": "s1"}, [])
    page = opened.show(widget, tmp_path)
    line = page.locator(".preview .stands")

    line.locator("summary").click()

    expect(line.locator("summary")).to_have_text("stands for 8 messages: u1 to a4")
    expect(line.locator("div")).to_have_count(8)
