"""One message of a ChatGPT export as the fields of a node.

What has no field of a node is kept in `metadata.chatgpt`. An assistant's message to a tool becomes a call, its text the
arguments; the call's id is the message's own, for the export has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.documents.session.message import DISABLED_REASON
from ctxlab.formats.results import Loss, texts_aside
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]

ROLES = frozenset({"system", "user", "assistant", "tool"})
TEXT_FIELDS = ("text", "result", "content", "model_set_context", "user_profile", "user_instructions")
NOT_SENT = {"reasoning_recap": "ChatGPT shows it on the screen: how long the model thought"}
"""Content that only the screen showed."""
UNWEIGHTED = "ChatGPT marks it weight 0"
"""OpenAI documents no weight. Programs that read exports take 0 for hidden or replaced; in exports it is on empty
system messages, and on results of tools that replies cite, so a model may well have read those."""
WITHOUT_RESULT = "every result of its call is marked weight 0 by ChatGPT"
PLACE = "place"
"""Metadata key of a mapping entry's other fields."""
BOOKKEEPING = frozenset(
    {"metadata", "id", "model_slug", "default_model_slug", "requested_model_slug", "resolved_model_slug", "request_id"}
    | {"parent_id", "message_type", "timestamp_", "finish_details", "turn_exchange_id", "message_source", "channel"}
    | {"author", "recipient", "status", "content_type", "conversation_id", "conversation_template_id", "gizmo_id"}
    | {
        "conversation_origin",
        "workspace_id",
        "safe_urls",
        "blocked_urls",
        "async_task_id",
        "attachments",
        "asset_pointer",
    }
    | {"serialization_metadata", "working_turn_id", "voice", "parent", "children", "cloud_doc_url", "selected_sources"}
    | {"source_analysis_msg_id", "thinking_effort", "command", "image_gen_title", "plugin_ids", "memory_scope"}
)
"""Fields that no model reads, and those that become something else."""
TOLD = frozenset({"thoughts", "parts", "stored"})
"""Fields of a content that are read, or of which a loss of their own tells."""
USUAL: Data = {
    "status": "finished_successfully",
    "recipient": "all",
    "weight": 1,
    "end_turn": None,
    "channel": None,
    "update_time": None,
    "metadata": {},
}
FILES = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that waits for its result."""

    id: str
    tool: str


@dataclass(slots=True)
class _Content:
    texts: list[str] = field(default_factory=list[str])
    files: list[Data] = field(default_factory=list[Data])
    reasoning: str = ""
    rest: Data = field(default_factory=dict[str, Any])


def answered_call(message: Data, calls: Sequence[OpenCall]) -> OpenCall | None:
    """The nearest call above that a tool's message answers; found by the tool's name."""
    author = _author(message)
    if author.get("role") != "tool":
        return None
    name = str(author.get("name") or "")
    return next((call for call in reversed(calls) if not name or _head(call.tool) == _head(name)), None)


def _head(tool: str) -> str:
    """The tool of a name such as `browser.search`."""
    return tool.partition(".")[0]


def fields_of(message: Data, key: str, answered: OpenCall | None, losses: list[Loss]) -> tuple[Data, OpenCall | None]:
    """The fields of a node but for place and time, and the call that it requests."""
    place = f"message {key!r}"
    rest = _rest(message)
    role = _role(message, place, rest, losses)
    content = _content(message, key, losses)
    losses += texts_aside(place, _flat(rest, message), BOOKKEEPING)
    if content.rest:
        rest["content"] = content.rest
        losses += texts_aside(place, content.rest, BOOKKEEPING | TOLD)
    text = "\n".join(content.texts)
    metadata: Data = {}
    call = _requested_call(message, key, role)
    if call is not None:
        metadata["toolCallsRequested"] = [{"requestId": call.id, "toolName": call.tool, "args": text}]
        text = ""
    if role == "tool":
        metadata["toolCall"] = _result(message, answered)
    if content.reasoning:
        metadata["reasoningContent"] = content.reasoning
    if isinstance(model := _metadata(message).get("model_slug"), str):
        metadata["modelId"] = model
    if rest:
        metadata["chatgpt"] = rest
    node: Data = {"role": role, "content": text}
    if files := _with_names(content.files, message):
        node["attachments"] = files
    reason = UNWEIGHTED if message.get("weight") == 0 else NOT_SENT.get(str(content.rest.get("content_type")))
    if reason is not None:
        node["isEnabled"] = False
        metadata[DISABLED_REASON] = reason
    return {**node, "metadata": metadata} if metadata else node, call


def _flat(rest: Data, message: Data) -> Data:
    """The fields that are kept of a message, those of its metadata and of its place in the tree by their own names."""
    around = rest.get(PLACE)
    flat = {key: value for key, value in rest.items() if key != PLACE or not isinstance(around, dict)}
    return {**flat, **_metadata(message), **(cast("Data", around) if isinstance(around, dict) else {})}


def _author(message: Data) -> Data:
    author = message.get("author")
    return cast("Data", author) if isinstance(author, dict) else {}


def _metadata(message: Data) -> Data:
    metadata = message.get("metadata")
    return cast("Data", metadata) if isinstance(metadata, dict) else {}


def _rest(message: Data) -> Data:
    """Metadata of a message beyond role, content and time, without the values that every message has."""
    own = ("id", "author", "content", "create_time")
    rest = {
        key: value for key, value in message.items() if key not in own and (key not in USUAL or USUAL[key] != value)
    }
    stored = message.get("author")
    author: Any = {key: value for key, value in _author(message).items() if key != "role" and value is not None}
    if author.get("metadata") == {}:
        del author["metadata"]
    if not isinstance(stored, dict):
        author = stored
    return {"author": author, **rest} if author else rest


def _role(message: Data, place: str, rest: Data, losses: list[Loss]) -> str:
    role = _author(message).get("role")
    if isinstance(role, str) and role in ROLES:
        return role
    losses.append(Loss(place, f"role {role!r} is not known; it is a user message now"))
    rest.setdefault("role", role)
    return "user"


def _requested_call(message: Data, key: str, role: str) -> OpenCall | None:
    recipient = message.get("recipient")
    called = role == "assistant" and isinstance(recipient, str) and recipient not in ("", "all")
    return OpenCall(key, str(recipient)) if called else None


def _result(message: Data, answered: OpenCall | None) -> Data:
    name = _author(message).get("name")
    result: Data = {} if answered is None else {"requestId": answered.id}
    return {**result, "toolName": name} if isinstance(name, str) else result


# --- content


def _content(message: Data, key: str, losses: list[Loss]) -> _Content:
    stored = message.get("content")
    place = f"message {key!r}"
    if isinstance(stored, str):
        return _Content([stored])
    if not isinstance(stored, dict):
        losses.append(Loss(place, "it has no content; it is empty now"))
        return _Content(rest={} if stored is None else {"stored": stored})
    fields = cast("Data", stored)
    kind = fields.get("content_type")
    if isinstance(fields.get("parts"), list):
        return _parts(fields, key, losses)
    if kind == "thoughts":
        return _thoughts(fields)
    named = [name for name in TEXT_FIELDS if isinstance(fields.get(name), str)]
    texts = [fields[name] for name in named]
    if not texts:
        losses.append(Loss(place, f"content of type {kind!r:.40} has no text; it is kept in the metadata only"))
        return _Content(rest=fields)
    kept = {name: value for name, value in fields.items() if name not in named and value is not None}
    return _Content(texts, rest=kept)


def _thoughts(fields: Data) -> _Content:
    """A reasoning model's thoughts; the message that they led to is another one."""
    stored = fields.get("thoughts")
    thoughts = [cast("Data", it) for it in cast("list[Any]", stored) if isinstance(it, dict)] if stored else []
    texts = [str(thought.get("content") or thought.get("summary") or "") for thought in thoughts]
    return _Content(reasoning="\n\n".join(filter(None, texts)), rest=fields)


