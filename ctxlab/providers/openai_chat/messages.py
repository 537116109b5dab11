"""The messages of OpenAI's chat form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from ctxlab.context import AssetRef, Draft, Text
from ctxlab.context.file_words import name_of
from ctxlab.display.short_texts import short
from ctxlab.documents import Note, ToolCall
from ctxlab.documents.session.replay_artifacts import ReplayArtifact
from ctxlab.errors import CtxlabError
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.file_source import NoFile, standing_for, unread
from ctxlab.providers.message_pieces import CallPiece, FilePiece, ReplayPiece, TextPiece, has_failed, pieces_of
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.file_parts import file_part
from ctxlab.providers.openai_chat.profiles import ChatProfile
from ctxlab.providers.openai_chat.speaker_names import SpeakerNames
from ctxlab.providers.place import JsonPath
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Provider

WIRE = "openai-chat"
OF_A_MESSAGE = frozenset({"role", "content", "tool_calls", "name", "tool_call_id", "type"})
"""Fields that a message has of its draft, and of no block that goes back."""
Json = dict[str, Any]


class ChatMessages:
    """Drafts as messages. Files of tool results follow in one message of the user after all results of a turn.

    With `wants_thoughts` each message with calls says what was thought before them, and be it nothing.
    """

    wants_thoughts = False

    def __init__(
        self, profile: ChatProfile, provider: Provider, model: ModelInfo, forms: CallForms, out: BodyWriter
    ) -> None:
        self._model = model
        self.messages: list[Json] = []
        self._forms = forms
        self._profile = profile
        self._vendor = provider.title
        self._thoughts = provider.features.get("reasoning_content") is True
        self._out = out
        self._names = SpeakerNames()
        self._called: dict[str, str] = {}
        self._waiting: list[tuple[Draft, Json]] = []
        self._told: set[tuple[str, str]] = set()
        self._noted = False

    def write(self, drafts: Sequence[Draft]) -> None:
        """Append all drafts."""
        self._names.reserve({draft.speaker for draft in drafts if draft.speaker})
        for draft in drafts:
            if draft.role != "tool" and self._waiting:
                self._flush()
            self._add(draft)
        self._flush()

    def _flush(self) -> None:
        """Append the files that wait for the end of the results."""
        if not self._waiting:
            return
        at: JsonPath = ("messages", len(self.messages), "content")
        for i, (draft, _) in enumerate(self._waiting):
            self._out.place((*at, i), draft)
        self.messages.append({"role": "user", "content": [part for _, part in self._waiting]})
        self._waiting = []

    def _add(self, draft: Draft) -> None:
        at: JsonPath = ("messages", len(self.messages))
        body = draft.body
        if draft.calls or draft.meta or len(body) != 1 or not isinstance(body[0], Text):
            message = self._of_pieces(draft, at)
        else:  # by far the most messages are one text
            message = {"role": draft.role, "content": str(body[0])}
            self._out.place((*at, "content"), draft, body[0])
        if draft.role == "tool":
            if has_failed(draft):
                self._lose_once("field", "the status of a failed result", "has no place in", draft.key)
            message["tool_call_id"] = self._forms.id(draft.result_of or "", draft.key)
            self._out.place((*at, "tool_call_id"), draft)
        if draft.speaker:
            self._name(draft, at, message)
        if draft.reasoning and draft.role == "assistant" and "reasoning_content" not in message:
            self._think(draft, at, message)
        if self.wants_thoughts and draft.calls and "reasoning_content" not in message:
            message["reasoning_content"] = ""
            if not self._noted:
                self._noted = True
                text = f"{self._vendor} wants the thoughts before calls back; those that aren't known go as empty ones"
                self._out.notes.append(Note("info", text))
        self.messages.append(message)

    def _of_pieces(self, draft: Draft, at: JsonPath) -> Json:
        message: Json = {"role": draft.role, "content": None}
        content: list[tuple[Json, Text | None, tuple[ReplayArtifact, ...]]] = []
        unsent: list[AssetRef] = []
        for piece in pieces_of(draft, WIRE, self._out):
            match piece:
                case TextPiece(text, on):
                    content.append(({"type": "text", "text": str(text)}, text, on))
                case FilePiece(asset):
                    part = self._file(draft, asset, at)
                    if part is None or draft.role == "tool":
                        unsent.append(asset)
                    else:
                        content.append((part, None, ()))
                case CallPiece(call, on):
                    self._call(draft, call, on, at, message)
                case ReplayPiece(artifact):
                    self._replay(draft, artifact, at, message)
                case _:  # pyright: ignore[reportUnnecessaryComparison]  # a new kind of piece must not go missing
                    raise CtxlabError(f"{type(piece).__name__} of message {draft.key!r} has no place in a chat")
        if not content and unsent and not draft.calls:
            text = standing_for(unsent, draft)
            content = [({"type": "text", "text": str(text)}, text, ())]
        self._put_content(draft, content, at, message)
        return message

    def _put_content(
        self,
        draft: Draft,
        content: list[tuple[Json, Text | None, tuple[ReplayArtifact, ...]]],
        at: JsonPath,
        message: Json,
    ) -> None:
        at = (*at, "content")
        texts = [text for _, text, _ in content if text is not None]
        if not content:
            message["content"] = None if draft.calls else ""
            if not draft.calls:
                self._out.place(at, draft)
        elif len(texts) == len(content) and (len(texts) == 1 or self._profile.joins_texts):
            text = texts[0] if len(texts) == 1 else draft.text
            message["content"] = str(text)
            self._out.place(at, draft, text)
        else:
            message["content"] = [part for part, _, _ in content]
            for i, (_, text, _) in enumerate(content):
                self._out.place((*at, i, "text") if text is not None else (*at, i), draft, text)
        for _, _, on in content:
            for artifact in on:
                self._replay(draft, artifact, at[:-1], message)

    def _file(self, draft: Draft, asset: AssetRef, at: JsonPath) -> Json | None:
        """The part of a file; None where it isn't in this message, with a loss, or waiting for the end of results."""
        part: Json | NoFile = file_part(asset, self._profile)
        if not isinstance(part, NoFile):
            part = unread(part, self._model) or part
        if not isinstance(part, NoFile) and draft.role not in ("user", "tool"):
            part = NoFile(f"{self._vendor}'s chat takes files in messages of the user alone")
        if isinstance(part, NoFile):
            self._out.lose("part", name_of(asset), f"{part.reason}; it isn't sent", key=draft.key, path=at)
            return None
        if asset.name and asset.name != cast("Json", part.get("file", {})).get("filename"):
            self._lose_once(
                "name", "the name of a picture, a recording or an uploaded file", "has no place in", draft.key
            )
        if draft.role == "tool":
            self._waiting.append((draft, part))
        return part

    def _call(self, draft: Draft, asked: ToolCall, on: tuple[ReplayArtifact, ...], at: JsonPath, message: Json) -> None:
        calls: list[Json] = message.setdefault("tool_calls", [])
        self._called[asked.id] = asked.name
        function = {
            "name": self._forms.name(asked.name, draft.key),
            "arguments": self._forms.arguments(asked.arguments, draft.key),
        }
        call: Json = {"id": self._forms.id(asked.id, draft.key), "type": "function", "function": function}
        self._out.place((*at, "tool_calls", len(calls)), draft)
        for artifact in on:
            for name, value in artifact.item.items():
                if self._profile.call_fields is None or name in self._profile.call_fields:
                    call.setdefault(name, plain_json(value))
                else:
                    self._lose_once("signature", name, "of a call has no place in", draft.key)
        calls.append(call)

    def _replay(self, draft: Draft, artifact: ReplayArtifact, at: JsonPath, message: Json) -> None:
        """Put the fields of a block that goes back into the message, those that the vendor takes."""
        is_own = draft.role == "assistant"
        if artifact.item.get("type") == "reasoning":
            if self._thoughts and artifact.text and is_own:
                before = message.get("reasoning_content")
                message["reasoning_content"] = f"{before}\n{artifact.text}" if before else artifact.text
                self._out.place((*at, "reasoning_content"), draft)
            else:
                self._lose_once("signature", "reasoning", "of a message has no place in", draft.key)
            return
        for name, value in artifact.item.items():
            takes = self._profile.message_fields is None or name in self._profile.message_fields
            if takes and is_own and name not in OF_A_MESSAGE and name not in message:
                message[name] = plain_json(value)
                self._out.place((*at, name), draft)
            else:
                self._lose_once("signature", name, "of a message has no place in", draft.key)

    def _think(self, draft: Draft, at: JsonPath, message: Json) -> None:
        if self._thoughts and draft.calls:
            message["reasoning_content"] = draft.reasoning
            self._out.place((*at, "reasoning_content"), draft)
        elif draft.calls:
            self._lose_once("field", "reasoning", "of messages with calls has no place in", draft.key)

    def _name(self, draft: Draft, at: JsonPath, message: Json) -> None:
        speaker = draft.speaker or ""
        if draft.role == "tool":
            if self._called.get(draft.result_of or "") != speaker:
                self._lose_once("name", speaker, "is the name of a result, for which there is no place in", draft.key)
            return
        sent = self._names.sent_as(speaker)
        if sent != speaker and (speaker, "name") not in self._told:
            self._told.add((speaker, "name"))
            instead = f"it goes as {short(sent)!r}" if sent else "it isn't sent"
            reason = f"a name has up to 64 characters, and no white space, <, >, |, / or \\; {instead}"
            path = (*at, "name") if sent else at
            self._out.lose("name", short(speaker), reason, key=draft.key, path=path)
        if sent:
            message["name"] = sent
            self._out.place((*at, "name"), draft)

    def _lose_once(self, kind: Literal["signature", "field", "name"], what: str, words: str, key: str) -> None:
        """Record a loss that many messages share, with the first of them."""
        if (kind, what) not in self._told:
            self._told.add((kind, what))
            self._out.lose(kind, short(what), f"{words} {self._vendor}'s chat; it isn't sent", key=key)
