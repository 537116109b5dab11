"""A message on its way to the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, cast

from ctxlab.context.file_route import FileRoute
from ctxlab.context.placement import Placement
from ctxlab.context.text_with_origins import EMPTY, Cause, Origin, Span, Text
from ctxlab.display.short_texts import short
from ctxlab.documents import Asset, Role, ToolCall
from ctxlab.documents.agent.assets import AgentAsset
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.asset_source import UNKNOWN_PLACE, AgentFile, AssetSource
from ctxlab.documents.session.inline_bytes import shown, shown_data, without_data
from ctxlab.documents.session.replay_artifacts import ARTIFACTS, ReplayArtifact, replayed_artifacts
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class AssetRef:
    """A file that goes along with a message; `source` is the place of its bytes.

    `route` is how the model gets it, once a step has decided that; its kind and metadata are then those that the bytes
    show, so far as they could be read.
    """

    id: str
    kind: str
    name: str = ""
    mime_type: str = ""
    size_bytes: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: AssetSource = UNKNOWN_PLACE
    route: FileRoute | None = None

    def __repr__(self) -> str:
        words = [f"{name}={shown(getattr(self, name))!r}" for name in ("id", "kind", "name", "mime_type")]
        size = f"size_bytes={self.size_bytes}"
        return f"AssetRef({', '.join([*words, size])}, source={self.source!r}, route={self.route!r})"

    @classmethod
    def of(cls, asset: Asset) -> AssetRef:
        """The file of a stored message.

        `metadata` also has the `detail` with which a picture in OpenAI's form is to be looked at. Of a name that is a
        data URL only the head is kept.
        """
        openai = (asset.model_extra or {}).get("openai")
        detail = openai.get("detail") if isinstance(openai, Mapping) else None
        metadata = {**(asset.metadata or {}), **({"detail": detail} if isinstance(detail, str) else {})}
        name = without_data(asset.name)
        return cls(asset.id, asset.type, name, asset.mime_type, asset.size, metadata, asset.source)

    @classmethod
    def of_agent(cls, asset: Mapping[str, object], agent_id: str) -> AssetRef:
        """A file of an agent, as the agent's `assets` list it."""
        own = AgentAsset.of(asset)
        return cls(
            id=f"preset-{agent_id}-{own.id}",
            kind=own.kind,
            name=own.filename,
            mime_type=own.mime_type,
            size_bytes=own.size_bytes,
            source=AgentFile(agent_id, own.path),
        )

    def as_data(self) -> dict[str, Any]:
        """Everything but the bytes; of a long name or id its beginning."""
        return {
            "id": shown(self.id),
            "kind": shown(self.kind),
            "name": shown(self.name),
            "mime_type": shown(self.mime_type),
            "size_bytes": self.size_bytes,
            "metadata": shown_data(self.metadata),
            "source": self.source.as_data(),
            **({"route": self.route.as_data()} if self.route else {}),
        }


@dataclass(frozen=True, slots=True)
class Part:
    """A draft that went into a merged one."""

    key: str
    origin: Origin


NOTHING = FrozenDict()
"""The metadata of a message that has none."""

