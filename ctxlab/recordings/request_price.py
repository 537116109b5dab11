"""The price of a recorded request by its usage, at the list prices of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.formats.requests.blocks import fields_of
from ctxlab.providers.models import vendor_of
from ctxlab.recordings.cache_marks import all_marks

if TYPE_CHECKING:
    from ctxlab.recordings.recorded_request import RecordedRequest


def usd_of(request: RecordedRequest) -> float | None:
    """Dollars for a request and its reply; None where the price of the model, input or output isn't known.

    Input is taken as read anew where the usage doesn't say what came from the cache.
    """
    from ctxlab.providers.cost import price_of

    usage = request.usage
    if usage.input is None or usage.output is None:
        return None
    written = usage.written or 0
    hour = round(written * share_for_an_hour(request))
    found = price_of(
        request.model, provider_of(request), usage.input, usage.cached or 0, written, usage.output, hour=hour
    )
    return found[0] + found[1] if found is not None else None


def vendor_in(request: RecordedRequest) -> str:
    """The vendor whose rules and prices count: that of the model's name, else that of the request."""
    return vendor_of(request.model) or request.vendor


def provider_of(request: RecordedRequest) -> str | None:
    """The name by which the table of prices knows the vendor of a request."""
    from ctxlab.wires import PROVIDERS

    return PROVIDERS.get(vendor_in(request))


def share_for_an_hour(request: RecordedRequest) -> float:
    """The share of what a request wrote to the cache that is kept for an hour: by its usage, else by its marks."""
    usage = request.usage
    if usage.written_1h is not None and usage.written:
        return min(1.0, usage.written_1h / usage.written)
    asked = [fields_of(value).get("ttl") == "1h" for value in all_marks(request)]
    return float(bool(asked) and all(asked))
