"""Messages as parts of contents in Gemini's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from mimetypes import guess_type
from typing import Any, cast

from ctxlab.context import AssetRef, Draft, Text
from ctxlab.context.file_words import name_of
from ctxlab.documents import ToolCall
from ctxlab.documents.session.replay_artifacts import ReplayArtifact
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, WordForm, long_ids
from ctxlab.providers.file_source import FileBytes, FileLink, FileUpload, NoFile, file_source, standing_for
from ctxlab.providers.gemini.shapes import DATA, snake
from ctxlab.providers.media_types import plain_type
from ctxlab.providers.message_pieces import CallPiece, FilePiece, ReplayPiece, TextPiece, has_failed, pieces_of
from ctxlab.providers.place import JsonPath
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.signatures import is_signature
from ctxlab.providers.turns import Block

VENDOR = "Gemini"
WIRE = "gemini"
FUNCTION_NAME = lazy_pattern(r"[a-zA-Z_][a-zA-Z0-9_.:-]*")
CALL_IDS = long_ids(512)
TOOL_NAMES = WordForm(
    "names of functions begin with a letter or _ and are up to 128 letters of ASCII, digits, _ . : and -",
    128,
    lazy_pattern(r"[^a-zA-Z0-9_.:-]+"),
    lazy_pattern(r"[a-zA-Z_]"),
)
UPLOADS = "https://generativelanguage.googleapis.com/v1beta/"
GENERIC = "application/octet-stream"
_TEXT = ("text",)
_OWN_FIELDS = frozenset({"text", "functionCall", "function_call"})
_SIGNATURES = ("thoughtSignature", "thought_signature")
_NO_SIGNATURE = "it is no base64 that the vendor gave; it isn't sent"
PART_DATA = frozenset({*DATA, *map(snake, DATA)})
"""Fields of a part, of which it has one, in either spelling."""


@dataclass(slots=True, eq=False)
class PartWriter:
    """Writes the messages of one request.

    `inside` are the types of files that a response of a function takes, `called` the names of the functions by the ids
    of their calls, `nameless` how many files had a name that goes without.
    """

    out: BodyWriter
    forms: CallForms
    inside: frozenset[str] = frozenset()
    nameless: int = 0
    called: dict[str, str] = field(default_factory=dict[str, str])

    def parts(self, draft: Draft, role: str) -> list[Block]:
        """The parts of a message that is sent under a role."""
        if draft.role == "tool":
            return self._result(draft)
        body = draft.body
        if len(body) == 1 and isinstance(body[0], Text) and not (draft.calls or draft.meta or draft.reasoning):
            text = body[0]  # by far the most messages are one text
            return [Block({"text": str(text)}, draft, ((_TEXT, text),))] if text else []
        found: list[Block] = []
        unsent: list[AssetRef] = []
        for piece in pieces_of(draft, WIRE, self.out):
            match piece:
                case TextPiece(text, on):
                    found.append(Block(self._signed({"text": str(text)}, draft, on), draft, ((_TEXT, text),)))
                case FilePiece(asset):
                    sent = self._file(asset, draft, role)
                    found += sent
                    unsent += [] if sent else [asset]
                case CallPiece(call, on):
                    found.append(self._call(call, draft, on))
                case ReplayPiece(artifact):
                    found += self._replayed(artifact, draft)
        if draft.reasoning and not any(block.value.get("thought") is True for block in found):
            reason = f"{VENDOR} takes back thoughts of its own alone; they aren't sent"
            self.out.lose("signature", "thoughts", reason, key=draft.key)
        if unsent and not found:
            text = standing_for(unsent, draft)
            found.append(Block({"text": str(text)}, draft, ((_TEXT, text),)))
        return found

    def _signed(self, value: dict[str, Any], draft: Draft, on: Sequence[ReplayArtifact]) -> dict[str, Any]:
        for artifact in on:
            for name, each in artifact.item.items():
                if name in _SIGNATURES and not is_signature(each):
                    self.out.lose("signature", name, _NO_SIGNATURE, key=draft.key)
                elif name not in _OWN_FIELDS:
                    value[name] = plain_json(each)
        return value

    def _call(self, call: ToolCall, draft: Draft, on: Sequence[ReplayArtifact]) -> Block:
        name = self.forms.name(call.name, draft.key)
        self.called[call.id] = name
        function: dict[str, Any] = {"name": name, "args": self.forms.arguments_object(call.arguments, draft.key)}
        places: list[tuple[JsonPath, Text | None]] = [((), None), (("functionCall", "args"), None)]
        if call.id:
            function["id"] = self.forms.id(call.id, draft.key)
            places.append((("functionCall", "id"), None))
        return Block(self._signed({"functionCall": function}, draft, on), draft, tuple(places))

    def _replayed(self, artifact: ReplayArtifact, draft: Draft) -> list[Block]:
        value = cast("dict[str, Any]", plain_json(artifact.item))
        for name in [name for name in _SIGNATURES if name in value and not is_signature(value[name])]:
            self.out.lose("signature", name, _NO_SIGNATURE, key=draft.key)
            del value[name]
        signed = any(name in value for name in _SIGNATURES)
        if not signed and not any(each for name, each in value.items() if name in PART_DATA):
            self.out.lose("signature", "a block", "there is nothing in it; it isn't sent", key=draft.key)
            return []
        if signed and all(value.get(name) is None for name in PART_DATA):
            value["text"] = ""  # as the vendor gives a signature that belongs to no words
        return [Block(value, draft, (((), None),))]

    def _result(self, draft: Draft) -> list[Block]:
        words: list[tuple[Text, str]] = []
        held: list[Block] = []
        after: list[Block] = []
        for piece in pieces_of(draft, WIRE, self.out):
            match piece:
                case TextPiece(text):
                    words.append((text, str(text)))
                case FilePiece(asset):
                    for block in self._file(asset, draft, "user"):
                        data = block.value.get("inlineData")
                        (held if data and data["mimeType"] in self.inside else after).append(block)
                case _:
                    self.out.lose(
                        "part", "a call or a block in a result", "a result holds none; it isn't sent", key=draft.key
                    )
        key = "error" if has_failed(draft) else "output"
        function: dict[str, Any] = {"name": self._name_of(draft)}
        places: list[tuple[JsonPath, Text | None]] = [((), None)]
        if draft.result_of:
            function["id"] = self.forms.id(draft.result_of, draft.key)
            places.append((("functionResponse", "id"), None))
        if len(words) > 1:
            function["response"] = {key: [each for _, each in words]}
            places += [(("functionResponse", "response", key, i), text) for i, (text, _) in enumerate(words)]
        else:
            function["response"] = {key: words[0][1] if words else ""}
            places += [(("functionResponse", "response", key), text) for text, _ in words]
        if held:
            function["parts"] = [block.value for block in held]
            places += [(("functionResponse", "parts", i), None) for i in range(len(held))]
        return [Block({"functionResponse": function}, draft, tuple(places), first=True), *after]

    def _name_of(self, draft: Draft) -> str:
        """The function's name, which the result of a call has to repeat."""
        found = self.called.get(draft.result_of or "")
        if found is not None:
            return found
        call: Any = draft.meta.get("toolCall") if draft.meta else None
        name = cast("Mapping[str, Any]", call).get("toolName") if isinstance(call, Mapping) else None
        return self.forms.name(name if isinstance(name, str) and name else "unknown", draft.key)

    def _file(self, asset: AssetRef, draft: Draft, role: str) -> list[Block]:
        value: dict[str, Any] | NoFile
        value = NoFile(f"{VENDOR}'s system instruction has text alone") if role == "system" else _file_part(asset)
        if not isinstance(value, NoFile):
            self.nameless += bool(asset.name)
            return [Block(value, draft, (((), None),))]
        self.out.lose("part", name_of(asset), f"{value.reason}; it isn't sent", key=draft.key)
        return []


