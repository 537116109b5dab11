"""Whether the messages of two requests are the same: role by role, character by character."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any, Literal

Verdict = Literal["equal", "accepted", "same words", "different", "not offered", "error"]
VERDICTS: tuple[Verdict, ...] = ("equal", "accepted", "same words", "different", "not offered", "error")
"""From the best to the worst."""
FIELDS = ("role", "name", "content", "tool_calls", "tool_call_id")
Message = Mapping[str, Any]


def plain(messages: Sequence[Message]) -> list[Message]:
    """The messages with the fields that are sent, without empty ones; the content always."""
    return [
        {key: message.get(key) for key in FIELDS if key in ("role", "content") or message.get(key)}
        for message in messages
    ]


def verdict_on(sent: Sequence[Message], built: Sequence[Message]) -> Verdict:
    sent, built = plain(sent), plain(built)
    if sent == built:
        return "equal"
    return "same words" if run_together(sent) == run_together(built) else "different"


def run_together(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one role without names as one: the words, however they are cut into messages."""
    out: list[Message] = []
    for message in messages:
        last = out[-1] if out else None
        if last is not None and last["role"] == message["role"] and _is_words(last) and _is_words(message):
            out[-1] = {"role": message["role"], "content": f"{last['content']}\n{message['content']}"}
        else:
            out.append(message)
    return out


def _is_words(message: Message) -> bool:
    return set(message) == {"role", "content"} and isinstance(message["content"], str)


def difference(sent: Sequence[Message], built: Sequence[Message]) -> list[str]:
    """The lines of a diff, a message a line; none where the messages are the same."""
    rows = unified_diff(_shown(sent), _shown(built), "sillytavern", "ctxlab", lineterm="", n=0)
    return [row for row in rows if not row.startswith(("---", "+++", "@@"))]


def _shown(messages: Sequence[Message]) -> list[str]:
    return [_line(message) for message in plain(messages)]


def _line(message: Message) -> str:
    name = f"<{message['name']}>" if "name" in message else ""
    rest = {key: message[key] for key in ("tool_calls", "tool_call_id") if key in message}
    more = f" {json.dumps(rest, ensure_ascii=False)}" if rest else ""
    return f"{message['role']}{name} {json.dumps(message['content'], ensure_ascii=False)}{more}"
