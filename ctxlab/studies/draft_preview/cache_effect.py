"""The cached prefix of the next request with and without a draft, in tokens and at the vendor's prices."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.providers.cost import price_of
from ctxlab.providers.payload import Payload, payload
from ctxlab.providers.prefix_breaks import PrefixBreak
from ctxlab.wires import PROVIDERS


@dataclass(frozen=True, slots=True)
class CacheEffect:
    """The effect of a draft on the prefix that the request before has left in a vendor's cache.

    `read_tokens` can be read from the cache with the draft, `read_tokens_without` without it, as long as the vendor
    keeps them. `same_tokens` is how far both requests begin alike, `least_tokens` the shortest prefix that the model
    caches. Prices in US dollars are of the whole prompt: `input_usd` as it would be, `kept_usd` if as much could be
    read as without the draft; None where no price is known.
    """

    vendor: str
    model: str
    same_tokens: int
    read_tokens: int
    read_tokens_without: int
    least_tokens: int | None
    breaks: tuple[PrefixBreak, ...]
    input_usd: float | None
    kept_usd: float | None

    @property
    def lost_tokens(self) -> int:
        """Tokens that could be read from the cache without the draft, and can't with it."""
        return max(0, self.read_tokens_without - self.read_tokens)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The effect in sentences; the price comes last."""
        if not self.read_tokens_without and not self.read_tokens:
            return ()
        if not self.lost_tokens:
            found = [f"{self.read_tokens:,} tokens are as in the request before: {self.vendor} may have them cached."]
        else:
            found = [f"With the draft the beginning that is cached ends at {self.same_tokens:,} tokens{self._rest}."]
            found += [f"{_name(each.key)} isn't as it was: {each.reason}." for each in self.breaks[:1]]
        if self.input_usd is not None:
            found.append(self._price(self.input_usd))
        return tuple(found)

    @property
    def _rest(self) -> str:
        if self.least_tokens is not None and self.same_tokens < self.least_tokens:
            return f", under the least of {self.least_tokens:,} that {self.model} caches"
        return f"; {self.read_tokens:,} of {self.read_tokens_without:,} can still be read" if self.read_tokens else ""

    def _price(self, usd: float) -> str:
        read = f"{self.read_tokens:,} tokens from the cache" if self.read_tokens else "nothing from the cache"
        more = usd - self.kept_usd if self.kept_usd is not None else 0.0
        extra = f", US$ {more:,.4f} more than with the prefix kept" if self.lost_tokens and more > 0 else ""
        return f"The prompt costs US$ {usd:,.4f} with {read}{extra}."


def cache_effect(without: Trace, trace: Trace, previous: Payload) -> CacheEffect | None:
    """The effect of a draft on the prefix of `previous`, the last request of its path.

    `trace` is the run with the draft, `without` the one without. None for a vendor whose caching isn't known.
    """
    was, now = _request(without, previous), _request(trace, previous)
    if was.marks is None or now.marks is None or not (now.marks.automatic or now.provider.wire == "anthropic"):
        return None
    known = {(each.key, each.step) for each in was.marks.breaks}
    read = min(now.marks.read_tokens, now.tokens)
    could = min(was.marks.read_tokens, now.tokens)
    return CacheEffect(
        now.provider.title,
        now.model.name,
        now.marks.same_tokens,
        read,
        could,
        now.model.min_cache_tokens,
        tuple(each for each in now.marks.breaks if (each.key, each.step) not in known),
        _usd(now, read),
        _usd(now, could),
    )


def _request(trace: Trace, previous: Payload) -> Payload:
    return payload(
        trace,
        previous.provider,
        model=previous.asked_model,
        parameters=previous.call,
        after=previous,
        base_url=previous.base_url,
    )


def _name(key: str) -> str:
    return key.partition(":")[2] or key or "What stands before the messages"


def _usd(request: Payload, read: int) -> float | None:
    """Dollars for the prompt with so many of its tokens read from the cache."""
    if request.provider.name not in PROVIDERS or request.cost().input_usd is None:
        return None
    written = request.cost().written_tokens
    found = price_of(request.model.name, PROVIDERS[request.provider.name], request.tokens, read, written)
    return found[0] if found is not None else None
