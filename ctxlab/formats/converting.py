"""From a file of any format that is read to one of any that is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ctxlab.documents import Agent, Session
from ctxlab.documents.stored import as_json
from ctxlab.errors import WriteError, did_you_mean
from ctxlab.formats.exported import Export
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.markdown_branch import branch_markdown, path_markdown
from ctxlab.formats.markdown_tree import tree_markdown
from ctxlab.formats.one_branch import branch_json
from ctxlab.formats.openai_export import openai_messages
from ctxlab.formats.session_zip import zip_bytes
from ctxlab.formats.writing import session_json

Written = tuple[bytes, list[Loss]]
Writer = Callable[[Import, int | str | None], Written]

ENDINGS: tuple[tuple[str, str], ...] = (
    (".tree.md", "markdown-tree"),
    (".path.md", "markdown-path"),
    (".openai.json", "openai"),
    (".branch.json", "branch"),
    (".json", "seed"),
    (".md", "markdown"),
    (".markdown", "markdown"),
    (".zip", "zip"),
)
"""Ends of file names, the longest first, with the format that they ask for."""


def writer_for(name: str, format: str | None) -> Writer:
    """The writer of a format, or of what a file's name asks for."""
    if format is None:
        format = next((found for ending, found in ENDINGS if name.lower().endswith(ending)), None)
        if format is None:
            known = ", ".join(ending for ending, _ in ENDINGS)
            raise WriteError(f"{name!r} doesn't say what to write; end it in one of {known}, or say format=")
    if format not in WRITERS:
        raise WriteError(f"nothing is written as {format!r}{did_you_mean(format, list(WRITERS))}")
    return WRITERS[format]


def refuse_same(in_path: str | os.PathLike[str], out_path: str | os.PathLike[str]) -> None:
    source, target = Path(in_path).expanduser(), Path(out_path).expanduser()
    if target.exists() and source.exists() and target.samefile(source):
        raise WriteError(f"{os.fspath(out_path)} is the file that is read; give another name")


# --- one writer a format


def _seed(found: Import, pick: int | str | None) -> Written:
    chosen = _chosen(found, pick)
    if len(chosen.sessions) == 1 and not chosen.agents and not chosen.users:
        return session_json(chosen.sessions[0]), []
    stored = {
        "sessions": [{"nodes": {}, **session.to_data()} for session in chosen.sessions],
        "agents": [{"presetMessages": [], **agent.to_data()} for agent in chosen.agents],
        "users": [{"id": user.id, "name": user.name, "content": "", **user.to_data()} for user in chosen.users],
    }
    try:
        return as_json({key: values for key, values in stored.items() if values}, indent=2), []
    except ValueError as error:
        raise WriteError("the sessions hold data nested too deeply to be written") from error


def _zip(found: Import, pick: int | str | None) -> Written:
    chosen = _chosen(found, pick)
    return zip_bytes(chosen.sessions, agents=chosen.agents, users=chosen.users), []


def _chosen(found: Import, pick: int | str | None) -> Import:
    """All of it, or one session with the agents that its messages name; users come along."""
    if pick is None and (found.sessions or found.agents or found.users):
        return found
    session = found.pick(pick)
    return replace(found, sessions=(session,), agents=_named(session, found))


def _openai(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = openai_messages(session, agent=_agent_of(session, found.agents))
    return as_json(export.data, indent=2), [*_elsewhere(session), *export.losses]


def _branch(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = branch_json(session)
    return as_json(export.data, indent=2), [*_elsewhere(session), *_agents(session, found), *export.losses]


def _markdown(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    agent = _agent_of(session, found.agents)
    people = (*found.agents, *found.users)
    presets = [preset for preset in agent.preset_messages if preset.enabled] if agent else []
    tools = [Loss(f"agent {agent.id!r}", "its tool definitions are left out")] if agent and agent.tools else []
    export = branch_markdown(session, presets=presets, people=people)
    return _text(export, session, [*_elsewhere(session), *tools])


def _markdown_path(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = path_markdown(session, people=(*found.agents, *found.users))
    return _text(export, session, [*_elsewhere(session), *_agents(session, found)])


def _markdown_tree(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    return _text(tree_markdown(session, people=(*found.agents, *found.users)), session, _agents(session, found))


def _text(export: Export[str], session: Session, losses: Iterable[Loss]) -> Written:
    named = sum(len(node.attachments or ()) for node in session.nodes.values())
    files = [Loss("attachments", f"{named} are named at most, not contained")] if named else []
    return export.data.encode(), [*losses, *export.losses, *files]


def _elsewhere(session: Session) -> list[Loss]:
    """A loss when there is more in a session than the path that it looks at."""
    others = len(session) - len(session.path())
    return [Loss("the tree", f"{others} messages are on other branches; left out")] if others > 0 else []


def _agents(session: Session, found: Import) -> list[Loss]:
    """A loss for each agent of a session, in a form that has no place for them."""
    named = _named(session, found)
    return [Loss(f"agent {agent.id!r}", "its presets and tools have no place here; left out") for agent in named]


def _named(session: Session, found: Import) -> tuple[Agent, ...]:
    """The agents that a session's messages name."""
    ids = {node.agent_id for node in session.nodes.values()}
    return tuple(agent for agent in found.agents if agent.id in ids)


def _agent_of(session: Session, agents: tuple[Agent, ...]) -> Agent | None:
    """The agent that the newest message of the path with one names, else the only one."""
    named = next((node.agent_id for node in reversed(session.path()) if node.agent_id), None)
    found = next((agent for agent in agents if agent.id == named), None)
    return found or (agents[0] if len(agents) == 1 else None)


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "seed": _seed,
        "openai": _openai,
        "markdown": _markdown,
        "markdown-path": _markdown_path,
        "markdown-tree": _markdown_tree,
        "branch": _branch,
        "zip": _zip,
    }
)
