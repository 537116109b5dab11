"""Open WebUI's exported chats: trees of messages under `history`, alone or in a list.

The whole tree is kept; the active leaf is `currentId`. A chat's system prompt and parameters become an agent's;
pictures and texts of files that are inside the file are attachments. Thoughts and calls of an answer are read of its
`output`, else of the `<details>` in its text, which the program takes out before it sends. What it keeps besides is in
`metadata.openWebui`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.apps.answer_in_a_row import ASSISTANT, about_document, document_in
from ctxlab.formats.apps.exported_chats import (
    ExportedChat,
    ExportedMessage,
    import_of,
    others,
    parent_in,
    text_in,
    time_of,
)
from ctxlab.formats.apps.open_webui_answers import of_details, of_output
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, one_or_mostly

OWN: Final = frozenset({"id", "parentId", "childrenIds", "role", "content", "model", "timestamp", "usage", "error"})
OF_A_CHAT: Final = frozenset({"id", "title", "models", "params", "history", "messages", "timestamp", "system"})
OF_A_HISTORY: Final = frozenset({"messages", "currentId"})
AROUND: Final = frozenset({"id", "title", "chat", "created_at", "updated_at", "user_id"})
BOOKKEEPING: Final = frozenset(
    {"takenOut", "stored", "modelName", "models", "id", "type", "url", "collection_name", "user_id", "hash", "path"}
    | {"created_at", "updated_at", "itemId", "status", "name", "content_type", "size", "meta", "usage", "tags"}
    | {
        "done",
        "modelIdx",
        "folder_id",
        "share_id",
        "followUps",
        "statusHistory",
        "annotation",
        "feedbackId",
        "lastSentence",
    }
)
"""Fields that no model reads, or that a loss of their own tells of."""
NAMES: Final = frozenset({"id", "type", "name", "url", "size", "status", "itemId"})
"""Fields that every file has."""
OLLAMA: Final = {"prompt_eval_count": "prompt_tokens", "eval_count": "completion_tokens"}
"""Ollama's names of counts, which are kept as it gave them."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, lambda item: bool(_stored(item)))


def _chat(item: Any) -> Data:
    return fields_of(fields_of(item).get("chat")) or fields_of(item)


def _stored(item: Any) -> Data:
    history = fields_of(_chat(item).get("history"))
    return fields_of(history.get("messages")) if "currentId" in history else {}


def chats_of(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    """The chats of an export, in their order."""
    for place, item in source.items():
        stored = _stored(item)
        if not stored:
            losses.append(Loss(place, "no chat with a history; it is left out"))
            continue
        chat, around = _chat(item), fields_of(item)
        params = fields_of(chat.get("params"))
        found: list[Loss] = []
        above = {
            child: id
            for id, each in stored.items()
            for child in items_of(fields_of(each).get("childrenIds"))
            if isinstance(child, str)
        }
        messages = tuple(
            _message(id, fields_of(each), above.get(id, ""), found)
            for id, each in stored.items()
            if isinstance(each, dict)
        )
        found += [
            Loss(f"message {id!r}", "it is no object; it is left out")
            for id, each in stored.items()
            if not isinstance(each, dict)
        ]
        losses += [loss.inside(place) for loss in found]
        history = fields_of(chat.get("history"))
        current = history.get("currentId")
        yield ExportedChat(
            id=text_in(around, "id") or text_in(chat, "id"),
            name=text_in(chat, "title") or text_in(around, "title"),
            messages=messages,
            system=text_in(params, "system") or text_in(chat, "system"),
            leaf=current if isinstance(current, str) else None,
            parameters={key: value for key, value in params.items() if key != "system" and value is not None},
            created=time_of(around.get("created_at", chat.get("timestamp"))),
            updated=time_of(around.get("updated_at")),
            about=_told_apart(
                others(chat, OF_A_CHAT),
                history=others(history, OF_A_HISTORY),
                file=others(around, AROUND) if around is not chat else {},
            ),
            bookkeeping=BOOKKEEPING,
        )


def _told_apart(fields: Data, **more: Data) -> Data:
    """All fields; one that has another value in a place that was named before has that of its own place in its name."""
    found = dict(fields)
    for place, others_there in more.items():
        for key, value in others_there.items():
            found[key if found.get(key, value) == value else f"{place}.{key}"] = value
    return found


def _message(id: str, stored: Data, listed_by: str, losses: list[Loss]) -> ExportedMessage:
    place, rest = f"message {id!r}", others(stored, OWN)
    content = stored.get("content")
    text = content if isinstance(content, str) else ""
    if content is not None and not isinstance(content, str):
        losses.append(Loss(place, "its content is no text; it is kept in the metadata only", "content"))
        rest["stored"] = {"content": content}
    role = text_in(stored, "role") or "user"
    said: tuple[Data, ...] = ({"role": role, "content": text},)
    if role == ASSISTANT:
        output = [*map(fields_of, items_of(rest.pop("output", None)))]
        answer = of_output(output) if output else of_details(text)
        said = answer.said
        if answer.taken_out:
            losses.append(Loss(place, "the program takes code and its output out; kept in the metadata", "content"))
            rest["takenOut"] = answer.taken_out
        if answer.left:
            rest["output"] = answer.left
        if output and not _holds(said, text):
            rest["content"] = text
    said = _with_files(said, stored, rest, place, losses)
    parent = parent_in(stored, "parentId") or listed_by
    return ExportedMessage(
        id=id,
        parent=parent or (None if "parentId" in stored else ""),
        said=said,
        model=text_in(stored, "model"),
        time=time_of(stored.get("timestamp")),
        usage={OLLAMA.get(name, name): count for name, count in fields_of(stored.get("usage")).items()},
        error=_error(stored.get("error")),
        rest=rest,
    )


def _holds(said: Sequence[Data], text: str) -> bool:
    """Whether the words of a text are amongst those of messages."""
    words = "".join("".join(str(message["content"]).split()) for message in said)
    return all("".join(str(part["content"]).split()) in words for part in of_details(text).said)


def _with_files(said: tuple[Data, ...], stored: Data, rest: Data, place: str, losses: list[Loss]) -> tuple[Data, ...]:
    """The messages with the files whose bytes or text are in the export; the names of others stay in the rest."""
    files = [fields_of(file) for file in items_of(stored.get("files"))]
    parts: list[Data] = []
    left: list[Data] = []
    unread = 0
    for file in files:
        part = {"type": "image_url", "image_url": {"url": file["url"]}} if _is_picture(file) else document_in(file)
        if part is None:
            unread += 1
            left.append(file)
        else:
            parts.append(part)
            left.append({key: it for key, it in about_document(file).items() if not _is_picture(file) or key != "url"})
    if unread:
        losses.append(Loss(place, f"{counted(unread, 'file is', 'files are')} named without content", "files"))
    rest.pop("files", None)
    if unread or any(file.keys() - NAMES for file in left):
        rest["files"] = left
    if not parts:
        return said
    return ({**said[0], "content": [{"type": "text", "text": said[0]["content"]}, *parts]}, *said[1:])


def _is_picture(file: Data) -> bool:
    return file.get("type") == "image" and text_in(file, "url").startswith("data:")


def _error(stored: Any) -> str:
    if isinstance(stored, str):
        return stored
    return text_in(fields_of(stored), "content") or ("the answer is an error" if stored is True else "")


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "openWebui", losses, shown=("content",))


OPEN_WEBUI = Format("open-webui", "chat", sniff=sniff, read=read, only_conversations=always)
