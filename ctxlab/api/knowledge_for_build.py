"""The knowledge that a build may search: bases that are given, and those of the library that the agent names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

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

    settings = _stored(agent, "knowledgeSettings")
    return KnowledgeRetriever(bases, cache=cache_of_process() if settings.get("enableCache") is True else None)


def _named(agent: Agent | None, held: Sequence[KnowledgeBase]) -> Sequence[KnowledgeBase]:
    """The bases that an agent binds, by id or by name; of one id the last, and all where it says nothing of bases."""
    last = {base.id: base for base in held}
    own = [base for base in held if last[base.id] is base]
    config = _stored(agent, "knowledgeBaseConfig")
    if not config:
        return own
    bindings: Any = config.get("bindings")
    rows = [cast("Mapping[str, Any]", row) for row in bindings or () if isinstance(row, Mapping)]
    names = {row.get(key) for row in rows for key in ("kbId", "kbName")}
    return [base for base in own if base.id in names or base.name in names]


def _stored(agent: Agent | None, field: str) -> Mapping[str, Any]:
    """A field of an agent as its file has it; empty where it has none."""
    found: Any = agent.to_data().get(field) if agent is not None else None
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
