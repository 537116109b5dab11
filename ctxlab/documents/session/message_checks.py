"""Values in the data of a message that are wrong, each with its path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from ctxlab.display.short_texts import short
from ctxlab.documents.misspelt_fields import misspelt_fields
from ctxlab.documents.refusal_sentence import refusal_sentence
from ctxlab.documents.session.message import GROUPS, STRUCTURE, MessageNode
from ctxlab.lazy_dataclass import dataclass

FIXED = {str(MessageNode.model_fields[name].alias): remedy for name, remedy in STRUCTURE.items()}
"""Fields that are structure, with the verbs that change them."""
ABSENT = object()


class KnownMetadata(BaseModel):
    """Metadata that ctxlab reads; all others are the writer's own."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)

    # The names are those of the files.
    isCompressionNode: bool | None = None  # noqa: N815
    compressedNodeIds: list[str] | None = None  # noqa: N815
    toolCallsRequested: list[dict[str, Any]] | None = None  # noqa: N815
    toolCalls: list[dict[str, Any]] | None = None  # noqa: N815
    toolCall: dict[str, Any] | None = None  # noqa: N815
    toolCallId: str | None = None  # noqa: N815
    reasoningContent: str | None = None  # noqa: N815
    reasoningArtifacts: list[dict[str, Any]] | None = None  # noqa: N815
    agentId: str | None = None  # noqa: N815
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class WrongValue:
    """A value that a message doesn't take: its path, and a sentence that names it."""

    path: tuple[str | int, ...]
    text: str


def path_in_words(path: Sequence[str | int]) -> str:
    """A path as people write it: `attachments[0].size`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def wrong_values(before: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[WrongValue]:
    """The values of the new data that a message doesn't take, structure first. What was there before isn't judged."""
    yield from _structure(before, data)
    if "role" in before and "role" not in data:
        yield WrongValue((), "a message has a 'role': system, user, assistant or tool.")
    changed = {
        name: value for name, value in data.items() if name not in FIXED and not _same(before.get(name, ABSENT), value)
    }
    yield from _refused(MessageNode, changed, (), before)
    metadata = changed.get("metadata")
    if isinstance(metadata, Mapping):
        yield from _metadata(cast("Mapping[str, Any]", metadata), ("metadata",), before)


def unused_fields(before: Mapping[str, Any], node: MessageNode) -> list[str]:
    """A sentence for each new field that is spelled nearly as one which is used."""
    fresh = node.with_extra({name: value for name, value in (node.model_extra or {}).items() if name not in before})
    return list(misspelt_fields(fresh, "A message"))


def _structure(before: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[WrongValue]:
    for name, remedy in FIXED.items():
        if name in data and data[name] != before.get(name):
            yield WrongValue((name,), f"{name!r} is structure and can't be changed here: {remedy}.")


def _metadata(data: Mapping[str, Any], path: tuple[str, ...], before: Mapping[str, Any]) -> Iterator[WrongValue]:
    yield from _refused(KnownMetadata, data, path, before)
    for group in GROUPS & data.keys() if len(path) == 1 else ():
        if isinstance(data[group], Mapping):
            yield from _metadata(data[group], (*path, group), before)


def _refused(
    model: type[BaseModel], data: Mapping[str, Any], path: tuple[str | int, ...], before: Mapping[str, Any]
) -> Iterator[WrongValue]:
    try:
        made = model.model_validate(data)
    except ValidationError as refusal:
        for error in refusal.errors(include_url=False):
            place = (*path, *error["loc"])
            if not _same(_at(before, place), error["input"]):
                yield WrongValue(place, refusal_sentence(path_in_words(place), error, error["input"]))
    else:
        yield from _converted(data, made.model_dump(mode="json", by_alias=True, exclude_unset=True), path)


def _converted(given: object, stored: object, path: tuple[str | int, ...]) -> Iterator[WrongValue]:
    """Values that would be stored as others, such as "yes" as true."""
    if isinstance(given, Mapping) and isinstance(stored, Mapping):
        one, other = cast("Mapping[str, Any]", given), cast("Mapping[str, Any]", stored)
        for name in one:
            if name in other:
                yield from _converted(one[name], other[name], (*path, name))
    elif isinstance(given, list) and isinstance(stored, list):
        for index, (one, other) in enumerate(zip(cast("list[Any]", given), cast("list[Any]", stored), strict=False)):
            yield from _converted(one, other, (*path, index))
    elif given != stored:
        yield WrongValue(path, f"{path_in_words(path)} can't be {_json(given)}: write {_json(stored)}.")


def _json(value: object) -> str:
    return short(json.dumps(value, ensure_ascii=False), 60)


def _same(one: object, other: object) -> bool:
    """Whether both are the same JSON: true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _at(data: object, path: Sequence[str | int]) -> object:
    for step in path:
        if isinstance(data, Mapping) and step in data:
            data = cast("Mapping[Any, Any]", data)[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(cast("list[Any]", data)):
            data = cast("list[Any]", data)[step]
        else:
            return ABSENT
    return data
