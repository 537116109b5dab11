"""The price of a request."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ctxlab.display.html_table import heading, html_table
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import PROVIDERS

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload

AT = datetime(2026, 11, 15, tzinfo=UTC)
"""The day for which prices are taken: there is no clock here, and the table also has those of days to come."""


_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens")
_REPLIES = ("n", "candidateCount", "candidate_count")
"""Fields of bodies that say how long a reply is at most, and how many there are."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Prices in US dollars and the tokens that they are of; None where no price is known.

    `input_usd` is what the prompt costs this time, `cached_usd` when its cached part is read again, `output_usd` the
    reply at its longest, or all of them, `most_usd` the whole at most. `as_of` is the month of the prices.
    """

    input_tokens: int
    cached_tokens: int
    written_tokens: int
    output_tokens: int | None
    input_usd: float | None
    cached_usd: float | None
    output_usd: float | None
    most_usd: float | None
    source: str = ""
    as_of: str = ""

    def __str__(self) -> str:
        if self.input_usd is None:
            return f"{self.input_tokens:,} tokens; no price is known"
        most = f", {_usd(self.most_usd)} at most with the reply" if self.most_usd is not None else ""
        return f"{self.input_tokens:,} tokens, {_usd(self.input_usd)}{most} ({self.source})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(("of", "tokens", "USD"), self.rows())

    def rows(self) -> list[tuple[str, str, str]]:
        """Prices with the tokens that they are of, as words."""
        parts = (
            ("prompt", self.input_tokens, self.input_usd),
            ("prompt, its cache read again", self.input_tokens, self.cached_usd),
            ("reply at its longest", self.output_tokens, self.output_usd),
            ("at most", None, self.most_usd),
        )
        return [
            (name, "" if tokens is None else f"{tokens:,}", "" if usd is None else _usd(usd))
            for name, tokens, usd in parts
        ]


def cost_of(payload: Payload) -> Cost:
    """The price of a request by the table of prices."""
    tokens = payload.tokens
    cached, written = _cached_tokens(payload, tokens)
    output = _output_tokens(payload)
    name = "" if _is_local(payload.url) else payload.model.name
    provider = PROVIDERS.get(payload.provider.name)
    now = price_of(name, provider, tokens, cached, written)
    again = price_of(name, provider, tokens, min(tokens, cached + written), 0)
    first = price_of(name, provider, tokens, 0, written + cached if written else 0)
    reply = price_of(name, provider, tokens, 0, 0, output) if output is not None else None
    known = None not in (now, again, first)
    highest = max(now[0], first[0]) + reply[1] if now and first and reply else None
    return Cost(
        tokens,
        cached,
        written,
        output,
        now[0] if now else None,
        again[0] if again else None,
        reply[1] if reply else None,
        highest,
        _source() if known else "",
        f"{AT:%Y-%m}" if known else "",
    )


def _is_local(url: str) -> bool:
    """Whether an address is of this machine, where nobody asks a price."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def _output_tokens(payload: Payload) -> int | None:
    """Tokens of the reply at its longest, times the number of replies, as the body asks for them."""
    body = payload.body
    config = next(
        (body[name] for name in ("generationConfig", "generation_config") if isinstance(body.get(name), dict)), {}
    )
    longest = _first_whole(body, config, _LIMITS) or payload.model.max_output_tokens
    return None if longest is None else longest * (_first_whole(body, config, _REPLIES) or 1)


def _first_whole(body: dict[str, Any], config: dict[str, Any], names: tuple[str, ...]) -> int | None:
    found = (held[name] for held in (body, config) for name in names if name in held)
    return next((value for value in found if type(value) is int and value > 0), None)


def _cached_tokens(payload: Payload, tokens: int) -> tuple[int, int]:
    """Tokens that are read from a cache, and those that are written to one, where marks say so."""
    marks = payload.marks
    if marks is None:
        return 0, 0
    read = min(marks.read_tokens, tokens)
    longest = max((mark.tokens for mark in marks.marks if mark.effective), default=0)
    return read, 0 if marks.automatic else max(0, min(longest, tokens) - read)


def price_of(
    name: str, provider: str | None, tokens: int, cached: int, written: int, output: int | None = None, *, hour: int = 0
) -> tuple[float, float] | None:
    """Dollars for the prompt and for the reply; None where no price is known.

    `hour` of the written tokens are kept in the cache for an hour, which has a price of its own, the others as usual.
    """
    from genai_prices import Usage, calc_price

    if not name:
        return None
    counts = {"input_tokens": tokens, "cache_read_tokens": cached, "cache_write_tokens": written}
    usage = Usage(**counts, output_tokens=output or 0, **({"cache_write_1h_tokens": hour} if hour else {}))
    model = name.rpartition("/")[2]
    for wanted in dict.fromkeys((name, model)):
        try:
            found = calc_price(usage, wanted, provider_id=provider, genai_request_timestamp=AT)
        except LookupError:
            continue
        return float(found.input_price), float(found.output_price)
    return None


@cache
def _source() -> str:
    from genai_prices import __version__

    return f"genai-prices {__version__}"


def _usd(value: float | None) -> str:
    return "" if value is None else f"${value:,.4f}" if value < 1 else f"${value:,.2f}"
