"""LibreChat's exported conversations (JSON): messages with their `children`, or in a row with `parentMessageId`.

The whole tree is kept; the file names no active leaf: the newest message is taken, and a loss says so where there are
branches. `promptPrefix` and the parameters of `options` become an agent's. Calls of tools inside an answer become
messages of their own. What the program keeps besides is in `metadata.librechat`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.apps.answer_in_a_row import AnswerInARow, about_document, document_in
from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage, import_of, others, parent_in, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.lazy_pattern import lazy_pattern

OWN: Final = frozenset({"_id", "__v", "messageId", "parentMessageId", "conversationId", "children", "user"}) | {
    "isCreatedByUser", "text", "content", "model", "createdAt", "updatedAt", "error", "promptTokens", "tokenCount"
}  # fmt: skip
OF_A_CHAT: Final = frozenset({"conversationId", "title", "messages", "options", "branches", "recursive"})
BOOKKEEPING: Final = frozenset(
    {
        "_id",
        "user",
        "sender",
        "endpoint",
        "iconURL",
        "finish_reason",
        "file_id",
        "temp_file_id",
        "filepath",
        "filename",
        "type",
    }
    | {"bytes", "embedded", "object", "source", "usage", "width", "height", "unfinished", "thread_id", "agent_id"}
    | {"createdAt", "updatedAt", "expiresAt", "assistant_id", "model", "error", "messageId", "conversationId"}
    | {
        "strangeParts",
        "endpointType",
        "title",
        "presetId",
        "chatGptLabel",
        "modelLabel",
        "exportAt",
        "conversationTags",
        "tags",
    }
)
"""Fields that no model reads."""
PARAMETERS: Final = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens", "stop")
THOUGHT: Final = lazy_pattern(r":::thinking\s(.*?):::\s*", re.DOTALL)
"""A thought inside an answer's text, which the program takes out before it sends the text."""
READ_OPTIONS: Final = frozenset({"promptPrefix", "model", *PARAMETERS})


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_conversation)


def _is_conversation(value: Any) -> bool:
    fields = fields_of(value)
    return "conversationId" in fields and mostly(fields.get("messages"), lambda item: "messageId" in fields_of(item))


