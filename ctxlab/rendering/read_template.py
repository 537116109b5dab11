"""A template, a file or a model as something that can be rendered for."""

from __future__ import annotations

import os
from dataclasses import replace

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.instruct import InstructPreset, read_instruct_preset
from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.local_models import LocalModel, local_model

BEGIN, END = "<s>", "</s>"
"""Tokens at the beginning and the end that a template alone gets, since its model isn't known."""


def read_template(
    source: LocalModel | JinjaTemplate | InstructPreset | os.PathLike[str] | str,
) -> LocalModel | InstructPreset:
    """The model or the preset of a template or of a path; each of them as it is. Raises as `local_model` does."""
    if isinstance(source, LocalModel | InstructPreset):
        return source
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    tokens = FrozenDict({"bos_token": BEGIN, "eos_token": END})
    if isinstance(source, JinjaTemplate):
        return LocalModel(source.name, FrozenDict({"default": source}), special_tokens=tokens)
    if source.lower().endswith(".json"):
        try:
            return read_instruct_preset(source)
        except (BrokenFile, UnknownFormat):
            pass  # a model's file, or one that is told of below
    found = local_model(source)
    is_template_alone = found.templates and not found.special_tokens and found.vocabulary is None
    return replace(found, special_tokens=tokens) if is_template_alone else found
