"""Claude's exported conversations (`conversations.json` of claude.ai): messages in a row, or with the one above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.formats.apps.exported_chats import ASSISTANT, ExportedChat, ExportedMessage, import_of, others, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, one_or_mostly

OWN = frozenset({"uuid", "parent_message_uuid", "sender", "text", "content", "created_at", "updated_at"})
OF_A_CHAT = frozenset(
    {"uuid", "name", "created_at", "updated_at", "chat_messages", "account", "current_leaf_message_uuid"}
)


def sniff(data: Any) -> bool:
    return one_or_mostly(data, lambda item: isinstance(fields_of(item).get("chat_messages"), list))


def chats_of(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    """The conversations of an export, in their order."""
    files = 0
    for place, item in source.items():
        chat = fields_of(item)
        if "chat_messages" not in chat:
            losses.append(Loss(place, "no conversation; it is left out"))
            continue
        found: list[ExportedMessage] = []
        ids: set[str] = set()
        for message in map(fields_of, items_of(chat["chat_messages"])):
            files += len(items_of(message.get("files"))) + len(items_of(message.get("attachments")))
            above = text_in(message, "parent_message_uuid") or (found[-1].id if found else "")
            own = text_in(message, "uuid") or f"m{len(found)}"
            found.append(_message(message, own, above if above in ids else None))
            ids.add(found[-1].id)
        yield ExportedChat(
            id=text_in(chat, "uuid"),
            name=text_in(chat, "name"),
            messages=tuple(found),
            leaf=text_in(chat, "current_leaf_message_uuid") or None,
            created=text_in(chat, "created_at") or None,
            updated=text_in(chat, "updated_at") or None,
            about=others(chat, OF_A_CHAT),
        )
    if files:
        losses.append(Loss("chat_messages", f"{files} files are named without their content; left out", "files"))


def _message(message: Data, id: str, parent: str | None) -> ExportedMessage:
    """The words of a message; its thoughts as a message of OpenAI's has them, other blocks as they are."""
    blocks = [fields_of(block) for block in items_of(message.get("content"))]
    texts = [text_in(block, "text") for block in blocks if block.get("type") == "text"]
    thoughts = [text_in(block, "thinking") for block in blocks if block.get("type") == "thinking"]
    strange = [block for block in blocks if block.get("type") not in ("text", "thinking")]
    more: Data = {"reasoning_content": "\n\n".join(thoughts)} if any(thoughts) else {}
    more |= {"blocks": strange} if strange else {}
    words = "\n".join(texts) or text_in(message, "text")
    role = "user" if message.get("sender") == "human" else ASSISTANT
    said: Data = {"role": role, "content": words, **more}
    time = text_in(message, "created_at") or None
    return ExportedMessage(id, parent, (said,), time=time, rest=others(message, OWN))


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "claudeAi", losses)


CLAUDE_AI = Format("claude", "conversation", sniff=sniff, read=read, only_conversations=always)
