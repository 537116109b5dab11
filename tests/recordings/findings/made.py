"""Small recordings, made of messages in a vendor's form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.recording import Recording

Message = dict[str, Any]
SENTENCES = (
    "The keeper of the lamp writes down the {n}th night in the book of the harbour.",
    "Nobody has seen ship number {n} since the fog came over the northern rocks.",
    "On page {n} somebody has drawn the stairs, the gallery and the great lens.",
    "Rule {n} says that oil is measured before the evening and never after it.",
)


def words(count: int, first: int = 0) -> str:
    """About so many tokens in lines that differ."""
    return "\n".join(SENTENCES[n % 4].format(n=1000 + n) for n in range(first, first + count // 15))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def says(text: str) -> Message:
    return {"role": "assistant", "content": text}


def calls(name: str, id: str = "c1", **arguments: Any) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": id, "type": "function", "function": function}]}


def result(text: str, id: str = "c1") -> Message:
    return {"role": "tool", "tool_call_id": id, "content": text}


def used(name: str, text: str, id: str, **arguments: Any) -> list[Message]:
    """A call with its result."""
    return [calls(name, id, **arguments), result(text, id)]


def tool(name: str, description: str = "Does a thing.") -> Message:
    function = {"name": name, "description": description, "parameters": {"type": "object", "properties": {}}}
    return {"type": "function", "function": function}


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def talk(*messages: Message, tools: Sequence[Message] = (), model: str = "gpt-4o", **about: Any) -> Recording:
    """A recording with a request before each message of the assistant, and one with all messages."""
    ends = [number for number, message in enumerate(messages) if message["role"] == "assistant" and number]
    return sent(*[messages[:end] for end in (*ends, len(messages))], tools=tools, model=model, **about)


def sent(*requests: Sequence[Message], tools: Sequence[Message] = (), model: str = "gpt-4o", **about: Any) -> Recording:
    """A recording of requests in the form of Chat, each with its messages."""
    builder = RecordingBuilder("made")
    for messages in requests:
        body = {"model": model, "messages": [*messages], **({"tools": [*tools]} if tools else {})}
        builder.body(body, "openai-chat", model=model, **about)
    return builder.recording()


def bodies(*found: tuple[Message, dict[str, Any]], wire: Any = "openai-chat") -> Recording:
    """A recording of whole bodies, each with fields of its request."""
    builder = RecordingBuilder("made")
    for body, about in found:
        builder.body(body, wire, **{"model": body.get("model", ""), **about})
    return builder.recording()


def anthropic(*requests: Sequence[Message], model: str = "claude-sonnet-4-5", **fields: Any) -> Recording:
    """A recording of requests in Anthropic's form."""
    return bodies(*[({"model": model, "messages": [*each], **fields}, {}) for each in requests], wire="anthropic")


def usage(input: int, cached: int | None = None) -> RecordedUsage:
    return RecordedUsage(input, cached, None, 10)
