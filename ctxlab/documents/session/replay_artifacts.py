"""Blocks that a vendor gave with a reply and wants back unchanged, as a message's metadata keep them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, cast

from ctxlab.documents.frozen_json import FrozenDict, JsonObject
from ctxlab.lazy_dataclass import dataclass

ARTIFACTS = "reasoningArtifacts"
"""Key of a message's metadata."""
ReplayPolicy = Literal["always", "with_tool_calls", "never"]

THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""Types of blocks that are thoughts: Anthropic's and those of OpenAI's Responses."""


@dataclass(frozen=True, slots=True)
class ReplayArtifact:
    """A vendor's own block: thoughts with their signature, a search that the vendor made, a compaction.

    `wire` is the form of requests that it belongs to; "" where the file doesn't say. `item` is the block as the vendor
    wrote it. It is sent `before` the message's "text", its "calls", the call of an id, or at the "end"; or its fields
    go `on` the text or on the call of an id, as Gemini's signatures do.
    """

    wire: str
    item: JsonObject = field(default_factory=FrozenDict)
    before: str = "text"
    on: str | None = None
    policy: ReplayPolicy = "always"

    @property
    def text(self) -> str:
        """The thoughts that a person can read; of what is encrypted nothing.

        >>> ReplayArtifact("anthropic", FrozenDict(type="thinking", thinking="It rains.", signature="c2ln")).text
        'It rains.'
        """
        thought = self.item.get("thinking")
        if isinstance(thought, str):
            return thought
        if self.item.get("thought") is True and isinstance(self.item.get("text"), str):
            return cast("str", self.item["text"])
        parts = [*_texts(self.item.get("content")), *_texts(self.item.get("summary"))]
        return "\n".join(parts) if self.item.get("type") == "reasoning" else ""

    @property
    def is_reasoning(self) -> bool:
        """Whether it is thoughts or a signature, not a part of the reply such as a search that the vendor made."""
        kind = self.item.get("type")
        thought = self.item.get("thought") is True or (isinstance(kind, str) and kind in THOUGHTS)
        return thought or self.on is not None

    def as_data(self) -> dict[str, Any]:
        """The artifact as the metadata keep it."""
        place = {"on": self.on} if self.on is not None else {"before": self.before}
        return {"wire": self.wire, "item": self.item, **place, "replayPolicy": self.policy}


def artifacts_of(metadata: Mapping[str, Any] | None) -> tuple[ReplayArtifact, ...]:
    """The artifacts that a message's metadata have, in order; what is no object isn't one."""
    stored = metadata.get(ARTIFACTS) if metadata else None
    if not isinstance(stored, Sequence) or isinstance(stored, str):
        return ()
    return tuple(_artifact(cast("Mapping[str, Any]", one)) for one in stored if isinstance(one, Mapping))


def replayed_artifacts(metadata: Mapping[str, Any] | None, *, has_calls: bool) -> tuple[ReplayArtifact, ...]:
    """The artifacts that are sent again, to a vendor of their wire: those that their policy doesn't keep back."""
    return tuple(
        artifact
        for artifact in artifacts_of(metadata)
        if artifact.wire
        and artifact.item
        and (artifact.policy == "always" or (artifact.policy == "with_tool_calls" and has_calls))
    )


def _artifact(stored: Mapping[str, Any]) -> ReplayArtifact:
    item, before, on = stored.get("item"), stored.get("before"), stored.get("on")
    policy = stored.get("replayPolicy")
    wire = stored.get("wire")
    return ReplayArtifact(
        wire if isinstance(wire, str) else "",
        FrozenDict(cast("Mapping[str, Any]", item)) if isinstance(item, Mapping) else FrozenDict(),
        before if isinstance(before, str) else "text",
        on if isinstance(on, str) else None,
        policy if policy in ("with_tool_calls", "never") else "always",
    )


def _texts(parts: object) -> Iterator[str]:
    for part in cast("Sequence[object]", parts) if isinstance(parts, list | tuple) else ():
        text = cast("Mapping[str, Any]", part).get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            yield text
