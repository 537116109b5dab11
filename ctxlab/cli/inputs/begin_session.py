"""A conversation for a file that holds none: begun with the greeting of its agent, else the next step to take."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ctxlab.documents import Agent, Library, Session, UserProfile
from ctxlab.errors import ReadError

if TYPE_CHECKING:
    from ctxlab.cli.inputs.options import CommandOptions
    from ctxlab.formats import Import

OPTION_OF = {"books": "--book", "rules": "--rules", "users": "--user"}


def agent_to_begin(
    found: Import, file: Path, agent: Agent | Library | None, *, command: str = "build"
) -> Agent | Library:
    """The agent that a conversation begins with; raises ReadError with the next step where the file has none.

    It is the one that is named, where it is in this file, else the file's only one, with its books and rules. A preset
    that is named for a card, and a card that is named for a preset, are joined to it.
    """
    if not found.agents:
        raise ReadError(_next_step(found, file, command))
    if isinstance(agent, Agent) and agent in found.agents:
        return agent
    if agent is not None and (joined := _joined_with(found, agent)) is not None:
        return joined
    if agent is not None:
        raise ReadError(
            f"{file} holds no conversation, only {_held(found)}, and --agent names another agent; leave --agent out"
        )
    if len(found.agents) > 1:
        ids = ", ".join(repr(each.id) for each in found.agents[:8])
        raise ReadError(
            f"{file} holds no conversation but {len(found.agents)} agents to begin one with, {ids}; --agent says which"
        )
    return found


def _joined_with(found: Import, agent: Agent | Library) -> Library | None:
    """A card and a preset, of which one is the file and the other is named as the agent, as one agent."""
    from ctxlab import api
    from ctxlab.api.sources import is_card, is_preset

    if isinstance(agent, Agent) or {is_card(found), is_card(agent)} != {True, False}:
        return None
    return api.joined(agent, found) if is_preset(found) or is_preset(agent) else None


def begun(agent: Agent | Library, file: Path, user: UserProfile | None, options: CommandOptions | None) -> Session:
    """A session with the agent's greetings."""
    from ctxlab import api

    names = ("model", "timestamp", "zone", "seed") if options is not None else ()
    return api.begin(agent, user=user, id=file.stem, **{name: getattr(options, name) for name in names})


def how_begun(session: Session, agent: Agent | Library, file: Path) -> str:
    """A line that says that the conversation was begun, with which greeting, and how to take another."""
    speaker = agent.agent() if isinstance(agent, Library) else agent
    name = speaker.shown_name or speaker.id
    others = [
        node.id for node in session.nodes.values() if not node.is_empty_root and node.id != session.active_leaf_id
    ]
    start = f"{file.name} has no conversation in it: begun"
    if session.leaf_node is None or session.leaf_node.is_empty_root:
        return f"{start} empty, for {name} has no greeting"
    more = f"; --leaf takes another one, such as {others[0]}" if others else ""
    return f"{start} with the greeting of {name}{more}"


def _next_step(found: Import, file: Path, command: str) -> str:
    kind = next((kind for kind in OPTION_OF if getattr(found, kind)), None)
    held = _held(found)
    if kind is None:
        return f"{file} holds no conversation, {f'only {held}' if held else 'nor anything else that is read'}"
    option, name = OPTION_OF[kind], quote(str(file))
    if command == "tree":  # which draws a conversation and takes nothing besides
        command = "lore" if kind == "books" else "build"
    page = " --out page.html" if command == "report" else ""
    step = f"ctxlab {command} CHAT {option} {name}{page}, where CHAT is a conversation or a card"
    if command == "lore" and kind == "books":
        step = f"ctxlab lore --text WORDS {option} {name} looks through words; {step}"
    return f"{file} holds no conversation, only {held}; {step}"


def _held(found: Import) -> str:
    return " and ".join(found.counts())
