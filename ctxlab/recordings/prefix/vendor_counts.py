"""Beginnings of prompts in the vendor's own count: requests that ended there before say how long they are."""

from __future__ import annotations

from ctxlab.recordings.prefix.causes import Break
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.prefix.reported import is_marked
from ctxlab.recordings.recorded_request import RecordedRequest


class VendorCounts:
    """The input tokens that usage reports, by the place and the head of the prompt that they are of."""

    def __init__(self, tree: PromptTree, heads: HeadReader) -> None:
        self._tree, self._heads = tree, heads
        self._inputs: dict[tuple[bytes, int], int] = {}
        self._front: dict[bytes, int] = {}

    def add(self, request: RecordedRequest) -> None:
        """Learn from the usage of a request; the smallest difference to our count is what the log doesn't have."""
        if request.usage.input is None:
            return
        head, place = self._heads.head(request.head), self._tree.place_of(request)
        self._inputs[head.key, place] = request.usage.input
        if not request.whole:
            unknown = max(0, request.usage.input - head.tokens[-1] - self._tree.tokens[place])
            self._front[head.key] = min(unknown, self._front.get(head.key, unknown))

    def is_known(self, before: RecordedRequest, found: Break) -> bool:
        """Whether the length of a common beginning is known: not where it ends in what the log doesn't have.

        A log without tools and system texts has a length only where an earlier request ended in the common messages.
        """
        if before.whole or before.usage.input is None or found.cause is None:
            return True
        return bool(found.place) and bool(self._ended_at(self._heads.head(before.head).key, found.place))

    def measured(self, before: RecordedRequest, found: Break) -> int:
        """The input of the longest request before that is wholly in a common beginning, as usage has it; 0 for none."""
        key = self._heads.head(before.head).key
        at = self._ended_at(key, found.place or 0)
        return self._inputs[key, at] if at else 0

    def _ended_at(self, key: bytes, place: int) -> int:
        """The last place up to another one at which a request with known usage ended; 0 for none."""
        while place and (key, place) not in self._inputs:
            place = self._tree.parent[place]
        return place

    def common(self, before: RecordedRequest, found: Break) -> int:
        """The tokens of a common beginning that could be read; where marks decide, those up to the last mark."""
        head, tree = self._heads.head(before.head), self._tree
        ours, theirs = head.tokens[-1] + tree.tokens[tree.place_of(before)], before.usage.input
        scale = theirs / ours if before.whole and theirs and ours else 1.0
        front, marked = self._front.get(head.key, 0), before.whole and is_marked(before)
        if found.place is None:
            return self._of_head(before, found, front, scale, is_marked=marked)
        at = self._ended_at(head.key, found.place)
        if at:
            more = 0 if is_marked(before) else found.tokens - head.tokens[-1] - tree.tokens[at]
            return self._inputs[head.key, at] + round(more * scale)
        if marked:
            last = max(head.marked, default=-1) + 1
            return round(head.tokens[last] * scale)
        return front + round((head.tokens[-1] if is_marked(before) else found.tokens) * scale)

    def _of_head(self, before: RecordedRequest, found: Break, front: int, scale: float, *, is_marked: bool) -> int:
        """The tokens of the parts that two heads share."""
        head = self._heads.head(before.head)
        if is_marked:
            last = max((number + 1 for number in head.marked if number < found.parts), default=0)
            return round(head.tokens[last] * scale)
        return front + round(found.tokens * scale)
