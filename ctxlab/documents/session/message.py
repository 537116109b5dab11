"""A message node of the tree: role, content, attachments, tool calls, metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, NewType, cast

from pydantic import ValidationError

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.documents.compact_fields import compact
from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.refused_values import first_refusal
from ctxlab.documents.session.asset_source import AssetSource, InlineFile, LibraryFile, LinkedFile, UploadedFile
from ctxlab.documents.stored import Stored, as_json
from ctxlab.errors import Refused
from ctxlab.lazy_dataclass import dataclass

NodeId = NewType("NodeId", str)
Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["generating", "complete", "error"]


DISABLED_REASON = "disabledReason"
"""Metadata key: why a reader switched the message off; switching it on removes the key."""
# Some files put metadata into groups.
GROUPS = frozenset({"compression", "performance", "continuation", "tools"})


SENT = GROUPS | {"toolCallsRequested", "toolCalls", "toolCall", "toolCallId", "reasoningContent", "priority"}
"""Metadata that say something of what is sent, and the groups in which they may stand."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of an assistant; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str = ""

    def as_data(self) -> dict[str, Any]:
        """OpenAI's form."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


class SentFields(NamedTuple):
    """The tool calls of a message, the call that it answers, its reasoning, and its priority."""

    calls: tuple[ToolCall, ...]
    result_of: str | None
    reasoning: str | None
    priority: int


LOOKED_UP = ("sent_fields", "fingerprint")
"""Properties that a message keeps once they were asked for."""
NOTHING_ELSE = SentFields((), None, None, 0)


class InjectionStrategy(Stored):
    """The placement of a preset; without a type the fields decide: depth, then anchor, then the skeleton."""

    type: str | None = None
    depth: float | None = None
    depth_config: str | None = None
    anchor_target: str | None = None
    anchor_position: str | None = None
    order: float | None = None


class ModelMatch(Stored):
    """Only for models whose name (or whose profile's name) fits one of the patterns."""

    enabled: bool = False
    mode: str | None = None
    exclude: bool = False
    patterns: tuple[str, ...] = ()
    profile_patterns: tuple[str, ...] = ()
    match_profile_name: bool = False


class Asset(Stored):
    """An attached file; `metadata` may have width, height and duration (seconds)."""

    id: str = ""
    type: str = "other"
    name: str = ""
    mime_type: str = ""
    path: str | None = None
    size: int | None = None
    metadata: JsonObject | None = None

    @property
    def source(self) -> AssetSource:
        """The place of its bytes: inline where the file has them, else a URL, a vendor's id, or the library."""
        extra = self.model_extra or {}
        inline, url, file_id = extra.get("inlineData"), extra.get("url"), extra.get("fileId")
        if isinstance(inline, Mapping):
            found = cast("Mapping[str, Any]", inline)
            if isinstance(base64 := found.get("base64"), str) and base64:
                return InlineFile(base64, str(found.get("mimeType") or ""))
        if isinstance(url, str) and url:
            return LinkedFile(url)
        return UploadedFile(file_id) if isinstance(file_id, str) else LibraryFile(self.path)


class PresetAttachment(Stored):
    asset_id: str = ""
    description: str | None = None


class MessageNode(Stored):
    """One message; only the root has no parent. `children_ids` may be empty in files that know only parents.

    `name` is a label for people; `speaker` is who speaks in a group, and is sent (`name` in OpenAI's form).
    """

    id: NodeId = NodeId("")
    parent_id: NodeId | None = None
    children_ids: tuple[NodeId, ...] = ()
    last_selected_child_id: NodeId | None = None
    role: Role = "user"
    content: str = ""
    name: str | None = None
    speaker: str | None = None
    attachments: tuple[Asset, ...] | None = None
    preset_attachments: tuple[PresetAttachment, ...] | None = None
    status: Status = "complete"
    is_enabled: bool | None = None
    group_id: str | None = None
    type: str | None = None
    injection_strategy: InjectionStrategy | None = None
    model_match: ModelMatch | None = None
    insertion_point: int | None = None  # Older form: n >= 0 from the head, -k from the end.
    anchor_point: str | None = None  # Older form: before or after.
    anchor_target: str | None = None  # Older form: id of a placeholder.
    timestamp: str | None = None
    updated_at: str | None = None
    metadata: JsonObject | None = None

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        compact(self, looked_up=LOOKED_UP)

    def _repr_parts(self) -> Iterator[str]:
        yield from (repr(self.id), self.role, repr(short(self.content)))
        if self.attachments:
            yield counted(len(self.attachments), "file")
        if not self.enabled:
            yield "switched off"

    @property
    def enabled(self) -> bool:
        """Whether the message is on; a missing value means yes."""
        return self.is_enabled is not False

    @property
    def disabled_reason(self) -> str:
        """Why a reader switched the message off (`metadata.disabledReason`); empty where it is on or none is known."""
        reason = None if self.enabled else self.meta(DISABLED_REASON)
        return plain(reason, 120) if isinstance(reason, str) else ""

    @property
    def is_empty_root(self) -> bool:
        """Whether this is a root without text, files and tool calls: it only holds the tree together and is no message.

        A root that has any of them is a message like any other.
        """
        return (
            self.parent_id is None
            and not self.content.strip()
            and not self.attachments
            and not self.tool_calls
            and self.result_of is None
        )

    def meta(self, name: str) -> Any:
        """A metadata value, flat or inside one of the groups that some files use; None if absent."""
        metadata = self.metadata
        if not metadata:
            return None
        if name in metadata:
            return metadata[name]
        if GROUPS.isdisjoint(metadata):
            return None
        for group in GROUPS:
            if group in metadata and isinstance(inner := metadata[group], dict) and name in inner:
                return cast("dict[str, Any]", inner)[name]
        return None

    @property
    def agent_id(self) -> str | None:
        value = self.meta("agentId")
        return value if isinstance(value, str) else None

    @property
    def reasoning(self) -> str | None:
        value = self.meta("reasoningContent")
        return value if isinstance(value, str) and value else None

    @cached_property
    def sent_fields(self) -> SentFields:
        """The fields that are sent besides text and files; looked up once."""
        metadata = self.metadata
        if not self.__pydantic_extra__ and (not metadata or SENT.isdisjoint(metadata)):
            return NOTHING_ELSE
        return SentFields(self.tool_calls, self.result_of, self.reasoning, self.priority)

    @property
    def priority(self) -> int:
        """Its weight when messages are cut by priority: `metadata.priority`, a whole number; 0 if there is none."""
        value = self.meta("priority")
        return value if type(value) is int else 0

    @property
    def is_summary(self) -> bool:
        """Whether this node replaces others, which it hides (a compression node)."""
        return self.metadata is not None and bool(self.meta("isCompressionNode"))

    @property
    def hides(self) -> tuple[str, ...]:
        """Ids of the nodes that an enabled summary replaces."""
        ids = self.meta("compressedNodeIds")
        return tuple(str(i) for i in cast("list[object]", ids)) if isinstance(ids, list) else ()

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of what a message says: its role, words, calls and files; others once it is edited."""
        calls = [[call.name, call.arguments] for call in self.tool_calls]
        said = as_json([self.role, self.content, calls, [asset.id for asset in self.attachments or ()]])
        return blake2b(said, digest_size=8).hexdigest()

    @property
    def fingerprints_behind(self) -> Mapping[str, str]:
        """Fingerprints of the messages behind a summary as they were summarised, by id; empty where it doesn't say."""
        known = self.meta("compressedFingerprints")
        return cast("Mapping[str, str]", known) if isinstance(known, Mapping) else {}

    def edited_of(self, nodes: Mapping[Any, MessageNode]) -> tuple[str, ...]:
        """Ids of the messages behind this summary that were edited after they were summarised."""
        made = self.fingerprints_behind
        return tuple(key for key in self.hides if key in made and key in nodes and nodes[key].fingerprint != made[key])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Calls that this message asks for, from `metadata.toolCallsRequested` or `toolCalls`."""
        if self.role == "tool":  # what it has under `toolCalls` are the calls it answers
            return ()
        requested = self.meta("toolCallsRequested") or self._extra("toolCalls")
        if requested is None:
            return ()
        if not isinstance(requested, Sequence) or isinstance(requested, str):
            return ()
        return tuple(_tool_call(call) for call in cast("Sequence[object]", requested) if isinstance(call, Mapping))

    @property
    def result_of(self) -> str | None:
        """Id of the call that this message answers."""
        if self.role != "tool":
            return None
        call = self.meta("toolCall")
        if not isinstance(call, Mapping):
            answered = self.meta("toolCalls")
            call = cast("list[object]", answered)[0] if isinstance(answered, list) and answered else None
        if isinstance(call, Mapping):
            found = cast("Mapping[str, Any]", call).get("requestId")
            return found if isinstance(found, str) else None
        found = self._extra("toolCallId")
        return found if isinstance(found, str) else None

    def _extra(self, name: str) -> Any:
        """A field of another program's files, on the message itself or in its metadata."""
        extra = self.__pydantic_extra__
        if extra and name in extra:
            return extra[name]
        return self.meta(name)


def _tool_call(data: Mapping[str, Any]) -> ToolCall:
    function = data.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, Mapping) else data
    arguments = inner.get("arguments", inner.get("args", inner.get("rawArgs", "")))
    if not isinstance(arguments, str):
        arguments = as_json(arguments).decode()
    return ToolCall(
        id=str(data.get("requestId") or data.get("id") or ""),
        name=str(inner.get("toolName") or inner.get("name") or ""),
        arguments=arguments,
    )


# --- fields as callers of the verbs pass them

STRUCTURE = {
    "id": "a verb that makes a message takes its id",
    "parent_id": "graft() and move() hang a message elsewhere",
    "children_ids": "graft() and move() hang messages elsewhere",
    "last_selected_child_id": "switched() chooses a branch",
}


def node_of(fields: Mapping[str, Any], **links: Any) -> MessageNode:
    """A message of these fields, named as in Python or in the file; refuses wrong values and structure."""
    _refuse_structure(fields)
    try:
        return MessageNode.model_validate({**fields, **links})
    except ValidationError as error:
        raise Refused(first_refusal(error)) from error


def checked_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under their Python names, with values checked and converted as in a message."""
    made = node_of(fields)
    return {name: getattr(made, name) for name in made.model_fields_set}


def _refuse_structure(fields: Mapping[str, Any]) -> None:
    known = MessageNode.model_fields
    for name, remedy in STRUCTURE.items():
        if name in fields or known[name].alias in fields:
            raise Refused(f"{name!r} is structure, not a field to be given: {remedy}")
