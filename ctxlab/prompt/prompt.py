"""The messages that a run sends, each taken apart: which part is from where, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxlab.context import Draft, Origin, Text
from ctxlab.context.file_words import FROM_FILES
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.display.source_styles import BY_NAME, OF_KIND, OF_PART, OVERHEAD, PARTS
from ctxlab.prompt.merged_parts import pieces
from ctxlab.prompt.token_counter import TokenCounter

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("number", "part", "role", "key", "source", "placed", "tokens", "start", "end", "text")
PERSONAS = ("user_profile", "personaDescription")
"""Anchors whose placeholders show the user's profile."""
FILES, TOOLS, SEAMS = "attachments", "tools", "seams"
"""Sources of files, whether they go as files or as text; of definitions, calls and results; of what joining costs."""


class SourceWords(NamedTuple):
    """Tokens and characters that have one source, an entry of `trace.budget()`."""

    source: str
    tokens: int
    characters: int

    @property
    def look(self) -> str:
        """The source whose colour and sign they have."""
        return OF_PART[self.source]


@dataclass(frozen=True, slots=True, eq=False)
class PromptPart:
    """One of the messages that a sent message was made of, characters `start` up to `end` of it; often the only one.

    `seam` is the separator before it. `alone` is the message as it last stood alone, with its calls and files; None
    where it never did.
    """

    key: str
    role: str
    origin: Origin
    text: Text
    start: int
    seam: str
    alone: Draft | None
    counter: TokenCounter = field(repr=False)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def source(self) -> str:
        """The source of its own words, an entry of `trace.budget()`."""
        return source_of(self.alone) if self.alone is not None else _source(self.role, self.origin)

    @property
    def look(self) -> str:
        """The source whose colour and sign it has."""
        return OF_PART[self.source]

    @property
    def placed(self) -> str:
        """The place that it asked for, in words; empty where it asked for none."""
        return str(self.alone.placement or "") if self.alone is not None else ""

    @property
    def tokens(self) -> int:
        """Tokens of its words, calls and files, without the overhead of a message."""
        if self.alone is not None and self.alone.text is self.text:
            return self.counter.count_draft(self.alone) - self.counter.message_tokens
        return sum([each.tokens for each in self.by_source])

    @property
    def by_source(self) -> list[SourceWords]:
        """Its tokens by source: the text of its files apart, and as `seams` what is more or less where texts meet."""
        found = _words(self.text, self.source, self.counter)
        return found if self.alone is None else [*found, *_beside(self.alone, self.counter)]


class PromptMessage:
    """A message as it is sent. The tokens of its parts with `joins` and `overhead` are `tokens`.

    `joins` is what joining the parts costs, `overhead` what the wire format adds to each message. `alone` has the parts
    of merged messages as they last stood alone, by key.
    """

    __slots__ = ("_alone", "_parts", "counter", "draft")

    def __init__(self, draft: Draft, counter: TokenCounter, alone: Mapping[str, Draft] | None = None) -> None:
        self.draft, self.counter = draft, counter
        self._alone = alone
        self._parts: tuple[PromptPart, ...] | None = None

    def __repr__(self) -> str:
        return f"PromptMessage({self.key!r}, {self.role}, {counted(self.tokens, 'token')})"

    @property
    def key(self) -> str:
        return self.draft.key

    @property
    def role(self) -> str:
        return self.draft.role

    @property
    def parts(self) -> tuple[PromptPart, ...]:
        """Its parts in order; with their seams they are all of its text."""
        if self._parts is None:
            draft, role, counter = self.draft, self.draft.role, self.counter
            alone = (self._alone or {}) if draft.merged else {draft.key: draft}
            parts = ((each, each.part.key) for each in pieces(draft))
            self._parts = tuple(
                [
                    PromptPart(key, role, each.part.origin, each.text, each.start, each.seam, alone.get(key), counter)
                    for each, key in parts
                ]
            )
        return self._parts

    @property
    def tokens(self) -> int:
        return self.counter.count_draft(self.draft)

    @property
    def overhead(self) -> int:
        return self.counter.message_tokens

    @property
    def joins(self) -> int:
        if not self.draft.merged:
            return 0
        return self.tokens - self.overhead - sum([part.tokens for part in self.parts])

    @property
    def by_source(self) -> list[SourceWords]:
        """Its tokens by source; with the overhead they are `tokens`."""
        draft, counter = self.draft, self.counter
        if not draft.merged:  # without making its part
            return [*_words(draft.text, source_of(draft), counter), *_beside(draft, counter)]
        found = [each for part in self.parts for each in part.by_source]
        joined = len(draft.text) - sum([len(part.text) for part in self.parts])
        joins = self.tokens - self.overhead - sum([each.tokens for each in found])
        return [*found, SourceWords(SEAMS, joins, joined)]


