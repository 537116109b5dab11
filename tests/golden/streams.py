"""Streams of vendors: the reference's events and its reply, from ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.formats.requests.replies import reply_message
from ctxlab.formats.requests.reply_usage import usage_of
from ctxlab.providers.sending.assemblers import assembler_of
from ctxlab.providers.sending.deltas import Delta, TextDelta, ThoughtDelta
from ctxlab.providers.sending.server_events import EventReader
from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.replies import response_of


def is_stream(case: Case) -> bool:
    return case.name.startswith("stream ")


def run(case: Case) -> Any:
    reader, assembler = EventReader(), assembler_of("openai-chat")
    events: list[Data] = []
    for chunk in case.input["chunks"]:
        for event in reader.feed(chunk.encode()):
            events += _of_deltas(assembler.add(event))
            usage = usage_of(event.data, "openai")
            events += [{"type": "usage", "usage": usage}] if usage else []
    assert reader.done
    response = response_of(reply_message(assembler.reply(), "openai"))
    calls = [{"type": "tool-call", "toolCall": call} for call in response.get("toolCalls", ())]
    return {"events": [*events, *calls, {"type": "completed", "response": response}]}


def _of_deltas(deltas: tuple[Delta, ...]) -> Iterator[Data]:
    for delta in deltas:
        if isinstance(delta, TextDelta | ThoughtDelta):
            yield {"type": "text-delta" if isinstance(delta, TextDelta) else "reasoning-delta", "delta": delta.text}
