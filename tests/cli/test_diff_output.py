"""How two contexts are compared in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxlab.cli.output.diff import differences
from ctxlab.cli.output.terminal import Screen
from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Session
from ctxlab.pipeline import diff

Shown = Callable[[Context, Context], list[str]]
WHY = Cause("merge-system", "leading")


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    def show(a: Context, b: Context) -> list[str]:
        differences(Screen(width=100), diff(a, b))
        return capsys.readouterr().out.splitlines()

    return show


def context(**said: Any) -> Context:
    """Messages by key; a pair is words and why they are there."""
    drafts: list[Draft] = []
    for key, words in said.items():
        text, reason = words if isinstance(words, tuple) else (words, "")
        origin = Origin("node", key)
        cause = Cause("worldbook-processor", "The reef", reason) if reason else None
        drafts.append(Draft(key, "system", (Text.of(text, origin, cause),), origin))
    return Context(BuildInput(Session(id="s")), tuple(drafts))


def test_a_new_part_of_a_merged_message_is_its_own_line(shown: Shown) -> None:
    a = context(one="one", two="two").merge(["one", "two"], "|", WHY)
    b = context(one="one", new="words", two="two").merge(["one", "new", "two"], "|", WHY)

    assert shown(a, b) == ["+ new  “words”  part of one", "  2 messages the same"]


def test_a_change_inside_a_merged_message_says_in_which(shown: Shown) -> None:
    a, b = (context(one="one", two=f"two {end}").merge(["one", "two"], "|", WHY) for end in ("cats", "dogs"))

    assert shown(a, b)[0] == "~ two  at character 4: “cat” → “dog”  part of one"


def test_a_merge_says_what_became_part_of_what(shown: Shown) -> None:
    a = context(one="one", two="two")

    assert shown(a, a.merge(["one", "two"], "|", WHY)) == [
        "& one  “one”  merge-system / leading",
        "& two  “two”  merge-system / leading: it is part of one",
    ]


def test_the_same_words_for_another_reason_are_said_to_be_so(shown: Shown) -> None:
    a, b = context(one=("deep", "it is constant")), context(one=("deep", "it is sticky"))

    (line,) = shown(a, b)

    assert line.startswith("= one  same words, other reason: ")
    assert line.endswith("it is constant → put there by worldbook-processor / The reef: it is sticky")
