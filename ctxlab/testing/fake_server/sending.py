"""One reply on its way: its ids, its signature and its counts, of which each vendor's writer makes JSON and events."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.fake_server.prompt_cache import CacheUse
from ctxlab.testing.fake_server.script import FakeReply
from ctxlab.testing.fake_server.token_estimate import estimated_tokens

STARTED = 1_760_000_000
"""Seconds since 1970 that replies bear as their time, one more for each."""


class SentCall(NamedTuple):
    """A call with its id and the JSON text of its arguments."""

    id: str
    name: str
    arguments: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Sending:
    """A reply with the number of its request, by which ids and times are made."""

    reply: FakeReply
    number: int
    model: str
    tokens: CacheUse
    body: dict[str, Any]

    @property
    def created(self) -> int:
        return STARTED + self.number

    def id(self, prefix: str, part: int = 0) -> str:
        """An id of the vendor's kind, the same in every run."""
        return f"{prefix}{self.number:08x}{part:08x}"

    @property
    def signature(self) -> str:
        """The signature of the thinking: base64, another one for each reply."""
        seed = f"{self.number}:{self.reply.thinking}".encode("utf-8", "surrogatepass")
        return base64.b64encode(b"fake" + hashlib.sha512(seed).digest()).decode()

    def calls(self, prefix: str) -> tuple[SentCall, ...]:
        return tuple(
            SentCall(
                call.id or self.id(prefix, index),
                call.name,
                dict(call.arguments),
                json.dumps(dict(call.arguments), ensure_ascii=False, separators=(",", ":")),
            )
            for index, call in enumerate(self.reply.calls)
        )

    def pieces(self, text: str) -> Iterator[str]:
        """The text in the pieces in which a stream sends it."""
        step = max(self.reply.piece_characters, 1)
        return (text[start : start + step] for start in range(0, len(text), step))

    @property
    def thinking_tokens(self) -> int:
        return estimated_tokens(self.reply.thinking)

    @property
    def output_tokens(self) -> int:
        """Tokens of the reply, its thinking and its calls included."""
        written = "".join(call.name + call.text for call in self.calls(""))
        return estimated_tokens(self.reply.text) + self.thinking_tokens + estimated_tokens(written)


def event(data: Any, *, name: str = "") -> bytes:
    """A server-sent event of some JSON."""
    head = f"event: {name}\n" if name else ""
    written = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {written}\n\n".encode("utf-8", "backslashreplace")
