"""Messages of the reference as drafts, and both as plain data in which they are compared.

A form has role and text, and where there is something to say: where the message comes from, its place among the
presets, its files, reasoning, reasoning state, metadata, and what a merged message was made of. A missing field and an
empty one are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.context import AssetRef, Draft, Origin, Part, Text
from ctxlab.documents import InlineFile, MessageNode

Data = dict[str, Any]
Form = dict[str, Any]

HISTORY = "session_history"
KINDS = {"node": HISTORY, "summary": HISTORY, "pending": HISTORY, "notice": ""}
PLACES = {
    "skeleton": "agent_preset",
    "template": "agent_preset",
    "depth": "depth_injection",
    "anchor": "anchor_injection",
}
ARTIFACTS = "reasoningArtifacts"


def form_of_message(message: Data) -> Form:
    """A message of the reference, as input or result."""
    parts = [form_of_message(leaf) for _, leaf in leaves(message)] if is_merged(message) else []
    return _form(
        role=message["role"],
        text=text_of(message),
        source=("", "") if is_merged(message) else source_of(message),
        index=message.get("sourceIndex"),
        parts=parts,
        files=[_present(file) for file in files_of(message)],
        reasoning=message.get("reasoningContent"),
        artifacts=message.get(ARTIFACTS),
        metadata=message.get("metadata") or {},
    )


def form_of_draft(draft: Draft, inputs: Mapping[str, Form]) -> Form:
    """A draft of ours; `inputs` are the messages that went in, by key, to name what a merged one was made of."""
    is_preset, is_lore = draft.origin.kind == "preset", draft.origin.kind == "lore"
    return _form(
        role=draft.role,
        text=str(draft.text),
        source=("", "") if draft.merged else (kind_of(draft), _id_of(draft.origin)),
        index=draft.placement.index if is_preset and draft.placement else None,
        parts=[{**inputs[part.key], **_present({"source": _source(part.origin)})} for part in draft.merged],
        files=[_form_of_file(asset) for asset in draft.assets],
        reasoning=draft.reasoning,
        artifacts=draft.meta.get(ARTIFACTS),
        metadata={} if is_preset or is_lore else draft.meta,
    )


def kind_of(draft: Draft) -> str:
    """Where a draft comes from, in the words of the reference."""
    if draft.placement is None:
        return _source(draft.origin)[0]
    if draft.origin.kind == "lore":
        return "depth_injection" if draft.placement.depth is not None else "anchor_injection"
    return PLACES[draft.placement.kind]


def _form(*, role: str, text: str, index: int | None, metadata: Mapping[str, Any], **fields: Any) -> Form:
    said = {key: value for key, value in metadata.items() if not key.startswith("reasoning")}
    form = {"role": role, "text": text, **_present({**fields, "metadata": said})}
    return form if index is None else {**form, "index": index}


def _present(fields: Data) -> Data:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, ("", ""))}


# --- messages of the reference


def text_of(message: Data) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def files_of(message: Data) -> list[Data]:
    """Its attachments, and before them what stands as a part in the content."""
    content = message.get("content") or ""
    parts = [part for part in content if part["type"] != "text"] if not isinstance(content, str) else []
    return [*map(_file_of_part, parts), *(message.get("_attachments") or ())]


def source_of(message: Data) -> tuple[str, str]:
    source_id = "" if message.get("sourceId") is None else str(message["sourceId"])
    return message.get("sourceType") or "", "pending" if source_id.startswith("virtual-pending-input-") else source_id


def is_merged(message: Data) -> bool:
    return bool(message.get("_mergedSources"))


def leaves(message: Data, key: str = "") -> Iterator[tuple[str, Data]]:
    """The messages that a merged one was made of, with keys of their own, the first one's its own key.

    Any other message is its own leaf.
    """
    if not is_merged(message):
        yield key, message
        return
    for i, part in enumerate(message["_mergedSources"]):
        yield from leaves(part, f"{key}.{i}" if i else key)


def drafts_of(messages: Iterable[Data]) -> tuple[Draft, ...]:
    """The messages as drafts with keys by position; calls only where their results are messages of the role tool."""
    rows = list(messages)
    native = any(message["role"] == "tool" for message in rows)
    return tuple(draft_of(message, str(i), native=native) for i, message in enumerate(rows))


def forms_by_key(messages: Iterable[Data]) -> dict[str, Form]:
    """Every message, and every message that a merged one was made of, by the key of its draft."""
    return {key: form_of_message(leaf) for i, message in enumerate(messages) for key, leaf in leaves(message, str(i))}


def draft_of(message: Data, key: str, *, native: bool = True) -> Draft:
    role, metadata = message["role"], message.get("metadata") or {}
    origin, artifacts = _origin_of(message), message.get(ARTIFACTS)
    # A result that goes as the user's words still answers a call, as the loader says.
    as_text = role == "user" and bool(metadata.get("toolCall") or metadata.get("toolCalls"))
    node = MessageNode(role="tool" if as_text else role, metadata=metadata)
    return Draft(
        key,
        role,
        tuple(_body(message, origin)),
        origin,
        calls=node.tool_calls if native and role == "assistant" else (),
        result_of=(node.result_of or "") if as_text else node.result_of,
        reasoning=message.get("reasoningContent"),
        pinned=origin.kind != "node",
        merged=tuple(Part(k, _origin_of(leaf)) for k, leaf in leaves(message, key)) if is_merged(message) else (),
        meta={**metadata, ARTIFACTS: artifacts} if artifacts else metadata,
    )


def _body(message: Data, origin: Origin) -> Iterator[Text | AssetRef]:
    content = message.get("content") or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        yield Text.of(part["text"], origin) if part["type"] == "text" else _asset(_file_of_part(part))
    yield from map(_asset, message.get("_attachments") or ())


def _origin_of(message: Data) -> Origin:
    kind, source_id = source_of(message)
    if kind == HISTORY:
        kind = "summary" if (message.get("metadata") or {}).get("isCompressionNode") else "node"
    return Origin(kind, source_id)


def _file_of_part(part: Data) -> Data:
    return {"type": part["type"], "source": {name: value for name, value in part.items() if name != "type"}}


def _asset(file: Data) -> AssetRef:
    return AssetRef(
        file.get("id") or "",
        file.get("type") or "",
        file.get("name") or "",
        file.get("mimeType") or "",
        file.get("size"),
        file.get("metadata") or {},
        GivenSource(file.get("source") or {}),  # type: ignore[arg-type]
    )


@dataclass(frozen=True)
class GivenSource:
    """A source in the form of the recorded case, whatever it holds; steps hand it on unread."""

    data: Data

    def as_data(self) -> Data:
        return self.data


# --- drafts of ours


def _form_of_file(asset: AssetRef) -> Data:
    return _present(
        {
            "id": asset.id,
            "type": asset.kind,
            "name": asset.name,
            "mimeType": asset.mime_type,
            "size": asset.size_bytes,
            "metadata": dict(asset.metadata),
            "source": {name: value for name, value in _source_of_file(asset).items() if value is not None},
        }
    )


def _source_of_file(asset: AssetRef) -> Data:
    source = asset.source
    return source.as_data() | ({"base64": source.base64} if isinstance(source, InlineFile) else {})


def _source(origin: Origin) -> tuple[str, str]:
    return KINDS.get(origin.kind, origin.kind), _id_of(origin)


def _id_of(origin: Origin) -> str:
    if origin.kind == "lore":
        return origin.ref.rpartition("/")[2]
    return {"pending": "pending", "notice": ""}.get(origin.kind, origin.ref)
