"""Sessions to be read by people: a branch, a path, a tree."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlab.documents import Session
from ctxlab.formats.converting.agents import agent_of
from ctxlab.formats.converting.sessions import elsewhere, left_out
from ctxlab.formats.converting.written import Written
from ctxlab.formats.exported import Export
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.markdown.branch import branch_markdown, path_markdown
from ctxlab.formats.markdown.tree import tree_markdown


def write_branch(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    agent = agent_of(session, found.agents)
    people = (*found.agents, *found.users)
    presets = [preset for preset in agent.preset_messages if preset.enabled] if agent else []
    tools = [Loss(f"agent {agent.id!r}", "its tool definitions are left out")] if agent and agent.tools else []
    export = branch_markdown(session, presets=presets, people=people)
    return _text(export, session, [*elsewhere(session), *tools])


def write_path(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    export = path_markdown(session, people=(*found.agents, *found.users))
    return _text(export, session, [*elsewhere(session), *left_out(session, found)])


def write_tree(found: Import, pick: int | str | None) -> Written:
    session = found.pick(pick)
    return _text(tree_markdown(session, people=(*found.agents, *found.users)), session, left_out(session, found))


def _text(export: Export[str], session: Session, losses: Iterable[Loss]) -> Written:
    named = sum(len(node.attachments or ()) for node in session.nodes.values())
    files = [Loss("attachments", f"{named} are named at most, not contained")] if named else []
    return export.data.encode(), [*losses, *export.losses, *files]
