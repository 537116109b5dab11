"""In a turn that continues, the message that is gone on with stands last."""

from __future__ import annotations

import ctxlab
from ctxlab import Agent, Session

ON = {"continued-reply.enabled": True}
CHAT = Session(id="s").append("Who rows?", id="u").append("Odo, if the", role="assistant", id="a")
NUDGE = {"id": "nudge", "role": "system", "content": "Go on.", "metadata": {"stPromptName": "continueNudge"}}


def agent_with(*after: dict[str, object]) -> Agent:
    history = {"id": "h", "type": "chat_history"}
    last = {"id": "last", "role": "system", "content": "Be brief."}
    return Agent.model_validate({"id": "a", "presetMessages": [history, last, *after]})


def keys(trace: ctxlab.Trace) -> list[str]:
    return [draft.key for draft in trace.result.drafts]


def test_it_stands_behind_the_last_instructions() -> None:
    trace = ctxlab.build(CHAT, agent_with(), turn="continue", settings=ON)

    assert keys(trace) == ["node:u", "preset:1", "node:a"]


def test_the_words_that_ask_to_go_on_stay_behind_it() -> None:
    trace = ctxlab.build(CHAT, agent_with(NUDGE), turn="continue", settings=ON)

    assert keys(trace) == ["node:u", "preset:1", "node:a", "preset:2"]


def test_its_life_says_why_it_moved() -> None:
    trace = ctxlab.build(CHAT, agent_with(), turn="continue", settings=ON)

    (change,) = trace.result.draft("node:a").changes  # pyright: ignore[reportOptionalMemberAccess]
    assert change.cause.processor == "continued-reply"
    assert change.before == 1


def test_any_other_turn_leaves_it_where_it_is() -> None:
    off = ctxlab.build(CHAT, agent_with(), turn="continue")
    normal = ctxlab.build(CHAT, agent_with(), settings=ON)
    alone = ctxlab.build(CHAT, turn="continue", settings=ON)

    assert keys(off) == keys(normal) == ["node:u", "node:a", "preset:1"]
    assert keys(alone) == ["node:u", "node:a"]
    assert not alone.result.drafts[-1].changes


DEEP = {"id": "deep", "role": "system", "content": "Fog.", "injectionStrategy": {"depth": 1}}
APART = {**ON, "injection-assembler.continued_is_apart": True}


def test_depths_count_the_message_only_where_words_ask_to_go_on() -> None:
    alone = ctxlab.build(CHAT, agent_with(DEEP), turn="continue", settings=APART)
    asked = ctxlab.build(CHAT, agent_with(DEEP, NUDGE), turn="continue", settings=APART)
    normal = ctxlab.build(CHAT, agent_with(DEEP), settings=APART)

    assert keys(alone) == ["preset:2", "node:u", "preset:1", "node:a"]
    assert keys(asked) == ["node:u", "preset:2", "node:a", "preset:3"]
    assert keys(normal) == ["node:u", "preset:2", "node:a", "preset:1"]


def test_the_speaker_is_in_no_field_of_a_message_that_words_ask_to_go_on_with() -> None:
    named = {**ON, "injection-assembler.names": "field"}
    alone = ctxlab.build(CHAT, agent_with(), turn="continue", settings=named)
    asked = ctxlab.build(CHAT, agent_with(NUDGE), turn="continue", settings=named)

    assert [trace.result.draft("node:a").speaker for trace in (alone, asked)] == ["Assistant", None]  # pyright: ignore[reportOptionalMemberAccess]
