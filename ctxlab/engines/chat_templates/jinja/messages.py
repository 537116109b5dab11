"""Drafts as the messages that a template gets, each string of them a numbered leaf."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.engines.chat_templates.jinja.traced_string import TracedString, leaf_string
from ctxlab.lazy_dataclass import dataclass

TYPES = {"image": "image", "audio": "audio", "video": "video"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string that a template got: of which message, which field of it, and whose characters it has.

    `text` has the origin of each character; where it is None all are of `origin`. `base` is its place in the field's
    text, where that has several leaves.
    """

    message: int | None
    field: str
    origin: Origin
    text: Text | None = None
    base: int = 0


@dataclass(slots=True)
class Leaves:
    """The leaves of one rendering, by number."""

    rows: list[Leaf] = field(default_factory=list[Leaf])

    def traced(self, text: str, leaf: Leaf) -> TracedString:
        """A string as a leaf of its own."""
        self.rows.append(leaf)
        return leaf_string(text, len(self.rows) - 1)

    def together(self, parts: Sequence[str], separator: str) -> str:
        """Strings as one, each character of the leaf that it was of."""
        return leaf_string(separator, -1).join(parts)

    def tagged(self, value: Any, leaf: Leaf) -> Any:
        """A value of JSON in which each string, names of members too, is a leaf."""
        if isinstance(value, str):
            return self.traced(value, leaf)
        if isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value)
            return {self.traced(name, leaf): self.tagged(each, leaf) for name, each in members.items()}
        if isinstance(value, list | tuple):
            return [self.tagged(each, leaf) for each in cast("Sequence[Any]", value)]
        return value


Arguments = Callable[[str], Any]
"""The arguments of a call as a template gets them, of their text."""


def messages_of(
    drafts: Sequence[Draft], leaves: Leaves, *, typed_parts: bool = False, arguments: Arguments | None = None
) -> list[dict[str, Any]]:
    """The messages in the form that transformers documents: arguments of calls as objects, files as typed parts.

    With `typed_parts` texts are such parts too, as templates of models that read pictures often want them. Arguments
    are read by `arguments`; by default a text that is no JSON object stays one.
    """
    read = _arguments if arguments is None else arguments
    return [_message(draft, number, leaves, read, typed_parts=typed_parts) for number, draft in enumerate(drafts)]


def _message(draft: Draft, number: int, leaves: Leaves, read: Arguments, *, typed_parts: bool) -> dict[str, Any]:
    def own(name: str, text: Text | None = None) -> Leaf:
        return Leaf(number, name, draft.origin, text)

    message: dict[str, Any] = {
        "role": leaves.traced(draft.role, own("role")),
        "content": _content(draft, number, leaves, typed_parts=typed_parts),
    }
    if draft.speaker:
        message["name"] = leaves.traced(draft.speaker, own("name"))
    if draft.calls:
        message["tool_calls"] = [
            {
                "id": leaves.traced(call.id, own("calls")),
                "type": "function",
                "function": {
                    "name": leaves.traced(call.name, own("calls")),
                    "arguments": leaves.tagged(read(call.arguments), own("calls")),
                },
            }
            for call in draft.calls
        ]
    if draft.role == "tool":
        message["tool_call_id"] = leaves.traced(draft.result_of or "", own("calls"))
    if draft.reasoning:
        thoughts = leaves.traced(draft.reasoning, own("reasoning"))
        # transformers 5.24 gives thoughts under both names, the older one first.
        message = {"thinking": thoughts, **message, "reasoning_content": thoughts}
    return message


def _arguments(text: str) -> Any:
    """The arguments as an object; a text that is none stays a text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def _content(draft: Draft, number: int, leaves: Leaves, *, typed_parts: bool) -> Any:
    if not draft.assets and not typed_parts:
        return leaves.traced(str(draft.text), Leaf(number, "content", draft.origin, draft.text))
    parts: list[dict[str, Any]] = []
    whole, at = str(draft.text), 0
    for part in draft.body:
        if isinstance(part, AssetRef):
            parts.append({"type": TYPES.get(part.kind, part.kind)})
        elif part:
            at = max(at, whole.find(str(part), at))
            leaf = Leaf(number, "content", draft.origin, part, at)
            parts.append({"type": "text", "text": leaves.traced(str(part), leaf)})
            at += len(part)
    return parts


def plain(value: Any) -> Any:
    """A value with plain strings in the place of traced ones."""
    if isinstance(value, TracedString):
        return "".join([str.__str__(value)])
    if isinstance(value, dict):
        return {plain(name): plain(each) for name, each in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [plain(each) for each in cast("list[Any]", value)]
    return value


def copied(value: Any) -> Any:
    """A value with lists and objects of its own, which may be changed."""
    if isinstance(value, dict):
        return {name: copied(each) for name, each in cast("dict[Any, Any]", value).items()}
    return [copied(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value
