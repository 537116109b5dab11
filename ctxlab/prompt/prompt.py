"""A prompt as a value, of a run or of a recorded request: its head and its messages, each taken apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.display.source_styles import OVERHEAD, PARTS
from ctxlab.documents.session.message import Role
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.part import PromptPart

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("number", "part", "role", "key", "source", "name", "tokens", "start", "end", "text")
SHOWN = ("number", "part", "role", "source", "name", "tokens", "text")


class PromptMessage:
    """A message of a prompt. The tokens of its parts and its `overhead`, that of the wire format, are its `tokens`."""

    __slots__ = ("_parts", "key", "overhead", "role")

    def __init__(self, key: str, role: Role, parts: tuple[PromptPart, ...] | None = None, overhead: int = 0) -> None:
        self.key, self.overhead = key, overhead
        self.role: Role = role
        self._parts: tuple[PromptPart, ...] | None = parts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}, {self.role}, {counted(self.tokens, 'token')})"

    @property
    def parts(self) -> tuple[PromptPart, ...]:
        """Its parts in order, each with one source."""
        return self._parts or ()

    @property
    def sizes(self) -> Iterable[tuple[str, int, int]]:
        """Tokens and characters of its parts by entry of `trace.budget()`."""
        return ((part.entry, part.tokens, part.characters) for part in self.parts)

    @property
    def tokens(self) -> int:
        return self.overhead + sum([part.tokens for part in self.parts])


M_co = TypeVar("M_co", bound=PromptMessage, covariant=True)


@dataclass(frozen=True, eq=False)
class Prompt(Generic[M_co]):
    """The messages that are sent, part by part, and what a request has beside them.

    `head` are the parts before the messages: tools, and of a recorded request its parameters and system texts.
    `overhead_tokens` are those that the wire format adds once; with those of the head and of all messages they are
    `tokens`. `budget` and `reserve` are tokens, None and 0 where nothing limits the prompt.
    """

    messages: tuple[M_co, ...]
    head: tuple[PromptPart, ...] = ()
    overhead_tokens: int = 0
    budget: int | None = None
    reserve: int = 0

    def __repr__(self) -> str:
        return f"Prompt({counted(len(self.messages), 'message')}, {counted(self.tokens, 'token')})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(SHOWN, ([row[name] for name in SHOWN] for row in self._rows()), of="parts")

    @property
    def parts(self) -> Iterator[PromptPart]:
        """The parts of the head and of all messages, in the order in which they are sent."""
        yield from self.head
        for message in self.messages:
            yield from message.parts

    @cached_property
    def tools_tokens(self) -> int:
        """Tokens of the definitions of tools."""
        return sum([part.tokens for part in self.head if part.source == "tools"])

    @cached_property
    def tokens(self) -> int:
        """Tokens of the prompt; of a run they are `trace.tokens`."""
        return (
            self.overhead_tokens
            + sum([part.tokens for part in self.head])
            + sum([message.tokens for message in self.messages])
        )

    @cached_property
    def tokens_by_source(self) -> dict[str, int]:
        """Tokens by entry of `trace.budget()`, in its order, then `free` and `reserve` where there is a budget.

        What is not there has no entry; without the last two they add up to `tokens`.
        """
        found = Counter({OVERHEAD: self.overhead_tokens + sum([message.overhead for message in self.messages])})
        for entry, tokens, _ in self._sizes():
            found[entry] += tokens
        if self.budget is not None:
            found["free"], found["reserve"] = self.budget - self.tokens, self.reserve
        return {entry: found[entry] for entry in PARTS if found[entry]}

    @cached_property
    def characters_by_source(self) -> dict[str, int]:
        """Characters of the messages by entry, in the same order."""
        found = Counter[str]()
        for entry, _, characters in self._sizes():
            found[entry] += characters
        return {entry: found[entry] for entry in PARTS if found[entry]}

    def _sizes(self) -> Iterator[tuple[str, int, int]]:
        yield from ((part.entry, part.tokens, part.characters) for part in self.head)
        for message in self.messages:
            yield from message.sizes

    def frame(self) -> pd.DataFrame:
        """One row a part in the order in which they are sent.

        `number` counts messages from 0, None in the head; `part` counts the parts of one. `tokens` are without the
        overhead of its message, `start` and `end` its characters in the message's text, None where it is no part of it.
        """
        return frame_of(self._rows(), COLUMNS)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for number, parts in ((None, self.head), *((n, each.parts) for n, each in enumerate(self.messages))):
            for n, part in enumerate(parts):
                end = None if part.start is None else part.start + len(part.text)
                own = {name: getattr(part, name) for name in COLUMNS if name not in ("number", "part", "end")}
                yield {**own, "number": number, "part": n, "end": end}
