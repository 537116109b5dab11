"""Blocks and parts of messages that wires have in common: lists of them, their fields, files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from ctxlab.formats.openai.content_parts import attachment
from ctxlab.formats.results import Loss

Data = dict[str, Any]


def fields_of(value: Any) -> Data:
    """The fields of an object; none of anything else."""
    return cast("Data", value) if isinstance(value, dict) else {}


def kind_of(value: Any) -> str:
    """The type that an object says it is."""
    kind = fields_of(value).get("type")
    return kind if isinstance(kind, str) else ""


def items_of(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def others(fields: Data, *known: str) -> Data:
    """The fields that say something beyond the known ones."""
    return {key: value for key, value in fields.items() if key not in known and value is not None and value != []}


def numbered(content: Any, place: str, losses: list[Loss]) -> Iterator[tuple[str, Any]]:
    """The blocks of a content with their places; a text is one block, anything else as its JSON."""
    if isinstance(content, list):
        return iter([(f"{place}[{number}]", block) for number, block in enumerate(cast("list[Any]", content))])
    if content is None:
        return iter(())
    if not isinstance(content, str):
        losses.append(Loss(place, "it is neither text nor a list; its JSON is used"))
        content = json.dumps(content, ensure_ascii=False)
    return iter([(place, content)])


def text_in(block: Any, *kinds: str) -> str | None:
    """The text of a block of one of these types, or that it is itself."""
    if isinstance(block, str):
        return block
    fields = fields_of(block)
    text = fields.get("text")
    return text if kind_of(block) in kinds and isinstance(text, str) else None


def file_in(block: Any, asset_id: str, place: str, losses: list[Loss]) -> Data | None:
    """The file of a block, as stored JSON; None when it is none. What it says besides is kept and lost."""
    found = attachment(block, asset_id) if isinstance(block, dict) else None
    if found is not None:
        losses += kept_fields(place, fields_of(found.get("openaiPart")), "file")
        stored = fields_of(fields_of(block).get("source"))
        source = others(stored, "type", "media_type", "data", "url", "file_id")
        if "detail" in fields_of(block) and not isinstance(block["detail"], str):
            losses.append(Loss(f"{place}.detail", "no word for how closely to look; left out", "detail"))
        if not isinstance(stored.get("media_type", ""), str):
            losses.append(Loss(f"{place}.source.media_type", "no media type; left out", "media_type"))
        losses += [Loss(f"{place}.source.{key}", "not part of a file; left out", key) for key in source]
    return found


def name_in(value: Any) -> str:
    """The text of an id or a name; of what is none its JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def kept_fields(place: str, fields: Data, of: str = "message") -> list[Loss]:
    """A loss for each field that is kept in the session, but that nothing sends again."""
    return [
        Loss(f"{place}.{key}", CACHE_MARK if key == "cache_control" else f"kept beside the {of}, not sent", key)
        for key in fields
    ]


def unkept_fields(place: str, fields: Data, of: str) -> list[Loss]:
    """A loss for each field that nothing of the session keeps."""
    return [Loss(f"{place}.{key}", f"not part of a {of} here; left out", key) for key in fields]


CACHE_MARK = "the mark is kept beside the text; marks are placed anew when a request is made"
