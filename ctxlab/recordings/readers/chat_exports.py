"""Chats that people export as recordings: an answer is a request that sent the messages above it.

Open WebUI, LibreChat, Chatbot UI, Claude's and ChatGPT's exports. What the program put around the messages isn't in
them, and few count tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.documents import Session
from ctxlab.formats.apps import chatgpt
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Loss
from ctxlab.formats.session_tree_builder import parents_first
from ctxlab.formats.source import Source, mostly
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.usage import NO_USAGE, RecordedUsage, usage_in

ASSISTANT: Final = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of an export; `parent` is the id of the one above, None at the beginning."""

    id: str
    parent: str | None
    role: str
    content: Any
    model: str = ""
    time: str | None = None
    usage: RecordedUsage = NO_USAGE
    error: str = ""
    more: Data = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat of an export: its system text, and its messages in the order of the file."""

    messages: tuple[ChatMessage, ...]
    system: str = ""
    name: str = ""


def sniff(data: Any) -> bool:
    return any(known(data) for _, known, _ in PROGRAMS) or chatgpt.sniff(data)


def read(source: Source, builder: RecordingBuilder) -> None:
    """Every answer of every chat."""
    for program, known, chats_of in PROGRAMS:
        if known(source.data):
            builder.program = program
            chats = [*chats_of(source.data, builder.losses)]
            break
    else:
        builder.program = "ChatGPT"
        found = chatgpt.read(source)
        builder.losses += found.losses
        chats = [_of_session(session) for session in found.sessions]
    for number, chat in enumerate(chats):
        _add(chat, builder, f"chat {number + 1}" if len(chats) > 1 else "")
    builder.losses.append(
        Loss("", "the export has messages, not requests: each answer is one that sent those above it")
    )


def _add(chat: Chat, builder: RecordingBuilder, place: str) -> None:
    leading = ({"role": "system", "content": chat.system},) if chat.system else ()
    messages = {message.id: message for message in chat.messages}
    found: list[Loss] = []
    at: dict[str | None, str] = {None: START}
    if len(messages) < len(chat.messages):
        found.append(Loss("messages", "several have the same id; the last is read"))
    for id, parent in parents_first({id: message.parent for id, message in messages.items()}, found):
        message = messages[id]
        body: Data = {"role": message.role, "content": message.content, **message.more}
        where = f"{place}, message {id!r}" if place else f"message {id!r}"
        at[id] = builder.add(at[parent], (body,), "openai-chat", place=where, name=id, time=message.time)
    builder.losses += [loss.inside(place) for loss in found]
    for message in messages.values():
        if message.role == ASSISTANT:
            parent = message.parent if message.parent in messages else None
            _request(message, at[parent], leading, builder)


def _request(message: ChatMessage, leaf: str, leading: tuple[Data, ...], builder: RecordingBuilder) -> None:
    head = builder.head_with("openai-chat", leading)
    answer = {"role": ASSISTANT, "content": message.content, **message.more}
    builder.request(
        leaf,
        head,
        id=message.id,
        time=message.time,
        model=message.model,
        usage=message.usage,
        error=message.error,
        reply={"choices": [{"index": 0, "message": answer}]},
    )


# --- Open WebUI


def _is_open_webui(data: Any) -> bool:
    return mostly(data if isinstance(data, list) else [data], lambda item: bool(_webui_messages(item)))


def _webui_messages(item: Any) -> Data:
    chat = fields_of(fields_of(item).get("chat")) or fields_of(item)
    history = fields_of(chat.get("history"))
    return fields_of(history.get("messages")) if "currentId" in history else {}


def _open_webui(data: Any, losses: list[Loss]) -> Iterator[Chat]:
    for number, item in enumerate(items_of(data) if isinstance(data, list) else [data]):
        stored = _webui_messages(item)
        if not stored:
            losses.append(Loss(f"[{number}]", "no chat with a history; it is left out"))
            continue
        chat = fields_of(fields_of(item).get("chat")) or fields_of(item)
        system = _text(fields_of(chat.get("params")), "system") or _text(chat, "system")
        messages = (
            ChatMessage(
                id=id,
                parent=_text(message, "parentId") or None,
                role=_text(message, "role") or "user",
                content=_text(message, "content"),
                model=_text(message, "model"),
                time=_of_seconds(message.get("timestamp")),
                usage=_webui_usage(fields_of(message.get("usage"))),
                error=_text(fields_of(message.get("error")), "content"),
            )
            for id, message in ((id, fields_of(each)) for id, each in stored.items())
        )
        yield Chat(tuple(messages), system, _text(chat, "title"))


def _webui_usage(usage: Data) -> RecordedUsage:
    """The usage of whatever server answered: OpenAI's names, or Ollama's."""
    ollama = {"prompt_tokens": usage.get("prompt_eval_count"), "completion_tokens": usage.get("eval_count")}
    return usage_in({**{key: value for key, value in ollama.items() if value is not None}, **usage}, "openai-chat")


# --- LibreChat


def _is_librechat(data: Any) -> bool:
    fields = fields_of(data)
    return "conversationId" in fields and mostly(fields.get("messages"), lambda item: "messageId" in fields_of(item))


def _librechat(data: Any, losses: list[Loss]) -> Iterator[Chat]:
    fields = fields_of(data)
    options = fields_of(fields.get("options"))
    flat = [*_unfolded(items_of(fields.get("messages")))]
    ids = {_text(message, "messageId") for message in flat}
    counted = sum("tokenCount" in message for message in flat)
    if counted:
        losses.append(Loss("messages", f"{counted} say how long they are themselves, not what was sent; left out"))
    messages = (
        ChatMessage(
            id=_text(message, "messageId"),
            parent=parent if (parent := _text(message, "parentMessageId")) in ids else None,
            role="user" if message.get("isCreatedByUser") is True else ASSISTANT,
            content=_text(message, "text") or message.get("content") or "",
            model=_text(message, "model") or _text(options, "model"),
            time=_text(message, "createdAt") or None,
            error="the answer is an error" if message.get("error") is True else "",
        )
        for message in flat
    )
    yield Chat(tuple(messages), _text(options, "promptPrefix"), _text(fields, "title"))


def _unfolded(messages: list[Any]) -> Iterator[Data]:
    """Messages with their children, parents first."""
    stack = [fields_of(message) for message in reversed(messages)]
    while stack:
        message = stack.pop()
        yield message
        stack += [fields_of(child) for child in reversed(items_of(message.get("children")))]


# --- Chatbot UI


def _is_chatbot_ui(data: Any) -> bool:
    return mostly(fields_of(data).get("history"), lambda item: "messages" in fields_of(item))


def _chatbot_ui(data: Any, losses: list[Loss]) -> Iterator[Chat]:
    for chat in map(fields_of, items_of(fields_of(data).get("history"))):
        model = _text(fields_of(chat.get("model")), "id")
        own = _text(chat, "id")
        found: list[ChatMessage] = []
        for number, message in enumerate(map(fields_of, items_of(chat.get("messages")))):
            role = _text(message, "role") or "user"
            above = found[-1].id if found else None
            found.append(
                ChatMessage(
                    f"{own}-{number}", above, role, message.get("content") or "", model if role == ASSISTANT else ""
                )
            )
        yield Chat(tuple(found), _text(chat, "prompt"), _text(chat, "name"))


# --- Claude's own export


def _is_claude(data: Any) -> bool:
    return mostly(data if isinstance(data, list) else [data], lambda item: "chat_messages" in fields_of(item))


def _claude(data: Any, losses: list[Loss]) -> Iterator[Chat]:
    files = 0
    for chat in map(fields_of, items_of(data) if isinstance(data, list) else [data]):
        found: list[ChatMessage] = []
        for message in map(fields_of, items_of(chat.get("chat_messages"))):
            role = "user" if message.get("sender") == "human" else ASSISTANT
            texts, more = _claude_content(message)
            files += len(items_of(message.get("files"))) + len(items_of(message.get("attachments")))
            above = _text(message, "parent_message_uuid") or (found[-1].id if found else "")
            parent = above if any(above == one.id for one in found) else None
            time = _text(message, "created_at") or None
            found.append(ChatMessage(_text(message, "uuid"), parent, role, texts, time=time, more=more))
        yield Chat(tuple(found), name=_text(chat, "name"))
    if files:
        losses.append(Loss("chat_messages", f"{files} files are named without their content; left out", "files"))


def _claude_content(message: Data) -> tuple[str, Data]:
    """The words of a message; its thoughts, calls and results as a message of OpenAI's has them."""
    blocks = [fields_of(block) for block in items_of(message.get("content"))]
    texts = [_text(block, "text") for block in blocks if block.get("type") == "text"]
    thoughts = [_text(block, "thinking") for block in blocks if block.get("type") == "thinking"]
    others = [block for block in blocks if block.get("type") not in ("text", "thinking")]
    more: Data = {"reasoning_content": "\n\n".join(thoughts)} if any(thoughts) else {}
    return "\n".join(texts) or _text(message, "text"), {**more, **({"blocks": others} if others else {})}


# --- ChatGPT, as its reader of sessions has it


def _of_session(session: Session) -> Chat:
    nodes = [node for node in session.in_order() if not node.is_empty_root]
    ids = {node.id for node in nodes}
    messages = (
        ChatMessage(
            id=node.id,
            parent=node.parent_id if node.parent_id in ids else None,
            role=node.role,
            content=node.content,
            model=str(node.meta("modelId") or ""),
            time=node.timestamp,
        )
        for node in nodes
    )
    return Chat(tuple(messages), name=session.name)


def _text(fields: Data, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _of_seconds(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e11:
        return None
    return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


PROGRAMS: Final = (
    ("Open WebUI", _is_open_webui, _open_webui),
    ("LibreChat", _is_librechat, _librechat),
    ("Chatbot UI", _is_chatbot_ui, _chatbot_ui),
    ("Claude", _is_claude, _claude),
)
