"""Chatbot UI's exported history: chats in a row, with folders and prompts that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.formats.apps.answer_in_a_row import ASSISTANT
from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage, import_of, others, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Import, Loss, unused_fields
from ctxlab.formats.source import Source, mostly

OWN = frozenset({"id", "name", "messages", "prompt", "model", "temperature", "folderId"})
AROUND = frozenset({"version", "history", "folders", "prompts"})
SAID = frozenset({"role", "content"})
BOOKKEEPING = frozenset({"id", "folderId", "model"})
"""Fields that no model reads."""


def sniff(data: Any) -> bool:
    return mostly(fields_of(data).get("history"), lambda item: isinstance(fields_of(item).get("messages"), list))


def chats_of(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    """The chats of an export, in their order."""
    data = fields_of(source.data)
    losses += [
        Loss(name, f"{counted(len(stored), 'of them is no chat', 'of them are no chats')}; left out")
        for name in ("folders", "prompts")
        if (stored := items_of(data.get(name)))
    ]
    losses += unused_fields("", others(data, AROUND), "a chat")
    for chat in map(fields_of, items_of(data.get("history"))):
        own, model = text_in(chat, "id"), text_in(fields_of(chat.get("model")), "id")
        temperature = chat.get("temperature")
        yield ExportedChat(
            id=own,
            name=text_in(chat, "name"),
            messages=tuple(
                _message(number, fields_of(message), own, model)
                for number, message in enumerate(items_of(chat.get("messages")))
            ),
            system=text_in(chat, "prompt"),
            parameters={"temperature": temperature} if temperature is not None else {},
            about=others(chat, OWN),
            bookkeeping=BOOKKEEPING,
        )


def _message(number: int, stored: Data, chat: str, model: str) -> ExportedMessage:
    role = text_in(stored, "role") or "user"
    said: Data = {"role": role, "content": stored.get("content") or ""}
    above = f"{chat}-{number - 1}" if number else None
    return ExportedMessage(
        f"{chat}-{number}", above, (said,), model if role == ASSISTANT else "", rest=others(stored, SAID)
    )


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "chatbotUi", losses)


CHATBOT_UI = Format("chatbot-ui", "chat", sniff=sniff, read=read, only_conversations=always)
