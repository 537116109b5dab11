"""Open WebUI's exported chats: trees of messages under `history`, alone or in a list.

The whole tree is kept; the active leaf is `currentId`. A chat's system prompt and parameters become an agent's;
pictures that are inside the file are attachments. What the program keeps besides is in `metadata.openWebui`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage, import_of, others, text_in, time_of
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, one_or_mostly

OWN: Final = frozenset({"id", "parentId", "childrenIds", "role", "content", "model", "timestamp", "usage", "error"})
OF_A_CHAT: Final = frozenset({"id", "title", "models", "params", "history", "messages", "timestamp", "system"})
AROUND: Final = frozenset({"id", "title", "chat", "created_at", "updated_at", "user_id"})
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
        messages = tuple(_message(id, fields_of(each), found) for id, each in stored.items())
        losses += [loss.inside(place) for loss in found]
        current = fields_of(chat.get("history")).get("currentId")
        yield ExportedChat(
            id=text_in(around, "id") or text_in(chat, "id"),
            name=text_in(chat, "title") or text_in(around, "title"),
            messages=messages,
            system=text_in(params, "system") or text_in(chat, "system"),
            leaf=current if isinstance(current, str) else None,
            parameters={key: value for key, value in params.items() if key != "system" and value is not None},
            created=time_of(around.get("created_at", chat.get("timestamp"))),
            updated=time_of(around.get("updated_at")),
            about={**others(chat, OF_A_CHAT), **(others(around, AROUND) if around is not chat else {})},
        )


def _message(id: str, stored: Data, losses: list[Loss]) -> ExportedMessage:
    files = [fields_of(file) for file in items_of(stored.get("files"))]
    pictures = [{"type": "image_url", "image_url": {"url": file["url"]}} for file in files if _is_picture(file)]
    if named := len(files) - len(pictures):
        losses.append(Loss(f"message {id!r}", f"{named} of its files are named without their content", "files"))
    content = stored.get("content")
    text = content if isinstance(content, str) else ""
    if content is not None and not isinstance(content, str):
        losses.append(Loss(f"message {id!r}", "its content is no text; it is empty now", "content"))
    parts: Any = [{"type": "text", "text": text}, *pictures] if pictures else text
    rest = others(stored, OWN)
    if len(pictures) == len(files):
        rest.pop("files", None)
    return ExportedMessage(
        id=id,
        parent=text_in(stored, "parentId") or None,
        said=({"role": text_in(stored, "role") or "user", "content": parts},),
        model=text_in(stored, "model"),
        time=time_of(stored.get("timestamp")),
        usage={OLLAMA.get(name, name): count for name, count in fields_of(stored.get("usage")).items()},
        error=_error(stored.get("error")),
        rest=rest,
    )


def _is_picture(file: Data) -> bool:
    return file.get("type") == "image" and text_in(file, "url").startswith("data:")


def _error(stored: Any) -> str:
    if isinstance(stored, str):
        return stored
    return text_in(fields_of(stored), "content") or ("the answer is an error" if stored is True else "")


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "openWebui", losses)


OPEN_WEBUI = Format("open-webui", "chat", sniff=sniff, read=read, only_conversations=always)
