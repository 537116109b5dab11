"""RuleView in a page: rules are opened, switched, edited and undone, and every text is text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlab import RegexPreset, RegexRule
from ctxlab_widgets.rule_view import RuleView
from tests.browser.conftest import Opened
from tests.gallery.looking import colours_of
from tests.gallery.samples import harbour

SENT = {"request": True, "render": True}
ENDLESS = r"(a+)+\1$"


def rule(id: str, regex: str, replacement: str = "", **more: object) -> RegexRule:
    return RegexRule.model_validate({"id": id, "regex": regex, "replacement": replacement, "apply_to": SENT} | more)


def bobs() -> RuleView:
    rules = (rule("names", "Bob", "**Bob**"), rule("ends", "!", "."), rule("off", "x", "y", enabled=False))
    return RuleView(RegexPreset(name="mine", rules=rules), "Hello Bob!")


def focused(opened: Opened) -> tuple[str | None, str]:
    """Key of the rule in focus, and whether it is its switch or its line."""
    return tuple(
        opened.page.evaluate(
            "() => { const at = document.activeElement, rule = at.closest('.rule');"
            " return [rule && rule.dataset.key, at.className] }"
        )
    )


def states(opened: Opened) -> list[str]:
    return opened.page.locator(".st").all_inner_texts()


def last(opened: Opened) -> str:
    """The text after all rules, without what went."""
    return opened.page.locator(".last .words").evaluate(
        "(text) => { const left = text.cloneNode(true); for (const gone of left.querySelectorAll('del')) gone.remove();"
        " return left.textContent }"
    )


def test_it_draws_what_matched_in_green_and_what_failed_in_red(opened: Opened, tmp_path: Path, theme: str) -> None:
    widget = RuleView([rule("good", "a", "b"), rule("bad", "(")], "a cat")
    widget.opened = ["global/0/0", "global/1/0"]
    page = opened.show(widget, tmp_path)

    colours = page.evaluate("() => [...document.querySelectorAll('.st')].map((each) => getComputedStyle(each).color)")

    assert (
        colours
        == {
            "light": ["rgb(26, 116, 66)", "rgb(179, 38, 30)"],
            "dark": ["rgb(108, 199, 148)", "rgb(242, 139, 130)"],
        }[theme]
    )
    assert colours_of(page.locator(".ctxlab")) > 40


def test_each_rule_opens_to_the_text_after_it_with_the_smallest_change_marked(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    page = opened.show(widget, tmp_path)
    assert states(opened) == ["matched once", "matched once", "switched off"]
    assert last(opened) == "Hello **Bob**."

    page.locator(".ro").nth(0).click()
    opened.pump(widget)
    page.locator(".ro").nth(1).click()
    opened.pump(widget)

    assert widget.opened == ["global/0/0", "global/0/1"]
    first, second = page.locator(".after .words").all()
    assert (first.locator("del").count(), first.locator("ins").all_inner_texts()) == (0, ["**", "**"])
    assert (second.locator("del").inner_text(), second.locator("ins").inner_text()) == ("!", ".")
    page.locator(".ro").nth(0).click()
    opened.pump(widget)
    assert page.locator(".after").count() == 1


def test_a_rule_is_switched_by_click_and_by_key_and_undone(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    page = opened.show(widget, tmp_path)

    page.get_by_role("switch", name="Rule names").click()
    assert opened.pump(widget) == [{"command": "switch", "rule": "global/0/0", "on": False}]
    assert last(opened) == "Hello Bob."
    assert page.get_by_role("switch", name="Rule names").get_attribute("aria-checked") == "false"
    page.locator(".ro").nth(1).focus()
    page.keyboard.press("o")
    opened.pump(widget)
    assert last(opened) == "Hello Bob!"
    page.keyboard.press("Control+z")
    opened.pump(widget)
    assert last(opened) == "Hello Bob."
    page.get_by_role("button", name="Undo").click()
    opened.pump(widget)

    assert last(opened) == "Hello **Bob**."
    assert page.get_by_role("button", name="Undo").get_attribute("aria-disabled") == "true"


def test_arrows_walk_from_rule_to_rule_and_the_list_is_one_tab_stop(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    page = opened.show(widget, tmp_path)
    page.locator(".last .words").focus()
    page.keyboard.press("Tab")

    assert focused(opened) == ("global/0/0", "ro")
    for key in ("ArrowDown", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    assert focused(opened) == ("global/0/1", "sw")
    page.keyboard.press("End")
    assert focused(opened) == ("global/0/2", "sw")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert widget.opened == ["global/0/2"]
    assert page.locator(".rh [tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "Pattern"
    page.keyboard.press("Escape")

    assert focused(opened) == ("global/0/2", "ro")


def test_a_pattern_is_edited_in_place_and_its_error_stands_beside_it(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    widget.opened = ["global/0/0"]
    page = opened.show(widget, tmp_path)
    field = page.get_by_role("textbox", name="Pattern")

    field.fill("(Hello")
    page.wait_for_function("() => window.ctxlabHost.model.sent.length")
    opened.pump(widget)
    assert page.locator(".fl-pattern .wrong").inner_text() == "The pattern doesn't compile: Unterminated group."
    assert field.get_attribute("aria-invalid") == "true"
    assert field.input_value() == "(Hello"
    field.press_sequentially(")")
    field.press("Enter")
    opened.pump(widget)
    assert page.locator(".fl-pattern .wrong").inner_text() == ""
    assert last(opened) == "**Bob** Bob."
    page.get_by_role("button", name="Undo").click()
    opened.pump(widget)

    assert field.input_value() == "Bob"
    assert last(opened) == "Hello **Bob**."


def test_flags_that_dont_exist_are_refused_beside_their_field(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    widget.opened = ["global/0/0"]
    page = opened.show(widget, tmp_path)

    page.get_by_role("textbox", name="Flags").fill("gq")
    page.keyboard.press("Enter")
    opened.pump(widget)
    assert "'q' is not one of them" in page.locator(".fl-flags .wrong").inner_text()
    page.keyboard.press("Escape")
    opened.pump(widget)
    assert page.locator(".fl-flags .wrong").inner_text() == ""
    page.get_by_role("textbox", name="Flags").fill("gi")
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert page.locator(".fl-flags .wrong").inner_text() == ""
    assert widget.rules.presets[0].rules[0].flags == "gi"


def test_a_typed_text_role_depth_and_stage_are_tried(opened: Opened, tmp_path: Path) -> None:
    one = rule("one", "a", "b", target_roles=["user"], depth_range={"min": 2, "max": None})
    widget = RuleView([one], "a")
    page = opened.show(widget, tmp_path)

    page.get_by_role("combobox", name="Role").select_option("user")
    page.get_by_role("spinbutton", name="Depth").fill("2")
    page.keyboard.press("Tab")
    page.get_by_role("radio", name="Shown").click()
    page.get_by_role("textbox", name="Text before the rules").fill("aa")
    page.wait_for_function("() => window.ctxlabHost.model.sent.length === 4")
    opened.pump(widget)

    assert (widget.role, widget.depth, widget.stage, widget.text) == ("user", 2, "render", "aa")
    assert last(opened) == "bb"


def test_task_what_a_rule_changed(opened: Opened, tmp_path: Path) -> None:
    """From the opened view: no click."""
    page = opened.show(RuleView(harbour()), tmp_path)

    assert page.locator(".answer").inner_text().startswith("1 rule changed 4 messages, −76 tokens: ")
    assert page.locator(".strip button").all_inner_texts() == ["g1 −36", "a5 −18", "a7 −11", "a9b −11"]
    for text in (".last .words", ".rule .after .words"):
        box = page.locator(text).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 700
        assert page.locator(f"{text} del").inner_text().startswith("风推开")
        assert page.locator(f"{text} ins").inner_text() == "…"


def test_rules_that_did_nothing_are_folded_with_their_reasons_and_unfold(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(RuleView(harbour()), tmp_path)
    fold = page.locator(".fold button")

    assert fold.inner_text().splitlines() == [
        "6 rules changed nothing here",
        "2 only for what is shown, 3 nothing to change, 1 switched off",
    ]
    assert page.locator(".rule").count() == 2
    page.locator(".ro").nth(1).focus()
    for key in ("ArrowDown", "Enter", "ArrowDown"):
        page.keyboard.press(key)

    assert page.locator(".rule").count() == 8
    assert focused(opened) == ("global/0/2", "ro")


def test_the_next_changed_message_is_a_key_away(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView(harbour())
    page = opened.show(widget, tmp_path)
    seen = [widget.message]
    page.locator(".ro").first.focus()

    for key in ("n", "n", "Shift+N"):
        page.keyboard.press(key)
        opened.pump(widget)
        seen.append(widget.message)
    page.get_by_role("button", name="Next changed message").click()
    opened.pump(widget)
    page.locator(".strip button").last.click()
    opened.pump(widget)

    assert seen == ["node:g1", "node:a5", "node:a7", "node:a5"]
    assert widget.message == "node:a9b"
    assert page.locator(".strip [aria-current]").inner_text() == "a9b −11"
    assert page.get_by_role("button", name="Next changed message").get_attribute("aria-disabled") == "true"


def test_a_change_in_a_run_is_told_in_a_banner_and_taken_back(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView(harbour())
    page = opened.show(widget, tmp_path)
    first = widget.trace

    page.get_by_role("switch").nth(1).click()
    opened.pump(widget)
    assert (
        page.locator(".effect").inner_text().startswith("“旧的舞台说明缩短 · Shorten old stage directions” is off. +11")
    )
    assert page.locator(".rule.s-off").count() == 1
    page.locator(".effect").get_by_role("button", name="Back").click()
    opened.pump(widget)

    assert widget.trace is first
    assert not page.locator(".effect").is_visible()


def test_in_a_page_undo_is_the_pages_and_a_message_opens_in_the_steps(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView(harbour())
    widget.views = ["steps", "rules"]
    page = opened.show(widget, tmp_path)

    assert not page.get_by_role("button", name="Undo").is_visible()
    page.locator(".ro").first.focus()
    page.keyboard.press("Control+z")
    page.get_by_role("button", name="Open in Steps").click()

    assert opened.sent() == [{"command": "page_undo"}, {"command": "open_view", "view": "steps", "key": "node:g1"}]


def test_a_depth_that_is_none_is_refused_in_a_sentence_and_escape_gives_the_old_one_back(
    opened: Opened, tmp_path: Path
) -> None:
    widget = RuleView(harbour())
    page = opened.show(widget, tmp_path)
    field = page.get_by_role("spinbutton", name="Depth", exact=True)

    field.fill("-3")
    page.keyboard.press("Enter")
    assert "whole number" in page.locator(".bar2 .wrong").inner_text()
    page.keyboard.press("Escape")
    assert (page.locator(".bar2 .wrong").inner_text(), field.input_value()) == ("", "18")
    page.get_by_role("textbox", name="Depth from").fill("x")
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert "whole number from 0" in page.locator(".fl-min_depth .wrong").inner_text()
    assert page.locator(".answer").inner_text().startswith("1 rule changed 4 messages")
    assert page.get_by_role("textbox", name="Depth from").input_value() == "x"


def test_a_message_of_a_run_is_chosen_and_what_is_selected_elsewhere_comes(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView(harbour())
    page = opened.show(widget, tmp_path)

    page.get_by_role("combobox", name="Message").select_option("node:a5")
    opened.pump(widget)
    assert (widget.selected, widget.message) == ("node:a5", "node:a5")
    page.get_by_role("combobox", name="Message").select_option("node:u6")
    opened.pump(widget)
    widget.selected = "node:g1"
    opened.pump(widget)

    assert page.get_by_role("combobox", name="Message").input_value() == "node:g1"
    assert page.get_by_role("textbox", name="Text before the rules").input_value() == widget.text
    assert not page.get_by_role("button", name="Back to the message").is_visible()
    page.get_by_role("textbox", name="Text before the rules").fill("other")
    page.wait_for_function("() => window.ctxlabHost.model.sent.length")
    opened.pump(widget)
    page.get_by_role("button", name="Back to the message").click()
    opened.pump(widget)
    assert page.get_by_role("textbox", name="Text before the rules").input_value() == widget.text != "other"


def test_of_a_run_a_typed_change_counts_only_when_it_is_finished(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView(harbour())
    page = opened.show(widget, tmp_path)
    first = widget.trace

    page.get_by_role("textbox", name="Replacement").fill("*$1, and on*")
    opened.rest()
    assert opened.pump(widget) == []
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert widget.trace is not first
    assert ", and on*" in last(opened)


def test_a_pattern_that_never_ends_is_told_and_the_page_goes_on(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView([rule("slow", ENDLESS), rule("quick", "!", "?")], "a" * 40 + "!")
    page = opened.show(widget, tmp_path)

    assert states(opened) == ["It needs more than 50,002,050 backtracks in one text.", "matched once"]
    page.locator(".ro").first.click()
    opened.pump(widget)

    assert page.locator(".fl-pattern .wrong").inner_text() == "It needs more than 50,002,050 backtracks in one text."
    assert "stays as it was" in page.locator(".after").inner_text()


def test_another_run_is_drawn_where_nothing_was(opened: Opened, tmp_path: Path) -> None:
    widget = RuleView()
    page = opened.show(widget, tmp_path)
    assert "RuleView(trace)" in page.locator(".empty").inner_text()

    widget.trace = harbour()
    opened.pump(widget)

    assert page.locator(".rule").count() == 2
    assert page.locator(".after ins").count() == 1


def test_strangers_text_is_text(opened: Opened, tmp_path: Path) -> None:
    bad = "<img src=x onerror=alert(1)>\u202egnp\x1b[31m"
    rules = RegexPreset(name=bad, rules=(rule(bad, "red", bad, name=bad), rule("undo", "img", "<b>")))
    widget = RuleView(rules, f"{bad} red </script>")
    widget.opened = ["global/0/0", "global/0/1"]
    page = opened.show(widget, tmp_path)

    told = page.locator(".ctxlab").inner_text()
    assert page.locator(".ctxlab img, .ctxlab b:not(.effect b)").count() == 0
    assert "<img src=x onerror=alert(1)>\\u202egnp\\u001b[31m" in told
    assert not {"\u202e", "\x1b"} & set(told)


def test_five_hundred_rules_are_drawn_and_walked_through(opened: Opened, tmp_path: Path) -> None:
    rules = tuple(rule(f"r{i}", f"<{i}>", "x") for i in range(500))
    widget = RuleView(RegexPreset(name="many", rules=rules), "<499>")
    page = opened.show(widget, tmp_path)

    page.locator(".ro").first.focus()
    page.keyboard.press("End")
    assert focused(opened) == ("global/0/499", "ro")
    page.keyboard.press("Enter")
    opened.pump(widget)

    assert page.locator(".after ins").inner_text() == "x"


@pytest.mark.parametrize("width", [420, 700])
def test_it_fits_a_narrow_page(opened: Opened, tmp_path: Path, width: int) -> None:
    opened.resize(width)
    widget = RuleView([rule("long", "a" * 300, "b" * 300, name="c" * 100)], "d" * 500)
    widget.opened = ["global/0/0"]
    page = opened.show(widget, tmp_path)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert page.evaluate(
        "() => [...document.querySelectorAll('.w *')].every((e) => e.getBoundingClientRect().right <= innerWidth)"
    )


def test_a_report_of_it_shows_and_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    widget = bobs()
    widget.live = False
    page = opened.show(widget, tmp_path)

    page.get_by_role("switch", name="Rule names").click(force=True)
    page.locator(".ro").first.click()
    opened.rest()

    assert opened.sent() == []
    assert page.locator(".after ins").count() == 2
    assert page.get_by_role("textbox", name="Pattern").is_disabled()
