"""Messages of OpenCode's sessions, as it sends them: in steps, each of which is a request, in OpenAI's form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage, count_of
from ctxlab.lazy_dataclass import dataclass

CLEARED: Final = "[Old tool result content cleared]"
INTERRUPTED: Final = "[Tool execution was interrupted]"
STANDS_FOR: Final = {
    "compaction": "What did we do so far?",
    "subtask": "The following tool was executed by the user",
}
"""Parts of the user that go out as these words."""
NOT_SENT: Final = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})
AS_TEXT: Final = ("text/plain", "application/x-directory")
"""Types of files that are sent as texts beside them."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a session with its parts, in their order."""

    info: Data
    parts: tuple[Data, ...]

    @property
    def id(self) -> str:
        return str(self.info.get("id") or "")

    @property
    def is_answer(self) -> bool:
        return self.info.get("role") == "assistant"

    @property
    def created(self) -> float:
        """Milliseconds since 1970; 0 where there is no time."""
        return number_in(fields_of(self.info.get("time")), "created")

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary that was finished, and stands for what was before it."""
        is_done = bool(self.info.get("finish")) or "finish" not in self.info
        return self.info.get("summary") is True and is_done and not self.info.get("error")

    @property
    def is_sent_again(self) -> bool:
        """Whether later requests send it: what failed is not, but for what the user broke off."""
        error = fields_of(self.info.get("error"))
        said = any(kind_of(part) not in ("step-start", "reasoning") for part in self.parts)
        is_kept = self.info.get("keepsFailed") is True or error.get("name") == "MessageAbortedError"
        return not error or (is_kept and said)

    def part(self, kind: str) -> Data | None:
        """The first part of a type."""
        return next((part for part in self.parts if kind_of(part) == kind), None)

    def steps(self) -> list[tuple[Data, ...]]:
        """The parts of each request that the message is of: each ends with its count of tokens."""
        found: list[tuple[Data, ...]] = []
        step: list[Data] = []
        for part in self.parts:
            step.append(part)
            if kind_of(part) == "step-finish":
                found.append(tuple(step))
                step = []
        if not found or any(kind_of(part) not in NOT_SENT for part in step):
            found.append(tuple(step))
        return found

    def clearings(self) -> Iterator[float]:
        """The times at which results of its calls were cleared."""
        for part in self.parts:
            if cleared := _cleared(part):
                yield cleared


def number_in(fields: Data, name: str) -> float:
    """A number of a field; 0 where there is none."""
    value = fields.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def stored_message(info: Any, parts: Any) -> StoredMessage:
    """A message of a file, whose parts are ordered by their ids where all have one."""
    found = [fields_of(part) for part in items_of(parts)]
    return StoredMessage(fields_of(info), tuple(found))


def said_by_user(message: StoredMessage) -> Data:
    """A message of the user, as it is sent."""
    parts: list[Data] = []
    for part in message.parts:
        kind = kind_of(part)
        if kind == "text" and not part.get("ignored"):
            parts.append({"type": "text", "text": str(part.get("text") or "")})
        elif kind == "file" and part.get("mime") not in AS_TEXT:
            parts.append(_file(part))
        elif kind in STANDS_FOR:
            parts.append({"type": "text", "text": STANDS_FOR[kind]})
    only = parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts
    return {"role": "system" if message.info.get("role") == "system" else "user", "content": only or ""}


def _file(part: Data) -> Data:
    url, mime, name = (str(part.get(key) or "") for key in ("url", "mime", "filename"))
    if mime.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {**({"filename": name} if name else {}), "file_data": url}}


def said_in_step(step: Sequence[Data], now: float) -> list[Data]:
    """The messages that a step adds: the assistant's, and the results of its calls as they are at a time."""
    texts = [str(part.get("text") or "") for part in step if kind_of(part) == "text"]
    thoughts = [str(part.get("text") or "") for part in step if kind_of(part) == "reasoning"]
    tools = [part for part in step if kind_of(part) == "tool"]
    message: Data = {"role": "assistant", "content": "\n".join(texts)}
    message |= {"reasoning_content": "\n\n".join(thoughts)} if any(thoughts) else {}
    message |= {"tool_calls": [_call(part) for part in tools]} if tools else {}
    if not texts and not thoughts and not tools:
        return []
    return [message, *(_result(part, now) for part in tools)]


def _call(part: Data) -> Data:
    given = fields_of(part.get("state")).get("input")
    function = {"name": str(part.get("tool") or ""), "arguments": json.dumps(given or {}, ensure_ascii=False)}
    return {"id": str(part.get("callID") or ""), "type": "function", "function": function}


def _result(part: Data, now: float) -> Data:
    state = fields_of(part.get("state"))
    cleared = _cleared(part)
    if state.get("status") == "completed":
        text = CLEARED if cleared and cleared <= now else str(state.get("output") or "")
    else:
        text = str(state.get("error") or INTERRUPTED)
    return {"role": "tool", "tool_call_id": str(part.get("callID") or ""), "content": text}


def _cleared(part: Data) -> float:
    return number_in(fields_of(fields_of(part.get("state")).get("time")), "compacted")


def usage_of(step: Sequence[Data], message: StoredMessage) -> RecordedUsage:
    """The tokens of a step: its own, else those of the message where it is the only one."""
    own = next((fields_of(part.get("tokens")) for part in reversed(step) if kind_of(part) == "step-finish"), {})
    tokens = own or (fields_of(message.info.get("tokens")) if len(message.steps()) == 1 else {})
    return usage_in_tokens(tokens)


def usage_in_tokens(tokens: Data) -> RecordedUsage:
    """Tokens as the program counts them: the cache apart from the input.

    Newer versions count thoughts apart from the output too, and then say the total; a message without an answer counts
    nothing.
    """
    cache = fields_of(tokens.get("cache"))
    names = ((tokens, "input"), (cache, "read"), (cache, "write"), (tokens, "output"), (tokens, "reasoning"))
    given, cached, written, output, thoughts = (count_of(fields, name) for fields, name in names)
    if not any((given, cached, written, output)):
        return NO_USAGE
    whole = (given or 0) + (cached or 0) + (written or 0)
    total = count_of(tokens, "total")
    if total is not None and total - whole >= (output or 0):
        output = total - whole
    return RecordedUsage(whole, cached, written, output, thoughts)


def error_of(info: Data) -> str:
    """The error of an answer, in the program's words; "" for none."""
    error = fields_of(info.get("error"))
    said = fields_of(error.get("data")).get("message")
    return ": ".join(text for text in (error.get("name"), said) if isinstance(text, str) and text)
