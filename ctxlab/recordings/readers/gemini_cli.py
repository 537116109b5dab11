"""Gemini CLI's sessions as requests: one for each answer with tokens.

A session is one JSON object, or JSON lines that tell how it came about: a head, a record a message, of which the last
with an id counts, `$set` for fields of the session or its messages, and `$rewindTo`, which takes back the message of an
id and all after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final, cast

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.builder import START, RecordingBuilder

PROGRAM: Final = "Gemini CLI"


def sniff(data: Any) -> bool:
    if isinstance(data, list):
        lines = [fields_of(line) for line in items_of(cast("Any", data))[:50]]
        said = any(_is_message(line) and "id" in line for line in lines)
        return said and any({"sessionId", "projectHash"} <= line.keys() for line in lines) and all(map(_is_line, lines))
    fields = fields_of(data)
    return "sessionId" in fields and mostly(fields.get("messages"), _is_message)


def _is_line(line: Data) -> bool:
    return "sessionId" in line or ("id" in line and "type" in line) or any(key.startswith("$") for key in line)


def _is_message(value: Any) -> bool:
    fields = fields_of(value)
    return fields.get("type") in ("user", "gemini") and "content" in fields


@dataclass(frozen=True, slots=True)
class _Event:
    """The next thing that a session's file tells: a message with its place, or that the session goes on elsewhere.

    `back_to` is the id of a message that is taken back with all after it; `anew` says that the history begins anew.
    """

    place: str
    message: Data = field(default_factory=dict[str, Any])
    back_to: str = ""
    anew: bool = False


def _events(source: Source, losses: list[Loss]) -> Iterator[_Event]:
    if not isinstance(source.data, list):
        stored = items_of(fields_of(source.data).get("messages"))
        yield from (_Event(f"messages[{number}]", fields_of(item)) for number, item in enumerate(stored))
        return
    newest = {id: line for _, item in source.items() if (id := _id(line := fields_of(item)))}
    told: set[str] = set()
    for place, item in source.items():
        line = fields_of(item)
        changed = fields_of(line.get("$set"))
        again = items_of(changed.get("messages")) or items_of(line.get("messages"))
        if again:
            yield _Event(place, anew=True)
            yield from (_Event(f"{place}.messages[{number}]", fields_of(each)) for number, each in enumerate(again))
        if isinstance(line.get("$rewindTo"), str):
            yield _Event(place, back_to=line["$rewindTo"])
        if (id := _id(line)) and id not in told:
            told.add(id)
            yield _Event(place, newest[id])
        elif not id and not _is_line(line):
            losses.append(Loss(place, "no record of a message; it is left out", "line"))


def _id(line: Data) -> str:
    """The id of a record of a message."""
    id = line.get("id")
    return id if isinstance(id, str) and "type" in line else ""


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of one session; what was taken back is a branch that ends."""
    builder.program = PROGRAM
    head = builder.head_of("gemini")
    leaf = START
    before: dict[str, str] = {}
    asked: set[str] = set()
    for event in _events(source, builder.losses):
        message, place = event.message, event.place
        if event.anew or event.back_to:
            if event.back_to and event.back_to not in before:
                text = f"it goes back to message {event.back_to!r:.80}, which is not there; nothing is taken back"
                builder.losses.append(Loss(place, text))
            leaf = before.get(event.back_to, leaf) if event.back_to else START
            continue
        time, id = message.get("timestamp"), _text(message, "id")
        if not _is_message(message):
            kind = message.get("type")
            builder.losses.append(Loss(place, f"a message of type {kind!r:.40}, which is not sent; left out", "type"))
            before[id] = leaf
            continue
        before[id] = leaf
        if message["type"] == "gemini":
            answer = _parts(message["content"]) + [_call(call) for call in items_of(message.get("toolCalls"))]
            if not id or id not in asked:
                _request(message, answer, builder, leaf, head)
            asked.add(id)
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
