"""A patch as action tags and deltas of session files: nodes created, deleted, updated or moved, and the new leaf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ctxlab.documents.history.patch import Patch, Side
from ctxlab.documents.session.message import MessageNode

Data = dict[str, Any]
Tag = Literal[
    "NODE_EDIT",
    "NODE_DATA_UPDATE",
    "NODES_DELETE",
    "NODE_TOGGLE_ENABLED",
    "NODE_MOVE",
    "BRANCH_GRAFT",
    "BRANCH_CREATE",
    "BRANCH_CREATE_FROM_EDIT",
    "ACTIVE_NODE_SWITCH",
]

TAGS: dict[str, Tag] = {
    "append": "BRANCH_CREATE",
    "append_pair": "BRANCH_CREATE",
    "branch": "BRANCH_CREATE",
    "branch_from_edit": "BRANCH_CREATE_FROM_EDIT",
    "continue_from": "BRANCH_CREATE",
    "delete": "NODES_DELETE",
    "disable": "NODE_TOGGLE_ENABLED",
    "edit": "NODE_EDIT",
    "enable": "NODE_TOGGLE_ENABLED",
    "graft": "BRANCH_GRAFT",
    "move": "NODE_MOVE",
    "regenerate": "BRANCH_CREATE",
    "switched": "ACTIVE_NODE_SWITCH",
    "switched_to_sibling": "ACTIVE_NODE_SWITCH",
    "transfer_children": "BRANCH_GRAFT",
    "update": "NODE_DATA_UPDATE",
    "update_translation": "NODE_DATA_UPDATE",
}
"""The seeds' tags by verb; they have none for a message that is appended."""

LINKS = {"parentId", "childrenIds", "lastSelectedChildId"}


def tag_of(label: str, patch: Patch) -> Tag:
    """The tag of a verb, or, for other labels, the nearest to what the patch does."""
    if label in TAGS:
        return TAGS[label]
    kinds = {delta["type"] for delta in deltas_of(patch)}
    if "delete" in kinds:
        return "NODES_DELETE"
    if "create" in kinds:
        return "BRANCH_CREATE"
    if "relation" in kinds:
        return "BRANCH_GRAFT"
    return "ACTIVE_NODE_SWITCH" if kinds == {"active_leaf_change"} else "NODE_DATA_UPDATE"


def deltas_of(patch: Patch) -> list[Data]:
    """The seeds' deltas: create, delete, update, relation, active_leaf_change. Branch memory has none."""
    old, new = patch.before.nodes, patch.after.nodes
    deltas: list[Data] = []
    for key in {**old, **new}:
        before, after = old.get(key), new.get(key)
        if before is None and after is not None:
            deltas.append({"type": "create", "node": after.to_data(), "relationChange": _relation(patch, key)})
        elif before is not None and after is None:
            deltas.append({"type": "delete", "deletedNode": before.to_data(), "relationChange": _relation(patch, key)})
        elif before is not None and after is not None and _content_of(before) != _content_of(after):
            states = {"previousNodeState": before.to_data(), "finalNodeState": after.to_data()}
            deltas.append({"type": "update", "nodeId": key, **states})
    moved = [key for key in old if key in new and old[key].parent_id != new[key].parent_id]
    if moved:
        deltas.append({"type": "relation", "changes": [_relation(patch, key) for key in moved]})
    leaf, newer = patch.before.fields.get("activeLeafId"), patch.after.fields.get("activeLeafId")
    if leaf != newer:
        deltas.append({"type": "active_leaf_change", "oldLeafId": leaf, "newLeafId": newer})
    return deltas


def affected_nodes(deltas: Iterable[Data]) -> int:
    """Nodes that were created, deleted, updated or hung elsewhere; their parents don't count."""
    weights = {"create": 1, "delete": 1, "update": 1}
    return sum(weights.get(delta["type"], len(delta.get("changes", ()))) for delta in deltas)


def _content_of(node: MessageNode) -> Data:
    return {name: value for name, value in node.to_data().items() if name not in LINKS}


def _relation(patch: Patch, key: str) -> Data:
    """The old and the new parent of a node, with the lists of children of both."""
    old, new = patch.before.nodes, patch.after.nodes
    left = old[key].parent_id if key in old else None
    joined = new[key].parent_id if key in new else None
    parents: Data = {}
    for parent in dict.fromkeys(name for name in (left, joined) if name is not None):
        parents[parent] = {
            "oldChildren": _children(patch.before, parent),
            "newChildren": _children(patch.after, parent),
        }
    return {"nodeId": key, "oldParentId": left, "newParentId": joined, "affectedParents": parents}


def _children(side: Side, key: str) -> list[str]:
    node = side.nodes.get(key)
    return list(side.children.get(key) or (node.children_ids if node is not None else ()))
