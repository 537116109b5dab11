"""The price of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload


@dataclass(frozen=True, slots=True)
class Cost:
    """Prices in US dollars and the tokens that they are of; None where no price is known.

    `input_usd` is what the prompt costs this time, `cached_usd` when its cached part is read again, `output_usd` the
    reply at its longest, `most_usd` the whole at most.
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


def cost_of(payload: Payload) -> Cost:
    """The price of a request by the table of prices."""
    return Cost(payload.tokens, 0, 0, None, None, None, None, None)
