"""LibreChat's exported conversations (JSON): messages with their `children`, or in a row with `parentMessageId`.

The whole tree is kept; the file names no active leaf: the newest message is taken, and a loss says so where there are
branches. `promptPrefix` and the parameters of `options` become an agent's. Calls of tools inside an answer become
messages of their own. What the program keeps besides is in `metadata.librechat`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ctxlab.formats.apps.exported_chats import ASSISTANT, ExportedChat, ExportedMessage, import_of, others, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.source import Source, mostly, one_or_mostly

OWN: Final = frozenset({"_id", "__v", "messageId", "parentMessageId", "conversationId", "children", "user"}) | {
    "isCreatedByUser", "text", "content", "model", "createdAt", "updatedAt", "error", "promptTokens", "tokenCount"
}  # fmt: skip
OF_A_CHAT: Final = frozenset({"conversationId", "title", "messages", "options", "branches", "recursive"})
PARAMETERS: Final = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens", "stop")


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
    ids = {text_in(message, "messageId") for message in flat}
    named = sum(len(items_of(message.get("files"))) for message in flat)
    if named:
        losses.append(Loss("messages", f"{named} files are named without their content; left out", "files"))
    return ExportedChat(
        id=text_in(fields, "conversationId"),
        name=text_in(fields, "title"),
        messages=tuple(_message(message, ids, text_in(options, "model"), losses) for message in flat),
        system=text_in(options, "promptPrefix"),
        parameters={name: options[name] for name in PARAMETERS if options.get(name) is not None},
        about=others(fields, OF_A_CHAT),
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


def _message(stored: Data, ids: set[str], model: str, losses: list[Loss]) -> ExportedMessage:
    is_user = stored.get("isCreatedByUser") is True
    id, parent = text_in(stored, "messageId"), text_in(stored, "parentMessageId")
    said = ({"role": "user", "content": _words(stored)},) if is_user else (*_answer(stored, id, losses),)
    return ExportedMessage(
        id=id,
        parent=parent if parent in ids else None,
        said=said,
        model="" if is_user else text_in(stored, "model") or model,
        time=text_in(stored, "createdAt") or None,
        usage={} if is_user else _usage(stored),
        error="the answer is an error" if stored.get("error") is True else "",
        rest={**others(stored, OWN), **_own_count(stored)},
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
    text = part.get("text")
    return text if isinstance(text, str) else text_in(fields_of(text), "value")


def _answer(stored: Data, id: str, losses: list[Loss]) -> Iterator[Data]:
    """A model's words in a row: texts and thoughts, calls with their results, and what came after them."""
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[Data] = []
    results: list[Data] = []
    left_out: list[str] = []
    for part in map(fields_of, items_of(stored.get("content"))):
        kind = kind_of(part)
        if kind != "tool_call" and calls:
            yield _said(texts, thoughts, calls)
            yield from results
            texts, thoughts, calls, results = [], [], [], []
        if kind == "text":
            texts.append(_text_of(part))
        elif kind == "think":
            thoughts.append(text_in(part, "think"))
        elif kind == "tool_call":
            call, result = _call(fields_of(part.get("tool_call")))
            calls.append(call)
            results.append(result)
        else:
            left_out.append(kind or "unknown")
    for kind in sorted(set(left_out)):
        losses.append(Loss(f"message {id!r}", f"a part of type {kind!r:.40} is left out", "content"))
    if calls:
        yield _said(texts, thoughts, calls)
        yield from results
        texts, thoughts = [], []
    if texts or thoughts or not calls:
        yield _said(texts or [text_in(stored, "text")], thoughts, [])


def _said(texts: list[str], thoughts: list[str], calls: list[Data]) -> Data:
    more: Data = {"reasoning_content": "\n\n".join(thoughts)} if any(thoughts) else {}
    return {"role": ASSISTANT, "content": "\n".join(texts), **more, **({"tool_calls": calls} if calls else {})}


def _call(stored: Data) -> tuple[Data, Data]:
    id, name = text_in(stored, "id"), text_in(stored, "name")
    function = {"name": name, "arguments": text_in(stored, "args")}
    result: Data = {"role": "tool", "tool_call_id": id, "name": name, "content": text_in(stored, "output")}
    return {"id": id, "type": "function", "function": function}, result


def read(source: Source) -> Import:
    losses: list[Loss] = []
    return import_of([*chats_of(source, losses)], source, "librechat", losses)


LIBRECHAT = Format("librechat", "conversation", sniff=sniff, read=read, only_conversations=always)
