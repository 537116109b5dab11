"""Faults in the shape of a reply that a function gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.display.short_texts import kind_in_words
from ctxlab.wires import CHAT

Data = Mapping[str, Any]


def wrong_reply(reply: Data, wire: str) -> str:
    """The first thing that is wrong with a reply in a form of requests, as far as OpenAI's chat goes; else empty."""
    if wire != CHAT.name:
        return ""
    choices = reply.get("choices")
    first = cast("list[Any]", choices)[0] if isinstance(choices, list) and choices else None
    message: Any = cast("Data", first).get("message") if isinstance(first, Mapping) else None
    if not isinstance(message, Mapping):
        return "the reply has no choice with a message" if not reply.get("error") else ""
    return wrong_message(cast("Data", message), "choices[0].message.")


def wrong_message(message: Data, place: str = "") -> str:
    """The first thing that is wrong with a message of OpenAI's form, and where; empty where nothing is.

    >>> wrong_message({"tool_calls": [5]})
    'tool_calls[0] is a number, not an object'
    """
    content, calls = message.get("content"), message.get("tool_calls")
    if content is not None and not isinstance(content, str | list):
        return f"{place}content is {kind_in_words(content)}, not a text"
    if calls is None:
        return ""
    if not isinstance(calls, list | tuple):
        return f"{place}tool_calls is {kind_in_words(calls)}, not a list"
    found = (_wrong_call(call, f"{place}tool_calls[{n}]") for n, call in enumerate(cast("list[Any]", calls)))
    return next(filter(None, found), "")


def _wrong_call(call: object, place: str) -> str:
    if not isinstance(call, Mapping):
        return f"{place} is {kind_in_words(call)}, not an object"
    fields = cast("Data", call)
    function = fields.get("function")
    if not isinstance(function, Mapping):
        return f"{place}.function is {kind_in_words(function)}, not an object"
    inner = cast("Data", function)
    for name, value in ((".id", fields.get("id")), (".function.name", inner.get("name"))):
        if not isinstance(value, str) or not value:
            return f"{place}{name} is {'missing' if not value else f'{kind_in_words(value)}, not a text'}"
    arguments = inner.get("arguments")
    if arguments is not None and not isinstance(arguments, str | Mapping):
        return f"{place}.function.arguments is {kind_in_words(arguments)}, not a text"
    return ""
