"""Langfuse's exports as requests: one for each generation with usage; generations inside generations are left out."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.readers.span_requests import Span, add_spans

PROGRAM: Final = "Langfuse"


def sniff(data: Any) -> bool:
    return isinstance(fields_of(data).get("trace"), dict) and mostly(
        fields_of(data).get("observations"), lambda item: "type" in fields_of(item) and "traceId" in fields_of(item)
    )


def read(source: Source, builder: RecordingBuilder) -> None:
    """The generations of one trace, by time."""
    builder.program = PROGRAM
    spans: list[Span] = []
    others = 0
    for item in items_of(fields_of(source.data).get("observations")):
        observation = fields_of(item)
        others += observation.get("type") != "GENERATION"
        spans.append(_span(observation))
    if others:
        them = counted(others, "is no generation but a step around one", "are no generations but steps around them")
        builder.losses.append(Loss("observations", f"{them}; left out"))
    add_spans(builder, spans)


def _span(item: Data) -> Span:
    usage = {**fields_of(item.get("usageDetails"))}
    return Span(
        id=_text(item, "id"),
        parent=_text(item, "parentObservationId"),
        is_request=item.get("type") == "GENERATION",
        name=_text(item, "name"),
        agent=_text(item, "name") if item.get("type") == "AGENT" else "",
        time=_text(item, "startTime"),
        ended=_text(item, "endTime"),
        model=_text(item, "model"),
        given=item.get("input"),
        answer=item.get("output"),
        usage=_usage(usage),
        head=fields_of(item.get("modelParameters")),
        error=_text(item, "statusMessage") if item.get("level") == "ERROR" else "",
    )


def _usage(usage: Data) -> RecordedUsage:
    """The tool keeps what was read from the cache under several names, each apart from the input or a part of it."""
    apart = count_of(usage, "input_cached_tokens")
    cached = apart if apart is not None else count_of(usage, "cache_read_input_tokens")
    apart = cached
    if cached is None:
        cached = count_of(usage, "prompt_details.cache_read")
    written = count_of(usage, "cache_creation_input_tokens")
    given = count_of(usage, "input")
    whole = None if given is None else given + (apart or 0) + (written or 0)
    reasoning = count_of(usage, "completion_details.reasoning")
    return RecordedUsage(whole, cached, written, count_of(usage, "output"), reasoning)


def _text(fields: Data, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
