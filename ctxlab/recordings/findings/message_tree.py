"""The tree of sent messages with tokens on the way, in which ancestors are found in few steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctxlab.recordings.parts import ContextParts
    from ctxlab.recordings.recorded_request import SentMessage


class MessageTree:
    """Messages by id, with the tokens from the first one up to and with each; "" is the place before all.

    Each message knows one that is farther up, so that a way of n messages is climbed in about log n steps.
    """

    def __init__(self, sent: Mapping[str, SentMessage], parts: ContextParts) -> None:
        self.sent = sent
        self.tokens_up_to: dict[str, int] = {"": 0}
        self.parent: dict[str, str] = {"": ""}
        self.depth: dict[str, int] = {"": 0}
        self._far: dict[str, str] = {"": ""}
        for id, message in sent.items():
            parent = message.parent if message.parent in self.depth else ""
            self.parent[id] = parent
            self.depth[id] = self.depth[parent] + 1
            self.tokens_up_to[id] = self.tokens_up_to[parent] + sum(part.tokens for part in parts.of_message(message))
            far = self._far[parent]
            even = self.depth[parent] - self.depth[far] == self.depth[far] - self.depth[self._far[far]]
            self._far[id] = self._far[far] if even else parent

    def at_depth(self, id: str, depth: int) -> str:
        """The message of a depth on the way to another one; that one itself where it isn't so deep."""
        while self.depth[id] > depth:
            far = self._far[id]
            id = far if self.depth[far] >= depth else self.parent[id]
        return id

    def is_above(self, first: str, second: str) -> bool:
        """Whether a message is on the way to another one."""
        return first != second and self.at_depth(second, self.depth[first]) == first

    def common(self, one: str, other: str) -> str:
        """The last message that two ways share; "" where they share none."""
        depth = min(self.depth[one], self.depth[other])
        one, other = self.at_depth(one, depth), self.at_depth(other, depth)
        while one != other:
            if self._far[one] == self._far[other]:
                one, other = self.parent[one], self.parent[other]
            else:
                one, other = self._far[one], self._far[other]
        return one

    def last_within(self, leaf: str, tokens: float) -> str:
        """The last message on the way to a leaf that ends within so many tokens; "" where none does."""
        at = leaf
        while at and self.tokens_up_to[at] > tokens:
            far = self._far[at]
            at = far if self.tokens_up_to[far] > tokens else self.parent[at]
        return at

    def __repr__(self) -> str:
        return f"MessageTree({len(self.sent)} messages)"
