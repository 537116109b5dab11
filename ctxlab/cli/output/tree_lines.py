"""A session's tree as lines: the active path straight down, side branches off it, long straight stretches folded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass

Kind = Literal["node", "fold", "branches"]
FOLDED = 3  # a straight stretch of so many messages is folded into one line


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line: `rails` are the branches that pass it. A fold covers the messages from `key` to `last`."""

    kind: Kind
    rails: str
    key: str
    last: str = ""
    messages: int = 1
    branches: int = 0
    place: tuple[int, int] = (1, 1)


@dataclass(frozen=True, slots=True)
class BranchDetail:
    """The detail of side branches: the number of heads at a fork, and whether messages below them are drawn."""

    heads: int
    below: bool


# From everything to the end of the way down; the first that fits is drawn.
DETAILS = (
    BranchDetail(12, below=True),
    BranchDetail(12, below=False),
    BranchDetail(2, below=False),
    BranchDetail(0, below=False),
)
END = BranchDetail(2, below=False)
MOST_TREES = 5


class TreeLines:
    """The tree of a session, with what can't be reached from its root as further trees."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.active = {node.id for node in session.path()}
        self.tops, self.children = _descended(session)
        self.sizes, self.leaves = self._measured()
        self.folded: set[str] = set()

    def _measured(self) -> tuple[dict[str, int], dict[str, int]]:
        """Number of messages and leaves in the subtree of each node."""
        sizes: dict[str, int] = {}
        leaves: dict[str, int] = {}
        for key in reversed(list(self.children)):
            below = self.children[key]
            sizes[key] = 1 + sum(sizes[child] for child in below)
            leaves[key] = sum(leaves[child] for child in below) or 1
        return sizes, leaves

    def lines(self, *, most: int, columns: int) -> list[TreeLine]:
        """The tree in about `most` lines, whose rails take at most `columns`."""
        for detail in DETAILS:
            self.folded.clear()
            found = list(islice(self._all(self.tops, detail, columns), most + 1))
            if len(found) <= most:
                return found
        tops = [top for i, top in enumerate(self.tops) if i < MOST_TREES or top in self.active]
        for top in tops:
            self._fold_older(top, most // len(tops))
        found = list(self._all(tops, END, columns))
        rest = [top for top in self.tops if top not in tops]
        if rest:
            found.append(
                TreeLine("branches", "", rest[0], messages=sum(self.sizes[t] for t in rest), branches=len(rest))
            )
        return found

    def _fold_older(self, top: str, most: int) -> None:
        """Mark the older part of a tree's main line for folding, so that the rest takes at most `most` lines."""
        line: list[str] = []
        key: str | None = top
        while key is not None:
            line.append(key)
            key = self.main_child(key)
        room = most
        while line and room > 0:
            key = line.pop()
            below = len(self.children[key])
            room -= 1 + (min(below, END.heads + 2) if below > 1 else 0)
        self.folded.update(line)

    def _all(self, tops: list[str], detail: BranchDetail, columns: int) -> Iterator[TreeLine]:
        for top in tops:
            yield from self._branch(top, "", "", (1, 1), detail, columns)

    def _branch(
        self, top: str, rails: str, joint: str, place: tuple[int, int], detail: BranchDetail, columns: int
    ) -> Iterator[TreeLine]:
        """A branch from its head down; at each fork the main child goes on, the others come before it."""
        key: str | None = top
        waiting: list[str] = []  # a straight stretch, folded if it gets long
        passed = 0
        while key is not None:
            below = self.children[key]
            main = self.main_child(key)
            sides = [child for child in below if child != main]
            folded = key in self.folded
            if key == top or (not folded and (place[1] > 1 or bool(sides) or self._needs_own_line(key))):
                yield from self._stretch(waiting, rails, passed)
                waiting, passed = [], 0
                yield TreeLine("node", rails + joint, key, place=place)
            else:
                waiting.append(key)
            joint = ""
            if folded:
                passed += sum(self.sizes[child] for child in sides)
            else:
                yield from self._sides(sides, below, rails, detail, columns)
            place = (below.index(main) + 1, len(below)) if main is not None else (1, 1)
            key = main
        yield from self._stretch(waiting, rails, passed)

    def _sides(
        self, sides: list[str], siblings: list[str], rails: str, detail: BranchDetail, columns: int
    ) -> Iterator[TreeLine]:
        below = detail.below and len(rails) + 4 <= columns
        for child in sides[: detail.heads]:
            place = (siblings.index(child) + 1, len(siblings))
            if below:
                yield from self._branch_below(child, rails, place, detail, columns)
            else:
                yield TreeLine("node", f"{rails}├─", child, messages=self.sizes[child], place=place)
        rest = sides[detail.heads :]
        if rest:
            messages = sum(self.sizes[child] for child in rest)
            yield TreeLine("branches", f"{rails}├─", rest[0], messages=messages, branches=len(rest))

    def _branch_below(
        self, head: str, rails: str, place: tuple[int, int], detail: BranchDetail, columns: int
    ) -> Iterator[TreeLine]:
        for number, line in enumerate(self._branch(head, "", "", place, detail, columns - len(rails) - 2)):
            joint = "├─" if number == 0 else "│ "
            yield TreeLine(
                line.kind, rails + joint + line.rails, line.key, line.last, line.messages, line.branches, line.place
            )

    def _stretch(self, keys: list[str], rails: str, passed: int) -> Iterator[TreeLine]:
        if len(keys) < FOLDED and not passed:
            yield from (TreeLine("node", rails, key) for key in keys)
        elif keys:
            yield TreeLine("fold", rails, keys[0], keys[-1], messages=len(keys), branches=passed)

    def _needs_own_line(self, key: str) -> bool:
        node = self.session.nodes[key]
        return not self.children[key] or key == self.session.active_leaf_id or not node.enabled or node.is_summary

    def main_child(self, key: str) -> str | None:
        """The child on the active path, else the one that is remembered, else the last."""
        below = self.children[key]
        if len(below) < 2:
            return below[0] if below else None
        active = next((child for child in below if child in self.active), None)
        remembered = self.session.nodes[key].last_selected_child_id
        return active or (remembered if remembered in below else below[-1])

    def is_remembered(self, node: MessageNode) -> bool:
        """Whether the parent remembers this branch among several."""
        parent = self.session.nodes.get(node.parent_id) if node.parent_id else None
        return parent is not None and parent.last_selected_child_id == node.id and len(self.children[parent.id]) > 1


def _descended(session: Session) -> tuple[list[str], dict[str, list[str]]]:
    """Heads of all trees, and every node's children, parents before children; no node is reached twice."""
    children: dict[str, list[str]] = {}
    tops: list[str] = []
    orphans = [key for key, node in session.nodes.items() if node.parent_id not in session.nodes]
    for top in (session.root_node_id, *orphans, *session.nodes):
        if top is None or top in children or top not in session.nodes:
            continue
        tops.append(top)
        stack: list[str] = [top]
        seen: set[str] = {top}
        while stack:
            key = stack.pop()
            below: list[str] = [
                child for child in session.children(key) if child in session.nodes and child not in children
            ]
            below = [child for child in below if child not in seen]
            seen.update(below)
            children[key] = below
            stack.extend(reversed(below))
    return tops, children
