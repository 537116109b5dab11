"""Requests with reminders, tools or clocks kept still, and the tokens that could have been read again then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from ctxlab.display.short_texts import counted
from ctxlab.prompt import PromptPart
from ctxlab.recordings.content_hash import hash_of
from ctxlab.recordings.frozen_names import FrozenName
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.prefix.analysis import Analysis
from ctxlab.recordings.prefix.prices import price_of_reading_anew
from ctxlab.recordings.prefix.prompt_heads import CLOCK, Change, HeadReader, PromptHead
from ctxlab.recordings.prefix.prompt_tree import ROOT, PromptTree, TreeMessage, texts_of
from ctxlab.recordings.prefix.report import FrozenPrefix
from ctxlab.recordings.prefix.request_prefix import RequestPrefix
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage
from ctxlab.recordings.request_head import RequestHead

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording

SAID: Final[dict[FrozenName, str]] = {
    "reminders": "each reminder stayed where and as it was first sent",
    "reminders-last": "all reminders stood at the end of each request",
    "tools": "each request had all tools of its agent from the start, as they were first sent",
    "tools-sorted": "the tools of each request were sorted by name",
    "clock": "the system texts had no dates and times",
}
"""The change, in words."""
REMINDER: Final = b"reminder"


def frozen_prefix(
    recording: Recording, requests: Sequence[RequestPrefix], frozen: Sequence[FrozenName]
) -> FrozenPrefix:
    """The tokens that could have been read from the cache with things kept still, beside those of what was sent."""
    parts = recording.parts
    heads = _FrozenHeads(recording, frozen) if any(name in HEADS for name in frozen) else HeadReader(parts)
    tree = _tree(parts, frozen)
    analysis = Analysis(recording, tree, heads)
    for request in recording.requests:
        tree.place_of(request)
    read = more = changed = 0
    prices: list[float | None] = []
    for each in requests:
        expected = each.expected_tokens or 0
        still = _expected(each, analysis, parts)
        if still != expected:
            changed, more = changed + 1, more + still - expected
            prices.append(_saved(each, expected, still))
        read += still
    usd = None if any(price is None for price in prices) else sum(price or 0.0 for price in prices)
    words = " and ".join(SAID[name] for name in frozen)
    what = f"{abs(more):,} {'more' if more >= 0 else 'fewer'} tokens could have been read from the cache"
    sentence = f"If {words}, {what} in {counted(changed, 'request')}."
    return FrozenPrefix(tuple(frozen), sentence, read, more, usd)


def _expected(each: RequestPrefix, analysis: Analysis, parts: ContextParts) -> int:
    """The tokens that could be read with things kept still, in the vendor's count."""
    expected = each.expected_tokens or 0
    if each.before is None or each.state not in ("whole", "cut"):
        return expected
    before, request = each.before, each.request
    found = analysis.common(before, request)
    ours, now = parts.tokens(before), analysis.tokens(before)
    could = min(before.usage.input or ours, request.usage.input or each.total_tokens)
    scale = before.usage.input / ours if before.whole and before.usage.input and ours else 1.0
    if found.cause is None and found.tokens >= min(now, analysis.tokens(request)):
        return max(0, could - round(max(0, ours - now) * scale))
    return min(could, max(0, expected + round((found.tokens - each.common_tokens) * scale)))


def _saved(each: RequestPrefix, expected: int, still: int) -> float | None:
    """Dollars that a request would have cost less, or with a minus more."""
    tokens = each.request.usage.input or each.total_tokens
    price = price_of_reading_anew(each.request, min(expected, still), abs(still - expected), tokens)
    return price if price is None or still > expected else -price


# --- heads


HEADS: Final = ("tools", "tools-sorted", "clock")


