"""Claude's exported conversations (`conversations.json` of claude.ai): messages in a row, or with the one above.

Links don't depend on the order in the file. Calls of tools inside an answer become messages of their own, artifacts
are calls too. The text of an attachment is in the export, and is a document of its message; of other files only the
name is. What the program keeps besides is in `metadata.claudeAi`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.apps.answer_in_a_row import AnswerInARow, about_document, document_in
from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage, import_of, others, parent_in, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.lazy_pattern import lazy_pattern

OWN: Final = frozenset(
    {"uuid", "parent_message_uuid", "sender", "text", "content", "created_at", "updated_at", "attachments"}
)
OF_A_CHAT: Final = frozenset(
    {"uuid", "name", "created_at", "updated_at", "chat_messages", "account", "current_leaf_message_uuid"}
)
BOOKKEEPING: Final = frozenset(
    {"uuid", "start_timestamp", "stop_timestamp", "file_name", "file_uuid", "file_kind", "created_at", "type"}
    | {"thumbnail_url", "preview_url", "thumbnail_asset", "preview_asset", "integration_icon_url", "settings"}
    | {"integration_name", "stop_reason", "project_uuid", "file_type", "file_size", "id", "updated_at"}
)
"""Fields that no model reads."""
SHELL: Final = lazy_pattern(r"\n{0,2}```\nThis block is not supported on your current device yet\.\n```\n{0,2}")
"""Words of the program where an older screen can't show a call or an artifact."""
READ_OF: Final = {
    "text": {"text"},
    "thinking": {"thinking"},
    "tool_use": {"id", "name", "input"},
    "tool_result": {"tool_use_id", "name", "content"},
}
"""Fields of blocks that become part of a message, by their type."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, lambda item: isinstance(fields_of(item).get("chat_messages"), list))


def chats_of(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    """The conversations of an export, in their order."""
    for place, item in source.items():
        chat = fields_of(item)
        if "chat_messages" not in chat:
            losses.append(Loss(place, "no conversation; it is left out"))
            continue
        found: list[Loss] = []
        stored = list(map(fields_of, items_of(chat["chat_messages"])))
        messages = tuple(_message(message, f"m{number}", found) for number, message in enumerate(stored))
        losses += [loss.inside(place) for loss in found]
        yield ExportedChat(
            id=text_in(chat, "uuid"),
            name=text_in(chat, "name"),
            messages=messages,
            leaf=text_in(chat, "current_leaf_message_uuid") or None,
            created=text_in(chat, "created_at") or None,
            updated=text_in(chat, "updated_at") or None,
            about=others(chat, OF_A_CHAT),
            bookkeeping=BOOKKEEPING,
        )


def _message(stored: Data, wanted: str, losses: list[Loss]) -> ExportedMessage:
    id = text_in(stored, "uuid") or wanted
    place, rest = f"message {id!r}", others(stored, OWN)
    blocks = [*map(fields_of, items_of(stored.get("content")))]
    words = _words(stored, blocks, place, rest, losses)
    files = [*map(fields_of, items_of(stored.get("attachments")))]
    documents = [part for file in files if (part := document_in(file)) is not None]
    rest |= {"attachments": files} if files else {}
    if named := len(files) + len(items_of(stored.get("files"))) - len(documents):
        losses.append(Loss(place, f"{counted(named, 'file is', 'files are')} named without content", "files"))
    if documents:  # their texts are in the session
        rest["attachments"] = [*map(about_document, files)]
    if stored.get("sender") == "human":
        said: tuple[Data, ...] = ({"role": "user", "content": words},)
        aside = [{key: value for key, value in block.items() if key != "text"} for block in blocks]
    else:
        said, aside = _answer(blocks, words)
    if documents:
        text = said[0].get("content")
        parts = [{"type": "text", "text": text}] if text else []
        said = ({**said[0], "content": [*parts, *documents]}, *said[1:])
    if any(_says_more(block) for block in aside):
        rest["blocks"] = aside
    return ExportedMessage(
        id, parent_in(stored, "parent_message_uuid"), said, time=text_in(stored, "created_at") or None, rest=rest
    )


def _words(stored: Data, blocks: Sequence[Data], place: str, rest: Data, losses: list[Loss]) -> str:
    """The text of a message; where its blocks have none, the one that stands beside them."""
    texts = [text_in(block, "text") for block in blocks if kind_of(block) in ("text", "voice_note")]
    beside = text_in(stored, "text")
    shown = SHELL.sub("\n\n", beside).strip("\n") if SHELL.search(beside) else beside
    if shown != beside and not any(kind_of(block) == "tool_use" for block in blocks):
        losses.append(Loss(place, "the export has no words for a call or an artifact of it", "text"))
    if not any(texts):
        return shown
    if "".join(shown.split()) not in "".join("".join(texts).split()):
        rest["text"] = beside
    return "\n".join(texts)


def _answer(blocks: Sequence[Data], words: str) -> tuple[tuple[Data, ...], list[Data]]:
    """The messages of an answer, and what its blocks have besides."""
    row = AnswerInARow()
    aside: list[Data] = []
    has_text = any(kind_of(block) == "text" and text_in(block, "text") for block in blocks)
    for block in blocks:
        kind = kind_of(block)
        if kind == "text":
            row.add_text(text_in(block, "text"))
        elif kind == "thinking":
            row.add_thought(text_in(block, "thinking"))
        elif kind == "tool_use":
            row.add_call(text_in(block, "id"), text_in(block, "name"), block.get("input") or {})
        elif kind == "tool_result":
            content, more = _result(block.get("content"))
            row.add_result(text_in(block, "tool_use_id"), text_in(block, "name"), content)
            aside += more
        aside.append({key: value for key, value in block.items() if key not in READ_OF.get(kind, ())})
    if not has_text:
        row.add_text(words)
    return row.end(), aside


def _result(content: Any) -> tuple[Any, list[Data]]:
    """The text of a result, and what its blocks have besides; of a block without a text its JSON is the text."""
    blocks = [fields_of(block) for block in items_of(content)]
    if not blocks or not all(blocks):
        return "" if content is None else content, []
    texts = [text_in(block, "text") or json.dumps(block, ensure_ascii=False) for block in blocks]
    return "\n".join(texts), [
        {key: value for key, value in block.items() if key != "text"} for block in blocks if text_in(block, "text")
    ]


def _says_more(block: Data) -> bool:
    return any(key not in BOOKKEEPING and value not in (None, "", [], {}, False) for key, value in block.items())


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "claudeAi", losses)


CLAUDE_AI = Format("claude", "conversation", sniff=sniff, read=read, only_conversations=always)