def _file_part(asset: AssetRef) -> dict[str, Any] | NoFile:
    source = file_source(asset)
    match source:
        case FileBytes(data, mime_type):
            known = plain_type(mime_type)
            if known == GENERIC:
                return NoFile(f"{VENDOR} needs the type of a file, and none is known")
            return _with_video({"inlineData": {"mimeType": known, "data": data}}, asset)
        case FileUpload(file_id) if not file_id.startswith(("files/", "https://")):
            return NoFile("its id was given by another vendor")
        case FileLink(uri) if not uri.startswith("https:"):
            return NoFile(f"{VENDOR} fetches files by https alone")
        case FileLink(uri) | FileUpload(uri):
            uri = f"{UPLOADS}{uri}" if uri.startswith("files/") else uri
            known = plain_type(asset.mime_type or guess_type(uri.partition("?")[0])[0] or "")
            named = {"mimeType": known} if known not in ("", GENERIC) else {}
            return _with_video({"fileData": {"fileUri": uri, **named}}, asset)
        case NoFile():
            return source


def _with_video(part: dict[str, Any], asset: AssetRef) -> dict[str, Any]:
    video = asset.metadata.get("videoMetadata")
    return {**part, "videoMetadata": plain_json(video)} if isinstance(video, Mapping) else part
