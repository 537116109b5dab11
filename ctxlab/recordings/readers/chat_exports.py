"""Chats that people export as recordings: an answer is a request that sent the messages above it.

Open WebUI, LibreChat, Chatbot UI, Claude's and ChatGPT's exports, read by their formats. What the program put around
the messages isn't in them, and few count tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from ctxlab.documents import MessageNode, Session
from ctxlab.formats.apps import chatbot_ui, chatgpt, claude_ai, librechat, open_webui
from ctxlab.formats.apps.answer_in_a_row import ASSISTANT
from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.formats.requests.reply_usage import NO_USAGE, usage_in
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source
from ctxlab.recordings.builder import START, RecordingBuilder


class Program(NamedTuple):
    """A program that exports chats: its name, how its files are recognised, and the chats in one."""

    name: str
    sniff: Callable[[Any], bool]
    chats: Callable[[Source, list[Loss]], Iterator[ExportedChat]]


def _chatgpt(source: Source, losses: list[Loss]) -> Iterator[ExportedChat]:
    found = chatgpt.read(source)
    losses += found.losses
    yield from map(_of_session, found.sessions)


TAKEN: Final = frozenset({"content"})
"""Fields of words that a program shows otherwise than it sends them."""
PROGRAMS: Final = (
    Program("Open WebUI", open_webui.sniff, open_webui.chats_of),
    Program("LibreChat", librechat.sniff, librechat.chats_of),
    Program("Chatbot UI", chatbot_ui.sniff, chatbot_ui.chats_of),
    Program("Claude", claude_ai.sniff, claude_ai.chats_of),
    Program("ChatGPT", chatgpt.sniff, _chatgpt),
)


def sniff(data: Any) -> bool:
    return any(program.sniff(data) for program in PROGRAMS)


def read(source: Source, builder: RecordingBuilder) -> None:
    """Every answer of every chat."""
    program = next(program for program in PROGRAMS if program.sniff(source.data))
    builder.program = program.name
    chats = [*program.chats(source, builder.losses)]
    for number, chat in enumerate(chats):
        _add(chat, builder, f"chat {number + 1}" if len(chats) > 1 else "")
    builder.losses.append(
        Loss("", "the export has messages, not requests: each answer is one that sent those above it")
    )


def _add(chat: ExportedChat, builder: RecordingBuilder, place: str) -> None:
    leading = ({"role": "system", "content": chat.system},) if chat.system else ()
    found: list[Loss] = []
    asked: dict[str, list[tuple[str, Data]]] = {}
    at: dict[str | None, str] = {None: START}
    for message, parent in chat.in_order(found):
        where = f"{place}, message {message.id!r}" if place else f"message {message.id!r}"
        leaf = at[parent]
        for number, said in enumerate(message.said):
            if said["role"] == ASSISTANT:
                asked.setdefault(message.id, []).append((leaf, said))
            name = f"{message.id}-{number + 1}" if number else message.id
            leaf = builder.add(leaf, (said,), "openai-chat", place=where, name=name, time=message.time)
        at[message.id] = leaf
    builder.losses += [loss.inside(place) for loss in found]
    for message in {message.id: message for message in chat.oldest_first}.values():
        _requests(message, asked.get(message.id, []), leading, builder)


def _requests(
    message: ExportedMessage, asked: list[tuple[str, Data]], leading: tuple[Data, ...], builder: RecordingBuilder
) -> None:
    """The requests of an answer, one for each time that the model spoke; tokens are told of the last."""
    head = builder.head_with("openai-chat", leading)
    for number, (leaf, said) in enumerate(asked, start=1):
        is_last = number == len(asked)
        builder.request(
            leaf,
            head,
            id=message.id if is_last else f"{message.id}-step-{number}",
            time=message.time,
            model=message.model,
            usage=usage_in(message.usage, "openai-chat") if is_last else NO_USAGE,
            error=message.error,
            reply={"choices": [{"index": 0, "message": said}]},
        )


def _of_session(session: Session) -> ExportedChat:
    """A chat of ChatGPT, as its reader of sessions has it."""
    nodes = [node for node in session.in_order() if not node.is_empty_root]
    ids = {node.id for node in nodes}
    messages = (
        ExportedMessage(
            id=node.id,
            parent=node.parent_id if node.parent_id in ids else None,
            said=(_said(node),),
            model=str(node.meta("modelId") or ""),
            time=node.timestamp,
        )
        for node in nodes
    )
    return ExportedChat(session.id, session.name, tuple(messages))


def _said(node: MessageNode) -> Data:
    """A message in OpenAI's form, with the calls that it asks for, or the call that it answers."""
    said: Data = {"role": node.role, "content": node.content}
    calls = [_call(fields_of(call)) for call in node.meta("toolCallsRequested") or ()]
    answered = fields_of(node.meta("toolCall")).get("requestId")
    more = {"tool_calls": calls, "reasoning_content": node.meta("reasoningContent"), "tool_call_id": answered}
    return {**said, **{key: value for key, value in more.items() if value}}


def _call(call: Data) -> Data:
    function = {"name": call.get("toolName"), "arguments": call.get("args")}
    return {"id": call.get("requestId"), "type": "function", "function": function}
