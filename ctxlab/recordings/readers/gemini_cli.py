"""Gemini CLI's sessions as requests: one for each answer with tokens."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.usage import RecordedUsage, count_of

PROGRAM: Final = "Gemini CLI"


def sniff(data: Any) -> bool:
    fields = fields_of(data)
    return "sessionId" in fields and mostly(fields.get("messages"), _is_message)


def _is_message(value: Any) -> bool:
    fields = fields_of(value)
    return fields.get("type") in ("user", "gemini") and "content" in fields


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of one session."""
    builder.program = PROGRAM
    head = builder.head_of("gemini")
    leaf = START
    for number, item in enumerate(items_of(fields_of(source.data).get("messages"))):
        message, place = fields_of(item), f"messages[{number}]"
        time = message.get("timestamp")
        if not _is_message(message):
            kind = message.get("type")
            builder.losses.append(Loss(place, f"a message of type {kind!r:.40}, which is not sent; left out", "type"))
            continue
        if message["type"] == "gemini":
            answer = _parts(message["content"]) + [_call(call) for call in items_of(message.get("toolCalls"))]
            _request(message, answer, builder, leaf, head)
            turns = [{"role": "model", "parts": answer}, *_results(message)]
        else:
            turns = [{"role": "user", "parts": _parts(message["content"])}]
        for turn in turns:
            leaf = builder.add(leaf, (turn,), "gemini", place=place, time=time)
    builder.losses.append(Loss("", "the log has neither system text nor tools, so that requests are not whole"))


def _request(message: Data, answer: list[Data], builder: RecordingBuilder, leaf: str, head: Any) -> None:
    tokens = fields_of(message.get("tokens"))
    thoughts = [
        {"text": "\n".join(filter(None, (_text(one, "subject"), _text(one, "description")))), "thought": True}
        for one in items_of(message.get("thoughts"))
    ]
    model = _text(message, "model")
    builder.request(
        leaf,
        head,
        id=_text(message, "id"),
        time=_text(message, "timestamp") or None,
        model=model,
        usage=_usage(tokens),
        reply={"candidates": [{"content": {"role": "model", "parts": [*thoughts, *answer]}}], "modelVersion": model},
    )


def _usage(tokens: Data) -> RecordedUsage:
    """Thoughts are counted apart from the output, what tools put into the prompt apart from the input."""
    names = ("input", "tool", "cached", "output", "thoughts")
    given, tool, cached, output, thoughts = (count_of(tokens, name) for name in names)
    return RecordedUsage(
        None if given is None else given + (tool or 0),
        cached,
        None,
        None if output is None else output + (thoughts or 0),
        thoughts,
    )


def _text(value: Any, name: str) -> str:
    found = fields_of(value).get(name)
    return found if isinstance(found, str) else ""


def _parts(content: Any) -> list[Data]:
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [part if isinstance(part, dict) else {"text": str(part)} for part in items_of(content)]


def _call(call: Any) -> Data:
    fields = fields_of(call)
    return {"functionCall": {key: fields[key] for key in ("id", "name", "args") if key in fields}}


def _results(message: Data) -> list[Data]:
    """The turn with the results of an answer's calls."""
    parts = [part for call in items_of(message.get("toolCalls")) for part in items_of(fields_of(call).get("result"))]
    return [{"role": "user", "parts": parts}] if parts else []
