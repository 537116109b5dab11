"""The messages of all prompts as one tree in which prompts that a model reads alike share their beginning.

Common beginnings are found in a number of steps that grows with the logarithm of their length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ctxlab.formats.requests.blocks import fields_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt import PromptPart
from ctxlab.recordings.ancestor_tree import AncestorTree
from ctxlab.recordings.content_hash import hash_of
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage

ROOT = 0


@dataclass(frozen=True, slots=True)
class TreeMessage:
    """A message as a place in the tree knows it: the same `digest` where a model reads the same."""

    digest: bytes
    parts: tuple[PromptPart, ...]
    message: SentMessage | None


class PromptTree(AncestorTree[int]):
    """Places of messages, with the characters up to each besides.

    What a what-if changes is in `message_of`.
    """

    def __init__(self, parts: ContextParts) -> None:
        super().__init__(ROOT)
        self._parts = parts
        self.characters = [0]
        self.messages: list[TreeMessage | None] = [None]
        self._children: dict[tuple[int, bytes], int] = {}
        self._places: dict[str, int] = {}

    # --- making it

    def place_of(self, request: RecordedRequest) -> int:
        """The place of a request's last message; what no request before had is added."""
        new, last = request.tree.new_below(request.leaf, self._places)
        place = self._places[last] if last else ROOT
        for message in new:
            self.steps += 1
            place = self._places[message.id] = self.added(place, self.message_of(message))
        return place

    def message_of(self, message: SentMessage) -> TreeMessage:
        """A message as a model reads it."""
        return TreeMessage(_read_digest(message), self._parts.of_message(message), message)

    def added(self, parent: int, message: TreeMessage) -> int:
        """The place of a message behind another one, there already or new."""
        known = self._children.get((parent, message.digest))
        if known is not None:
            return known
        place = self._children[parent, message.digest] = len(self.parent)
        self.put(place, parent, sum([part.tokens for part in message.parts]))
        self.characters.append(self.characters[parent] + sum(len(part.text) for part in message.parts))
        self.messages.append(message)
        return place

    # --- asking it

    def behind(self, place: int, leaf: int, most: int) -> list[TreeMessage]:
        """The first messages behind a place on the way to a leaf."""
        found: list[TreeMessage] = []
        at = self.at_depth(leaf, self.depth[place] + most)
        while at != place:
            message = self.messages[at]
            if message is not None:
                found.append(message)
            at = self.parent[at]
        return found[::-1]

    def preorder(self) -> list[int]:
        """The number of each place on a walk through the tree: what lies near each other has much in common."""
        children: dict[int, list[int]] = {}
        for place in range(1, len(self.parent)):
            children.setdefault(self.parent[place], []).append(place)
        numbers, waiting, count = [0] * len(self.parent), [ROOT], 0
        while waiting:
            place = waiting.pop()
            numbers[place] = count
            count += 1
            waiting += reversed(children.get(place, []))
        return numbers


def _read_digest(message: SentMessage) -> bytes:
    """One hash for messages that a model reads alike: a text alone is a list of one block, and a status is no text."""
    if len(message.items) == 1 and isinstance(fields_of(message.items[0]).get("content"), str):
        return hash_of(_plain(message.items[0]))
    return hash_of(*(_plain(item) for item in message.items))


def _plain(item: Any) -> Any:
    fields: Mapping[str, Any] = fields_of(item)
    if not fields:
        return item
    content = fields.get("content")
    if isinstance(content, str):
        return {**fields, "content": [{"type": "text", "text": content}]}
    return {key: value for key, value in fields.items() if key != "status"} if "status" in fields else item


def texts_of(parts: Iterable[PromptPart]) -> list[tuple[str, str, str, str]]:
    """The things of parts that are compared: who says it, which tool or call, and the text."""
    return [(part.role, part.name, part.call, part.text) for part in parts]
