"""Facts of models, from the table, a user's file and a model's profile."""

from __future__ import annotations

from ctxlab.documents import ModelProfile
from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.provider import Provider


def facts_of(model: str | ModelProfile | None, provider: Provider | None = None) -> ModelFacts:
    """The facts of a model; of no model those of the provider's usual one."""
    profile = model if isinstance(model, ModelProfile) else None
    name = (profile.id or profile.name or "") if profile else str(model or "")
    return ModelFacts(name or (provider.default_model if provider else ""))
