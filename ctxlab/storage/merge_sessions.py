"""Three-way merges of sessions, node by node. No message of either side is lost.

What one side changed is taken. A node that both changed keeps the fields that only one of them changed; where both
changed one field otherwise, the node is there twice: theirs in its place, ours as its sibling, with the messages that
only we have below it. A node that one side deleted and the other changed or answered stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, cast

from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.merge_data import merged_data, merged_order

Data = dict[str, Any]
LINKS = ("childrenIds", "lastSelectedChildId")
"""Fields of a node that follow from the nodes below it."""
NEWER = frozenset({"updatedAt", "timestamp"})
"""Fields of which the later value is taken; losing the other loses no words."""
OF_THE_VIEW = frozenset({"activeLeafId"})
"""Fields of a session in which ours goes before theirs without a word: where one was reading."""


@dataclass(frozen=True, slots=True)
class Merged:
    """Both sides in one session; `conflicts` says in words what both changed and how it was settled."""

    session: Session
    conflicts: tuple[str, ...] = ()


def merged_sessions(base: Session | None, theirs: Session, ours: Session) -> Merged:
    """Two states of one session that came from `base`; without a base, all nodes count as new on both sides."""
    return _Merge(base or Session(), theirs, ours).result()


def changes_in_words(before: Session | None, after: Session) -> str:
    """A clause that counts what came, went and changed between two states of a session."""
    old = before.nodes if before else {}
    came = sum(1 for id in after.nodes if id not in old)
    gone = sum(1 for id in old if id not in after.nodes)
    other = sum(1 for id, node in after.nodes.items() if id in old and _content(node) != _content(old[id]))
    words = [
        f"{counted(count, 'message')} {what}"
        for count, what in ((came, "added"), (other, "changed"), (gone, "deleted"))
        if count
    ]
    if before is not None and before.name != after.name:
        words.append(f"its name is {after.name!r}")
    return ", ".join(words) or "no message"


@dataclass(slots=True)
class _Merge:
    base: Session
    theirs: Session
    ours: Session
    nodes: dict[str, Data] = field(default_factory=dict[str, Data])
    conflicts: list[str] = field(default_factory=list[str])
    copies: dict[str, str] = field(default_factory=dict[str, str])

    def result(self) -> Merged:
        doubled: dict[str, Data] = {}
        for id in dict.fromkeys((*self.theirs.nodes, *self.ours.nodes)):
            self._take(id, doubled)
        self._bring_back_parents()
        self._cut_circles()
        for id, data in doubled.items():
            self._add_copy(id, data)
        head = self._head()
        return Merged(self._session(head), tuple(self.conflicts))

    # --- nodes

    def _take(self, id: str, doubled: dict[str, Data]) -> None:
        base, theirs, ours = (_content(side.nodes.get(id)) for side in (self.base, self.theirs, self.ours))
        if theirs == ours or base == ours:
            chosen = theirs
        elif base == theirs:
            chosen = ours
        elif theirs is None or ours is None:  # deleted here, changed there
            chosen = theirs or ours
            who = "here" if ours is None else "meanwhile"
            self.conflicts.append(f"message {id!r} was deleted {who} and changed by the other: it stays")
        else:
            chosen = self._of_both(id, base, theirs, ours, doubled)
        if chosen is not None:
            self.nodes[id] = chosen

    def _of_both(self, id: str, base: Data | None, theirs: Data, ours: Data, doubled: dict[str, Data]) -> Data:
        merged = merged_data(base or {}, theirs, ours)
        data = merged.data
        for name in NEWER & set(merged.conflicts):
            data[name] = max(str(theirs.get(name) or ""), str(ours.get(name) or ""))
        hard = [place for place in merged.conflicts if place not in NEWER]
        if not hard:
            return data
        doubled[id] = ours
        return theirs

    def _bring_back_parents(self) -> None:
        """Nodes that were deleted on one side and have messages of the other below them."""
        missing = {node.get("parentId") for node in self.nodes.values()} - self.nodes.keys()
        while missing:
            for id in missing:
                sides = (self.theirs, self.ours, self.base)
                found = next((side.nodes[id] for side in sides if isinstance(id, str) and id in side.nodes), None)
                if found is not None and isinstance(id, str):
                    self.nodes[id] = cast("Data", _content(found))
                    self.conflicts.append(f"message {id!r} was deleted and has new messages below it: it stays")
            known = missing
            missing = {node.get("parentId") for node in self.nodes.values()} - self.nodes.keys() - known

    def _cut_circles(self) -> None:
        """Take their place of a node that both moved below one that the other moved below it."""
        sound: set[str] = set()
        for id in self.nodes:
            path: dict[str, None] = {}
            at: object = id
            while isinstance(at, str) and at in self.nodes and at not in sound and at not in path:
                path[at] = None
                at = self.nodes[at].get("parentId")
            if isinstance(at, str) and at in path:
                ids = list(path)
                self._take_their_places(ids[ids.index(at) :])
            sound.update(path)

    def _take_their_places(self, circle: Iterable[str]) -> None:
        first, *others = circle
        for id in (first, *others):
            there = self.theirs.nodes.get(id) or self.base.nodes.get(id)
            if there is not None:
                self.nodes[id] = {**self.nodes[id], "parentId": there.parent_id}
        self.conflicts.append(f"message {first!r} was moved by both, below each other: it is where the other put it")

    def _add_copy(self, id: str, data: Data) -> None:
        """Ours of a node that both changed, beside theirs; below it are the nodes that only we have."""
        number = 2
        while f"{id}-{number}" in self.nodes or any(f"{id}-{number}" in s.nodes for s in (self.theirs, self.ours)):
            number += 1
        copy = f"{id}-{number}"
        parent = self.nodes[id].get("parentId") or id  # a root has no siblings: the copy goes below it
        self.nodes[copy] = {**data, "id": copy, "parentId": parent}
        self.copies[id] = copy
        what = "was changed by both" if id in self.base.nodes else "is another one on either side"
        self.conflicts.append(f"message {id!r} {what}: ours is its sibling {copy!r}")
        for child, node in self.nodes.items():
            only_ours = child not in self.theirs.nodes and child not in self.base.nodes
            if child != copy and only_ours and node.get("parentId") == id and child not in self.copies.values():
                self.nodes[child] = {**node, "parentId": copy}

    # --- the session around them

    def _head(self) -> Data:
        base, theirs, ours = (_head(side) for side in (self.base, self.theirs, self.ours))
        merged = merged_data(base, theirs, ours)
        data = merged.data
        for place in merged.conflicts:
            if place in NEWER:
                data[place] = max(str(theirs.get(place) or ""), str(ours.get(place) or ""))
            elif place in OF_THE_VIEW:
                data[place] = ours.get(place)
            else:
                self.conflicts.append(f"{place} was changed by both: it is theirs, ours was {_at(ours, place)!r:.80}")
        leaf = data.get("activeLeafId")
        data["activeLeafId"] = self.copies.get(leaf, leaf) if isinstance(leaf, str) else leaf
        if data["activeLeafId"] not in self.nodes:
            data["activeLeafId"] = next(
                (x for x in (theirs.get("activeLeafId"), ours.get("activeLeafId")) if x in self.nodes), None
            )
        return data

    def _session(self, head: Data) -> Session:
        children = self._children()
        nodes: dict[str, MessageNode] = {}
        for id, data in self.nodes.items():
            links = self._links(id, children.get(id, ()))
            nodes[id] = self._kept(id, data, links) or MessageNode.model_validate({**data, **links})
        return Session.model_validate({**head, "nodes": {}}).model_copy(update={"nodes": nodes})

    def _kept(self, id: str, data: Data, links: Data) -> MessageNode | None:
        """The node of a side, where it is as the merged one."""
        for side in (self.theirs, self.ours):
            node = side.nodes.get(id)
            if node is not None and _content(node) == data and _links(node) == links:
                return node
        return None

    def _children(self) -> dict[str, list[str]]:
        """By parent, the ids below it, in the order of both sides."""
        found: dict[str, dict[str, None]] = {}
        for id, node in self.nodes.items():
            if isinstance(parent := node.get("parentId"), str):
                found.setdefault(parent, {})[id] = None
        for parent, below in found.items():
            if len(below) == 1:
                continue
            sides = (self.base, self.theirs, self.ours)
            base, theirs, ours = (
                [id for id in dict.fromkeys(side.children_by_parent.get(parent, ())) if id in below] for side in sides
            )
            order = merged_order(base, theirs, ours, below)
            if order is None:
                order = [*theirs, *ours]
                self.conflicts.append(f"both put the messages below {parent!r} in another order: it is theirs")
            found[parent] = dict.fromkeys((*order, *below))
        return {parent: [*below] for parent, below in found.items()}

    def _links(self, id: str, children: Iterable[str]) -> Data:
        """The links of a node to those below it: a side that only parents are known of lists none."""
        sides = [_links(side.nodes[id]) for side in (self.base, self.theirs, self.ours) if id in side.nodes]
        lists = any("childrenIds" in links for links in sides) or not sides
        found: Data = {"childrenIds": list(children)} if lists and (children or sides) else {}
        picked = [links["lastSelectedChildId"] for links in reversed(sides) if "lastSelectedChildId" in links]
        if picked:
            chosen = next((c for c in picked if c is None or c in set(children)), None)
            found["lastSelectedChildId"] = chosen
        return found


def _content(node: MessageNode | None) -> Data | None:
    return None if node is None else {n: v for n, v in node.to_data().items() if n not in LINKS}


def _links(node: MessageNode) -> Data:
    data: Data = {}
    if "children_ids" in node.model_fields_set:
        data["childrenIds"] = list(node.children_ids)
    if "last_selected_child_id" in node.model_fields_set:
        data["lastSelectedChildId"] = node.last_selected_child_id
    return data


def _head(session: Session) -> Data:
    return session.model_copy(update={"nodes": {}}).without("nodes").to_data()


def _at(data: Mapping[str, Any], place: str) -> object:
    found: object = data
    for name in place.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