class _FrozenHeads(HeadReader):
    """Heads with their tools or system texts kept still."""

    def __init__(self, recording: Recording, frozen: Sequence[FrozenName]) -> None:
        super().__init__(recording.parts)
        self._names = frozen
        self._tools: dict[str, dict[str, PromptPart]] = {}
        self._agent: dict[str, str] = {}
        if "tools" in frozen:
            for request in recording.requests:
                agent = self._agent.setdefault(request.head.id, request.agent)
                found = self._tools.setdefault(agent, {})
                for part in recording.parts.of_head(request.head):
                    if part.source == "tools":
                        found.setdefault(part.name, part)

    def head(self, head: RequestHead) -> PromptHead:
        if head.id not in self._known:
            tools = [*self._tools.get(self._agent.get(head.id, ""), {}).values()]
            self._change = _all_of([self._change_of(name, tools) for name in self._names])
        return super().head(head)

    def _change_of(self, name: FrozenName, tools: list[PromptPart]) -> Change:
        if name == "tools":
            return lambda parts: _with_tools(parts, tools)
        if name == "tools-sorted":
            return lambda parts: _with_tools(parts, sorted(_tools_of(parts), key=lambda part: part.name))
        return (lambda parts: [_without_clock(part) for part in parts]) if name == "clock" else list


def _without_clock(part: PromptPart) -> PromptPart:
    """A system text whose dates and times stand elsewhere; its length stays, so that only what breaks counts."""
    return replace(part, text=CLOCK.sub("", part.text)) if part.source == "system" else part


def _all_of(changes: Sequence[Change]) -> Change:
    return lambda parts: reduce(lambda found, change: change(found), changes, parts)


def _tools_of(parts: Sequence[PromptPart]) -> list[PromptPart]:
    return [part for part in parts if part.source == "tools"]


def _with_tools(parts: Sequence[PromptPart], tools: Sequence[PromptPart]) -> list[PromptPart]:
    """The parts with other tools in the place of their own."""
    if not _tools_of(parts):
        return list(parts)
    at = next(number for number, part in enumerate(parts) if part.source == "tools")
    return [*parts[:at], *tools, *(part for part in parts[at:] if part.source != "tools")]


# --- messages


def _tree(parts: ContextParts, frozen: Sequence[FrozenName]) -> PromptTree:
    if "reminders-last" in frozen:
        return _WithoutReminders(parts)
    return _FirstReminders(parts) if "reminders" in frozen else PromptTree(parts)


class _ByWords(PromptTree):
    """Messages that are the same where their words without reminders are."""

    def message_of(self, message: SentMessage) -> TreeMessage:
        found = super().message_of(message)
        kept = [part for part in found.parts if part.source != "reminders"]
        if not kept and found.parts:
            return replace(found, digest=REMINDER)
        words = [(role, name, call, text.strip()) for role, name, call, text in texts_of(kept)]
        is_text = bool(kept) and all(part.source != "attachments" for part in kept)
        return replace(found, digest=hash_of(words) if is_text else found.digest)


class _WithoutReminders(_ByWords):
    """Messages without their reminders, which follow at the end."""

    def message_of(self, message: SentMessage) -> TreeMessage:
        found = super().message_of(message)
        return replace(found, parts=tuple(part for part in found.parts if part.source != "reminders"))

    def added(self, parent: int, message: TreeMessage) -> int:
        return parent if message.digest == REMINDER else super().added(parent, message)


class _FirstReminders(_ByWords):
    """Messages whose reminders stay as they were first sent."""

    def place_of(self, request: RecordedRequest) -> int:
        new, last = request.tree.new_below(request.leaf, self._places)
        place = self._places[last] if last else ROOT
        messages = [(each, self.message_of(each)) for each in new]
        for number, (own, message) in enumerate(messages):
            behind = messages[number + 1][1] if number + 1 < len(messages) else None
            place = self._places[own.id] = self._kept(place, message, behind)
        return place

    def _kept(self, place: int, message: TreeMessage, behind: TreeMessage | None) -> int:
        there = self._children.get((place, REMINDER))
        if message.digest == REMINDER:
            is_late = there is None and behind is not None and (place, behind.digest) in self._children
            return place if is_late else self.added(place, message)
        if there is not None and (place, message.digest) not in self._children:
            return self.added(there, message)
        return self.added(place, message)
