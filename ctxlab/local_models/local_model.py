"""A model of one's own as a value: its templates, its vocabulary, and what else its files say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from ctxlab.display.html_table import heading, html_table
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import UnknownName
from ctxlab.lazy_dataclass import dataclass


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

    def __repr__(self) -> str:
        templates = f"{len(self.templates)} {'template' if len(self.templates) == 1 else 'templates'}"
        counts = "exact counts" if self.vocabulary is not None else "no vocabulary"
        window = f", {self.context_length:,} tokens" if self.context_length is not None else ""
        return f"LocalModel({self.name!r}, {templates}, {counts}{window})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(ModelFact._fields, self.facts, of="facts", cells=200)

    @property
    def adds_begin(self) -> bool:
        """Whether its vocabulary puts a token at the beginning of a prompt, as its files say, or its special tokens."""
        fact = next((each.value for each in self.facts if each.name.endswith("add_bos_token")), None)
        return bool(fact) if fact is not None else bool(self.special_tokens.get("bos_token"))

    def template(self, name: str | None = None, *, has_tools: bool = False) -> JinjaTemplate:
        """The template of a name; without one `tool_use` where there are tools, else the default, as in transformers.

        Raises UnknownName where there is none.
        """
        own = "tool_use" if has_tools and "tool_use" in self.templates else "default"
        wanted = own if name is None else name
        if wanted not in self.templates:
            known = f"; it has {', '.join(self.templates)}" if self.templates else ", and no other"
            raise UnknownName(f"{self.name} has no template {wanted!r}{known}")
        return self.templates[wanted]
