"""Macros of the newest messages, which are searched from the newest back, and only when a macro needs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ctxlab.context.context import BuildInput
from ctxlab.documents import MessageNode
from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.registry import macro


class Messages(Protocol):
    """The messages of a conversation, for macros."""

    def newest(self, role: str | None = None) -> str:
        """Text of the newest message, or of the newest in a role; empty when there is none."""
        ...

    def count(self) -> int:
        """The number of messages, without those that are switched off."""
        ...

    def user_times(self) -> Iterator[str | None]:
        """Timestamps of the user's messages that stand before the newest message, newest first."""
        ...

    def swipes(self) -> tuple[int, int] | None:
        """Which version of the newest message this is, and of how many; None for the user's, or where there is none."""
        ...


class NoMessages:
    """A conversation without messages."""

    def newest(self, role: str | None = None) -> str:
        return ""

    def count(self) -> int:
        return 0

    def user_times(self) -> Iterator[str | None]:
        return iter(())

    def swipes(self) -> tuple[int, int] | None:
        return None


NO_MESSAGES = NoMessages()


class PathMessages:
    """Messages of a request's path without those that are switched off; the pending message is the newest."""

    __slots__ = ("_build_input", "_count", "_newest")

    def __init__(self, build_input: BuildInput) -> None:
        self._build_input = build_input
        self._newest: dict[str | None, str] = {}  # what was looked for already: a path can be long
        self._count: int | None = None

    def _backwards(self) -> Iterator[MessageNode]:
        nodes, seen = self._build_input.session.nodes, set[str]()
        node_id = self._build_input.leaf_id
        while node_id is not None and node_id not in seen and (node := nodes.get(node_id)) is not None:
            seen.add(node_id)
            if node.enabled and not node.is_empty_root:
                yield node
            node_id = node.parent_id

    def newest(self, role: str | None = None) -> str:
        pending = self._build_input.pending
        if pending is not None and role in (None, "user"):
            return str(pending.text)
        if role not in self._newest:
            found = (node.content for node in self._backwards() if role in (None, node.role))
            self._newest[role] = next(found, "")
        return self._newest[role]

    def count(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self._backwards()) + (self._build_input.pending is not None)
        return self._count

    def user_times(self) -> Iterator[str | None]:
        found = self._backwards()
        if self._build_input.pending is None:
            next(found, None)
        return (node.timestamp for node in found if node.role == "user")

    def swipes(self) -> tuple[int, int] | None:
        newest = next(self._backwards(), None) if self._build_input.pending is None else None
        session = self._build_input.session
        if newest is not None and self._build_input.turn == "swipe":
            # The request is without the message that is written anew, and the new one is already counted to.
            known = sum(session.nodes[id].role == "assistant" for id in session.children(newest.id))
            return (known + 1, known) if known else None
        if newest is None or newest.role == "user":
            return None
        parent = newest.parent_id
        siblings = session.children(parent) if parent is not None and parent in session.nodes else (newest.id,)
        beside = [id for id in siblings if session.nodes[id].role == newest.role]
        return (beside.index(newest.id) + 1 if newest.id in beside else 1), max(1, len(beside))


@macro("lastMessage", phase="post")
def last_message(call: MacroCall) -> str:
    """The newest message, whoever wrote it."""
    return call.env.messages.newest()


@macro("lastUserMessage", phase="post")
def last_user_message(call: MacroCall) -> str:
    """The user's newest message."""
    return call.env.messages.newest("user")


@macro("lastCharMessage", phase="post")
def last_char_message(call: MacroCall) -> str:
    """The assistant's newest message."""
    return call.env.messages.newest("assistant")


@macro("input", phase="post")
def typed(call: MacroCall) -> str:
    """The text that is typed and not sent yet."""
    return call.env.input
