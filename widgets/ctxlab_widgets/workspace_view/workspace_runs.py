"""Runs of what a workspace keeps: a session with its agent and that one's books, a run with something else in it."""

from __future__ import annotations

from typing import Any

import ctxlab
from ctxlab import Trace
from ctxlab.documents import Agent, KnowledgeBase, RegexConfig, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.errors import CtxlabError
from ctxlab.storage.workspace import Workspace


def newest_session(workspace: Workspace) -> Session:
    """The session that was opened last, else the one that was changed last. Raises CtxlabError where there is none."""
    current = workspace.current
    found = current if current is not None else next((row.id for row in workspace.sessions(sort="updated")), None)
    if found is None:
        raise CtxlabError(f"{workspace.place} has no session yet: name one to show, or import some")
    return workspace.session(found)


def agent_of(workspace: Workspace, session: Session) -> Agent | None:
    """The agent of the newest reply on the active path, where it is kept."""
    kept = {row.id for row in workspace.values("agents")}
    found = next((node.agent_id for node in reversed(session.path()) if node.agent_id in kept), None)
    return None if found is None else workspace.load(found, kind="agents")


def run_of(workspace: Workspace, session: Session, **options: Any) -> Trace:
    """The session built with its agent, and with the books and knowledge bases that it names, where they are kept."""
    agent = agent_of(workspace, session)
    kept = {row.id for row in workspace.values("books")}
    named = [id for id in (agent.worldbook_ids if agent is not None else ()) if id in kept]
    given: dict[str, Any] = {
        "books": [workspace.load(id, kind="books") for id in named],
        "knowledge": _bases_of(workspace, agent),
        **options,
    }
    return ctxlab.build(session, agent, **given)


def _bases_of(workspace: Workspace, agent: Agent | None) -> list[KnowledgeBase]:
    """The knowledge bases bound to an agent, by id or by name."""
    config = agent.knowledge_base_config if agent is not None else None
    bound = {name for each in (config.bound if config is not None else ()) for name in (each.kb_id, each.kb_name)}
    rows = workspace.values("knowledge_bases") if bound else ()
    return [workspace.load(row.id, kind="knowledge_bases") for row in rows if bound & {row.id, row.name}]


def run_with(run: Trace, value: object) -> Trace:
    """The run again with another agent or user, or with a book or rules besides those it has."""
    given = run.start.input
    match value:
        case Agent():
            return ctxlab.rebuild(run, agent=value)
        case UserProfile():
            return ctxlab.rebuild(run, user=value)
        case Worldbook():
            others = [book for book in given.books if book.book_id != value.book_id]
            return ctxlab.rebuild(run, books=[*others, value])
        case RegexPreset():
            others = tuple(preset for preset in given.rules.presets if preset.id != value.id)
            return ctxlab.rebuild(run, rules=RegexConfig(presets=(*others, value)))
        case _:
            raise CtxlabError(f"a run takes no {type(value).__name__}")
