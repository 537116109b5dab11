"""Tokens that a vendor reads from its cache along a conversation, and the price of the prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from ctxlab.documents.moments import moment_of
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers import Payload, payload, provider_named
from ctxlab.providers.cost import price_of
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue
from ctxlab.studies.successive_builds import TurnBuild, refuse_few_turns, successive_builds
from ctxlab.wires import PROVIDERS


@dataclass(frozen=True, slots=True)
class PrefixCost:
    """Tokens that a vendor reads from its cache and those that it doesn't, and the prompt's price: means a turn.

    The vendor's rules count: the shortest prefix of the model, whole blocks, marks where it wants them, and how long a
    prefix is kept, by the messages' timestamps (without timestamps it is still there). Tokens are those of the run's
    tokenizer, prices those of the table of prices. Without a `provider` it is the one of the run's model; with one its
    columns begin with its name, so that a study may have several.
    """

    provider: str | None = None
    model: str | None = None
    turns: int = 10
    lifetime_seconds: int | None = None
    version: str = "1"

    def __post_init__(self) -> None:
        refuse_few_turns(self.turns)
        if self.provider is not None:
            if not isinstance(cast("object", self.provider), str):
                raise WrongArgument("provider is no name of one, such as 'anthropic'")
            provider_named(self.provider)

    @property
    def name(self) -> str:
        return f"prefix-cost-{self.provider}" if self.provider else "prefix-cost"

    @property
    def _begin(self) -> str:
        return f"{self.provider.replace('-', '_')}_" if self.provider else ""

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        begin, of = self._begin, f" ({self.provider})" if self.provider else ""
        return (
            ScoreColumn(f"{begin}cached_tokens", f"tokens read from the cache, a turn{of}", "tokens", "higher"),
            ScoreColumn(f"{begin}uncached_tokens", f"tokens not read from the cache, a turn{of}", "tokens", "lower"),
            ScoreColumn(f"{begin}input_usd", f"price of the prompt, a turn{of}", "usd", "lower"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        turns = list(self._turns(successive_builds(run.trace, run.at, self.turns)))
        if not turns:
            return dict.fromkeys([column.name for column in self.columns])
        prices = [price for _, _, price in turns if price is not None]
        begin = self._begin
        return {
            f"{begin}cached_tokens": sum(cached for cached, _, _ in turns) / len(turns),
            f"{begin}uncached_tokens": sum(tokens - cached for cached, tokens, _ in turns) / len(turns),
            f"{begin}input_usd": sum(prices) / len(prices) if len(prices) == len(turns) else None,
        }

    def _turns(self, builds: Iterable[TurnBuild]) -> Iterator[tuple[int, int, float | None]]:
        """Cached tokens, all tokens and the price of each turn but the first, whose cache nobody knows."""
        before: Payload | None = None
        earlier: str | None = None
        for build in builds:
            request = payload(build.trace, self.provider, model=self.model, after=before)
            if before is not None:
                lifetime = self.lifetime_seconds or request.provider.cache.lifetime_seconds
                yield self._turn(request, build, is_kept=is_kept(earlier, build.timestamp, lifetime))
            before, earlier = request, build.timestamp

    def _turn(self, request: Payload, build: TurnBuild, *, is_kept: bool) -> tuple[int, int, float | None]:
        if not is_kept:
            request = payload(build.trace, self.provider, model=self.model)
        cost = request.cost()
        cached = request.provider.cache.whole_blocks(cost.cached_tokens) if is_kept else 0
        written = cost.written_tokens + (cost.cached_tokens - cached if cost.written_tokens else 0)
        priced_as = PROVIDERS.get(request.provider.name)
        price = price_of(request.model.name, priced_as, cost.input_tokens, cached, written)
        return cached, cost.input_tokens, None if cost.input_usd is None or price is None else price[0]


def is_kept(before: str | None, now: str | None, lifetime_seconds: int | None) -> bool:
    """Whether a prefix is still in the cache; without two timestamps or a lifetime it is."""
    old, new = (moment_of(stamp) for stamp in (before, now))
    if old is None or new is None or lifetime_seconds is None:
        return True
    return (new - old).total_seconds() <= lifetime_seconds


PREFIX_COST = PrefixCost()