Field = Literal[
    "role",
    "origin",
    "files",
    "calls",
    "result_of",
    "reasoning",
    "speaker",
    "pinned",
    "priority",
    "meta",
    "placement",
    "place",
]
"""Fields that a step may change besides the text: `files` are those of its body in order, `placement` is the
place that it asked for, `place` its position among all drafts."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Another value in a field of a draft: what it was before, and which step changed it and why.

    Of a message that several were merged into, `before` is a tuple with the value of each where these differed.
    """

    field: Field
    before: Any
    cause: Cause

    def as_data(self) -> dict[str, Any]:
        return {"field": self.field, "before": _plain(self.before), "cause": self.cause.as_data()}


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A message on its way. `key` is deterministic and unique; `body` is text and files in order.

    `calls` are the tool calls of an assistant, `result_of` the call that a tool message answers, `speaker` the name of
    the speaker in a group. A pinned draft is never cut; `priority` is its weight in a cut by priority. `changes` are
    the fields that steps have changed, in order. A merged draft keeps its first part's key and lists all its parts in
    `merged`. `meta` is the metadata of the stored message and nothing else, `placement` the place that it asked for.
    """

    key: str
    role: Role
    body: tuple[Text | AssetRef, ...]
    origin: Origin
    calls: tuple[ToolCall, ...] = ()
    result_of: str | None = None
    reasoning: str | None = None
    speaker: str | None = None
    pinned: bool = False
    priority: int = 0
    changes: tuple[Change, ...] = ()
    merged: tuple[Part, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    placement: Placement | None = None

    def __repr__(self) -> str:
        text = str(self.text)
        shown = short(text)
        return f"Draft({self.key!r}, {self.role}, {shown!r})"

    @property
    def text(self) -> Text:
        """The words, without the files; texts around a file are joined by a newline, unless a seam joins them."""
        body = self.body
        if len(body) == 1 and isinstance(body[0], Text):
            return body[0]
        texts = [part for part in body if isinstance(part, Text)]
        if len(texts) == 1:
            return texts[0]
        line = Span("\n", Origin("separator", self.key))
        spans: list[Span] = []
        for text in texts:
            if spans and text.spans and text.spans[0].origin.kind != "separator":
                spans.append(line)
            spans.extend(text.spans)
        return Text(spans)

    @property
    def assets(self) -> tuple[AssetRef, ...]:
        if len(self.body) == 1 and isinstance(self.body[0], Text):
            return ()
        return tuple(part for part in self.body if isinstance(part, AssetRef))

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its merged parts, or itself as the only part."""
        return self.merged or (Part(self.key, self.origin),)

    @property
    def is_result(self) -> bool:
        """Whether it answers a tool call, also where that is sent under another role."""
        return self.role == "tool" or self.result_of is not None or (bool(self.changes) and self.was("role", "tool"))

    @property
    def replayed(self) -> tuple[ReplayArtifact, ...]:
        """The blocks that a vendor gave with this message and gets back unchanged."""
        if not self.meta or ARTIFACTS not in self.meta:
            return ()
        return replayed_artifacts(self.meta, has_calls=bool(self.calls))

    @property
    def is_wordless(self) -> bool:
        """Whether there is not a character in it, nor a file, a call, a tool's result or a block to be given back."""
        return not (self.text or self.assets or self.calls or self.replayed or self.role == "tool")

    @property
    def replays_reasoning(self) -> bool:
        """Whether it carries reasoning state that the vendor wants back unchanged."""
        artifacts = self.meta.get(ARTIFACTS) if self.meta else None
        return isinstance(artifacts, Sequence) and any(
            a.get("replayPolicy") != "never" for a in artifacts if isinstance(a, Mapping)
        )

    def was(self, field: Field, value: Any) -> bool:
        """Whether a step changed this field from this value."""
        return any(change.field == field and change.before == value for change in self.changes)

    def edit_text(self, change: Callable[[Text], Text]) -> Draft:
        """`change` of every text of the body; files stay where they are. The same object when no text changes."""
        body = tuple([change(part) if isinstance(part, Text) else part for part in self.body])
        if all(new is old for new, old in zip(body, self.body, strict=True)):
            return self
        return replace(self, body=body)

    def changed(self, cause: Cause, **fields: Any) -> Draft:
        """With other values in fields such as `role`, each with its cause; the same object when none differs.

        >>> Draft("n", "system", (), Origin("node", "n")).changed(Cause("mine", "rule", "why"), role="user").role
        'user'
        """
        changed_fields = {name: value for name, value in fields.items() if not _equal(getattr(self, name), value)}
        if not changed_fields:
            return self
        changes = [Change(cast("Field", name), getattr(self, name), cause) for name in changed_fields]
        return replace(self, **changed_fields, changes=(*self.changes, *changes))

    def moved(self, place: int, cause: Cause) -> Draft:
        """This message, about to leave position `place` among the drafts."""
        return replace(self, changes=(*self.changes, Change("place", place, cause)))

    def with_body(self, body: Sequence[Text | AssetRef], cause: Cause) -> Draft:
        """With other files, or files at other places among its texts."""
        return replace(self, body=tuple(body), changes=(*self.changes, Change("files", self.assets, cause)))

    def as_data(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "role": self.role,
            "body": [part.as_data() for part in self.body],
            "origin": self.origin.as_data(),
            "calls": [call.as_data() for call in self.calls],
            "result_of": self.result_of,
            "reasoning": self.reasoning,
            "speaker": self.speaker,
            "pinned": self.pinned,
            "priority": self.priority,
            "changes": [change.as_data() for change in self.changes],
            "merged": [{"key": part.key, **part.origin.as_data()} for part in self.merged],
            "meta": dict(self.meta),
            "placement": self.placement.as_data() if self.placement else None,
        }


