"""The tokenizer of a model: its encoding, its vendor's overhead and what its files cost."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from ctxlab.documents import Agent, ModelProfile
from ctxlab.documents.agent.named_models import own_model
from ctxlab.engines.tokens import DEFAULT_RULES, MediaRules, Overhead, Tokenizer, image_cost, read_model_name
from ctxlab.engines.tokens.model_encodings import ALIASES, ENCODINGS, ESTIMATES, ESTIMATOR
from ctxlab.providers.rates import MediaTable
from ctxlab.providers.registry import OF_WIRE, built_in


def tokenizer_for(model: str | ModelProfile | None = None) -> Tokenizer:
    """The tokenizer of a model; for no model, or one without a name, o200k_base with OpenAI's overheads.

    A string may also name an encoding ("o200k_base", "cl100k_base", "o200k_harmony") or an
    estimate ("estimator", "by-kind", "by-kind-safe"). A profile's
    `tokenizer` and `wire` beat what its name says.

    Raises WrongSetting for a profile's tokenizer that doesn't exist.

    >>> tokens = tokenizer_for("gpt-4o")
    >>> tokens.name, tokens.count("hello world"), tokens.message_tokens
    ('o200k_base', 2, 3)
    """
    if not isinstance(model, ModelProfile):
        return _for_name((model or "").strip())
    name = model.id or model.name or ""
    return Tokenizer.of_encoding(
        ALIASES.get(model.tokenizer or "", model.tokenizer) or _encoding_of(name),
        overhead_of_wire(model.wire if "wire" in model.model_fields_set else read_model_name(name).wire),
        media_rules_for(model),
    )


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
        return _rules_of_name(model or "")
    rules = _rules_of_name(model.id or model.name or "")
    stored = model.vision_token_cost or (model.capabilities or {}).get("visionTokenCost")
    cost = image_cost(stored)
    return replace(rules, image=cost) if cost else rules


def overhead_of_wire(wire: str) -> Overhead:
    """The overhead of a wire format or a provider's name; OpenAI's for one that is not known."""
    providers = built_in()
    return providers.get(OF_WIRE.get(wire, wire), providers["openai"]).rates.overhead


@lru_cache(maxsize=256)
def _for_name(name: str) -> Tokenizer:
    if name in ESTIMATES or name in ENCODINGS:
        return Tokenizer.of_encoding(name, overhead_of_wire("openai"), DEFAULT_RULES)
    return Tokenizer.of_encoding(
        _encoding_of(name), overhead_of_wire(read_model_name(name).wire), media_rules_for(name)
    )


def _encoding_of(model: str) -> str:
    return read_model_name(model).encoding or ESTIMATOR if model else "o200k_base"


def _rules_of_name(name: str) -> MediaRules:
    bare = read_model_name(name).bare
    return next((rules for pattern, rules in media_table() if re.match(pattern, bare)), DEFAULT_RULES)


@cache
def media_table() -> MediaTable:
    """The rows of all providers that come with ctxlab, each once."""
    tables = {id(provider.rates): provider.rates.media for provider in built_in().values()}
    return tuple(row for table in tables.values() for row in table)
