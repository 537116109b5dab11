"""Messages as blocks of content in Anthropic's form."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.assets.content_router.vendor_tool_results import RULES
from ctxlab.context import AssetRef, Draft, Text
from ctxlab.context.file_words import name_of
from ctxlab.documents import ToolCall
from ctxlab.documents.session.replay_artifacts import ReplayArtifact
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.anthropic.history_rules import THOUGHTS
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, plain_ids, plain_names
from ctxlab.providers.file_source import FileBytes, FileLink, FileUpload, NoFile, file_source, standing_for
from ctxlab.providers.media_types import plain_type
from ctxlab.providers.message_pieces import CallPiece, FilePiece, ReplayPiece, TextPiece, has_failed, pieces_of
from ctxlab.providers.place import JsonPath
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.signatures import is_signature
from ctxlab.providers.turns import Block

VENDOR = "Anthropic"
WIRE = "anthropic"
PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
CALL_IDS = plain_ids(200)
TOOL_NAMES = plain_names(128)
_TEXT = ("text",)
_OWN_FIELDS = frozenset({"type", "text", "id", "name", "input"})


@dataclass(slots=True, eq=False)
class BlockWriter:
    """Writes the messages of one request; `nameless` files had a name that goes without."""

    out: BodyWriter
    forms: CallForms
    nameless: int = 0

    def blocks(self, draft: Draft, role: str) -> list[Block]:
        """The blocks of a message that is sent under a role."""
        if draft.role == "tool":
            return self._result(draft)
        body = draft.body
        if len(body) == 1 and isinstance(body[0], Text) and not (draft.calls or draft.meta or draft.reasoning):
            return self._text(body[0], draft) if body[0] else []  # by far the most messages are one text
        found: list[Block] = []
        unsent: list[AssetRef] = []
        for piece in pieces_of(draft, WIRE, self.out):
            match piece:
                case TextPiece(text, on):
                    found += self._text(text, draft, on)
                case FilePiece(asset):
                    sent = self._file(asset, draft, role)
                    found += sent
                    unsent += [] if sent else [asset]
                case CallPiece(call, on):
                    found.append(self._call(call, draft, on))
                case ReplayPiece(artifact):
                    found += self._replayed(artifact, draft)
        if draft.reasoning and not any(block.value["type"] in THOUGHTS for block in found):
            reason = f"{VENDOR} takes thoughts only with their signature, and these have none; they aren't sent"
            self.out.lose("signature", "thoughts", reason, key=draft.key)
        if unsent and not found:
            found += self._text(standing_for(unsent, draft), draft)
        return found

    def _text(self, text: Text, draft: Draft, on: Sequence[ReplayArtifact] = ()) -> list[Block]:
        words = str(text)
        # A blank text beside calls is taken, as recorded from claude-haiku-4-5; elsewhere it is refused.
        if not draft.calls and words.isspace():
            self._lose_blank(draft)
            return []
        value: dict[str, Any] = {"type": "text", "text": words}
        return [Block(self._with(value, draft, on), draft, ((_TEXT, text),))]

    def _lose_blank(self, draft: Draft) -> None:
        reason = f"{VENDOR} refuses a text of white space alone; it is left out"
        self.out.lose("part", "a blank text", reason, key=draft.key)

    def _call(self, call: ToolCall, draft: Draft, on: Sequence[ReplayArtifact]) -> Block:
        value: dict[str, Any] = {
            "type": "tool_use",
            "id": self.forms.id(call.id, draft.key),
            "name": self.forms.name(call.name, draft.key),
            "input": self.forms.arguments_object(call.arguments, draft.key),
        }
        return Block(self._with(value, draft, on), draft, (((), None), (("id",), None), (("input",), None)))

    def _with(self, value: dict[str, Any], draft: Draft, on: Sequence[ReplayArtifact]) -> dict[str, Any]:
        for artifact in on:
            kind = artifact.item.get("type", value["type"])
            if kind != value["type"]:
                reason = f"a block of its own can't be part of a block of type {value['type']!r}; it isn't sent"
                self.out.lose("signature", str(kind), reason, key=draft.key)
                continue
            value |= {name: plain_json(each) for name, each in artifact.item.items() if name not in _OWN_FIELDS}
        return value

    def _replayed(self, artifact: ReplayArtifact, draft: Draft) -> list[Block]:
        item = artifact.item
        kind = item.get("type")
        proof = {"thinking": "signature", "redacted_thinking": "data"}.get(str(kind))
        if not isinstance(kind, str) or (proof and not is_signature(item.get(proof))):
            reason = f"without a signature that the vendor gave {VENDOR} refuses it; it isn't sent"
            self.out.lose("signature", str(kind or "a block"), reason, key=draft.key)
            return []
        value = cast("dict[str, Any]", plain_json(item))
        if kind == "thinking" and not isinstance(value.get("thinking"), str):
            value["thinking"] = ""
        return [Block(value, draft, (((), None),))]

    def _result(self, draft: Draft) -> list[Block]:
        content: list[Block] = []
        after: list[Block] = []
        for piece in pieces_of(draft, WIRE, self.out):
            match piece:
                case TextPiece(text):
                    if not str(text).isspace():
                        content.append(Block({"type": "text", "text": str(text)}, draft, ((("text",), text),)))
                    else:
                        self._lose_blank(draft)
                case FilePiece(asset):
                    for block in self._file(asset, draft, "user"):
                        inside = _media_type(block.value) in RULES["anthropic"].inside
                        (content if inside else after).append(block)
                case _:
                    self.out.lose(
                        "part", "a call or a block in a result", "a result holds none; it isn't sent", key=draft.key
                    )
        value: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": self.forms.id(draft.result_of or "", draft.key),
        }
        places: list[tuple[JsonPath, Text | None]] = [((), None), (("tool_use_id",), None)]
        if len(content) == 1 and content[0].value["type"] == "text":
            value["content"] = content[0].value["text"]
            places.append((("content",), content[0].places[0][1]))
        elif content:
            value["content"] = [block.value for block in content]
            places += [(("content", i, *path), text) for i, block in enumerate(content) for path, text in block.places]
        if has_failed(draft):
            value["is_error"] = True
        return [Block(value, draft, tuple(places), first=True), *after]

    def _file(self, asset: AssetRef, draft: Draft, role: str) -> list[Block]:
        value: dict[str, Any] | NoFile
        value = _file_block(asset) if role == "user" else NoFile(f"{VENDOR} takes files from the user alone")
        if not isinstance(value, NoFile):
            self.nameless += bool(asset.name and "title" not in value)
            return [Block(value, draft, (((), None),))]
        self.out.lose("part", name_of(asset), f"{value.reason}; it isn't sent", key=draft.key)
        return []


def _media_type(block: Mapping[str, Any]) -> str:
    source = cast("Mapping[str, Any]", block["source"])
    known = source.get("media_type")
    return str(known) if known else "image/png" if block["type"] == "image" else "application/pdf"


def _file_block(asset: AssetRef) -> dict[str, Any] | NoFile:
    source = file_source(asset)
    match source:
        case FileBytes(data, mime_type):
            return _of_bytes(asset, data, plain_type(mime_type))
        case FileLink(url) if not url.startswith("https:"):
            return NoFile(f"{VENDOR} fetches files by https alone")
        case FileLink(url):
            kind = _linked_kind(asset)
            held: dict[str, Any] = {"type": "url", "url": url}
        case FileUpload(file_id) if not file_id.startswith("file_"):
            return NoFile("its id was given by another vendor")
        case FileUpload(file_id):
            kind = "image" if asset.kind == "image" else None if asset.kind in ("audio", "video") else "document"
            held = {"type": "file", "file_id": file_id}
        case NoFile():
            return source
    if kind is None:
        return NoFile(f"{VENDOR} takes no files of type {asset.mime_type or asset.kind}")
    return {"type": kind, "source": held, **_title(asset, kind)}


def _of_bytes(asset: AssetRef, data: str, mime_type: str) -> dict[str, Any] | NoFile:
    source = {"type": "base64", "media_type": mime_type, "data": data}
    if mime_type in PICTURES:
        return {"type": "image", "source": source}
    if mime_type == "application/pdf":
        return {"type": "document", "source": source, **_title(asset, "document")}
    if mime_type.startswith("text/") or asset.kind == "text":
        words = _words(data)
        if words and not words.isspace():
            text = {"type": "text", "media_type": "text/plain", "data": words}
            return {"type": "document", "source": text, **_title(asset, "document")}
        return NoFile("it is no text in UTF-8, or an empty one")
    return NoFile(f"{VENDOR} takes no files of type {mime_type}")


def _words(data: str) -> str | None:
    try:
        return b64decode(data).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _linked_kind(asset: AssetRef) -> str | None:
    mime_type = plain_type(asset.mime_type)
    if asset.kind == "image" or mime_type in PICTURES:
        return "image"
    return "document" if asset.kind not in ("audio", "video") and mime_type in ("application/pdf", "") else None


def _title(asset: AssetRef, kind: str) -> dict[str, Any]:
    return {"title": asset.name} if asset.name and kind == "document" else {}
