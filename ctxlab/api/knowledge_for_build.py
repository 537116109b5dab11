"""The knowledge that a build may search: bases that are given, and those of the library that the agent names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ctxlab.api.sources import KnowledgeSources, knowledge_of
from ctxlab.documents import Agent, KnowledgeBase
from ctxlab.pipeline import Services

if TYPE_CHECKING:
    from ctxlab.pipeline.services import Retriever


def with_knowledge(
    services: Services, given: KnowledgeSources, agent: Agent | None, held: Sequence[KnowledgeBase]
) -> Services:
    """The services with a retriever of these bases; as they are where there is none, or where they have one already.

    A base that is given takes the place of one with its id. Without a config of its own an agent has all that is held.
    """
    chosen = knowledge_of(given)
    if not isinstance(chosen, tuple):
        return replace(services, retriever=chosen)
    ids = {base.id for base in chosen}
    bases = (*chosen, *[base for base in _named(agent, held) if base.id not in ids])
    if not bases or (services.retriever is not None and not chosen):
        return services
    return replace(services, retriever=_retriever(bases, agent))


def _retriever(bases: tuple[KnowledgeBase, ...], agent: Agent | None) -> Retriever:
    from ctxlab.knowledge.retrieval import KnowledgeRetriever
    from ctxlab.knowledge.retrieval.search_cache import cache_of_process

    settings = agent.knowledge_settings if agent is not None else None
    is_cached = settings is not None and settings.enable_cache is True
    return KnowledgeRetriever(bases, cache=cache_of_process() if is_cached else None)


def _named(agent: Agent | None, held: Sequence[KnowledgeBase]) -> Sequence[KnowledgeBase]:
    """The bases that an agent binds, by id or by name; of one id the last, and all where it says nothing of bases."""
    last = {base.id: base for base in held}
    own = [base for base in held if last[base.id] is base]
    config = agent.knowledge_base_config if agent is not None else None
    if config is None:
        return own
    names = {name for binding in config.bindings for name in (binding.kb_id, binding.kb_name) if name}
    return [base for base in own if base.id in names or base.name in names]
