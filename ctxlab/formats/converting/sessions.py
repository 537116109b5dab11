"""Sessions: all of them as ctxlab stores them, or one for another program."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.documents import Session
from ctxlab.documents.stored import as_json
from ctxlab.formats.converting.agents import agent_of, named
from ctxlab.formats.converting.written import Written
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.native.branch import branch_json
from ctxlab.formats.native.session_file import session_json
from ctxlab.formats.native.session_zip import zip_bytes
from ctxlab.formats.openai.writer import openai_messages
from ctxlab.formats.sillytavern.chats.writer import chat_jsonl


def write_seed(found: Import, pick: int | str | None) -> Written:
    chosen = _chosen(found, pick)
    if len(chosen.sessions) == 1 and not chosen.agents and not chosen.users:
        return session_json(chosen.sessions[0]), _books(found)
    stored = {
        "sessions": [{"nodes": {}, **session.to_data()} for session in chosen.sessions],
        "agents": [{"presetMessages": [], **agent.to_data()} for agent in chosen.agents],
        "users": [{"id": user.id, "name": user.name, "content": "", **user.to_data()} for user in chosen.users],
    }
    return as_json({key: values for key, values in stored.items() if values}, indent=2), _books(found)


def write_zip(found: Import, pick: int | str | None) -> Written:
    chosen = _chosen(found, pick)
    return zip_bytes(chosen.sessions, agents=chosen.agents, users=chosen.users), _books(found)


def _chosen(found: Import, pick: int | str | None) -> Import:
    """All of it, or one session with the agents that its messages name; users come along."""
    if pick is None and (found.sessions or found.agents or found.users):
        return found
    session = found.pick(pick)
    return replace(found, sessions=(session,), agents=named(session, found))


def _books(found: Import) -> list[Loss]:
    """A loss for each book, in a form that has no place for them."""
    remedy = "has no place here; left out: write it as a file of its own, such as .lorebook.json"
    return [Loss(f"book {book.book_id!r}", remedy) for book in found.books]


def write_openai(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = openai_messages(session, agent=agent_of(session, found.agents))
    return as_json(export.data, indent=2), [*elsewhere(session), *export.losses]


def write_branch(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = branch_json(session)
    return as_json(export.data, indent=2), [*elsewhere(session), *left_out(session, found), *export.losses]


def write_chat(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    agent = agent_of(session, found.agents)
    names = {
        "character_name": agent.shown_name if agent else "",
        "user_name": found.users[0].shown_name if found.users else "",
    }
    export = chat_jsonl(session, **{key: name for key, name in names.items() if name})
    return export.data, [*left_out(session, found), *export.losses]


def elsewhere(session: Session) -> list[Loss]:
    """A loss when there is more in a session than the path that it looks at."""
    others = len(session) - len(session.path())
    return [Loss("the tree", f"{others} messages are on other branches; left out")] if others > 0 else []


def left_out(session: Session, found: Import) -> list[Loss]:
    """A loss for each agent of a session, in a form that has no place for them."""
    lost = "its presets and tools have no place here; left out"
    return [Loss(f"agent {agent.id!r}", lost) for agent in named(session, found)]