def _words(text: Text, own: str, counter: TokenCounter) -> list[SourceWords]:
    """The tokens of a text in stretches: its own words, those of files, and what is more or less where they meet."""
    tokens = counter.count(str(text))
    if not any(span.origin.kind in FROM_FILES for span in text.spans):
        return [SourceWords(own, tokens, len(text))]
    found: list[SourceWords] = []
    for source, spans in groupby(text.spans, lambda span: FILES if span.origin.kind in FROM_FILES else own):
        words = "".join([span.text for span in spans])
        found.append(SourceWords(source, counter.count(words), len(words)))
    return [*found, SourceWords(SEAMS, tokens - sum([each.tokens for each in found]), 0)]


def _beside(draft: Draft, counter: TokenCounter) -> list[SourceWords]:
    """The tokens of what a message has beside its words: calls, files."""
    tokens = counter.count_draft(draft) - counter.message_tokens - counter.count(str(draft.text))
    source = TOOLS if draft.calls else FILES if draft.assets else source_of(draft) if tokens else ""
    return [SourceWords(source, tokens, 0)] if tokens else []


@dataclass(frozen=True, eq=False)
class Prompt:
    """The messages that a run sends, part by part, and what a request has beside them.

    `tools_tokens` are those of the definitions of tools, `overhead_tokens` what the wire format adds once; with those
    of all messages they are `tokens`. `budget` and `reserve` are tokens, None and 0 where nothing limits the prompt.
    """

    messages: tuple[PromptMessage, ...]
    tools_tokens: int
    overhead_tokens: int
    budget: int | None = None
    reserve: int = 0

    def __repr__(self) -> str:
        return f"Prompt({counted(len(self.messages), 'message')}, {counted(self.tokens, 'token')})"

    def _repr_html_(self) -> str:
        rows = ([row[name] for name in COLUMNS if name not in ("start", "end")] for row in self._rows())
        return heading(self) + html_table([name for name in COLUMNS if name not in ("start", "end")], rows, of="parts")

    @property
    def parts(self) -> Iterator[PromptPart]:
        """The parts of all messages, in the order in which they are sent."""
        return (part for message in self.messages for part in message.parts)

    @cached_property
    def tokens(self) -> int:
        """Tokens of the prompt; equals `trace.tokens`."""
        return self.tools_tokens + self.overhead_tokens + sum(message.tokens for message in self.messages)

    @cached_property
    def tokens_by_source(self) -> dict[str, int]:
        """Tokens by source in the order in which a budget is read, then `free` and `reserve` where there is a budget.

        What is not there has no entry; without the last two they add up to `tokens`.
        """
        found = Counter[str]()
        for each in self._words():
            found[each.source] += each.tokens
        if self.budget is not None:
            found["free"], found["reserve"] = self.budget - self.tokens, self.reserve
        return {source: found[source] for source in PARTS if found[source]}

    @cached_property
    def characters_by_source(self) -> dict[str, int]:
        """Characters of the messages by source, in the same order."""
        found = Counter[str]()
        for each in self._words():
            found[each.source] += each.characters
        return {source: found[source] for source in PARTS if found[source]}

    def _words(self) -> Iterator[SourceWords]:
        yield SourceWords(TOOLS, self.tools_tokens, 0)
        yield SourceWords(OVERHEAD, self.overhead_tokens + sum([message.overhead for message in self.messages]), 0)
        for message in self.messages:
            yield from message.by_source

    def frame(self) -> pd.DataFrame:
        """One row a part of a message in the order in which they are sent.

        `number` counts messages from 0, `part` the parts of one. `tokens` are without the overhead of its message,
        `start` and `end` its characters in the message's text.
        """
        return frame_of(self._rows(), COLUMNS)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for number, message in enumerate(self.messages):
            for n, part in enumerate(message.parts):
                yield {
                    "number": number,
                    "part": n,
                    "role": message.role,
                    "key": part.key,
                    "source": part.source,
                    "placed": part.placed,
                    "tokens": part.tokens,
                    "start": part.start,
                    "end": part.end,
                    "text": str(part.text),
                }


def source_of(draft: Draft) -> str:
    """The source under which the words of a message are counted, an entry of `trace.budget()`."""
    place = draft.placement
    is_profile = place is not None and place.kind == "template" and place.anchor in PERSONAS
    return _source(draft.role, draft.origin, is_profile=is_profile)


def _source(role: str, origin: Origin, *, is_profile: bool = False) -> str:
    if role == "tool":
        return TOOLS
    if origin.kind == "preset":
        return "profile" if is_profile else "system" if role == "system" else "presets"
    source = BY_NAME[OF_KIND.get(origin.kind, OVERHEAD)]
    return source.parts[0] if source.parts else OVERHEAD
