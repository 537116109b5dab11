"""Calls that a model writes in its text, and how it is told of the tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.events import ToolFinished
from ctxlab.chat.tools import Runner, ToolCallConfig, agent_with_tools, calls_of_reply, requested, tool, tools_of
from ctxlab.documents import Agent
from ctxlab.documents.session.message import MessageNode
from ctxlab.engines.tool_text import calls_in_text, without_calls
from ctxlab.providers import payload
from ctxlab.testing import FakeServer

PROVIDER = "openai-compatible"
IN_TEXT = {"enabled": True, "protocol": "vcp", "defaultAutoApprove": True}
TIDE = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」tide「末」,\nport:「始」青岛「末」\n<<<[END_TOOL_REQUEST]>>>"


def tide(port: str, days: int = 1) -> str:
    """High water at a port."""
    return f"{port} {days}"


def said(text: str) -> MessageNode:
    return MessageNode.model_validate({"id": "n", "role": "assistant", "content": text})


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (TIDE, [("tide", {"port": "青岛"})]),
        (f"看潮汐。\n{TIDE}\n{TIDE}好", [("tide", {"port": "青岛"})] * 2),
        (f"```\n{TIDE}\n{TIDE}\n```", [("tide", {"port": "青岛"})] * 2),
        (f"```text\nFor example:\n{TIDE}\n```", []),
        (f"```\nnever closed\n{TIDE}", []),
        (TIDE.replace(":", "：").replace(",", "，"), [("tide", {"port": "青岛"})]),
        (TIDE.replace("\n", " "), [("tide", {"port": "青岛"})]),
        (TIDE.replace("「始」青岛「末」", "「始ESCAPE」a「末」b「末ESCAPE」"), [("tide", {"port": "a「末」b"})]),
        (TIDE.replace("青岛", "<<<[TOOL_REQUEST]>>>"), [("tide", {"port": "<<<[TOOL_REQUEST]>>>"})]),
        (TIDE.replace("青岛", "\n```\nx\n```\n"), [("tide", {"port": "```\nx\n```"})]),
        ("no call", []),
    ],
)
def test_calls_are_found(text: str, calls: list[Any]) -> None:
    found = calls_in_text(text)

    assert [(each.name, dict(each.arguments)) for each in found] == calls
    assert not any(each.broken for each in found)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TIDE.replace("「末」\n<", "\n<"), "the value of 'port' is not closed"),
        (TIDE.removesuffix("<<<[END_TOOL_REQUEST]>>>"), "it has no end"),
        (TIDE.replace("tool_name", "name"), "it names no tool"),
        (TIDE.replace("port:", "the port is "), "there are words between its values"),
        (TIDE.replace("port", "tool_name"), "'tool_name' is given twice"),
    ],
)
def test_a_broken_call_has_a_result_that_says_why(text: str, reason: str) -> None:
    config = ToolCallConfig.of(IN_TEXT)
    calls = calls_of_reply(said(text), config)

    [result] = [each for each in Runner(tools_of([tide]), config).run(calls) if isinstance(each, ToolFinished)]

    assert result.status == "failed" and reason in result.node["content"]


@pytest.mark.parametrize(
    "text",
    [
        f"Write `{TIDE}` for it.",
        f"``{TIDE}``",
        f"Write `x` and `{TIDE}`.",
        "The mark `<<<[TOOL_REQUEST]>>>` begins it.",
        f"> {TIDE}",
        "> " + TIDE.replace("\n", "\n> "),
        f"<think>Perhaps {TIDE}</think>No.",
        f"<thinking>{TIDE}</thinking>",
        f"<think>{TIDE}",
    ],
)
def test_a_quoted_call_is_none_and_one_after_it_is(text: str) -> None:
    assert calls_in_text(text) == ()
    if not text.endswith(TIDE) and "<<<[TOOL_REQUEST]>>>`" not in text:
        assert len(calls_in_text(f"{text}\n\n{TIDE}")) == 1


@pytest.mark.parametrize(
    "text", [f"`a` {TIDE} `b`", f"It's a ` tick.\n\n{TIDE}\n\n`", f"> no\n{TIDE}", f"a <think> {TIDE}"]
)
def test_a_call_beside_quotes_is_one(text: str) -> None:
    assert len(calls_in_text(text)) == 1


def test_a_continued_reply_runs_only_the_calls_that_are_new() -> None:
    agent = Agent.model_validate({"id": "g", "toolCallConfig": IN_TEXT})
    session = ctxlab.Session(id="s").append("tide?", id="u").append(f"First.\n{TIDE}", role="assistant", id="a")
    for added, ports in (("Done.", []), (f"\n{TIDE.replace('青岛', '上海')}", ["上海"])):
        answers = iter((added, "End."))
        turn = ctxlab.continue_reply(session, "a", model=lambda messages: next(answers), tools=[tide], agent=agent)  # noqa: B023

        assert turn.error is None
        results = [each.node["content"] for each in turn.events if isinstance(each, ToolFinished)]
        assert [result.split()[-2] for result in results] == ports


def test_a_broken_call_does_not_hide_the_next() -> None:
    first, second = calls_in_text(TIDE.removesuffix("<<<[END_TOOL_REQUEST]>>>") + TIDE)

    assert first.broken and not second.broken


def test_words_around_calls_stay() -> None:
    assert without_calls(f"Let me look.\n```\n{TIDE}\n```\nSoon.") == "Let me look.\n\nSoon."
    assert without_calls("``` a ```") == "``` a ```"


def test_native_calls_go_before_those_in_the_text() -> None:
    native = said(TIDE).with_(metadata={"toolCallsRequested": [{"requestId": "c", "toolName": "tide", "args": {}}]})
    config = ToolCallConfig.of(IN_TEXT)

    assert [each.id for each in calls_of_reply(native, config)] == ["c"]
    assert [each.id for each in calls_of_reply(said(TIDE), config)] == ["n-call-1"]
    assert calls_of_reply(said(TIDE), ToolCallConfig(enabled=True)) == ()
    assert calls_of_reply(said(TIDE).with_(role="user"), config) == ()


def test_a_turn_in_text_tells_of_the_tools_and_sends_results_as_the_users_words() -> None:
    agent = agent_with_tools(Agent.model_validate({"toolCallConfig": IN_TEXT}), tools_of([tide]))
    assert agent is not None
    agent = agent.with_(preset_messages=({"role": "system", "content": "{{tools}}\n{{tool_usage}}"},))
    config = ToolCallConfig.of(agent.tool_call_config)
    session = ctxlab.Session(id="s").append("tide?", id="a")
    calls = calls_of_reply(said(TIDE), config)
    session = session.append(TIDE, role="assistant", metadata={"toolCallsRequested": requested(calls)})
    [*_, done] = Runner(tools_of([tide]), config).run(calls)
    assert isinstance(done, ToolFinished)
    session = session.append(done.node["content"], role="tool", metadata=done.node["metadata"])

    trace = ctxlab.build(session, agent=agent)
    sent = payload(trace, PROVIDER)

    drafts = trace.result.drafts
    assert "- port (string, required)" in str(drafts[0].text) and "<<<[TOOL_REQUEST]>>>" in str(drafts[0].text)
    assert (drafts[-1].role, str(drafts[-1].text)) == ("user", "Result of the tool 'tide' (success):\n青岛 1")
    assert "tools" not in sent.body and "tool_calls" not in json.dumps(sent.body)


def test_with_native_calls_the_definitions_go_beside_the_messages() -> None:
    agent = agent_with_tools(None, [tool(tide), tool(tide, name="ebb")])
    assert agent is not None and agent.tool_call_config is not None
    off = agent.with_(tool_call_config={**agent.tool_call_config, "toolToggles": {"ebb": False}})
    session = ctxlab.Session(id="s").append("tide?", id="a")

    def names(agent: Agent) -> list[str]:
        body = payload(ctxlab.build(session, agent=agent), PROVIDER).body
        return [each["function"]["name"] for each in body.get("tools", ())]

    assert names(agent) == ["tide", "ebb"] and names(off) == ["tide"]
    assert names(off.with_(tool_call_config={"enabled": False})) == []


def test_a_preset_that_tells_of_tools_keeps_the_other_away() -> None:
    data = {"toolCallConfig": {**IN_TEXT, "autoInjectIfMacroMissing": True}}
    agent = agent_with_tools(Agent.model_validate(data), tools_of([tide]))
    assert agent is not None
    session = ctxlab.Session(id="s").append("tide?", id="a")
    own = agent.with_(preset_messages=({"role": "system", "content": "{{tools}}"},))
    silent = agent.with_(preset_messages=({"role": "system", "content": "{{tools}}", "isEnabled": False},))

    texts = [[str(each.text) for each in ctxlab.build(session, agent=one).result.drafts] for one in (own, silent)]

    assert [len(each) for each in texts] == [2, 2]
    assert "To call a tool" not in texts[0][0] and "To call a tool" in texts[1][0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "ask"),
        ("protocol", 1),
        ("maxIterations", 0),
        ("timeout", "30"),
        ("toolToggles", {"a": 1}),
        ("enabled", 1),
    ],
)
def test_a_wrong_setting_is_named_and_the_default_holds(name: str, value: object) -> None:
    config = ToolCallConfig.of({name: value})

    assert config == ToolCallConfig()
    assert len(config.problems) == 1 and f"toolCallConfig.{name} is" in config.problems[0].text


def test_a_build_notes_settings_that_were_not_taken() -> None:
    agent = Agent.model_validate(
        {"toolCallConfig": {"mode": "ask"}, "presetMessages": [{"role": "system", "content": "a"}]}
    )

    trace = ctxlab.build(ctxlab.Session(id="s").append("hi", id="a"), agent=agent)

    assert any("toolCallConfig.mode" in note.text for note in trace.result.notes)


MODELS = {"openai": "gpt-5", "openai-responses": "gpt-5", "anthropic": "claude-sonnet-4-5"} | {
    "gemini": "gemini-2.5-flash",
    "deepseek": "deepseek-chat",
}


@pytest.mark.parametrize("vendor", MODELS)
@pytest.mark.parametrize("as_user", [True, False])
def test_every_vendor_takes_the_results_of_calls_in_the_text_under_either_role(vendor: Any, as_user: bool) -> None:
    agent = Agent(id="g", name="g", tool_call_config={**IN_TEXT, "convertToolRoleToUser": as_user})
    chat = ctxlab.Session(id="s").append("Hi", id="u").append("Hello", role="assistant", id="a")
    with FakeServer([f"Let me see.\n{TIDE}", "Done."]) as server:
        where = {"provider": vendor, "model": MODELS[vendor], "base_url": server.base_url(vendor), "key": "any"}
        turn = ctxlab.send(chat, "Tide?", **where, agent=agent, tools=[tide])

    assert (turn.error, turn.text, server.refusals) == (None, "Done.", ())
    sent = server.requests[1].content.decode()
    assert "青岛 1" in sent and ("node-4-1-call-1" in sent) is not as_user
