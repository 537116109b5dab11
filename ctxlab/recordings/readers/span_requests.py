"""Requests out of the spans of a trace: calls of models by time, each with the agent whose span is above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ctxlab.documents.moments import moment_of
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.readers.message_forms import body_of, chat_reply
from ctxlab.wires import RESPONSES


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a trace: a call of a model where `is_request`, else a step around one.

    `agent` is the name of the agent that a step is; `given` and `answer` are what went in and out, in any form.
    """

    id: str
    parent: str = ""
    is_request: bool = False
    name: str = ""
    agent: str = ""
    time: str = ""
    ended: str = ""
    model: str = ""
    given: Any = None
    answer: Any = None
    usage: RecordedUsage = NO_USAGE
    head: Data = field(default_factory=dict[str, Any])
    error: str = ""


def add_spans(builder: RecordingBuilder, spans: Sequence[Span]) -> None:
    """Add a request for each call of a model, in the order in which they began."""
    by_id = {span.id: span for span in spans}
    calls = [span for span in spans if span.is_request]
    inner = {span.parent for span in calls if by_id.get(span.parent) is not None and by_id[span.parent].is_request}
    main = next((agent for span in sorted(calls, key=lambda s: s.time) for agent in [_agent(span, by_id)]), "")
    for span in sorted(calls, key=lambda one: one.time):
        place = f"span {span.id!r}"
        if span.id in inner:
            builder.losses.append(Loss(place, "a call around another call, which is read; left out", "around"))
            continue
        agent = _agent(span, by_id)
        _add(builder, span, "" if agent == main else agent, place)


def _agent(span: Span, by_id: Mapping[str, Span]) -> str:
    """The nearest agent above a span."""
    seen: set[str] = set()
    at = by_id.get(span.parent)
    while at is not None and at.id not in seen:
        if at.agent:
            return at.agent
        seen.add(at.id)
        at = by_id.get(at.parent)
    return ""


def _add(builder: RecordingBuilder, span: Span, agent: str, place: str) -> None:
    found = body_of(span.given, **span.head)
    about: Data = {
        "id": span.id,
        "agent": agent,
        "time": span.time or None,
        "duration": seconds_between(span.time, span.ended),
        "model": span.model,
        "usage": span.usage,
        "error": span.error,
    }
    reply = chat_reply(span.answer, span.model)
    if found is None:
        builder.losses.append(Loss(place, "what was sent is in no form that is read; only the answer is", "input"))
        builder.request(START, builder.head_of(_wire_of(reply)), reply=reply, **about)
        return
    wire, body = found
    if wire == "openai-chat" and reply is not None and _wire_of(reply) == RESPONSES.name:
        wire, body = RESPONSES.name, {"input" if key == "messages" else key: body[key] for key in body}
    if reply is not None and _wire_of(reply) != wire:
        builder.losses.append(Loss(place, "its answer is in another form than what was sent; it is left out", "output"))
        reply = None
    builder.body({"model": span.model, **body}, wire, reply=reply, whole=False, **about)
    builder.losses.append(Loss(place, "the trace has messages, not the body as it was sent", "whole"))


def _wire_of(reply: Data | None) -> Any:
    if reply is None or "choices" in reply:
        return "openai-chat"
    return "gemini" if "candidates" in reply else RESPONSES.name


def seconds_between(began: str, ended: str) -> float | None:
    """Seconds from one time to another, both ISO 8601; None where one isn't known."""
    start, end = moment_of(began), moment_of(ended)
    return round((end - start).total_seconds(), 6) if start is not None and end is not None else None
