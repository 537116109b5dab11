"""A model of one's own as a value: its templates, its vocabulary, and what else its files say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.tokens import Tokenizer


class ModelFact(NamedTuple):
    """Something that a file of a model says; `place` is the file and the key in it."""

    name: str
    value: object
    place: str


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model as its files describe it.

    `templates` has them by name, `default` first; `vocabulary` counts exactly, None where no file has one;
    `special_tokens` by their names (`bos_token`, `eos_token`, ...); `context_length` in tokens, None where unknown.
    """

    name: str
    templates: Mapping[str, JinjaTemplate] = field(default_factory=FrozenDict)
    vocabulary: Tokenizer | None = None
    special_tokens: Mapping[str, str] = field(default_factory=FrozenDict)
    context_length: int | None = None
    facts: tuple[ModelFact, ...] = ()
