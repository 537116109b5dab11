"""The items of the input of OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ctxlab.assets.content_router.vendor_tool_results import RULES
from ctxlab.context import AssetRef, Draft, Text
from ctxlab.context.file_words import name_of
from ctxlab.display.short_texts import short
from ctxlab.documents import ToolCall
from ctxlab.documents.session.replay_artifacts import ReplayArtifact
from ctxlab.errors import CtxlabError
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.file_source import (
    FileBytes,
    FileLink,
    FileSource,
    FileUpload,
    NoFile,
    file_source,
    standing_for,
    unread,
)
from ctxlab.providers.message_pieces import CallPiece, FilePiece, ReplayPiece, TextPiece, has_failed, pieces_of
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.file_parts import DETAILS, PICTURES
from ctxlab.providers.place import JsonPath
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Provider
from ctxlab.providers.signatures import is_signature


def file_part(asset: AssetRef) -> dict[str, Any] | NoFile:
    """The part that carries a file, or the reason why there is none for it."""
    source = file_source(asset)
    if isinstance(source, NoFile):
        return source
    if asset.kind == "image":
        return _picture(asset, source)
    if asset.kind == "audio":
        return NoFile("OpenAI's Responses take no recordings")
    if asset.kind == "video":
        return NoFile("OpenAI's Responses take no films")
    return _document(asset, source)


def _picture(asset: AssetRef, source: FileSource) -> dict[str, Any] | NoFile:
    detail = asset.metadata.get("detail")
    part = {"type": "input_image", "detail": detail if detail in DETAILS else "auto"}
    match source:
        case FileBytes(_, mime_type):
            if mime_type.lower() not in PICTURES:
                return NoFile("OpenAI reads pictures as PNG, JPEG, GIF and WebP alone")
            return {**part, "image_url": source.url}
        case FileLink(url):
            return {**part, "image_url": url}
        case FileUpload(file_id):
            return {**part, "file_id": file_id}
        case _:
            return source


def _document(asset: AssetRef, source: FileSource) -> dict[str, Any] | NoFile:
    match source:
        case FileBytes(_, mime_type):
            plain = "document.pdf" if mime_type.lower() == "application/pdf" else "file"
            return {"type": "input_file", "filename": asset.name or plain, "file_data": source.url}
        case FileLink(url):
            return {"type": "input_file", "file_url": url}
        case FileUpload(file_id):
            return {"type": "input_file", "file_id": file_id}
        case _:
            return source


WIRE = "openai-responses"
Json = dict[str, Any]
Part = tuple[Json, Text | None]


class InputItems:
    """Drafts as items: messages, calls, their outputs, and what the vendor wants back, in the order of a message.

    A first system message is the `instructions`; a user's text that stands alone is the input itself. Thoughts wait for
    what they led to. Without `is_stored` the vendor knows none by their ids.
    """

    def __init__(
        self, provider: Provider, model: ModelInfo, forms: CallForms, out: BodyWriter, *, is_stored: bool = True
    ) -> None:
        self._model = model
        self._is_stored = is_stored
        self._thoughts: list[tuple[Draft, Json]] = []
        self.items: list[Json] = []
        self._forms = forms
        self.has_encrypted_reasoning = False
        self._vendor = provider.title
        self._out = out
        self._waiting: list[tuple[Draft, Json]] = []
        self._told: set[tuple[str, str]] = set()

    def write(self, drafts: Sequence[Draft]) -> None:
        """Put all drafts into the body."""
        body, out = self._out.body, self._out
        if len(drafts) > 1 and drafts[0].role == "system" and (text := _only_text(drafts[0])):
            body["instructions"] = str(text)
            out.place(("instructions",), drafts[0], text)
            self._named(drafts[0])
            drafts = drafts[1:]
        if len(drafts) == 1 and drafts[0].role == "user" and (text := _only_text(drafts[0])):
            body["input"] = str(text)
            out.place(("input",), drafts[0], text)
            self._named(drafts[0])
            return
        body["input"] = self.items
        for draft in drafts:
            if draft.role != "tool" and self._waiting:
                self._flush()
            self._add(draft)
        self._leave_thoughts()
        self._flush()

    def _flush(self) -> None:
        """Append the files that no output holds, after all outputs of a turn."""
        if not self._waiting:
            return
        at: JsonPath = ("input", len(self.items), "content")
        for i, (draft, _) in enumerate(self._waiting):
            self._out.place((*at, i), draft)
        self.items.append({"role": "user", "content": [part for _, part in self._waiting]})
        self._waiting = []

    def _add(self, draft: Draft) -> None:
        self._named(draft)
        if draft.role != "assistant":
            self._leave_thoughts()
        if draft.role == "tool":
            self._result(draft)
        elif (text := _only_text(draft)) is not None:  # by far the most messages are one text
            self._message(draft, [({}, text)])
        else:
            self._of_pieces(draft)
        if draft.reasoning and draft.calls and not any(a.wire == WIRE for a in _reasoning_of(draft)):
            reason = f"{self._vendor} takes its own encrypted thoughts back, and none as text; it isn't sent"
            self._lose_once("field", "reasoning", reason, draft.key)

    def _of_pieces(self, draft: Draft) -> None:
        parts: list[Part] = []
        unsent: list[AssetRef] = []
        before = len(self.items)
        for piece in pieces_of(draft, WIRE, self._out):
            match piece:
                case TextPiece(text, on):
                    fields = {name: plain_json(v) for artifact in on for name, v in artifact.item.items()}
                    if draft.role == "assistant":
                        self._assistant_text(draft, text, fields)
                    else:
                        self._unplaced(on, draft)
                        parts.append(({"type": "input_text", "text": str(text)}, text))
                case FilePiece(asset):
                    part = self._file(draft, asset)
                    if part is None:
                        unsent.append(asset)
                    else:
                        parts.append((part, None))
                case CallPiece(call, on):
                    self._call(draft, call, on)
                case ReplayPiece(artifact):
                    self._replay(draft, artifact)
                case _:  # pyright: ignore[reportUnnecessaryComparison]  # a new kind of piece must not go missing
                    raise CtxlabError(f"{type(piece).__name__} of message {draft.key!r} has no place in a response")
        if parts or (len(self.items) == before and not self._thoughts):
            self._message(draft, parts or [({}, standing_for(unsent, draft))])

    def _message(self, draft: Draft, parts: list[Part]) -> None:
        """Append a message; one text is a plain string."""
        self._put_thoughts()
        at: JsonPath = ("input", len(self.items), "content")
        if len(parts) == 1 and parts[0][1] is not None:
            text = parts[0][1]
            self._out.place(at, draft, text)
            self.items.append({"role": draft.role, "content": str(text)})
            return
        for i, (_, text) in enumerate(parts):
            self._out.place((*at, i, "text") if text is not None else (*at, i), draft, text)
        self.items.append({"role": draft.role, "content": [part for part, _ in parts]})

    def _assistant_text(self, draft: Draft, text: Text, fields: Json) -> None:
        """Append a text of the assistant, each as a message; with the id that it had in the form that it had."""
        if "id" not in fields:
            self._message(draft, [({}, text)])
            self.items[-1] |= {name: value for name, value in fields.items() if name == "phase"}
            if unplaced := [
                name for name, value in fields.items() if value and name not in ("phase", "status", "type")
            ]:
                self._lose_fields(unplaced, draft)
            return
        self._put_thoughts()
        part = {"type": "output_text", "text": str(text), "annotations": fields.pop("annotations", None) or []}
        self._out.place(("input", len(self.items), "content", 0, "text"), draft, text)
        item = {"type": "message", "role": "assistant", "status": "completed", **fields}
        self.items.append({**item, "content": [part]})

    def _call(self, draft: Draft, call: ToolCall, on: tuple[ReplayArtifact, ...]) -> None:
        own = {
            "type": "function_call",
            "call_id": self._forms.id(call.id, draft.key),
            "name": self._forms.name(call.name, draft.key),
            "arguments": self._forms.arguments(call.arguments, draft.key),
        }
        more = {name: plain_json(value) for artifact in on for name, value in artifact.item.items()}
        self._put_thoughts()
        self._out.place(("input", len(self.items)), draft)
        self.items.append({**more, **own})

    def _replay(self, draft: Draft, artifact: ReplayArtifact) -> None:
        item = plain_json(artifact.item)
        if draft.role != "assistant":
            name = str(item.get("type") or "a block")
            self._lose_once(
                "signature", name, f"it belongs to messages of {self._vendor}'s alone; it isn't sent", draft.key
            )
        elif item.get("type") == "reasoning":
            self._think(draft, item)
        else:
            self._put_thoughts()
            self._out.place(("input", len(self.items)), draft)
            self.items.append(item)

    def _think(self, draft: Draft, item: Json) -> None:
        """Keep thoughts for what they led to, if the vendor can read them."""
        encrypted = item.get("encrypted_content")
        is_known = bool(item.get("id")) and self._is_stored
        is_broken = encrypted is not None and not is_signature(encrypted)
        if is_broken and is_known:
            del item["encrypted_content"]
            reason = "it is no base64, so the vendor can't read it; it isn't sent"
            self._out.lose("signature", "encrypted_content", reason, key=draft.key)
        elif is_broken or not (encrypted or is_known):
            why = "is no base64" if is_broken else "isn't there"
            reason = f"its encrypted content {why}, and it has no id of stored thoughts; it isn't sent"
            self._out.lose("signature", "reasoning", reason, key=draft.key)
            return
        self._thoughts.append((draft, item))

    def _put_thoughts(self) -> None:
        """Append the thoughts that wait, for what they led to comes now."""
        for draft, item in self._thoughts:
            self.has_encrypted_reasoning |= bool(item.get("encrypted_content"))
            self._out.place(("input", len(self.items)), draft)
            self.items.append(item)
        self._thoughts = []

    def _leave_thoughts(self) -> None:
        """Leave out the thoughts that wait, for nothing follows that they led to."""
        for draft, _ in self._thoughts:
            reason = f"what it led to isn't sent, and {self._vendor} refuses it alone; it isn't sent"
            self._out.lose("signature", "reasoning", reason, key=draft.key)
        self._thoughts = []

    def _unplaced(self, on: tuple[ReplayArtifact, ...], draft: Draft) -> None:
        """Record fields of a text that only texts of the assistant have."""
        if names := [name for artifact in on for name in artifact.item]:
            self._lose_fields(names, draft)

    def _lose_fields(self, names: list[str], draft: Draft) -> None:
        reason = f"a text of this kind has no such fields in {self._vendor}; they aren't sent"
        self._lose_once("signature", ", ".join(names), reason, draft.key)

    def _result(self, draft: Draft) -> None:
        parts: list[Part] = []
        elsewhere: list[AssetRef] = []
        for piece in pieces_of(draft, WIRE, self._out):
            if isinstance(piece, TextPiece):
                self._unplaced(piece.on, draft)
                parts.append(({"type": "input_text", "text": str(piece.text)}, piece.text))
            elif isinstance(piece, FilePiece):
                part = self._file(draft, piece.asset)
                if part is None:
                    elsewhere.append(piece.asset)
                elif _fits_in_result(part, piece.asset):
                    parts.append((part, None))
                else:
                    elsewhere.append(piece.asset)
                    self._waiting.append((draft, part))
            else:
                name = type(piece).__name__.removesuffix("Piece").lower()
                self._lose_once("part", name, "a result has no place for it; it isn't sent", draft.key)
        if has_failed(draft):
            reason = f"outputs have no place for it in {self._vendor}; it isn't sent"
            self._lose_once("field", "the status of a failed result", reason, draft.key)
        at: JsonPath = ("input", len(self.items))
        if not parts and elsewhere:
            parts = [({}, standing_for(elsewhere, draft))]
        self._out.place((*at, "call_id"), draft)
        call_id = self._forms.id(draft.result_of or "", draft.key)
        item: Json = {"type": "function_call_output", "call_id": call_id, "output": ""}
        if len(parts) == 1 and parts[0][1] is not None:
            item["output"] = str(parts[0][1])
            self._out.place((*at, "output"), draft, parts[0][1])
        elif parts:
            item["output"] = [part for part, _ in parts]
            for i, (_, text) in enumerate(parts):
                self._out.place((*at, "output", i, "text") if text else (*at, "output", i), draft, text)
        self.items.append(item)

    def _file(self, draft: Draft, asset: AssetRef) -> Json | None:
        """The part of a file; None, with a loss, where this vendor has none for it."""
        part = file_part(asset)
        if not isinstance(part, NoFile):
            part = unread(part, self._model) or part
        if draft.role == "assistant" and not isinstance(part, NoFile):
            part = NoFile(f"{self._vendor} takes no files in messages of the assistant")
        if not isinstance(part, NoFile):
            if asset.name and part.get("filename") != asset.name:
                reason = f"{self._vendor} takes names with the bytes of documents alone; it isn't sent"
                self._lose_once("name", "the name of a picture, a link or an uploaded file", reason, draft.key)
            return part
        path: JsonPath = ("input", len(self.items))
        self._out.lose("part", name_of(asset), f"{part.reason}; it isn't sent", key=draft.key, path=path)
        return None

    def _named(self, draft: Draft) -> None:
        if draft.speaker:
            reason = f"messages have no name in {self._vendor}; it isn't sent"
            self._lose_once("name", draft.speaker, reason, draft.key)

    def _lose_once(self, kind: Literal["name", "field", "part", "signature"], what: str, reason: str, key: str) -> None:
        """Record a loss that many messages share, with the first of them."""
        if (kind, what) not in self._told:
            self._told.add((kind, what))
            self._out.lose(kind, short(what), reason, key=key)


def _only_text(draft: Draft) -> Text | None:
    """The text of a draft that has one and nothing else."""
    body = draft.body
    alone = (
        len(body) == 1 and isinstance(body[0], Text) and not draft.calls and not draft.meta.get("reasoningArtifacts")
    )
    return body[0] if alone and isinstance(body[0], Text) else None


def _reasoning_of(draft: Draft) -> Sequence[ReplayArtifact]:
    from ctxlab.documents.session.replay_artifacts import artifacts_of

    return artifacts_of(draft.meta)


def _fits_in_result(part: Json, asset: AssetRef) -> bool:
    """Whether an output holds the file itself; others follow in a message of the user."""
    url = part.get("image_url") or part.get("file_data") or ""
    mime_type = url[5:].partition(";")[0].lower() if url.startswith("data:") else asset.mime_type
    return RULES["openai-responses"].takes(mime_type) or part["type"] == "input_image"
