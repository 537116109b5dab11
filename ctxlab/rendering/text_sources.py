"""The characters and tokens of a rendered text by source: the entries of a run's budget, and the template's own."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ctxlab.display.source_styles import OF_PART, OVERHEAD
from ctxlab.engines.chat_templates import RenderedText, Stretch
from ctxlab.engines.tokens import Tokenizer
from ctxlab.local_models.token_starts import tokens_of_stretches
from ctxlab.pipeline import Trace
from ctxlab.prompt import BuiltMessage

TEMPLATE: Final = "template"
"""The entry of characters that a template writes itself: roles, marks, texts of its own."""
UNTRACED: Final = "not traced"
"""The entry of all characters of a text that could not be traced."""
ENTRIES: Final = {"reasoning": "history", "calls": "tools", "tools": "tools"}
"""Entries of a message's fields beside its words."""


class SourcedStretch(NamedTuple):
    """Characters `start` up to `end` of a rendered text, of one message, None of none, and one entry of the budget."""

    start: int
    end: int
    message: int | None
    entry: str


def sourced_stretches(rendered: RenderedText, trace: Trace) -> list[SourcedStretch]:
    """A rendered text in stretches of one source, in order; together they are all of it."""
    if not rendered.traced:
        return [SourcedStretch(0, len(rendered.text), None, UNTRACED)] if rendered.text else []
    messages = trace.prompt.messages
    ranges: dict[int, _Ranges] = {}
    found: list[SourcedStretch] = []
    for each in rendered.stretches:
        if each.message is None or each.field not in ("content", "name"):
            entry = ENTRIES.get(each.field, TEMPLATE)
            message = each.message if entry != TEMPLATE else None
            found.append(SourcedStretch(each.start, each.end, message, entry))
            continue
        if each.message not in ranges:
            ranges[each.message] = _Ranges.of(messages[each.message])
        found += ranges[each.message].cut(each)
    return found


class _Ranges(NamedTuple):
    """The first characters of the parts of a message's text, with the entry of each."""

    starts: Sequence[int]
    entries: Sequence[str]

    @classmethod
    def of(cls, message: BuiltMessage) -> _Ranges:
        parts = sorted((part.start, part.entry) for part in message.parts if part.start is not None and part.text)
        first = next((part.entry for part in message.parts), OVERHEAD)
        return cls([0, *(start for start, _ in parts)], [parts[0][1] if parts else first, *(name for _, name in parts)])

    def cut(self, each: Stretch) -> Iterator[SourcedStretch]:
        if each.field == "name":
            yield SourcedStretch(each.start, each.end, each.message, self.entries[0])
            return
        at, end = each.offset, each.offset + each.end - each.start
        place = bisect_right(self.starts, at) - 1
        while at < end:
            to = min(end, self.starts[place + 1]) if place + 1 < len(self.starts) else end
            if to > at:
                start = each.start + at - each.offset
                yield SourcedStretch(start, start + to - at, each.message, self.entries[place])
            at, place = max(at, to), place + 1


def tokens_of(found: Sequence[SourcedStretch], text: str, counter: Tokenizer) -> list[int]:
    """Tokens of each stretch: each token is of the one that has its first character."""
    return tokens_of_stretches(counter, text, [each.start for each in found])


def budget_entries(
    found: Sequence[SourcedStretch], tokens: Sequence[int], *, room: int | None, reserve: int
) -> Mapping[str, int]:
    """Tokens by entry in the order of `trace.budget()`, then the template's, what is free of `room`, the reserve."""
    sums = Counter[str]()
    for each, count in zip(found, tokens, strict=True):
        sums[each.entry] += count
    entries = {entry: sums[entry] for entry in (*OF_PART, TEMPLATE, UNTRACED) if sums[entry]}
    if room is not None:
        entries |= {name: count for name, count in (("free", room - sum(tokens)), ("reserve", reserve)) if count}
    return entries
