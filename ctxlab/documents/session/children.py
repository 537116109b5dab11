"""Children by parent: derived from the parent links once, then updated from session to session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.message import MessageNode, NodeId

Index = dict[str, tuple[NodeId, ...]]
Nodes = Mapping[str, MessageNode]
Changes = Mapping[str, MessageNode | None]


def index_of(nodes: Nodes) -> Index:
    """Children by parent: in stored order where there is one, those only known by their parent link after them."""
    found: dict[str, list[NodeId]] = {}
    for key, node in nodes.items():
        if node.parent_id is not None:
            found.setdefault(node.parent_id, []).append(cast("NodeId", key))
    return {key: _in_stored_order(children, nodes.get(key)) for key, children in found.items()}


def reindexed(index: Index, before: Nodes, after: Nodes, changes: Changes) -> Index:
    """The index of `after`, which is `before` with some nodes changed; only their surroundings are looked at."""
    moved: set[str] = set()
    touched: dict[str, list[NodeId]] = {}  # parents whose list is to be made anew, with those who come to them
    for key, new in changes.items():
        old = before.get(key)
        if old is None or new is None or old.parent_id != new.parent_id:
            moved.add(key)
            if old is not None and old.parent_id is not None:
                touched.setdefault(old.parent_id, [])
            if new is not None and new.parent_id is not None:
                touched.setdefault(new.parent_id, []).append(cast("NodeId", key))
        if old is None or new is None or old.children_ids != new.children_ids:
            touched.setdefault(key, [])
    if not touched:
        return index
    result = dict(index)
    for key, arrivals in touched.items():
        children = [child for child in index.get(key, ()) if child not in moved]
        children += arrivals
        if children:
            result[key] = _in_stored_order(children, after.get(key), after)
        else:
            result.pop(key, None)
    return result


def _in_stored_order(
    children: list[NodeId], parent: MessageNode | None, nodes: Nodes | None = None
) -> tuple[NodeId, ...]:
    """Children in stored order, then those that aren't listed, in the order of `nodes` or as given."""
    stored = parent.children_ids if parent is not None else ()
    if list(stored) == children:
        return stored
    known = set(children)
    listed = [child for child in dict.fromkeys(stored) if child in known]
    if len(listed) == len(children):
        return tuple(listed)
    others = known.difference(listed)
    if len(others) == 1:
        return (*listed, *others)
    return (*listed, *(cast("NodeId", key) for key in (children if nodes is None else nodes) if key in others))


def arranged(nodes: Nodes, changes: Changes, places: Mapping[str, int]) -> FrozenDict:
    """All nodes with the changes made: new ones last, those in `places` at that place of the whole order."""
    stay = nodes.keys().isdisjoint(places)
    result = FrozenDict(nodes if stay else {key: node for key, node in nodes.items() if key not in places})
    late: list[tuple[str, MessageNode]] = []
    for key, node in changes.items():  # nobody else has it yet, so it is filled in place
        if node is None:
            dict.pop(result, key, None)
        elif key in places:
            late.append((key, node))
        else:
            dict.__setitem__(result, key, node)
    late.sort(key=lambda item: places[item[0]])
    if late and places[late[0][0]] < len(result):
        order = list(result)
        for key, _ in late:
            order.insert(places[key], key)
        dict.update(result, late)
        return FrozenDict({key: result[key] for key in order})
    dict.update(result, late)
    return result
