"""Macros as SillyTavern expands them: by its engine, in the chat's messages, in the order in which it prepares them."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.context import MacroVariables
from ctxlab.documents import Agent, UserProfile, Worldbook

ALL: dict[str, Any] = {
    "injection-assembler.macro_engine": "sillytavern",
    "worldbook-processor.macro_engine": "sillytavern",
    "injection-assembler.macros_in_messages": True,
    "injection-assembler.macro_order": "sillytavern",
}
KIM = UserProfile(name="Kim")
FIRST = {"role": "assistant", "content": "It begins."}
CHAT = [
    {"role": "assistant", "content": "I am {{char}}. {{setvar::a::old}}"},
    {"role": "user", "content": "And I {{user}} [{{getvar::a}}].{{setvar::a::new}}"},
]


def prompt(name: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "role": "system", "content": content, "metadata": {"stPromptName": name}, **more}


def agent_of(*prompts: dict[str, Any], **more: Any) -> Agent:
    return Agent.model_validate(
        {"name": "Nova", "macroDialect": "sillytavern", "presetMessages": list(prompts), **more}
    )


def sent(agent: Agent | None, settings: dict[str, Any], chat: list[dict[str, str]] = CHAT, **options: Any) -> list[str]:
    trace = ctxlab.build(chat, agent, user=KIM, settings=settings, **options)
    return [message["content"] for message in trace.messages]


def test_messages_keep_their_macros_unless_they_are_asked_for() -> None:
    assert sent(None, {}) == [message["content"] for message in CHAT]
    assert sent(None, {"injection-assembler.macro_engine": "sillytavern"}) == [m["content"] for m in CHAT]


def test_messages_are_expanded_from_the_newest_back_but_for_the_first() -> None:
    assert sent(agent_of(prompt("main", "M")), ALL, [FIRST, *CHAT])[2:] == ["I am Nova. ", "And I Kim []."]
    assert sent(agent_of(prompt("main", "M")), ALL)[1:] == ["I am Nova. ", "And I Kim [old]."]


def test_the_first_message_is_expanded_before_lore_rules_and_prompts() -> None:
    chat = [{"role": "assistant", "content": "{{setvar::port::Ida}}By {{user}}."}, {"role": "user", "content": "Ida?"}]
    book = Worldbook.model_validate(
        {
            "id": "b",
            "entries": {
                "0": {"uid": 0, "key": ["Kim"], "content": "Lore of {{getvar::port}}", "position": 4, "depth": 1},
                "1": {"uid": 1, "key": ["{{getvar::port}}"], "content": "Port", "position": 4, "depth": 0},
            },
        }
    )
    options: dict[str, Any] = {"user": KIM, "books": [book], "settings": {"worldbook-processor.scan_depth": 2}}

    trace = ctxlab.build(chat, agent_of(prompt("main", "M {{getvar::port}}")), **options)

    assert [m["content"] for m in trace.messages] == ["M Ida", "By Kim.", "Lore of Ida", "Ida?", "Port"]
    first = trace.step("session-loader").after.drafts[0]
    assert {span.cause.processor for span in first.text.spans if span.cause} == {"session-loader"}
    assert trace.step("session-loader").after.variables.session == {"port": "Ida"}
    assert ctxlab.build(chat, **options).messages[0]["content"] == chat[0]["content"]


def test_a_rewritten_message_says_which_macro_did_it() -> None:
    trace = ctxlab.build([FIRST, *CHAT], agent_of(prompt("main", "M")), user=KIM, settings=ALL)
    message = next(draft for draft in trace.result.drafts if draft.origin.kind == "node" and draft.role == "user")

    causes = [span.cause for span in message.text.spans if span.cause]
    assert [(cause.processor, cause.rule) for cause in causes][:2] == [
        ("injection-assembler", "macro user"),
        ("injection-assembler", "macro getvar"),
    ]
    changed = trace.result.report(MacroVariables)
    assert changed is not None
    assert changed.variables.session == {"a": "old"}


def test_the_card_is_read_before_the_prompts() -> None:
    agent = agent_of(
        prompt("main", "Main {{setvar::mood::glad}}[{{getvar::mood}}]"),
        prompt("personaDescription", "{{persona}}"),
        prompt("charDescription", "Card [{{getvar::mood}}]"),
        prompt("scenario", "Scene [{{getvar::mood}}]"),
        prompt("jailbreak", "Last [{{getvar::mood}}]"),
    )
    user = UserProfile(name="Kim", content="Persona [{{getvar::mood}}]")
    chat = [FIRST, {"role": "user", "content": "Chat [{{getvar::mood}}]"}]

    def words(settings: dict[str, Any]) -> list[str]:
        trace = ctxlab.build(chat, agent, user=user, settings=settings)
        return sorted(line for message in trace.messages for line in message["content"].split("\n") if "[" in line)

    assert words(ALL) == ["Card []", "Chat [glad]", "Last [glad]", "Main [glad]", "Persona [glad]", "Scene []"]
    assert "Card [glad]" in words({**ALL, "injection-assembler.macro_order": "as-sent"})


def test_lore_is_expanded_in_the_order_in_which_it_fires() -> None:
    fields = {
        "bookId": "b",
        "name": "b",
        "entries": {
            "1": {"uid": 1, "content": "One [{{getvar::a}}]{{setvar::a::1}}", "constant": True, "order": 10},
            "2": {"uid": 2, "content": "Two [{{getvar::a}}]{{setvar::a::2}}", "constant": True, "order": 20},
        },
    }

    found = "\n".join(
        sent(agent_of(prompt("main", "Main [{{getvar::a}}]")), ALL, [FIRST], books=[Worldbook.model_validate(fields)])
    )

    assert "One [2]" in found
    assert "Two []" in found
    assert "Main [1]" in found


@pytest.mark.parametrize(
    ("engine", "expected"),
    [("seed", "[]"), ("sillytavern", "[1]"), ("sillytavern-old", "[2]")],
)
def test_the_engine_is_chosen(engine: str, expected: str) -> None:
    agent = agent_of(
        prompt("main", "{{setvar::x::1}}[{{getvar::x}}]{{incvar::x}}".replace("{{incvar", "{{noop}}{{incvar"))
    )

    found = sent(agent, {"injection-assembler.macro_engine": engine}, [{"role": "user", "content": "Hi"}])

    assert expected in found[0]


def test_what_is_typed_is_expanded_by_the_same_engine() -> None:
    trace = ctxlab.build(CHAT, pending="{{if 1}}Yes, {{user}}{{/if}}", user=KIM, settings=ALL)

    assert trace.messages[-1]["content"].endswith("\nYes, Kim")


def test_what_is_escaped_in_the_card_is_read_once_more() -> None:
    agent = agent_of(prompt("main", r"\{\{user\}\}"), prompt("charDescription", r"\{\{user\}\}"))

    lines = "\n".join(sent(agent, ALL)).split("\n")

    assert "{{user}}" in lines
    assert "Kim" in lines
