"""The price of tokens that are read anew."""

from __future__ import annotations

from ctxlab.providers.cost import price_of
from ctxlab.recordings.prefix.reported import is_marked
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.request_price import provider_of, share_for_an_hour


def price_of_reading_anew(request: RecordedRequest, kept: int, lost: int, tokens: int) -> float | None:
    """Dollars more than if `lost` tokens behind `kept` ones had been read from the cache; None where no price is known.

    Where the vendor keeps what marks ask for, they are written to the cache anew, for five minutes or for an hour.
    """
    if not lost:
        return 0.0
    tokens = max(tokens, kept + lost)
    now, could = (_price(request, tokens, cached) for cached in (kept, kept + lost))
    return max(0.0, now - could) if now is not None and could is not None else None


def _price(request: RecordedRequest, tokens: int, cached: int) -> float | None:
    """Dollars for a prompt of which so much is read from the cache."""
    written = tokens - cached if is_marked(request) else 0
    hour = round(written * share_for_an_hour(request))
    found = price_of(request.model, provider_of(request), tokens, cached, written, hour=hour)
    return found[0] if found is not None else None
