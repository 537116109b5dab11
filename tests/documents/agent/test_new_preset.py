"""Presets of a text and a place: they land where they ask to, beside the agent's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Session
from ctxlab.errors import CtxlabError, Refused, WrongArgument

APART = {"merge-system.enabled": False, "merge-consecutive.enabled": False}


def talk(length: int) -> Session:
    session = Session(id="s")
    for n in range(length):
        session = session.append(f"turn {n}", role="assistant" if n % 2 else "user")
    return session


@given(st.integers(1, 8), st.integers(0, 10))
def test_a_preset_with_a_depth_has_so_many_messages_after_it(length: int, depth: int) -> None:
    note = ctxlab.preset("Answer {{user}} briefly. 写短一点。", depth=depth)

    trace = ctxlab.build(talk(length), Agent(id="a"), presets=[note], settings=APART)

    at = [message["source"][0]["id"] for message in trace.messages].index("note")
    assert len(trace.messages) - 1 - at == min(depth, length)
    assert trace.messages[at]["role"] == "system" and "{{user}}" not in trace.messages[at]["content"]


def test_a_preset_of_an_agent_is_the_same() -> None:
    agent = Agent(id="a", preset_messages=(ctxlab.preset("Be kind.", role="user", id="kind", name="Kind"),))

    trace = ctxlab.build(talk(2), agent, settings=APART)

    assert (trace.messages[0]["role"], trace.messages[0]["content"]) == ("user", "Be kind.")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (" ", {}),
        ("a", {"depth": -1}),
        ("a", {"depth": 1, "anchor": "x"}),
        ("a", {"order": 3}),
        ("a", {"position": "after"}),
    ],
)
def test_no_words_and_no_place_that_there_is_are_refused(text: str, place: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        ctxlab.preset(text, **place)


def test_a_text_where_presets_belong_says_how_one_is_made() -> None:
    texts: Any = ["Be brief."]

    with pytest.raises(
        WrongArgument, match=r"presets\[0\] takes a preset \(ctxlab\.preset\(text, depth=4\) makes one\)"
    ):
        ctxlab.build(talk(1), presets=texts)


def test_a_role_that_is_none_is_refused() -> None:
    role: Any = "tool"

    with pytest.raises(CtxlabError, match="role"):
        ctxlab.preset("x", role=role)
