"""Bodies of requests taken apart: the head, the system messages that lead, and the messages in units.

A unit is one message; of OpenAI's Responses it is what follows on one another of the assistant: its thoughts, words and
calls, which are one message of a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from ctxlab.formats.requests import anthropic, gemini, responses
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import RESPONSES, WIRES, WireName

Shape = Literal["list", "value", "none"]
LEADING: Final = ("system", "developer")


@dataclass(frozen=True, slots=True)
class SplitBody:
    """A body in parts: `fields` are all but the messages, which stood at `place` among them.

    `shape` says whether the messages were a list, one bare value, or not there; `leading` are system messages before
    all others, which belong to the head.
    """

    wire: WireName
    fields: tuple[tuple[str, Any], ...]
    place: int
    shape: Shape
    leading: tuple[Any, ...]
    units: tuple[tuple[Any, ...], ...]


def wire_of(address: str, body: Any) -> WireName | None:
    """The form of a body, by its address and else by its fields; None where it asks for no answer of a model."""
    path = address_path(address)
    for wire in WIRES.values():
        if wire.address.search(path):
            return wire.name if wire.messages in fields_of(body) or wire.in_items else None
    return None if path else wire_of_body(body)


def wire_of_body(body: Any) -> WireName | None:
    """The form of a body by its fields."""
    if gemini.is_body(body):
        return "gemini"
    if responses.is_body(body):
        return RESPONSES.name
    if anthropic.is_body(body):
        return "anthropic"
    return "openai-chat" if isinstance(fields_of(body).get("messages"), list) and "model" in body else None


def address_path(address: str) -> str:
    """The path of an address; empty for what is none."""
    try:
        return unquote(urlsplit(address).path).rstrip("/")
    except ValueError:
        return ""


def model_in(address: str, body: Data, wire: WireName) -> str:
    """The model that a request asks: Gemini's is in the address."""
    named = body.get("model")
    if isinstance(named, str) and named:
        return named.removeprefix("models/")
    found = re.search(r"/models/([^/:]+):", address_path(address)) if wire == "gemini" else None
    return found[1] if found else ""


def split_body(body: Data, wire: WireName) -> SplitBody:
    """A body taken apart, so that its messages and its head can be shared with other requests."""
    row = WIRES[wire]
    key = row.messages
    names = [*body]
    place = names.index(key) if key in body else len(names)
    fields = tuple((name, value) for name, value in body.items() if name != key)
    if key not in body:
        return SplitBody(wire, fields, place, "none", (), ())
    if not isinstance(body[key], list):
        return SplitBody(wire, fields, place, "value", (), ((body[key],),))
    items = items_of(body[key])
    leads = 0
    while row.leads and leads < len(items) and _leads(items[leads]):
        leads += 1
    rest = items[leads:]
    units = tuple(units_of(rest, wire)) if row.in_items else tuple(zip(rest, strict=True))
    return SplitBody(wire, fields, place, "list", tuple(items[:leads]), units)


def whole_body(split: SplitBody) -> Data:
    """The body again, put together from its parts."""
    if split.shape == "none":
        return dict(split.fields)
    items = [*split.leading, *(item for unit in split.units for item in unit)]
    fields = [*split.fields]
    fields.insert(split.place, (WIRES[split.wire].messages, items[0] if split.shape == "value" else items))
    return dict(fields)


def units_of(items: Sequence[Any], wire: WireName) -> Iterator[tuple[Any, ...]]:
    """The messages, one by one; of Responses the assistant's items that follow on one another together."""
    if not WIRES[wire].in_items:
        yield from zip(items, strict=True)
        return
    run: list[Any] = []
    for item in items:
        if is_of_assistant(item):
            run.append(item)
            continue
        if run:
            yield tuple(run)
            run = []
        yield (item,)
    if run:
        yield tuple(run)


def is_of_assistant(item: Any) -> bool:
    """Whether an item of Responses is part of what a model said."""
    fields, kind = fields_of(item), kind_of(item)
    if "role" in fields and kind in ("", "message"):
        return fields["role"] == "assistant"
    return bool(kind) and kind not in RESULTS


RESULTS: Final = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "computer_call_output")
"""Items that answer a call."""


def _leads(item: Any) -> bool:
    return fields_of(item).get("role") in LEADING and kind_of(item) in ("", "message")
