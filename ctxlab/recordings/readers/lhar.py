"""LHAR's lines as requests: with their bodies where they were kept, else with what the line counts."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.exchanges import add_exchange, add_reply_alone, wire_of_address
from ctxlab.recordings.recorder.raw_exchange import RawExchange
from ctxlab.recordings.wire_bodies import wire_of

PROGRAM: Final = "LHAR"


def sniff(data: Any) -> bool:
    return mostly(_lines(data), lambda item: "trace_id" in fields_of(item) and kind_of(item) in TYPES)


TYPES: Final = ("session", "entry")
TAKEN: Final = frozenset({"request_body", "response_body"})
"""Fields of bodies, which may be texts."""


def read(source: Source, builder: RecordingBuilder) -> None:
    """The entries of a log, in their order."""
    lines = [fields_of(item) for item in _lines(source.data)]
    tools = [line.get("tool") for line in lines if line.get("type") == "session"]
    builder.program = str(tools[0]) if tools and isinstance(tools[0], str) else PROGRAM
    ids: dict[str, str] = {}
    for number, line in enumerate(lines):
        place = f"entry {number + 1}"
        if line.get("type") == "entry":
            before = builder.request_count
            _add(line, builder, ids, place)
            if builder.request_count > before:
                ids[str(line.get("span_id"))] = str(line.get("id"))
        elif line.get("type") != "session":
            builder.losses.append(Loss(place, "no line of a session or of an entry; it is left out", "type"))


def _lines(data: Any) -> list[Any]:
    wrapped = fields_of(fields_of(data).get("lhar"))
    if wrapped:
        return [*items_of(wrapped.get("sessions")), *items_of(wrapped.get("entries"))]
    return items_of(data) if isinstance(data, list) else [data]


def _add(line: Data, builder: RecordingBuilder, ids: dict[str, str], place: str) -> None:
    raw, http = fields_of(line.get("raw")), fields_of(line.get("http"))
    address = str(http.get("url") or "")
    status = http.get("status_code")
    exchange = RawExchange(
        id="",
        number=0,
        time=str(line.get("timestamp") or ""),
        method="POST",
        url=address,
        body=raw.get("request_body"),
        status=status if isinstance(status, int) else None,
        reply=raw.get("response_body"),
        seconds=_seconds(fields_of(line.get("timings"))),
    )
    role = fields_of(line.get("source")).get("agent_role")
    about: Data = {"id": str(line.get("id") or ""), "agent": role if role not in (None, "main") else ""}
    about["parent"] = ids.get(str(line.get("parent_span_id")))
    usage = _usage(line)
    about |= {"usage": usage} if usage else {}
    if wire_of(address, exchange.body) is not None:
        add_exchange(builder, exchange, place, **about)
        return
    model = fields_of(fields_of(line.get("gen_ai")).get("request")).get("model")
    wire = wire_of_address(address) or ("anthropic" if "anthropic" in str(http.get("api_format")) else "openai-chat")
    add_reply_alone(
        builder, wire, place, model=str(model or ""), time=exchange.time or None, duration=exchange.seconds, **about
    )


def _seconds(timings: Data) -> float | None:
    total = timings.get("total_ms")
    return total / 1000 if isinstance(total, int | float) else None


def _usage(line: Data) -> RecordedUsage:
    usage, more = fields_of(fields_of(line.get("gen_ai")).get("usage")), fields_of(line.get("usage_ext"))
    given, cached, written = (
        count_of(usage, "input_tokens"),
        count_of(more, "cache_read_tokens"),
        count_of(more, "cache_write_tokens"),
    )
    if given is None:
        return NO_USAGE
    of_cache = (cached or 0) + (written or 0)
    apart = fields_of(line.get("gen_ai")).get("system") == "anthropic"
    output = count_of(usage, "output_tokens")
    return RecordedUsage(
        given + of_cache if apart else given, cached, written, output, count_of(more, "thinking_tokens")
    )
