"""The tokenizer of a model: its encoding, its vendor's overhead and what its files cost."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from ctxlab.documents import Agent, ModelProfile
from ctxlab.documents.agent.named_models import own_model
from ctxlab.engines.tokens import DEFAULT_RULES, MediaRules, Overhead, Tokenizer, image_cost, read_model_name
from ctxlab.engines.tokens.model_encodings import ENCODINGS, ESTIMATES, ModelName
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.rates import MediaTable, Rates
from ctxlab.wires import OF_WIRE


def tokenizer_for(model: str | ModelProfile | ModelInfo | None = None) -> Tokenizer:
    """The tokenizer of a model; for no model, or one without a name, o200k_base with OpenAI's overheads.

    A string may also name an encoding ("o200k_base", "cl100k_base", "o200k_harmony") or an
    estimate ("estimator", "by-kind", "by-kind-safe"). A profile's
    `tokenizer` and `wire` beat what its name says.

    Raises WrongSetting for a profile's tokenizer that doesn't exist.

    >>> tokens = tokenizer_for("gpt-4o")
    >>> tokens.name, tokens.count("hello world"), tokens.message_tokens
    ('o200k_base', 2, 3)
    """
    if isinstance(model, str) or model is None:
        return _for_name((model or "").strip(), None)
    info = model if isinstance(model, ModelInfo) else ModelInfo(model.id or model.name or "", asked=model)
    if info.profile is None:
        return _for_name(info.name, info.family)
    encoding = info.encoding if info.name or info.profile.tokenizer else "o200k_base"
    rules = _media_rules(info.profile, info.family.bare)
    return Tokenizer.of_encoding(encoding, overhead_of_wire(info.wire or info.family.wire), rules)


def tokenizer_of_run(model: ModelProfile | None, agent: Agent | None = None) -> Tokenizer:
    """The tokenizer of a run's model; without one, of the known model that the agent's file is used with."""
    return tokenizer_for(model if model is not None else counted_model(agent))


def counted_model(agent: Agent | None) -> str | None:
    """The model that an agent's file is used with, if its name tells the encoding or the vendor; else None."""
    name = own_model(agent)
    read = read_model_name(name) if name is not None else None
    return name if read is not None and (read.encoding is not None or read.wire != "openai") else None


def media_rules_for(model: str | ModelProfile | None = None) -> MediaRules:
    """The rules of a model: what its profile says of pictures, and the table's row for its name, else DEFAULT_RULES."""
    if not isinstance(model, ModelProfile):
        return _rules_of(read_model_name(model or "").bare)
    return _media_rules(model, read_model_name(model.id or model.name or "").bare)


def _media_rules(model: ModelProfile, bare: str) -> MediaRules:
    rules = _rules_of(bare)
    stored = model.vision_token_cost or (model.capabilities or {}).get("visionTokenCost")
    cost = image_cost(stored)
    return replace(rules, image=cost) if cost else rules


def overhead_of_wire(wire: str) -> Overhead:
    """The overhead of a wire format or a provider's name; OpenAI's for one that is not known."""
    rates = own_rates()
    return rates.get(OF_WIRE.get(wire, wire), rates["openai"]).overhead


@cache
def own_rates() -> dict[str, Rates]:
    """The rates of providers that come with ctxlab, by name; those that take OpenAI's form have its rates.

    They load without the rest of their providers.
    """
    from ctxlab.providers.anthropic.rates import RATES as OF_ANTHROPIC
    from ctxlab.providers.gemini.rates import RATES as OF_GEMINI
    from ctxlab.providers.openai_chat.rates import RATES as OF_OPENAI

    return {"openai": OF_OPENAI, "anthropic": OF_ANTHROPIC, "gemini": OF_GEMINI}


@lru_cache(maxsize=256)
def _for_name(name: str, family: ModelName | None) -> Tokenizer:
    if name in ESTIMATES or name in ENCODINGS:
        return Tokenizer.of_encoding(name, overhead_of_wire("openai"), DEFAULT_RULES)
    family = family or read_model_name(name)
    encoding = family.counted_by if name else "o200k_base"
    return Tokenizer.of_encoding(encoding, overhead_of_wire(family.wire), _rules_of(family.bare))


def _rules_of(bare: str) -> MediaRules:
    return next((rules for pattern, rules in media_table() if re.match(pattern, bare)), DEFAULT_RULES)


@cache
def media_table() -> MediaTable:
    """The rows of all providers that come with ctxlab, each once."""
    return tuple(row for rates in own_rates().values() for row in rates.media)
