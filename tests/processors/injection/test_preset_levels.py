"""Presets of everyone, of the user and of the agent, and the groups that keep some of them out."""

from typing import Any

from ctxlab import Agent, MessageNode, Session, Trace, UserProfile, build
from ctxlab.documents import ModelProfile

EVERYONE = MessageNode.model_validate({"id": "g", "role": "system", "content": "be kind"})
USER = {"id": "u", "name": "Kim", "presetMessages": [{"id": "up", "role": "system", "content": "I am {{user}}"}]}
AGENT = {"id": "a", "name": "Nova", "presetMessages": [{"id": "ap", "role": "system", "content": "you are {{char}}"}]}
CHAT = Session().append("", role="system").append("hello")


def built(agent: dict[str, Any] = AGENT, user: dict[str, Any] = USER, **more: Any) -> Trace:
    settings = {"merge-system.enabled": False, "merge-consecutive.enabled": False}
    return build(CHAT, Agent.model_validate(agent), user=UserProfile.model_validate(user), settings=settings, **more)


def contents(trace: Trace) -> list[str]:
    return [message["content"] for message in trace.messages]


def test_everyones_presets_come_first_then_the_users_then_the_agents() -> None:
    trace = built(presets=[EVERYONE])

    assert contents(trace) == ["be kind", "I am Kim", "you are Nova", "hello"]
    assert [draft.key for draft in trace.result.drafts[:3]] == ["preset:global/0", "preset:user/0", "preset:0"]


def test_a_users_preset_can_go_to_a_depth_or_an_anchor() -> None:
    deep = {"id": "d", "role": "system", "content": "note", "injectionStrategy": {"type": "depth", "depth": 0}}

    assert contents(built(user={**USER, "presetMessages": [deep]})) == ["you are Nova", "hello", "note"]


def test_each_preset_is_filtered_by_the_model() -> None:
    only = {"enabled": True, "patterns": ["claude"]}
    users = [{**USER["presetMessages"][0], "modelMatch": only}]

    trace = built(user={**USER, "presetMessages": users}, model=ModelProfile(id="gpt-4o"))

    assert contents(trace) == ["you are Nova", "hello"]
    assert [group.cause.rule for group in trace.result.dropped] == ["model-match"]


def grouped(*, on: bool, mode: str = "checkbox") -> dict[str, Any]:
    presets = [{"id": f"p{i}", "role": "system", "content": f"style {i}", "groupId": "styles"} for i in range(2)]
    group = {"id": "styles", "name": "Styles", "enabled": on, "selectionMode": mode}
    return {"id": "a", "presetMessages": presets, "presetGroups": [group]}


def test_a_group_that_is_off_keeps_its_presets_out_and_says_so() -> None:
    trace = built(grouped(on=False), user={})

    assert contents(trace) == ["hello"]
    assert [(g.cause.rule, len(g.drafts)) for g in trace.result.dropped] == [("group", 2)]
    assert "Styles" in trace.result.dropped[0].cause.reason


def test_a_radio_group_sends_its_first_preset_that_is_on() -> None:
    assert contents(built(grouped(on=True, mode="radio"), user={})) == ["style 0", "hello"]


def test_presets_of_two_levels_with_the_same_id_are_two_messages() -> None:
    twin = MessageNode.model_validate({"id": "ap", "role": "system", "content": "twin"})

    assert contents(built(user={}, presets=[twin])) == ["twin", "you are Nova", "hello"]
