"""The price of tokens that are read anew."""

from __future__ import annotations

from ctxlab.providers.cost import PRICED_AS, price_of
from ctxlab.recordings.prefix.lifetimes import vendor_in
from ctxlab.recordings.prefix.reported import is_marked
from ctxlab.recordings.recorded_request import RecordedRequest


def price_of_reading_anew(request: RecordedRequest, kept: int, lost: int, tokens: int) -> float | None:
    """Dollars more than if `lost` tokens behind `kept` ones had been read from the cache; None where no price is known.

    Where the vendor keeps what marks ask for, they are written to the cache anew.
    """
    if not lost:
        return 0.0
    vendor = PRICED_AS.get(vendor_in(request))
    tokens = max(tokens, kept + lost)
    is_written = is_marked(request)
    now = price_of(request.model, vendor, tokens, kept, tokens - kept if is_written else 0)
    could = price_of(request.model, vendor, tokens, kept + lost, tokens - kept - lost if is_written else 0)
    return max(0.0, now[0] - could[0]) if now is not None and could is not None else None
