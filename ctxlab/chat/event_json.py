"""Events of a turn as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, cast, get_args

from ctxlab.chat.events import TurnEvent
from ctxlab.display.short_texts import short
from ctxlab.documents.frozen_json import frozen
from ctxlab.errors import BrokenFile, did_you_mean

KINDS: Final[Mapping[str, type]] = {kind.__name__: kind for kind in get_args(TurnEvent)}


def event_data(event: TurnEvent) -> dict[str, Any]:
    """The event as JSON data: its name under `event`, then its fields, without those that have their default.

    >>> from ctxlab.chat.events import TextAdded
    >>> event_data(TextAdded("Hi"))
    {'event': 'TextAdded', 'text': 'Hi'}
    """
    found: dict[str, Any] = {"event": type(event).__name__}
    for each in fields(event):
        value = getattr(event, each.name)
        is_default = each.default is not MISSING and value == each.default
        if is_default or (each.default_factory is not MISSING and not value):
            continue
        found[each.name] = list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
    return found


def event_from_data(data: object) -> TurnEvent:
    """The event of JSON data. Raises BrokenFile for what is none."""
    if not isinstance(data, Mapping):
        raise BrokenFile("an event of a turn is a JSON object")
    given = dict(cast("Mapping[str, Any]", data))
    name = given.pop("event", None)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BrokenFile(f"there is no event {short(str(name))!r}{did_you_mean(str(name)[:60], list(KINDS))}")
    known = {each.name: str(each.type) for each in fields(kind)}
    unknown = next((each for each in given if each not in known), None)
    if unknown is not None:
        raise BrokenFile(f"{name} has no field {short(unknown)!r}{did_you_mean(unknown[:60], list(known))}")
    wrong = next((each for each, value in given.items() if not _fits(known[each], value)), None)
    if wrong is not None:
        raise BrokenFile(f"{name}: {wrong} is not of the type that it takes")
    if (misshapen := _misshapen(name, given)) is not None:
        raise BrokenFile(f"{name}: {misshapen}")
    values = {each: tuple(value) if isinstance(value, list) else value for each, value in frozen(given).items()}
    try:
        return cast("TurnEvent", kind(**values))
    except TypeError as error:  # a field without a default is missing
        missing = [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
        raise BrokenFile(f"{name} has the fields {', '.join(missing)}") from error


TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "Data": (Mapping,),
    "None": (type(None),),
    "Verb": (str,),
}


def _misshapen(name: str | None, given: Mapping[str, Any]) -> str | None:
    """A sentence on what in the messages and ids of an event has another form than there; None: nothing has."""
    empty = next((each for each in ("reply_id", "question_id") if given.get(each) == ""), None)
    if empty is not None:
        return f"{empty} is empty"
    messages = [given.get(each) for each in ("question", "reply", "node")] + list(given.get("nodes") or ())
    for message in messages:
        if not isinstance(message, Mapping):
            continue
        metadata = cast("Mapping[str, Any]", message).get("metadata")
        if metadata is not None and not isinstance(metadata, Mapping):
            return "metadata of a message is no object"
        call = cast("Mapping[str, Any]", metadata or {}).get("toolCall")
        if call is not None and not isinstance(call, Mapping):
            return "toolCall of a message is no object"
    return None


def _fits(annotation: str, value: Any) -> bool:
    if annotation.startswith("tuple["):
        inner = Mapping if "Data" in annotation else str
        return isinstance(value, list | tuple) and all(isinstance(one, inner) for one in cast("list[Any]", value))
    if annotation.startswith("Literal["):
        return isinstance(value, str) and repr(value).replace("'", '"') in annotation.replace("'", '"')
    kinds = [kind for each in annotation.split(" | ") for kind in TYPES[each]]
    return isinstance(value, tuple(kinds)) and not isinstance(value, bool)
