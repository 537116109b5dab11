"""A message on its way to the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ctxlab.context.text import EMPTY, Cause, Origin, Text
from ctxlab.documents import Asset, Role, ToolCall


@dataclass(frozen=True, slots=True, eq=False)
class AssetRef:
    """A file that goes along with a message; its bytes are elsewhere until the last step."""

    id: str
    kind: str
    name: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, asset: Asset) -> AssetRef:
        """A stored asset: its bytes are inline where the file has them, else in the library at its path.

        `metadata` also says the `detail` with which a picture in OpenAI's form is to be looked at.
        """
        extra = asset.model_extra or {}
        inline = extra.get("inlineData")
        if isinstance(inline, Mapping) and (inline.get("base64") or not extra.get("url")):
            source: dict[str, Any] = {"kind": "inline", **inline}
        elif isinstance(extra.get("url"), str):
            source = {"kind": "url", "url": extra["url"]}
        elif isinstance(extra.get("fileId"), str):
            source = {"kind": "file-id", "file_id": extra["fileId"]}
        else:
            source = {"kind": "asset-library", "path": asset.path}
        openai = extra.get("openai")
        detail = openai.get("detail") if isinstance(openai, Mapping) else None
        metadata = {**(asset.metadata or {}), **({"detail": detail} if isinstance(detail, str) else {})}
        return cls(asset.id, asset.type, asset.name, asset.mime_type, asset.size, metadata, source)

    def as_data(self) -> dict[str, Any]:
        """Everything but the bytes."""
        source = {k: v for k, v in self.source.items() if k != "base64"}
        if str(source.get("url")).startswith("data:"):
            source["url"] = f"{source['url'].partition(',')[0]},"
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "mime_type": self.mime_type,
            "size_bytes": self.size_bytes,
            "metadata": dict(self.metadata),
            "source": source,
        }


@dataclass(frozen=True, slots=True)
class Part:
    """A draft that went into a merged one."""

    key: str
    origin: Origin


NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A message on its way. `key` is deterministic and unique; `body` is text and files in order.

    `calls` are what an assistant asked for, `result_of` the call that a tool message answers. A pinned draft is never
    cut. A merged draft keeps its first part's key and lists all its parts in `merged`.
    """

    key: str
    role: Role
    body: tuple[Text | AssetRef, ...]
    origin: Origin
    calls: tuple[ToolCall, ...] = ()
    result_of: str | None = None
    reasoning: str | None = None
    name: str | None = None
    pinned: bool = False
    priority: int = 0
    merged: tuple[Part, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=_nothing)

    def __repr__(self) -> str:
        text = str(self.text)
        shown = text if len(text) <= 40 else text[:37] + "..."
        return f"Draft({self.key!r}, {self.role}, {shown!r})"

    @property
    def text(self) -> Text:
        """The words, without the files; several text parts are joined by a newline of the draft's own origin."""
        body = self.body
        if len(body) == 1 and isinstance(body[0], Text):
            return body[0]
        texts = [part for part in body if isinstance(part, Text)]
        if len(texts) == 1:
            return texts[0]
        return Text.join(Text.of("\n", Origin("separator", self.key)), texts) if texts else EMPTY

    @property
    def assets(self) -> tuple[AssetRef, ...]:
        if len(self.body) == 1 and isinstance(self.body[0], Text):
            return ()
        return tuple(part for part in self.body if isinstance(part, AssetRef))

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it is made of: its merged parts, else itself."""
        return self.merged or (Part(self.key, self.origin),)

    @property
    def replays_reasoning(self) -> bool:
        """Whether it carries reasoning state that the vendor wants back unchanged."""
        artifacts = self.meta.get("reasoningArtifacts") if self.meta else None
        return isinstance(artifacts, Sequence) and any(
            a.get("replayPolicy") != "never" for a in artifacts if isinstance(a, Mapping)
        )

    def with_text(self, text: Text) -> Draft:
        """The same message with other words; the same object when the words are the same object."""
        if text is self.text:
            return self
        return replace(self, body=(text, *self.assets) if text.spans or not self.assets else self.assets)

    def as_data(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "role": self.role,
            "body": [part.as_data() for part in self.body],
            "origin": self.origin.as_data(),
            "calls": [call.as_data() for call in self.calls],
            "result_of": self.result_of,
            "reasoning": self.reasoning,
            "name": self.name,
            "pinned": self.pinned,
            "priority": self.priority,
            "merged": [{"key": part.key, **part.origin.as_data()} for part in self.merged],
            "meta": dict(self.meta),
        }


def merged_draft(parts: Sequence[Draft], *, separator: str, cause: Cause) -> Draft:
    """One draft out of several, of the first one's key and role; every field and every origin is kept."""
    first = parts[0]
    between = Text.of(separator, Origin("separator", cause.rule), cause)
    files = tuple(asset for part in parts for asset in part.assets)
    text = Text.join(between, [part.text for part in parts])
    names = {part.name for part in parts}
    meta: dict[str, Any] = {}
    for part in reversed(parts):
        meta.update(part.meta)
    return replace(
        first,
        body=(text, *files),
        calls=tuple(call for part in parts for call in part.calls),
        reasoning="\n".join(part.reasoning for part in parts if part.reasoning) or None,
        name=first.name if len(names) == 1 else None,
        pinned=any(part.pinned for part in parts),
        priority=max(part.priority for part in parts),
        merged=tuple(piece for part in parts for piece in part.parts),
        meta=meta or NOTHING,
    )
