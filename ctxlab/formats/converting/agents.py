"""Agents: whole, as JSON, YAML and zip; and which of them a session speaks of."""

from __future__ import annotations

from typing import Any

from ctxlab.documents import Agent, Session
from ctxlab.errors import ReadError
from ctxlab.formats.converting.written import Written
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.native.agent_zip import agent_zip_bytes
from ctxlab.formats.native.agents import agents_json, agents_yaml, books_of, exported_agents


def named(session: Session, found: Import) -> tuple[Agent, ...]:
    """The agents that a session's messages name."""
    ids = {node.agent_id for node in session.nodes.values()}
    return tuple(agent for agent in found.agents if agent.id in ids)


def agent_of(session: Session, agents: tuple[Agent, ...]) -> Agent | None:
    """The agent that the newest message of the path with one names, else the only one."""
    named = next((node.agent_id for node in reversed(session.path()) if node.agent_id), None)
    found = next((agent for agent in agents if agent.id == named), None)
    return found or (agents[0] if len(agents) == 1 else None)


def write_json(found: Import, pick: int | str | None) -> Written:
    export, losses = _exported(found, pick)
    return agents_json(export), losses


def write_yaml(found: Import, pick: int | str | None) -> Written:
    export, losses = _exported(found, pick)
    return agents_yaml(export), losses


def write_zip(found: Import, pick: int | str | None) -> Written:
    losses = _only_agents(found, pick)
    export = agent_zip_bytes(_agents_of(found, pick), books=found.books, files=found.files)
    return export.data, [*losses, *export.losses]


def _exported(found: Import, pick: int | str | None) -> tuple[dict[str, Any], list[Loss]]:
    losses = _only_agents(found, pick)
    export = exported_agents(_agents_of(found, pick), books=found.books)
    return export.data, [*losses, *export.losses]


def _agents_of(found: Import, pick: int | str | None) -> tuple[Agent, ...]:
    """The agents, or those that the messages of one session name."""
    agents = found.agents if pick is None else named(found.pick(pick), found)
    if not agents:
        raise ReadError(f"{found.source} holds no agent{'' if pick is None else f' that session {pick!r} names'}")
    return agents


def _only_agents(found: Import, pick: int | str | None) -> list[Loss]:
    """A loss for what has no place in a file of agents."""
    held = {"sessions": found.sessions, "users": found.users, "rules": found.rules}
    losses = [Loss(what, f"{len(values)} have no place here; left out") for what, values in held.items() if values]
    unnamed = len(found.books) - len(books_of(found.agents, found.books))
    return [*losses, *([Loss("books", f"{unnamed} are named by no agent; left out")] if unnamed else [])]
