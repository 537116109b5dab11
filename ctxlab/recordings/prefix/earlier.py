"""The earlier request with which another one has the longest beginning in common."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field

from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.prefix.prompt_heads import HeadReader, PromptHead
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.recorded_request import RecordedRequest


@dataclass(frozen=True, slots=True)
class _Seen:
    """Earlier requests with one head and one model, by the preorder numbers of their places."""

    numbers: list[int] = field(default_factory=list[int])
    requests: list[RecordedRequest] = field(default_factory=list[RecordedRequest])


class Earlier:
    """Earlier requests, to find the one with the longest common beginning: what is nearest in the tree is."""

    def __init__(self, tree: PromptTree, heads: HeadReader) -> None:
        self._tree, self._heads = tree, heads
        self._order = tree.preorder()
        self._seen: dict[tuple[str, bytes], _Seen] = {}
        self._fronts: dict[tuple[str, bytes], RecordedRequest] = {}

    def best(self, request: RecordedRequest) -> tuple[RecordedRequest | None, int]:
        """The earlier request of the same model with the longest common beginning, and its tokens."""
        head, place = self._heads.head(request.head), self._tree.place_of(request)
        seen = self._seen.get((request.model, head.key))
        if seen is None:
            return self._best_front(request, head)
        at = bisect_left(seen.numbers, self._order[place])
        near = [seen.requests[n] for n in (at, at - 1) if 0 <= n < len(seen.requests)]
        shared = [self._tree.common(place, self._tree.place_of(each)) for each in near]
        tokens, number = max(
            (self._tree.tokens[common], each.number) for common, each in zip(shared, near, strict=True)
        )
        best = next(each for each in near if each.number == number)
        return best, head.tokens[-1] + tokens

    def _best_front(self, request: RecordedRequest, head: PromptHead) -> tuple[RecordedRequest | None, int]:
        for count in range(len(head.parts), 0, -1):
            found = self._fronts.get((request.model, head.keys[count]))
            if found is not None and head.tokens[count]:
                return found, head.tokens[count]
        return None, 0

    def add(self, request: RecordedRequest) -> None:
        """Keep a request for those behind it."""
        head, place = self._heads.head(request.head), self._tree.place_of(request)
        seen = self._seen.setdefault((request.model, head.key), _Seen())
        at = bisect_left(seen.numbers, self._order[place])
        if at < len(seen.numbers) and seen.numbers[at] == self._order[place]:
            seen.requests[at] = request
            return
        seen.numbers.insert(at, self._order[place])
        seen.requests.insert(at, request)
        if len(seen.numbers) == 1:
            self._fronts |= {(request.model, key): request for key in head.keys[1:]}
