"""The model of one's own that a run was built for."""

from __future__ import annotations

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_tokenizer import TemplateTokenizer
from ctxlab.pipeline import Trace


def model_of_run(trace: Trace) -> LocalModel | None:
    """The model of one's own that a run was built for, or counts for; None where it has no template."""
    counter = trace.services.tokenizer
    if not isinstance(counter, TemplateTokenizer):
        return None
    vocabulary = None if counter.estimated else counter.words
    templates = FrozenDict({"default": counter.template})
    return LocalModel(counter.name, templates, vocabulary, FrozenDict(counter.special_tokens))
