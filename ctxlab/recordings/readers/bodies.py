"""Bodies of requests and replies of vendors on their own: one, a list, or JSON lines; and Gemini CLI's replies."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.formats.known_but_unread import name_of_log
from ctxlab.formats.requests.blocks import fields_of, items_of
from ctxlab.formats.requests.reply_usage import usage_of_reply
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.exchanges import add_reply_alone, reply_of, unwrapped
from ctxlab.recordings.recorder.raw_exchange import RawExchange
from ctxlab.recordings.wire_bodies import model_in, wire_of_body
from ctxlab.wires import RESPONSES, WireName


def sniff(data: Any) -> bool:
    """Whether it holds bodies or replies of a vendor."""
    if _is_stream(data):
        return True
    return name_of_log(data) is None and mostly(data if isinstance(data, list) else [data], _is_known)


def read(source: Source, builder: RecordingBuilder) -> None:
    """Every body or reply, in the order of the file."""
    data = source.data
    if _is_stream(data):
        _add_reply(builder, data, RESPONSES.name, "reply")
        return
    for place, item in source.items():
        add_one(builder, item, place)


def add_one(builder: RecordingBuilder, item: Any, place: str) -> None:
    """Add a body, or a reply without its request."""
    inner = unwrapped(item, builder.losses, place)
    wire = wire_of_body(inner)
    if wire is not None:
        builder.body(inner, wire, model=model_in("", {**inner, "model": fields_of(item).get("model")}, wire))
        return
    if is_item_list(item):
        leaf = builder.add_all(START, items_of(item["data"]), RESPONSES.name, place="data")
        builder.losses.append(Loss(place, "the vendor's list of items says nothing of single requests; it is one here"))
        builder.request(leaf, builder.head_of(RESPONSES.name))
        return
    reply = fields_of(item).get("response") if "method" in fields_of(item) else item
    wire = reply_wire(reply)
    if wire is None:
        builder.losses.append(Loss(place, "neither a request nor a reply of a model; it is left out", "item"))
        return
    _add_reply(builder, reply, wire, place)


def _add_reply(builder: RecordingBuilder, stored: Any, wire: WireName, place: str) -> None:
    exchange = RawExchange("", 0, "", "", "", None, reply=stored)
    reply, error = reply_of(exchange, wire, builder.losses, place)
    model = fields_of(reply).get("model") or fields_of(reply).get("modelVersion")
    add_reply_alone(
        builder,
        wire,
        place or "reply",
        reply=reply,
        error=error,
        usage=usage_of_reply(reply or {}, wire),
        model=model if isinstance(model, str) else "",
    )


def _is_known(value: Any) -> bool:
    fields = fields_of(value)
    if wire_of_body(unwrapped(value, [], "")) is not None or is_item_list(value):
        return True
    return reply_wire(fields.get("response") if "method" in fields else value) is not None


def is_item_list(value: Any) -> bool:
    """Whether it is a page of the items of a conversation, as OpenAI lists them."""
    fields = fields_of(value)
    return fields.get("object") == "list" and mostly(
        fields.get("data"), lambda item: fields_of(item).get("type") in ITEMS
    )


OF_STREAMS: Final = frozenset({"delta", "obfuscation"})
"""Fields of parts of a stream, which are put together."""
TAKEN: Final = frozenset({"text", "arguments"})
"""Fields of the pieces that a stream ends with, or consists of."""
ITEMS = ("message", "reasoning", "function_call", "function_call_output")


def _is_stream(data: Any) -> bool:
    return mostly(data, lambda item: str(fields_of(item).get("type", "")).startswith("response."))


def reply_wire(value: Any) -> WireName | None:
    """The form of a reply; None for what is none."""
    if isinstance(value, list):
        return next((wire for wire in map(reply_wire, items_of(value)) if wire is not None), None)
    fields = fields_of(value)
    if isinstance(fields.get("candidates"), list) or isinstance(fields.get("usageMetadata"), dict):
        return "gemini"
    if fields.get("object") == "response" or (isinstance(fields.get("output"), list) and "status" in fields):
        return RESPONSES.name
    if fields.get("type") == "message" and isinstance(fields.get("content"), list) and "usage" in fields:
        return "anthropic"
    choices = items_of(fields.get("choices"))
    return "openai-chat" if choices and {"message", "delta"} & fields_of(choices[0]).keys() else None
