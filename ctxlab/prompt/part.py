"""A part of a prompt: a stretch, a call, a file or a definition, with its one source."""

from __future__ import annotations

from typing import Final, Literal, get_args

from ctxlab.display.short_texts import short
from ctxlab.display.source_styles import OF_PART
from ctxlab.documents.session.message import Role
from ctxlab.lazy_dataclass import dataclass

Source = Literal[
    "parameters",
    "tools",
    "system",
    "presets",
    "profile",
    "lore",
    "knowledge",
    "summaries",
    "reminders",
    "files",
    "results",
    "attachments",
    "history",
    "calls",
    "reasoning",
    "overhead",
    "seams",
]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
"""Sources in the order in which a stack shows them; `parameters` have no tokens, but a cache may depend on them."""
ENTRIES: Final[dict[str, str]] = {
    "parameters": "overhead",
    "calls": "tools",
    "results": "tools",
    "files": "tools",
    "reasoning": "history",
    "reminders": "history",
}
"""By source the entry of `trace.budget()` that counts it, where that isn't the source's own."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PromptPart:
    """A part of a prompt that has one source, of a run or of a recorded request.

    `key` is that of its message, "" for what stands before all messages; in a recording it is the id of a node. `start`
    is the place of `text` in the message's text, in code points, None where it is no part of that. `name` is that of a
    tool, a parameter or a file, or the tag of a reminder; `call` the id of a tool's call, `file` the path that a call
    or a result is about, `server` the MCP server of a tool. `tokens` are estimates for most vendors.
    """

    source: Source
    text: str
    tokens: int
    key: str = ""
    start: int | None = None
    role: Role = "system"
    name: str = ""
    call: str = ""
    file: str = ""
    server: str = ""
    failed: bool = False

    @property
    def entry(self) -> str:
        """The entry of `trace.budget()` that counts it."""
        return ENTRIES.get(self.source, self.source)

    @property
    def look(self) -> str:
        """The source whose colour and sign it has."""
        return OF_PART[self.entry]

    @property
    def characters(self) -> int:
        """The number of its characters in the text of its message."""
        return len(self.text) if self.start is not None else 0

    def __repr__(self) -> str:
        named = f" {short(self.name, 40)!r}" if self.name else ""
        return f"PromptPart({self.source}{named}, {self.tokens:,} tokens, {short(self.text, 40)!r})"
