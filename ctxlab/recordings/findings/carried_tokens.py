"""Counts of the requests that sent each message of a recording, and the price of a token of it over all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ctxlab.prompt import PromptPart
from ctxlab.recordings.recorded_request import RecordedRequest

if TYPE_CHECKING:
    from ctxlab.recordings.parts import ContextParts
    from ctxlab.recordings.recording import Recording

PRICED_PER = 1_000
"""Tokens of which a price is asked: few, for some vendors take more of long prompts."""


class CarriedTokens:
    """Counts of requests and sums of prices, by message and by head.

    A message costs the price of input in each request that sent it, that of cached input where the vendor reported that
    so much of the beginning was read from its cache. Each request adds at its leaf and where the cached part ends, and
    sums run up the tree once: the work grows with messages and requests, not with their product.
    """

    def __init__(self, recording: Recording, parts: ContextParts) -> None:
        tree = parts.tree
        self._tree, self._parts = tree, parts
        self._head_tokens: dict[str, int] = {}
        self.count: dict[str, int] = dict.fromkeys(tree.depth, 0)
        self._usd: dict[str, float] = dict.fromkeys(tree.depth, 0.0)
        self._unpriced: dict[str, int] = dict.fromkeys(tree.depth, 0)
        self._of_head: dict[str, list[tuple[RecordedRequest, float]]] = {}
        for request in recording.requests:
            self._add(request)
        for id in reversed([*tree.parent][1:]):
            parent = tree.parent[id]
            self.count[parent] += self.count[id]
            self._unpriced[parent] += self._unpriced[id]
            self._usd[parent] += self._usd[id]

    def _add(self, request: RecordedRequest) -> None:
        leaf = request.leaf if request.leaf in self._tree.parent else ""
        cached = self._cached_tokens(request, leaf)
        self._of_head.setdefault(request.head.id, []).append((request, cached))
        self.count[leaf] += 1
        prices = price_of_input(request)
        if prices is None:
            self._unpriced[leaf] += 1
            return
        plain, again = prices
        self._usd[leaf] += plain
        self._usd[self._tree.last_within(leaf, cached - self._tokens_of_head(request))] += again - plain

    def _cached_tokens(self, request: RecordedRequest, leaf: str) -> float:
        """Tokens of our count, from the beginning, that were read from the cache."""
        usage, ours = request.usage, self._tokens_of_head(request) + self._tree.tokens[leaf]
        if not usage.cached or not usage.input:
            return 0.0
        if request.whole:
            return ours * min(1.0, usage.cached / usage.input)
        return float(max(0, ours - (usage.input - usage.cached)))

    def _tokens_of_head(self, request: RecordedRequest) -> int:
        head = request.head
        if head.id not in self._head_tokens:
            self._head_tokens[head.id] = sum(part.tokens for part in self._parts.of_head(head))
        return self._head_tokens[head.id]

    def usd(self, message: str, tokens: int) -> float | None:
        """Dollars for so many tokens of a message over all requests; None where the price of one isn't known."""
        return None if self._unpriced[message] or not self.count[message] else self._usd[message] * tokens

    def of_head(self, head: str) -> int:
        """Number of requests that had a head."""
        return len(self._of_head.get(head, ()))

    def usd_of_head(self, head: str, parts: Sequence[PromptPart], wanted: Iterable[PromptPart]) -> float | None:
        """Dollars for some parts of a head, over all its requests; None where the price of one isn't known."""
        chosen = {id(part) for part in wanted}
        ends, sums, end = list[int](), [0], 0
        for part in parts:
            end += part.tokens
            if id(part) in chosen:
                ends.append(end)
                sums.append(sums[-1] + part.tokens)
        usd = 0.0
        for request, cached in self._of_head.get(head, ()):
            prices = price_of_input(request)
            if prices is None:
                return None
            read = sums[bisect_right(ends, cached)]
            usd += read * prices[1] + (sums[-1] - read) * prices[0]
        return usd

    def __repr__(self) -> str:
        return f"CarriedTokens({len(self.count) - 1} messages)"


def price_of_input(request: RecordedRequest) -> tuple[float, float] | None:
    """Dollars for a token of input and for one that is read from the cache; None where no price is known."""
    return _prices(request.model, request.vendor)


@cache
def _prices(model: str, vendor: str) -> tuple[float, float] | None:
    from ctxlab.providers.cost import price_of
    from ctxlab.wires import PROVIDERS

    if not model:
        return None
    provider = PROVIDERS.get(vendor)
    plain, again = (price_of(model, provider, PRICED_PER, cached, 0) for cached in (0, PRICED_PER))
    return None if plain is None or again is None else (plain[0] / PRICED_PER, again[0] / PRICED_PER)
