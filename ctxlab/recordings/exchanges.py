"""Requests and replies as they went over the line, put into a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.errors import SendFailed
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import usage_of_reply
from ctxlab.formats.results import Loss
from ctxlab.providers.sending.assemblers import assembler_of
from ctxlab.providers.sending.deltas import ServerEvent
from ctxlab.providers.sending.server_events import EventReader, object_of, value_of
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.recorder.raw_exchange import RawExchange
from ctxlab.recordings.wire_bodies import address_path, model_in, wire_of
from ctxlab.wires import WIRES, WireName

ERROR_CHARACTERS = 300
"""Characters of what a vendor says of an error."""


def add_exchange(builder: RecordingBuilder, exchange: RawExchange, place: str, **about: Any) -> None:
    """Add one request with its reply; what asks no model for an answer is a loss. `about` are fields of the request."""
    body = unwrapped(exchange.body, builder.losses, place)
    wire = wire_of(exchange.url, body)
    if wire is None and not body:
        wire = wire_of_address(exchange.url)
    if wire is None:
        builder.losses.append(Loss(place, "no request to a model in a form that is read; it is left out", "request"))
        return
    reply, error = reply_of(exchange, wire, builder.losses, place)
    about = {
        "time": exchange.time or None,
        "duration": exchange.seconds,
        "reply": reply,
        "error": error,
        "usage": usage_of_reply(reply or {}, wire),
        **about,
    }
    if body:
        builder.body(body, wire, model=model_in(exchange.url, body, wire), **about)
        return
    model = fields_of(reply).get("model") or fields_of(reply).get("modelVersion")
    add_reply_alone(builder, wire, place, model=model if isinstance(model, str) else "", **about)


def unwrapped(stored: Any, losses: list[Loss], place: str) -> Data:
    """The body inside the envelope that Google's code assistants put around it; any other body as it is."""
    fields = fields_of(stored)
    inner = fields_of(fields.get("request"))
    if "contents" not in inner:
        return fields
    losses.append(Loss(place, "the envelope around the body is left out, but for its model", "request"))
    return {**({"model": fields["model"]} if isinstance(fields.get("model"), str) else {}), **inner}


def wire_of_address(address: str) -> WireName | None:
    """The form that an address alone tells."""
    path = address_path(address)
    return next((wire.name for wire in WIRES.values() if wire.address.search(path)), None)


def add_reply_alone(builder: RecordingBuilder, wire: WireName, place: str, **about: Any) -> None:
    """Add a request of which only the reply is known."""
    builder.losses.append(Loss(place, "what was sent isn't in the file; only the reply is known", "sent"))
    builder.request(START, builder.head_of(wire), **about)


def reply_of(exchange: RawExchange, wire: WireName, losses: list[Loss], place: str) -> tuple[Data | None, str]:
    """The reply in one piece, put together from its events where it was a stream; and what went wrong."""
    error = exchange.error
    if exchange.ended in ("client", "broken", "stalled", "unreachable", "rubbish"):
        error = error or f"the exchange ended early: {exchange.ended}"
    reply, found = _reply(exchange, wire, losses, place)
    said = fields_of(reply).get("error") or (exchange.status is not None and exchange.status >= 400)
    if said:
        return None, error or found or error_text(reply, exchange.status)
    return reply, error or found


def _reply(exchange: RawExchange, wire: WireName, losses: list[Loss], place: str) -> tuple[Data | None, str]:
    stored = exchange.reply
    if exchange.events:
        events = (ServerEvent(fields_of(event.get("data")), str(event.get("event") or "")) for event in exchange.events)
        return assembled(events, wire)
    if isinstance(stored, str):
        whole = value_of(stored)
        if whole is None:
            return assembled(_events_in(stored, losses, place), wire)
        stored = whole
    if isinstance(stored, list):  # the chunks of a stream as one JSON list
        return assembled((ServerEvent(fields_of(chunk), "") for chunk in items_of(stored)), wire)
    return (fields_of(stored) or None), ""


def _events_in(text: str, losses: list[Loss], place: str) -> list[ServerEvent]:
    reader = EventReader()
    events = [*reader.feed(text.encode("utf-8", "replace")), *reader.end()]
    if reader.skipped:
        losses.append(Loss(place, f"{reader.skipped} events of the reply are no JSON; left out", "event"))
    return events


def assembled(events: Iterable[ServerEvent], wire: WireName) -> tuple[Data | None, str]:
    """The reply that the events of a stream come to, as far as they came."""
    assembler = assembler_of(wire)
    error, any_event = "", False
    for event in events:
        any_event = True
        try:
            assembler.add(event)
        except SendFailed as failure:
            error = short(str(failure), ERROR_CHARACTERS)
            break
    if not any_event:
        return None, ""
    if not error and not assembler.complete:
        error = "the stream ended before the reply was complete"
    return assembler.reply() or None, error


def error_text(reply: Mapping[str, Any] | None, status: int | None) -> str:
    """The words of a vendor for an error, after its status."""
    found = fields_of(reply).get("error")
    said = fields_of(found).get("message") or found or ""
    words = short(said if isinstance(said, str) else str(said), ERROR_CHARACTERS)
    parts = [f"status {status}" if status is not None else "", words]
    return ": ".join(part for part in parts if part) or "an error without words"


def json_object(stored: Any) -> Any:
    """JSON of a text; anything else as it is."""
    return object_of(stored) if isinstance(stored, str | bytes) else stored
