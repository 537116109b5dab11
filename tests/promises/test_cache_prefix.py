"""The cached prefix: from one turn to the next nothing in front of the first new message changes without its step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import Agent, Session
from ctxlab.pipeline import Trace
from ctxlab.providers import Payload, payload
from ctxlab.providers.cache_marks import CacheMarks
from tests.promises.strategies import sessions, spoken

PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "deepseek", "openai-compatible")
MODELS = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash", "deepseek": "deepseek-chat"}
LORE = {
    "id": "b",
    "name": "b",
    "entries": {"1": {"uid": 1, "key": ["lamp"], "content": "The lamp is cold.", "order": 1}},
}
presets = st.lists(
    st.sampled_from(
        [
            {"content": "Be brief.", "injectionStrategy": {"type": "depth", "depth": 1}},
            {"content": "看这里", "injectionStrategy": {"type": "depth", "depth": 3}},
            {"content": "The last words were: {{lastMessage}}"},
            {"content": "You keep a lighthouse."},
        ]
    ),
    max_size=3,
)
settings_of_a_run = st.sampled_from(
    [
        {},
        {"token-limiter.budget_tokens": 150},
        {"token-limiter.budget_tokens": 220},
        {"merge-consecutive.enabled": True},
    ]
)


spoken_to = sessions(branches=False, max_size=6).map(lambda session: session.append("Well?", id="last"))


def agent_with(rows: list[dict[str, Any]]) -> Agent:
    return Agent(
        id="a", name="A", preset_messages=[{"id": f"p{n}", "role": "system", **row} for n, row in enumerate(rows)]
    )


def with_a_turn(session: Session, question: str, answer: str) -> Session:
    return session.append(answer, role="assistant", id="new1").append(question, id="new2")


def built(session: Session, agent: Agent | None, changes: dict[str, Any], **more: Any) -> Trace:
    return ctxlab.build(session, agent, settings=changes, timestamp="2026-11-01T10:00:00Z", **more)


def two_payloads(old: Trace, new: Trace, name: str) -> tuple[Payload, Payload]:
    first = payload(old, name, model=MODELS.get(name))
    return first, payload(new, name, model=MODELS.get(name), after=first)


def sent(draft: Any) -> tuple[Any, ...]:
    return draft.key, draft.role, str(draft.text), draft.calls, draft.result_of, draft.reasoning, draft.speaker


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(each) for key, each in value.items() if key != "cache_control"}
    return [without_marks(each) for each in value] if isinstance(value, list) else value


def as_blocks(turn: dict[str, Any]) -> list[Any]:
    content = turn["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def marks_of(found: Payload) -> CacheMarks:
    assert found.marks is not None
    return found.marks


@given(spoken_to, presets, settings_of_a_run, spoken, st.sampled_from(PROVIDERS))
@settings(max_examples=40, deadline=None)
def test_what_changes_in_front_of_the_first_new_message_is_named(
    session: Session, rows: list[dict[str, Any]], changes: dict[str, Any], question: str, name: str
) -> None:
    agent = agent_with(rows)
    old, new = built(session, agent, changes), built(with_a_turn(session, question, "Aye."), agent, changes)

    marks = marks_of(two_payloads(old, new, name)[1])

    named = {each.key for each in marks.breaks}
    end = next((n for n, d in enumerate(new.result.drafts) if d.key in ("node:new1", "node:new2")), None)
    front = [sent(draft) for draft in new.result.drafts[:end] if draft.key not in named]
    assert front == [sent(draft) for draft in old.result.drafts if draft.key not in named]
    steps = {step.id for step in new.steps} | {step.id for step in old.steps}
    assert all(each.step in steps for each in marks.breaks if each.key)
    if not rows and not changes:
        assert not marks.breaks


@given(spoken_to, presets, spoken, st.booleans())
@settings(max_examples=25, deadline=None)
def test_marks_are_inside_what_both_requests_have_in_common(
    session: Session, rows: list[dict[str, Any]], question: str, long: bool
) -> None:
    agent = agent_with([*rows, *([{"content": "light " * 3_000}] if long else [])])
    old, new = built(session, agent, {}), built(with_a_turn(session, question, "Aye."), agent, {})

    first, second = two_payloads(old, new, "anthropic")

    was, now = without_marks(first.body), without_marks(second.body)
    for mark in marks_of(second).marks:
        kind, at, *rest = mark.path
        assert isinstance(at, int)
        assert was.get("tools") == now.get("tools")
        end = at if kind == "system" else None
        assert (
            now.get("system", [])[: end + 1 if end is not None else None]
            == was.get("system", [])[: end + 1 if end is not None else None]
        )
        if kind == "messages":
            assert [as_blocks(turn) for turn in now["messages"][:at]] == [
                as_blocks(turn) for turn in was["messages"][:at]
            ]
            last = rest[1] if len(rest) > 1 else 0
            assert isinstance(last, int)
            assert as_blocks(now["messages"][at])[: last + 1] == as_blocks(was["messages"][at])[: last + 1]
    assert all(mark.effective == (mark.tokens >= 1_024) for mark in marks_of(second).marks)
    assert str(second.body).count("cache_control") == sum(mark.effective for mark in marks_of(second).marks) <= 4
    assert not second.problems or [p.place for p in second.problems] == [
        p.place for p in payload(new, "anthropic", model=MODELS["anthropic"]).problems
    ]


CHAT = Session().append("Who is there?").append("The keeper.", role="assistant").append("Show me the way.")
CHAT_WITH_ANSWER = CHAT.append("Up the stairs.", role="assistant")


@pytest.mark.parametrize(
    ("rows", "changes", "key", "step"),
    [
        ([{"content": "Be brief.", "injectionStrategy": {"type": "depth", "depth": 1}}], {}, "preset:0", "injection"),
        ([{"content": "They said: {{lastMessage}}"}], {}, "preset:0", "injection"),
        ([], {"token-limiter.budget_tokens": 30}, None, "token-limiter"),
    ],
)
def test_a_break_names_the_step_that_made_it(
    rows: list[dict[str, Any]], changes: dict[str, Any], key: str | None, step: str
) -> None:
    agent = agent_with(rows)
    old, new = built(CHAT, agent, changes), built(with_a_turn(CHAT, "And now? " * 3, "Left."), agent, changes)

    breaks = marks_of(two_payloads(old, new, "openai")[1]).breaks

    assert breaks
    assert all(step in each.step for each in breaks), breaks
    assert key is None or [each.key for each in breaks] == [key]


def test_lore_that_fires_is_named_with_its_step() -> None:
    book = ctxlab.Worldbook.model_validate(LORE)
    old = built(CHAT, agent_with([]), {}, books=[book])
    new = built(with_a_turn(CHAT, "And the lamp?", "Cold."), agent_with([]), {}, books=[book])

    breaks = marks_of(two_payloads(old, new, "openai")[1]).breaks

    assert [each.key for each in breaks] == ["lore:b/1"]
    assert breaks[0].step in {step.id for step in new.steps if "lore:b/1" in {d.key for d in step.after.drafts}}


def test_a_pending_message_that_was_stored_is_no_new_one() -> None:
    old = built(CHAT_WITH_ANSWER, None, {}, pending="Which door?")
    new = built(CHAT_WITH_ANSWER.append("Which door?").append("The left.", role="assistant"), None, {})

    marks = marks_of(two_payloads(old, new, "openai")[1])

    assert (marks.breaks, marks.same_messages) == ((), 5)


def test_another_model_or_vendor_has_nothing_in_common() -> None:
    run = built(CHAT, None, {})

    first = payload(run, "openai", model="gpt-4o")

    for second in (payload(run, "openai", model="gpt-5.2", after=first), payload(run, "anthropic", after=first)):
        assert (marks_of(second).same_messages, len(marks_of(second).breaks)) == (0, 1)


def test_a_first_request_is_marked_at_the_end_of_its_head_and_before_the_newest_message() -> None:
    agent = agent_with([{"content": "light " * 3_000}])

    found = payload(built(CHAT, agent, {}), "anthropic", model="claude-sonnet-4-5")

    places = [each.as_data()["place"] for each in marks_of(found).marks]
    assert places == ["system[0]", "messages[1].content[0]"]
    assert found.body["messages"][1]["content"][0]["cache_control"] == {"type": "ephemeral"}
    for place in found.places:
        if place.text is not None:
            assert ctxlab.providers.place.value_at(found.body, place.path) == str(place.text)


@pytest.mark.parametrize("name", ["openai", "openai-responses", "gemini", "deepseek"])
def test_vendors_that_cache_by_themselves_get_no_field(name: str) -> None:
    agent = agent_with([{"content": "light " * 6_000}])
    old, new = built(CHAT, agent, {}), built(with_a_turn(CHAT, "Now?", "Aye."), agent, {})

    _, second = two_payloads(old, new, name)

    marks = marks_of(second)
    assert marks.automatic and marks.marks[0].effective and marks.read_tokens == marks.same_tokens > 6_000
    assert "cache_control" not in second.as_bytes().decode()
