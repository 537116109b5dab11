"""The price of a prompt compared with another one's, or with a sum."""

from __future__ import annotations

from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import payload
from ctxlab.testing.context_assertions.expectation import Finding


def compare_prices(trace: Trace, other: Trace | float, *, provider: str | None, model: str | None) -> Finding:
    """Whether a prompt costs less, uncached; None where no price is known."""
    if isinstance(other, Trace) and provider is None and model is None and trace.start.input.model is None:
        return _fewer_tokens(trace, other)
    mine, name = _price(trace, provider, model)
    theirs, other_name = _price(other, provider, model) if isinstance(other, Trace) else (float(other), "")
    for usd, of in ((mine, name), (theirs, other_name)):
        if usd is None:
            return Finding(None, f"no price is known of {of or 'this model'}; provider= and model= name another one")
    assert mine is not None
    assert theirs is not None
    return Finding(mine < theirs, f"it costs ${mine:.6f} ({name}), the other ${theirs:.6f}")


def _fewer_tokens(trace: Trace, other: Trace) -> Finding:
    words = f"it has {counted(trace.tokens, 'token')}, the other {other.tokens:,}; no model is named, so tokens count"
    return Finding(trace.tokens < other.tokens, words)


def _price(trace: Trace, provider: str | None, model: str | None) -> tuple[float | None, str]:
    request = payload(trace, provider, model=model)
    return request.cost().input_usd, f"{request.provider.name} {request.model.name}"
