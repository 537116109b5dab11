"""The prefix of each request of a recording, at a cost that grows with what is new."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.formats.requests.blocks import fields_of, kind_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.prefix.causes import Break, Prompt, break_between
from ctxlab.recordings.prefix.earlier import Earlier
from ctxlab.recordings.prefix.lifetimes import asked_lifetime, least_tokens, rules_of, seconds_between
from ctxlab.recordings.prefix.new_tokens import new_tokens
from ctxlab.recordings.prefix.prices import price_of_reading_anew
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.prefix.reported import is_all_of, reported_of
from ctxlab.recordings.prefix.request_prefix import (
    BROKEN,
    PrefixCause,
    PrefixState,
    ReportedPrefix,
    RequestPrefix,
)
from ctxlab.recordings.prefix.vendor_counts import VendorCounts
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.secrets import masked_beginning
from ctxlab.wires import WIRES

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording

OF_THE_VENDOR = (
    "The thoughts in message {number:,} were sent, but by its rules OpenAI reads those of a turn no more once the user "
    "has spoken again."
)


class Analysis:
    """The prompts of a recording; a what-if has its own `tree` and `heads`."""

    def __init__(self, recording: Recording, tree: PromptTree, heads: HeadReader) -> None:
        self.recording, self.tree, self.heads = recording, tree, heads
        self._count = recording.parts.tokenizer.count
        self._measures = VendorCounts(tree, heads)

    def prefixes(self) -> Iterator[RequestPrefix]:
        """The prefix of each request, in order."""
        requests = self.recording.requests
        for request in requests:
            self.tree.place_of(request)
        earlier = Earlier(self.tree, self.heads)
        newest: dict[str, RecordedRequest] = {}
        lifetimes: dict[str, int] = {}
        for request in requests:
            before = newest.get(request.agent)
            asked = lifetimes.get(request.agent)
            best = earlier.best(request) if self._is_known(request) else (None, 0)
            yield self._prefix(request, before, asked, best)
            own = asked_lifetime(request)
            if own is not None:
                lifetimes[request.agent] = own
            if request.error and request.reply is None and not request.usage:
                continue  # it was refused, so that nothing of it was kept
            newest[request.agent] = request
            self._measures.add(request)
            if self._is_known(request):
                earlier.add(request)

    def prompt(self, request: RecordedRequest) -> Prompt:
        """A request as its head and its place."""
        compacted = request.compaction is not None
        return Prompt(self.heads.head(request.head), self.tree.place_of(request), compacted)

    def tokens(self, request: RecordedRequest) -> int:
        """All tokens of a request, as they are counted here."""
        return self.heads.head(request.head).tokens[-1] + self.tree.tokens[self.tree.place_of(request)]

    def _is_known(self, request: RecordedRequest) -> bool:
        """Whether the log has what was sent: some have replies alone, and some prompts are held by the vendor."""
        return request.leaf in request.tree.sent and not self.heads.head(request.head).held

    def _prefix(
        self,
        request: RecordedRequest,
        before: RecordedRequest | None,
        asked: int | None,
        best: tuple[RecordedRequest | None, int],
    ) -> RequestPrefix:
        total = self.tokens(request)
        if before is None:
            reported = reported_of(request, None, None, None)
            return RequestPrefix(request, None, 0, 0, total, "first", *best, reported=reported)
        seconds = seconds_between(before, request)
        rules = rules_of(request)
        least = asked or rules.lifetime_seconds
        lifetime = asked or rules.longest_seconds or rules.lifetime_seconds
        reported = reported_of(request, before, seconds, least)
        if not (self._is_known(request) and self._is_known(before)):
            return RequestPrefix(
                request, before, 0, 0, total, "unknown", *best, None, reported, 0, None, seconds, lifetime
            )
        found = self.common(before, request)
        if found.is_another_conversation:
            return RequestPrefix(
                request, None, found.tokens, found.characters, total, "first", *best, None, reported, 0, None, seconds
            )
        read = self._read(request, before, found, reported, late=_is_over(seconds, lifetime))
        cause, also = found.cause, None
        if request.model != before.model:
            cause, also = _of_models(before, request), cause
        return RequestPrefix(
            request, before, found.tokens, found.characters, total, read.state, *best, cause, reported, read.lost,
            _price(request, read.lost, read, total), seconds, lifetime, read.expected, also,
            read.unexplained, _price(request, read.unexplained, read, total),
        )  # fmt: skip

    def common(self, before: RecordedRequest, request: RecordedRequest) -> Break:
        """The common beginning of two requests, with what the vendor leaves out by itself."""
        old, new = self.prompt(before), self.prompt(request)
        found = break_between(old, new, self.tree, self._count)
        if found.cause is None and WIRES[request.wire].in_items and old.place != new.place:
            return self._without_thoughts(old, new, found)
        return found

    def _without_thoughts(self, old: Prompt, new: Prompt, found: Break) -> Break:
        """The common beginning where the user has spoken again: thoughts of the turn before are left out."""
        tree = self.tree
        at, spoken = new.place, False
        while tree.depth[at] > tree.depth[old.place]:
            spoken = spoken or self._speaks(at)
            at = tree.parent[at]
        if not spoken:
            return found
        first: int | None = None
        while at and not self._speaks(at):
            if self._thinks(at):
                first = at
            at = tree.parent[at]
        if first is None:
            return found
        place, head = tree.parent[first], old.head
        sentence = OF_THE_VENDOR.format(number=tree.depth[first])
        message = tree.messages[first]
        part = next((p for p in message.parts if p.source == "reasoning"), None) if message is not None else None
        cause = PrefixCause(
            "left out", sentence, part, None, 0, masked_beginning(part.text, 40) if part is not None else ""
        )
        tokens, characters = head.tokens[-1] + tree.tokens[place], head.characters[-1] + tree.characters[place]
        return Break(tokens, characters, place, 0, cause)

    def _items(self, place: int) -> tuple[Any, ...]:
        message = self.tree.messages[place]
        return message.message.items if message is not None and message.message is not None else ()

    def _speaks(self, place: int) -> bool:
        items = (fields_of(item) for item in self._items(place))
        return any(item.get("role") == "user" and kind_of(item) in ("", "message") for item in items)

    def _thinks(self, place: int) -> bool:
        return any(kind_of(item) == "reasoning" for item in self._items(place))

    def _read(
        self, request: RecordedRequest, before: RecordedRequest, found: Break, reported: ReportedPrefix, *, late: bool
    ) -> _Read:
        """The state, and what of the request before was read, in the vendor's count."""
        usage, least = request.usage, least_tokens(request) or 0
        tokens, was = usage.input or self.tokens(request), before.usage.input or self.tokens(before)
        could, cached, known = min(was, tokens), usage.cached or 0, self._measures.is_known(before, found)
        if found.cause is None and reported.state not in BROKEN and request.model == before.model and not late:
            return _Read("short" if could < least else "whole", 0 if could < least else could, 0, 0, cached)
        held = min(could, max(0, tokens - self._new_tokens(before, request, tokens)))
        common = could if found.cause is None else min(held, self._measures.common(before, found))
        common = common if common >= least else 0
        if request.model != before.model:
            return _Read("other model", 0, max(0, min(common, held) - cached) if known else None, 0, cached)
        if could < least:
            return _Read("short", 0, 0, 0, cached)
        if late:
            return _Read("expired", 0, max(0, min(common, held) - cached) if known else None, 0, cached)
        unread = self._unread(request, before, found, reported, min(common, held))
        if found.cause is None:
            return _Read("whole", could, 0, unread, cached)
        return _Read("cut", common, max(0, held - max(common, cached)) if known else None, unread, cached)

    def _new_tokens(self, before: RecordedRequest, request: RecordedRequest, tokens: int) -> int:
        """Tokens of a request that the one before had at no place, in the vendor's count if the log has all."""
        ours = self.tokens(request)
        scale = tokens / ours if request.whole and ours else 1.0
        return round(new_tokens(self.prompt(before), self.prompt(request), self.tree, self._count) * scale)

    def _unread(
        self, request: RecordedRequest, before: RecordedRequest, found: Break, reported: ReportedPrefix, common: int
    ) -> int:
        """Tokens that by the log could be read and that the vendor reports as not read; 0 within the line of reports.

        Where not all of the request before comes again, only what an earlier request had sent as a whole is counted.
        """
        cached, readable = reported.cached, reported.readable
        if reported.state not in BROKEN or cached is None or readable is None:
            return 0
        limit = min(readable, common)
        if found.cause is not None or found.place != self.tree.place_of(before):
            limit = min(limit, self._measures.measured(before, found))
        if limit < (least_tokens(request) or 0) or is_all_of(cached, limit, request):
            return 0
        return max(0, rules_of(request).whole_blocks(limit) - cached)


@dataclass(frozen=True, slots=True)
class _Read:
    """A request beside the one before: its state, tokens that could be read, were lost by a cause, went unexplained."""

    state: PrefixState
    expected: int
    lost: int | None
    unexplained: int
    cached: int


def _price(request: RecordedRequest, tokens: int | None, read: _Read, total: int) -> float | None:
    """Dollars for reading tokens anew; what was read from the cache is as usage says, else as it was expected."""
    if tokens is None:
        return None
    kept = read.expected if request.usage.cached is None else read.cached
    return price_of_reading_anew(request, kept, tokens, request.usage.input or total)


def _is_over(seconds: float | None, lifetime: int | None) -> bool:
    return seconds is not None and lifetime is not None and seconds > lifetime


def _of_models(before: RecordedRequest, request: RecordedRequest) -> PrefixCause:
    old, new = (repr(each.model[:60]) if each.model else "one that isn't named" for each in (before, request))
    return PrefixCause("model", f"Another model was asked: {new} after {old}.")
