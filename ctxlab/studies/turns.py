"""Turns of a conversation: the messages that the model answers, each with a prompt of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal

from ctxlab.documents import Session
from ctxlab.errors import WrongArgument

TurnChoice = Literal["active", "all"] | Collection[str] | None
"""Turns of the active path (None too), of all branches, or those at messages of these ids."""


def turns_of(session: Session, turns: TurnChoice = None) -> list[str]:
    """Ids of the messages that the model answers or may answer next: of the active path, or of all branches.

    That is a message of the user that is sent, or the last of a row of tool results; of a path that has neither it is
    its leaf.
    """
    if turns in (None, "active"):
        path: list[str] = [node.id for node in session.path()] if session.active_leaf_id else []
        return turns_of_path(session, path) or path[-1:]
    everything: list[str] = [node.id for node in session.in_order() if _is_turn_of_any(session, node.id)]
    if turns == "all":
        return everything
    wanted = {node.removeprefix("node:") for node in turns} if not isinstance(turns, str) else {turns}
    return [node.id for node in session.in_order() if node.id in wanted]


def turns_of_path(session: Session, path: Sequence[str]) -> list[str]:
    """Of these messages, one below the other, those that the model answers, and the last where it may answer it."""
    return [node for node, below in zip(path, [*path[1:], None], strict=True) if _is_turn(session, node, below)]


def _is_turn(session: Session, node: str, below: str | None) -> bool:
    message = session.nodes[node]
    if message.role not in ("user", "tool") or message.is_enabled is False:
        return False
    is_sent = message.role == "tool" or bool(message.content.strip() or message.attachments)
    return is_sent and (below is None or session.nodes[below].role == "assistant")


def _is_turn_of_any(session: Session, node: str) -> bool:
    below = session.children(node)
    return _is_turn(session, node, None) if not below else any(_is_turn(session, node, child) for child in below)


def refuse_unknown_turns(turns: TurnChoice, found: Sequence[Sequence[str]]) -> None:
    """Raise WrongArgument for a message that is named and that no conversation has."""
    if turns is None or isinstance(turns, str):
        return
    there = {node for nodes in found for node in nodes}
    missing = next((node for node in turns if node.removeprefix("node:") not in there), None)
    if missing is not None:
        raise WrongArgument(f"turns names {missing!r}, which no conversation has")


def turn_above(session: Session, leaf: str) -> str | None:
    """The nearest turn above a message, which isn't that message itself; None where it is the first."""
    path = [node.id for node in session.path(leaf)]
    pairs = list(pairwise(path))
    return next((node for node, below in reversed(pairs) if _is_turn(session, node, below)), None)
