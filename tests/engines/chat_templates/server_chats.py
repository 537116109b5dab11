"""Twelve chats of the shapes that a llama.cpp server is asked for, and ctxlab's text of each."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ctxlab.context import Draft, Origin, Text
from ctxlab.documents.session.message import ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.jinja import render_for_llama_cpp
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import TOOLS

Message = dict[str, Any]
Chat = dict[str, Any]


def said(role: str, content: Any, **more: Any) -> Message:
    return {"role": role, "content": content, **more}


def call(number: int, arguments: str) -> dict[str, Any]:
    return {"id": f"abcdefgh{number}", "type": "function", "function": {"name": "look", "arguments": arguments}}


def parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


SYSTEM, USER, ANSWER, NEXT = (
    said("system", "You keep the tower. "),
    said("user", " Is it lit?"),
    said("assistant", "It is."),
    said("user", "And now?"),
)
CALLS = [
    call(1, '{"where": "灯塔", "many": 2}'),
    call(2, '{"where": "sea", "far": 1.5, "deep": null, "with": ["a", {"b": true}]}'),
]
RESULTS = [said("tool", "Lit.", tool_call_id="abcdefgh1"), said("tool", "Dark.", tool_call_id="abcdefgh2")]
CHATS: dict[str, Chat] = {
    "turns with a system text": {"messages": [SYSTEM, USER, ANSWER, NEXT]},
    "no system text": {"messages": [USER, ANSWER, NEXT]},
    "a greeting first": {"messages": [SYSTEM, ANSWER, NEXT]},
    "a late system text": {"messages": [USER, ANSWER, said("system", "Be brief."), NEXT]},
    "`developer` first": {"messages": [said("developer", "You keep the tower."), USER, ANSWER, NEXT]},
    "thoughts in the history": {
        "messages": [SYSTEM, USER, said("assistant", "It is.", reasoning_content="I look up."), NEXT]
    },
    "a speaker's name": {"messages": [SYSTEM, {**USER, "name": "Ada"}, ANSWER, NEXT]},
    "definitions of tools": {"messages": [SYSTEM, USER], "tools": TOOLS},
    "two calls with results": {
        "messages": [
            SYSTEM,
            USER,
            said("assistant", "", tool_calls=CALLS),
            *RESULTS,
            said("assistant", "One is lit."),
            NEXT,
        ],
        "tools": TOOLS,
    },
    "words beside a call": {
        "messages": [SYSTEM, USER, said("assistant", "I look.", tool_calls=CALLS[:1]), RESULTS[0]],
        "tools": TOOLS,
    },
    "typed parts": {
        "messages": [
            said("system", parts("You keep the tower. ")),
            said("user", parts(" Is it lit?", "灯塔 ")),
            said("assistant", parts("It is.")),
            said("user", parts("And now?")),
        ]
    },
    "the assistant last": {"messages": [SYSTEM, USER, ANSWER, NEXT, said("assistant", "It is ")]},
}


def drafts_of(messages: list[Message]) -> list[Draft]:
    """The messages as ctxlab has them."""
    return [_draft(f"m{number}", each) for number, each in enumerate(messages)]


def _draft(key: str, message: Message) -> Draft:
    origin, content = Origin("node", key), message["content"]
    texts = [part["text"] for part in content] if isinstance(content, list) else [content] if content else []
    return Draft(
        key,
        "system" if message["role"] == "developer" else message["role"],
        tuple(Text.of(text, origin) for text in texts),
        origin,
        calls=tuple(ToolCall(each["id"], **each["function"]) for each in message.get("tool_calls", ())),
        result_of=message.get("tool_call_id"),
        reasoning=message.get("reasoning_content"),
        speaker=message.get("name"),
    )


def ours(template: JinjaTemplate, chat: Chat) -> RenderedText | TemplateRefused:
    """ctxlab's text of a chat at this moment, the time of the server's own clock."""
    try:
        return render_for_llama_cpp(
            template,
            drafts_of(chat["messages"]),
            tools=chat.get("tools", ()),
            now=datetime.now(),
            typed_parts=isinstance(chat["messages"][0]["content"], list),
        )
    except TemplateRefused as refusal:
        return refusal
