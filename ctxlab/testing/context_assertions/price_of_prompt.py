"""The price of a prompt compared with another one's, or with a sum."""

from __future__ import annotations

from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace
from ctxlab.providers.cost import price_of
from ctxlab.providers.models import model_for, model_info, name_of
from ctxlab.providers.payload import payload
from ctxlab.providers.registry import provider_for
from ctxlab.testing.context_assertions.expectation import Finding
from ctxlab.wires import PROVIDERS

NAME_ONE = "model= names the one whose price is meant"


def compare_prices(trace: Trace, other: Trace | float, *, provider: str | None, model: str | None) -> Finding:
    """Whether a prompt costs less, uncached; None where no model is named, or no price is known of it."""
    runs = [trace, other] if isinstance(other, Trace) else [trace]
    if isinstance(other, Trace) and provider is None and model is None and not any(map(_names_model, runs)):
        return _fewer_tokens(trace, other)
    prices: list[tuple[float, str]] = []
    for run in runs:
        found = _price(run, provider, model)
        if isinstance(found, str):
            return Finding(None, found)
        prices.append(found)
    usd, of = prices[0]
    limit, words = prices[1] if len(prices) > 1 else (float(other) if not isinstance(other, Trace) else 0.0, "")
    return Finding(usd < limit, f"it costs ${usd:.6f} ({of}), the other ${limit:.6f}{f' ({words})' if words else ''}")


def _fewer_tokens(trace: Trace, other: Trace) -> Finding:
    words = f"it has {counted(trace.tokens, 'token')}, the other {other.tokens:,}; no model is named, so tokens count"
    return Finding(trace.tokens < other.tokens, words)


def _names_model(trace: Trace) -> bool:
    """Whether a run was built for a model, or its agent's own fields ask for one."""
    return bool(name_of(trace.start.input.model) or trace.parameters.custom.get("model"))


def _price(trace: Trace, provider: str | None, model: str | None) -> tuple[float, str] | str:
    """The price of a prompt, and of what by which price; a sentence where there is none."""
    if model is None and not _names_model(trace):
        return f"the run names no model, so there is no price; {NAME_ONE}"
    info = model_info(model if model is not None else trace.start.input.model)
    _, notes = model_for(info, provider_for(provider, info), is_wanted=model is not None)
    if model is None and notes:
        return f"{notes[0].text}; {NAME_ONE}"
    request = payload(trace, provider, model=model)
    vendor, name = request.provider.name, request.model.name
    cost, tokens = request.cost(), request.tokens
    uncached = price_of(name, PROVIDERS.get(vendor), tokens, 0, 0)
    if cost.input_usd is None or uncached is None:
        return f"no price is known of {vendor} {name}; provider= and model= name another one"
    per_million = uncached[0] / tokens * 1_000_000 if tokens else 0.0
    return uncached[0], f"{counted(tokens, 'token')} for {vendor} {name} at ${per_million:g} a million, {cost.source}"
