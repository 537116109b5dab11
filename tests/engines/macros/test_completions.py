"""Names of macros that go on from what is being typed."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.errors import WrongArgument


def names(text: str, cursor: int | None = None) -> list[str]:
    return [found.name for found in ctxlab.macro_completions(text, cursor)]


def test_an_open_macro_is_completed_with_its_description() -> None:
    (found,) = ctxlab.macro_completions("Hello, {{us")

    assert (found.name, found.applied("Hello, {{us"), found.cursor) == (
        "user",
        "Hello, {{user}}",
        len("Hello, {{user}}"),
    )
    assert "user" in found.description


def test_one_with_arguments_leaves_the_cursor_in_the_first() -> None:
    (found,) = ctxlab.macro_completions("{{rol")

    assert found.applied("{{rol") == "{{roll::}}"
    assert "{{roll::}}"[: found.cursor] == "{{roll::"


def test_what_is_left_of_the_name_and_its_braces_is_replaced() -> None:
    text = "{{use}} and more"

    (found,) = ctxlab.macro_completions(text, len("{{us"))

    assert found.applied(text) == "{{user}} and more"


@pytest.mark.parametrize("text", ["", "user", "{us", "{{user}}", "{{user}} x", "{{roll::1", "{{ nobody"])
def test_elsewhere_nothing_is_offered(text: str) -> None:
    assert names(text) == []


def test_two_braces_offer_all_names_in_order_and_case_does_not_matter() -> None:
    everything = names("看{{")

    assert everything == sorted(everything, key=lambda name: (name.lower(), name)) and len(everything) > 50
    assert names("{{LASTM") == ["lastMessage"]
    assert "isodate" in [found.name for found in ctxlab.macro_completions("{{iso", dialect="sillytavern")]


def test_a_cursor_outside_of_the_text_is_refused() -> None:
    with pytest.raises(WrongArgument, match="cursor is from 0 to 2"):
        ctxlab.macro_completions("{{", 3)
