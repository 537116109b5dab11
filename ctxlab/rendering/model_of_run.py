"""The model or the template for which a run's text is rendered."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.errors import WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_source import TemplateSource
from ctxlab.local_models.template_tokenizer import TemplateTokenizer
from ctxlab.pipeline import Trace
from ctxlab.rendering.read_template import read_template


def model_of_run(trace: Trace) -> LocalModel | None:
    """The model of one's own that a run was built for, or counts for; None where it has no template."""
    counter = trace.services.tokenizer
    return counter.model if isinstance(counter, TemplateTokenizer) else None


def reader_of(model: TemplateSource | None, template: TemplateSource | None) -> LocalModel | InstructPreset | None:
    """The model with a template in the place of its own, which it keeps where none is given; None without both.

    A string as `template` is the name of one of the model's, else a path. Of a model and a preset it is the preset.
    Raises WrongArgument for a model without any template, and as `ctxlab.local_model` does for a path.
    """
    own = read_template(model) if model is not None else None
    if template is None:
        if isinstance(own, LocalModel) and "default" not in own.templates:
            raise WrongArgument(f"{own.name} has no template, so its text isn't known: give template= too")
        return own
    if isinstance(own, LocalModel) and isinstance(template, str) and template in own.templates:
        return replace(own, templates=FrozenDict({"default": own.templates[template]}))
    given = read_template(template)
    if isinstance(given, LocalModel) and isinstance(own, LocalModel):
        special = own.special_tokens or given.special_tokens
        return replace(own, templates=FrozenDict({"default": given.template()}), special_tokens=special)
    return given