def chats_of(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    """The conversations of an export, in their order."""
    for place, item in source.items():
        if not _is_conversation(item):
            losses.append(Loss(place, "no conversation; it is left out"))
            continue
        found: list[Loss] = []
        yield _chat(fields_of(item), found)
        losses += [loss.inside(place) for loss in found]


def _chat(fields: Data, losses: list[Loss]) -> ExportedChat:
    options = fields_of(fields.get("options"))
    found = enumerate(_unfolded(items_of(fields.get("messages"))))
    flat = [{**message, "messageId": text_in(message, "messageId") or f"m{number}"} for number, message in found]
    return ExportedChat(
        id=text_in(fields, "conversationId"),
        name=text_in(fields, "title"),
        messages=tuple(_message(message, text_in(options, "model"), losses) for message in flat),
        system=text_in(options, "promptPrefix"),
        parameters={name: options[name] for name in PARAMETERS if options.get(name) is not None},
        about=others(fields, OF_A_CHAT) | {"options": {k: v for k, v in options.items() if k not in READ_OPTIONS}},
        bookkeeping=BOOKKEEPING,
    )


def _unfolded(messages: list[Any]) -> Iterator[Data]:
    """Messages with their children, parents first; a child's parent is the message that it stands in."""
    stack = [fields_of(message) for message in reversed(messages)]
    while stack:
        message = stack.pop()
        yield message
        stack += [
            {"parentMessageId": message.get("messageId"), **fields_of(child)}
            for child in reversed(items_of(message.get("children")))
        ]


def _message(stored: Data, model: str, losses: list[Loss]) -> ExportedMessage:
    is_user = stored.get("isCreatedByUser") is True
    id, place = text_in(stored, "messageId"), f"message {text_in(stored, 'messageId')!r}"
    rest = {**others(stored, OWN), **_own_count(stored)}
    said, strange, left = _question(stored) if is_user else _answer(stored)
    rest |= {"parts": left} if left else {}
    files = [*map(fields_of, items_of(stored.get("files")))]
    documents = [part for file in files if (part := document_in(file)) is not None]
    if named := len(files) - len(documents):
        losses.append(Loss(place, f"{counted(named, 'file is', 'files are')} named without content", "files"))
    if documents:
        text = said[0].get("content")
        said = ({**said[0], "content": [*([{"type": "text", "text": text}] if text else []), *documents]}, *said[1:])
        rest["files"] = [*map(about_document, files)]
    if strange:
        rest["strangeParts"] = strange
        for kind in sorted({kind_of(part) or "unknown" for part in strange}):
            losses.append(Loss(place, f"a part of type {kind!r:.40} is kept in the metadata only", "content"))
    return ExportedMessage(
        id=id,
        parent=parent_in(stored, "parentMessageId"),
        said=said,
        model="" if is_user else text_in(stored, "model") or model,
        time=text_in(stored, "createdAt") or None,
        usage={} if is_user else _usage(stored),
        error="the answer is an error" if stored.get("error") is True else "",
        rest=rest,
    )


def _usage(stored: Data) -> Data:
    """The tokens of the prompt where the program counted them, and with them the answer's."""
    if not isinstance(stored.get("promptTokens"), int):
        return {}
    own: Data = {"completion_tokens": stored["tokenCount"]} if isinstance(stored.get("tokenCount"), int) else {}
    return {"prompt_tokens": stored["promptTokens"], **own}


def _own_count(stored: Data) -> Data:
    return {"tokenCount": stored["tokenCount"]} if isinstance(stored.get("tokenCount"), int) else {}


def _words(stored: Data) -> str:
    parts = (_text_of(fields_of(part)) for part in items_of(stored.get("content")))
    return text_in(stored, "text") or "\n".join(part for part in parts if part)


def _text_of(part: Data) -> str:
    return _value_of(part.get("text"))


def _value_of(text: Any) -> str:
    return text if isinstance(text, str) else text_in(fields_of(text), "value")


Read = tuple[tuple[Data, ...], list[Data], list[Data]]
"""Messages, the parts that are none of their words, and what else there is in the other parts."""


def _question(stored: Data) -> Read:
    """A user's words; parts whose texts aren't amongst them are left."""
    words = _words(stored)
    left = [part for part in map(fields_of, items_of(stored.get("content"))) if (_text_of(part) or "\0") not in words]
    return ({"role": "user", "content": words},), [], left


def _answer(stored: Data) -> Read:
    """A model's words in a row; what its parts say besides is left."""
    row = AnswerInARow()
    strange: list[Data] = []
    left: list[Data] = []
    parts = [*map(fields_of, items_of(stored.get("content")))]
    for part in parts:
        kind = kind_of(part)
        if kind == "text":
            row.add_text(_text_of(part))
        elif kind == "think":
            row.add_thought(_value_of(part.get("think")))
        elif kind == "tool_call":
            call = fields_of(part.get("tool_call"))
            inner = fields_of(call.get("function")) or call
            id, name = text_in(call, "id"), text_in(inner, "name") or kind_of(call)
            row.add_call(id, name, next((inner[key] for key in ("args", "arguments") if key in inner), ""))
            row.add_result(id, name, inner.get("output") or "")
            left.append(_unread({**call, **inner}, "id", "function", "name", "args", "arguments", "output"))
        else:
            strange.append(part)
            continue
        left.append(_unread(part, kind))
    if not any(kind_of(part) == "text" for part in parts):
        text = text_in(stored, "text")
        for thought in THOUGHT.findall(text):
            row.add_thought(thought.strip())
        row.add_text(THOUGHT.sub("", text))
    elif (text := text_in(stored, "text")) and text not in "\n".join(map(_text_of, parts)):
        left.append({"text": text})
    return row.end(), strange, [fields for fields in left if fields]


def _unread(fields: Data, *read: str) -> Data:
    """Fields of a part that don't become part of a message."""
    return {key: value for key, value in fields.items() if key not in ("type", *read) and value not in (None, "")}


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "librechat", losses)


LIBRECHAT = Format("librechat", "conversation", sniff=sniff, read=read, only_conversations=always)
