"""A quick action on the text that is being typed."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab import LineProcessing, QuickAction, apply_quick_action
from ctxlab.errors import Refused, WrongArgument

BOLD = QuickAction(id="b", label="Bold", content="<b>{{input}}</b>")


def test_what_is_selected_goes_into_the_template_and_the_caret_behind_it() -> None:
    applied = apply_quick_action(BOLD, "say 你好 now", (4, 6))

    assert applied.text == "say <b>你好</b> now"
    assert (applied.start, applied.caret) == (4, 13)
    assert not applied.send


@pytest.mark.parametrize("selection", [None, (2, 2), (0, 5), (5, 0)])
def test_without_a_selection_it_is_all_that_is_typed(selection: tuple[int, int] | None) -> None:
    assert apply_quick_action(BOLD, "hello", selection).text == "<b>hello</b>"


def test_macros_of_the_template_are_expanded_and_those_of_the_text_are_not() -> None:
    chat = ctxlab.example("harbour")
    action = QuickAction(content="({{char}} looks at {{user}}: {{input}})")

    applied = apply_quick_action(action, "{{user}} $& {{trim}} __TRIM__", session=chat)

    name, user = chat.agent().name, chat.user().name
    assert applied.text == f"({name} looks at {user}: {{{{user}}}} $& {{{{trim}}}} __TRIM__)"


def test_a_macro_that_is_not_known_stays_and_is_named() -> None:
    applied = apply_quick_action(QuickAction(content="{{usr}} {{input}}"), "x")

    assert applied.text == "{{usr}} x"
    assert "'usr' is not known" in applied.notes[0].text


def test_a_variable_that_a_template_sets_comes_back() -> None:
    applied = apply_quick_action(QuickAction(content="{{setvar::mood::calm}}{{input}}"), "x")

    assert applied.text == "x"
    assert applied.variables.session["mood"] == "calm"


def test_lines_are_replaced_first_and_then_get_prefix_and_suffix() -> None:
    lines = LineProcessing(prefix="> ", suffix="!", regex_pattern="(a)", regex_replace="[$1]")
    action = QuickAction(content="{{input}}", line_processing=lines)

    assert apply_quick_action(action, "aa\r\nb\n\na").text == "> [a][a]!\r\n> b!\n> !\n> [a]!"
    off = action.with_(line_processing=lines.with_(enabled=False))
    assert apply_quick_action(off, "aa").text == "aa"
    first = action.with_(line_processing=lines.with_(regex_flags="", prefix="", suffix=""))
    assert apply_quick_action(first, "aa").text == "[a]a"


def test_a_pattern_that_does_not_compile_is_left_out_and_named() -> None:
    action = BOLD.with_(line_processing=LineProcessing(prefix="> ", regex_pattern="("))

    applied = apply_quick_action(action, "x")

    assert applied.text == "> <b>x</b>"
    assert applied.notes[0].text.startswith("the pattern '(' of quick action 'Bold' is left out: ")


@pytest.mark.parametrize(
    ("place", "typed", "text"),
    [("before", "hi", "hi wave"), ("after", "hi", "wave hi"), ("before", "", "wave"), (None, "hi", "wave")],
)
def test_typed_text_goes_where_the_action_says(place: str | None, typed: str, text: str) -> None:
    action = QuickAction(label="Wave", content="wave", input_place=place)

    applied = apply_quick_action(action, typed)

    assert applied.text == text
    assert [note.text for note in applied.notes] == (
        [] if place else ["quick action 'Wave' has no {{input}}: it takes the place of 'hi'"]
    )


def test_it_asks_for_sending_only_where_there_is_text() -> None:
    action = BOLD.with_(auto_send=True, content="{{input}}")

    assert apply_quick_action(action, "x").send
    applied = apply_quick_action(action, " \n")
    assert not applied.send
    assert applied.notes[0].text == "quick action 'Bold' made no text; nothing is sent"


def test_a_switched_off_action_and_a_wrong_selection_are_refused() -> None:
    with pytest.raises(Refused, match="quick action 'Bold' is switched off"):
        apply_quick_action(BOLD.with_(is_enabled=False), "x")
    for wrong in ((0, 4), (-1, 2)):
        with pytest.raises(WrongArgument, match="selection takes two places from 0 to 3"):
            apply_quick_action(BOLD, "abc", wrong)