def _parts(fields: Data, key: str, losses: list[Loss]) -> _Content:
    found = _Content()
    strange: list[Any] = []
    part_fields: Data = {}
    for number, part in enumerate(cast("list[Any]", fields["parts"])):
        place = f"message {key!r}.parts[{number}]"
        text = _text(part)
        if text is not None:
            if found.files and text:
                losses.append(Loss(place, "text after a file; text comes first now"))
            found.texts += filter(None, [text])
            if isinstance(part, dict) and len(fields_of_part := cast("Data", part)) > 1:
                part_fields[str(number)] = {name: value for name, value in fields_of_part.items() if name != "text"}
        elif (file := _file(part, f"{key}-part-{number}")) is not None:
            found.files.append(file)
        else:
            strange.append(part)
            kind = cast("Data", part).get("content_type") if isinstance(part, dict) else part
            losses.append(Loss(place, f"a part of type {kind!r:.40} is kept in the metadata only"))
    if fields.get("content_type") not in ("text", "multimodal_text"):
        found.rest["content_type"] = fields.get("content_type")
    found.rest |= {name: value for name, value in fields.items() if name not in ("content_type", "parts")}
    if strange:
        found.rest["parts"] = strange
    if part_fields:  # further fields of parts with text, by their number
        found.rest.setdefault("partFields", part_fields)
    return found


def _text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    text = cast("Data", part).get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def _file(part: Any, fallback: str) -> Data | None:
    """The picture, sound or film that a part points to; its bytes are not in the export."""
    if not isinstance(part, dict):
        return None
    fields = cast("Data", part)
    kind = FILES.get(str(fields.get("content_type")))
    pointer = fields.get("asset_pointer")
    if kind is None:  # a voice chat's part holds the sound in a part of its own
        inner = fields.get("audio_asset_pointer")
        sound = _file(inner, fallback) if isinstance(inner, dict) else None
        around = {name: value for name, value in fields.items() if name != "audio_asset_pointer"}
        return None if sound is None else {**sound, "chatgptPart": around} if around else sound
    file: Data = {
        "id": pointer.rpartition("://")[2] if isinstance(pointer, str) and pointer else fallback,
        "type": kind,
    }
    if isinstance(fields.get("size_bytes"), int):
        file["size"] = fields["size_bytes"]
    measures = {name: fields[name] for name in ("width", "height") if isinstance(fields.get(name), int)}
    if measures:
        file["metadata"] = measures
    rest = {name: value for name, value in fields.items() if name not in ("content_type", *measures)}
    return {**file, "chatgpt": rest}


def _with_names(files: list[Data], message: Data) -> list[Data]:
    """The files with what the message's list of uploads says of them, and after them the uploads that no part shows."""
    stored = _metadata(message).get("attachments")
    listed = cast("list[Any]", stored) if isinstance(stored, list) else []
    uploads = {str(it.get("id")): cast("Data", it) for it in listed if isinstance(it, dict) and it.get("id")}
    shown = [{**file, **dict(_upload(uploads.pop(file["id"], {})))} for file in files]
    return [*shown, *({"id": key, "type": "document", **dict(_upload(it))} for key, it in uploads.items())]


def _upload(fields: Data) -> Iterator[tuple[str, Any]]:
    if isinstance(fields.get("name"), str):
        yield "name", fields["name"]
    mime_type = fields.get("mime_type") or fields.get("mimeType")
    if isinstance(mime_type, str):
        yield "mimeType", mime_type
    if isinstance(fields.get("size"), int):
        yield "size", fields["size"]