SHARED_FIELDS: tuple[Field, ...] = ("role", "speaker", "result_of")
"""Fields that a merged draft can only have one value of."""


def merged_draft(parts: Sequence[Draft], *, separator: str, cause: Cause) -> Draft:
    """One draft out of several, of the first one's key and role; every field, file and origin is kept, in order.

    The separator is put between words; a part without any is joined without it.
    """
    first = parts[0]
    changes = [change for part in parts for change in part.changes]
    for name in SHARED_FIELDS:
        values = tuple(getattr(part, name) for part in parts)
        if any(value != values[0] for value in values):
            changes.append(Change(name, values, cause))
    return replace(
        first,
        body=_joined_bodies(parts, Text.of(separator, Origin("separator", cause.rule), cause)),
        changes=tuple(changes),
        merged=tuple(piece for part in parts for piece in part.parts),
        **combined_fields(parts),
    )


def combined_fields(parts: Sequence[Draft]) -> dict[str, Any]:
    """Values of the fields of a merged draft that hold what all its parts have."""
    speakers = {part.speaker for part in parts}
    meta: dict[str, Any] = {}
    for part in reversed(parts):
        meta.update(part.meta)
    return {
        "calls": tuple(call for part in parts for call in part.calls),
        "reasoning": "\n".join(part.reasoning for part in parts if part.reasoning) or None,
        "speaker": parts[0].speaker if len(speakers) == 1 else None,
        "pinned": any(part.pinned for part in parts),
        "priority": max(part.priority for part in parts),
        "meta": parts[0].meta if all(part.meta is parts[0].meta for part in parts) else FrozenDict(meta),
        "placement": next((part.placement for part in parts if part.placement is not None), None),
    }


def _joined_bodies(parts: Sequence[Draft], separator: Text) -> tuple[Text | AssetRef, ...]:
    body: list[Text | AssetRef] = []
    run: list[Text] = []  # texts that become one, since no file is between them
    has_words = False
    for part in parts:
        seam_is_due = has_words
        for piece in part.body:
            if isinstance(piece, AssetRef):
                body += [*_as_one(run), piece]
                run = []
                continue
            if piece and seam_is_due:
                run.append(separator)
                seam_is_due = False
            run.append(piece)
            has_words = has_words or bool(piece)
    return (*body, *_as_one(run)) or (EMPTY,)


def _as_one(run: Sequence[Text]) -> list[Text]:
    whole = run[0] if len(run) == 1 else Text([span for text in run for span in text.spans])
    return [whole] if whole.spans else []


def _equal(a: Any, b: Any) -> bool:
    return a is b or a == b


def _plain(value: Any) -> Any:
    """A field's value as JSON data."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    return value.as_data() if hasattr(value, "as_data") else value
