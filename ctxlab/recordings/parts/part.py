"""A stretch of a prompt and its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from ctxlab.display.short_texts import short
from ctxlab.documents.session.message import Role

Source = Literal[
    "parameters",
    "tools",
    "system",
    "summary",
    "reminders",
    "files",
    "results",
    "attachments",
    "conversation",
    "calls",
    "reasoning",
]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
"""Sources in the order in which a stack shows them; `parameters` have no tokens, but a cache may depend on them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """A stretch of a request that has one source.

    `node` is the message it is in, "" for what the head has; `start` is the place of `text` in the message's content,
    in code points, None where it is no part of it. `name` is that of a tool, a parameter or an attachment, or the tag
    of a reminder; `call` the id of a tool's call, `file` the path that a call or a result is about, `server` the MCP
    server of a tool. `tokens` are counted here, and are estimates for most vendors.
    """

    source: Source
    text: str
    tokens: int
    node: str = ""
    start: int | None = None
    role: Role = "system"
    name: str = ""
    call: str = ""
    file: str = ""
    server: str = ""
    failed: bool = False

    def __repr__(self) -> str:
        named = f" {short(self.name, 40)!r}" if self.name else ""
        return f"Part({self.source}{named}, {self.tokens:,} tokens, {short(self.text, 40)!r})"
