"""Copies of agents, and the files that belong to an agent alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxlab.documents.stored import Note

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent

PRIVATE = "appdata://"
USED = ("createdAt", "lastUsedAt")
"""When an agent was made and used: not so of a copy."""


def copy_agent(agent: Agent, *, id: str, name: str) -> tuple[Agent, tuple[Note, ...]]:
    """A copy of the agent under another id and name, and notes on files that both now refer to.

    Files are named, not held, by an agent: who keeps them makes copies of them and changes the names.
    """
    copy = agent.with_(id=id, name=name).without("display_name", *USED)
    shared = tuple(private_files(agent))
    if not shared:
        return copy, ()
    named = ", ".join(shared[:3]) + (f" and {len(shared) - 3} more" if len(shared) > 3 else "")
    text = f"agent {id!r} refers to the files of {agent.id!r}: {named}; copy them and change the references"
    return copy, (Note("info", text, details={"files": shared}),)


def private_files(agent: Agent) -> Iterator[str]:
    """Paths of an agent's own files: its icon where it is private, its assets and their thumbnails."""
    found: list[object] = [agent.icon if agent.icon and agent.icon.startswith((PRIVATE, "assets/")) else None]
    found += [asset.get(name) for asset in agent.assets for name in ("path", "thumbnailPath")]
    return iter(dict.fromkeys([path for path in found if isinstance(path, str) and path]))
