"""From a file of any format that is read to one of any that is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ctxlab.documents import Agent, Session
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError, WriteError, did_you_mean
from ctxlab.formats.agent_zip import agent_zip_bytes
from ctxlab.formats.agents import agents_json, agents_yaml, books_of, exported_agents
from ctxlab.formats.exported import Export
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.markdown_branch import branch_markdown, path_markdown
from ctxlab.formats.markdown_tree import tree_markdown
from ctxlab.formats.one_branch import branch_json
from ctxlab.formats.openai_export import openai_messages
from ctxlab.formats.session_zip import zip_bytes
from ctxlab.formats.sillytavern.card_writing import card_data, card_json, card_png
from ctxlab.formats.sillytavern.chat_export import chat_jsonl
from ctxlab.formats.sillytavern.entry_fields import BookForm
from ctxlab.formats.sillytavern.lorebooks import lorebook_json
from ctxlab.formats.sillytavern.preset_writing import preset_data, preset_json
from ctxlab.formats.worldbooks import book_of
from ctxlab.formats.writing import session_json

Written = tuple[bytes, list[Loss]]
Writer = Callable[[Import, int | str | None], Written]

ENDINGS: tuple[tuple[str, str], ...] = (
    (".agent.json", "agents"),
    (".agent.yaml", "agents-yaml"),
    (".agent.yml", "agents-yaml"),
    (".agent.zip", "agents-zip"),
    (".card.json", "card"),
    (".preset.json", "preset"),
    (".png", "card-png"),
    (".tree.md", "markdown-tree"),
    (".path.md", "markdown-path"),
    (".openai.json", "openai"),
    (".branch.json", "branch"),
    (".character_book.json", "character-book"),
    (".lorebook.json", "lorebook"),
    (".worldbook.json", "worldbook"),
    (".json", "seed"),
    (".md", "markdown"),
    (".markdown", "markdown"),
    (".zip", "zip"),
    (".jsonl", "sillytavern-chat"),
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
        return session_json(chosen.sessions[0]), _books(found)
    stored = {
        "sessions": [{"nodes": {}, **session.to_data()} for session in chosen.sessions],
        "agents": [{"presetMessages": [], **agent.to_data()} for agent in chosen.agents],
        "users": [{"id": user.id, "name": user.name, "content": "", **user.to_data()} for user in chosen.users],
    }
    try:
        return as_json({key: values for key, values in stored.items() if values}, indent=2), _books(found)
    except ValueError as error:
        raise WriteError("the sessions hold data nested too deeply to be written") from error


def _zip(found: Import, pick: int | str | None) -> Written:
    chosen = _chosen(found, pick)
    return zip_bytes(chosen.sessions, agents=chosen.agents, users=chosen.users), _books(found)


def _books(found: Import) -> list[Loss]:
    """A loss for each book, in a form that has no place for them."""
    remedy = "has no place here; left out: write it as a file of its own, such as .lorebook.json"
    return [Loss(f"book {book.book_id!r}", remedy) for book in found.books]


def _agents_json(found: Import, pick: int | str | None) -> Written:
    export, losses = _exported(found, pick)
    return agents_json(export), losses


def _agents_yaml(found: Import, pick: int | str | None) -> Written:
    export, losses = _exported(found, pick)
    return agents_yaml(export), losses


def _exported(found: Import, pick: int | str | None) -> tuple[dict[str, Any], list[Loss]]:
    losses = _only_agents(found, pick)
    export = exported_agents(_agents_of(found, pick), books=found.books)
    return export.data, [*losses, *export.losses]


def _agents_zip(found: Import, pick: int | str | None) -> Written:
    losses = _only_agents(found, pick)
    export = agent_zip_bytes(_agents_of(found, pick), books=found.books, files=found.files)
    return export.data, [*losses, *export.losses]


def _agents_of(found: Import, pick: int | str | None) -> tuple[Agent, ...]:
    """The agents, or those that the messages of one session name."""
    agents = found.agents if pick is None else _named(found.pick(pick), found)
    if not agents:
        raise ReadError(f"{found.source} holds no agent{'' if pick is None else f' that session {pick!r} names'}")
    return agents


def _only_agents(found: Import, pick: int | str | None) -> list[Loss]:
    """A loss for what has no place in a file of agents."""
    held = {"sessions": found.sessions, "users": found.users, "rules": found.rules}
    losses = [Loss(what, f"{len(values)} have no place here; left out") for what, values in held.items() if values]
    unnamed = len(found.books) - len(books_of(found.agents, found.books))
    return [*losses, *([Loss("books", f"{unnamed} are named by no agent; left out")] if unnamed else [])]


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


def _card(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    book = next(iter(books_of([agent], found.books)), None)
    return card_json(agent, book=book), list(card_data(agent, book=book).losses)


def _card_png(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    book = next(iter(books_of([agent], found.books)), None)
    plain = Loss("picture", "a plain one is made; write_card(agent, path, picture=...) puts the card into yours")
    return card_png(agent, book=book), [plain, *card_data(agent, book=book).losses]


def _preset(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    return preset_json(agent), list(preset_data(agent).losses)


def _one_agent(found: Import, pick: int | str | None) -> Agent:
    """The only agent, or the one of this index, id or name."""
    if not found.agents:
        raise ReadError(f"{found.source} holds no agent")
    if pick is None and len(found.agents) == 1:
        return found.agents[0]
    for index, agent in enumerate(found.agents):
        if pick is not None and pick in (index, agent.id, agent.shown_name):
            return agent
    known = ", ".join(repr(agent.id) for agent in found.agents[:8])
    asked = "say which with pick=" if pick is None else f"none of them is {pick!r}"
    raise ReadError(f"{found.source} holds {len(found.agents)} agents: {known}; {asked}")


def _worldbook(found: Import, pick: int | str | None) -> Written:
    return book_of(found, pick).to_json(), _beside_books(found)


def _lorebook(found: Import, pick: int | str | None, form: BookForm) -> Written:
    return lorebook_json(book_of(found, pick), form=form), _beside_books(found)


def _beside_books(found: Import) -> list[Loss]:
    """What else was there; other books are left out because one was asked for."""
    held = {"session": found.sessions, "agent": found.agents, "user": found.users, "set of rules": found.rules}
    return [Loss(f"{one} {value.id!r}", "no lorebook; left out") for one, values in held.items() for value in values]


def _chat(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    agent = _agent_of(session, found.agents)
    names = {
        "character_name": agent.shown_name if agent else "",
        "user_name": found.users[0].shown_name if found.users else "",
    }
    export = chat_jsonl(session, **{key: name for key, name in names.items() if name})
    return export.data, [*_agents(session, found), *export.losses]


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
        "agents": _agents_json,
        "agents-yaml": _agents_yaml,
        "agents-zip": _agents_zip,
        "card": _card,
        "card-png": _card_png,
        "preset": _preset,
        "worldbook": _worldbook,
        "lorebook": lambda found, pick: _lorebook(found, pick, "native"),
        "character-book": lambda found, pick: _lorebook(found, pick, "character_book"),
        "sillytavern-chat": _chat,
    }
)
