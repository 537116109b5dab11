"""A base asked by a text: the run that a conversation of this one message would get."""

from __future__ import annotations

import ctxlab
from ctxlab import Trace
from ctxlab.documents import Agent, KnowledgeBase, Session

LIMIT = 5
"""Pieces that are sent; the others are listed with what keeps them out."""


def query_run(base: KnowledgeBase, text: str) -> Trace:
    """The run of a message that says this, by an agent to which the base is bound."""
    id = base.id or base.shown_name
    binding = ctxlab.KnowledgeBinding(kb_id=id, kb_name=base.shown_name, limit=LIMIT)
    config = ctxlab.KnowledgeBaseConfig(enabled=True, bindings=(binding,))
    session = Session(id="query").append(text, role="user")
    return ctxlab.build(session, Agent(id="query", knowledge_base_config=config), knowledge=[base.with_(id=id)])
