"""The prefix of each request of a recording, at a cost that grows with what is new."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.formats.requests.blocks import fields_of, kind_of
from ctxlab.recordings.prefix.causes import Break, Prompt, break_between
from ctxlab.recordings.prefix.earlier import Earlier
from ctxlab.recordings.prefix.lifetimes import asked_lifetime, least_tokens, rules_of, seconds_between
from ctxlab.recordings.prefix.prices import price_of_reading_anew
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.prefix.reported import reported_of
from ctxlab.recordings.prefix.request_prefix import PrefixCause, PrefixState, RequestPrefix
from ctxlab.recordings.prefix.vendor_counts import VendorCounts
from ctxlab.recordings.recorded_request import RecordedRequest

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
        state, kept, lost = self._state(request, before, found, seconds, lifetime)
        cause = found.cause
        if request.model != before.model:
            cause = _of_models(before, request)
        tokens = request.usage.input or total
        cost = price_of_reading_anew(request, kept, lost, tokens)
        return RequestPrefix(
            request, before, found.tokens, found.characters, total, state, *best, cause, reported, lost, cost, seconds,
            lifetime, kept,
        )  # fmt: skip

    def common(self, before: RecordedRequest, request: RecordedRequest) -> Break:
        """The common beginning of two requests, with what the vendor leaves out by itself."""
        old, new = self.prompt(before), self.prompt(request)
        found = break_between(old, new, self.tree, self._count)
        if found.cause is None and request.wire == "openai-responses" and old.place != new.place:
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
        cause = PrefixCause("left out", sentence, part, None, 0, part.text[:40] if part is not None else "")
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

    def _state(
        self,
        request: RecordedRequest,
        before: RecordedRequest,
        found: Break,
        seconds: float | None,
        lifetime: int | None,
    ) -> tuple[PrefixState, int, int]:
        """The state, the tokens that are read from the cache, and those that are lost, in the vendor's count."""
        could = min(before.usage.input or self.tokens(before), request.usage.input or self.tokens(request))
        least = least_tokens(request) or 0
        common = could if found.cause is None else min(could, self._measures.common(before, found))
        common = common if common >= least else 0
        if request.model != before.model:
            return "other model", 0, common
        if could < least:
            return "short", 0, 0
        if seconds is not None and lifetime is not None and seconds > lifetime:
            return "expired", 0, common
        return ("whole", could, 0) if found.cause is None else ("cut", common, could - common)


def _of_models(before: RecordedRequest, request: RecordedRequest) -> PrefixCause:
    old, new = (repr(each.model[:60]) if each.model else "one that isn't named" for each in (before, request))
    return PrefixCause("model", f"Another model was asked: {new} after {old}.")
