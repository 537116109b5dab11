"""The HTML of a session for the notebook: the newest messages of its active path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session

NEWEST = 8


def session_html(session: Session) -> str:
    """The name of a session, the newest messages of its active path, and the number of its branches."""
    path = session.walk()
    older = max(0, len(path.nodes) - NEWEST)
    rows = ((depth, node.id, node.role, node.content) for depth, node in enumerate(path.nodes[older:], older))
    below = [counted(len(session.leaves()), "branch", "branches")] if session.nodes else ["no messages yet"]
    below += [f"{counted(older, 'older message')} on the active path"] if older else []
    table = html_table(("depth", "node", "role", "text"), rows, cells=100) if path.nodes else ""
    name = lines([session.name] if session.name not in ("", session.id) else [])
    return heading(session) + name + table + lines([", ".join(below), *([path.broken] if path.broken else [])])
