"""Kinds of what is wrong with the tree of a session, from its JSON data, quickly where nothing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from ctxlab.errors import CtxlabError
from ctxlab.formats.native.session import read_session

Data = dict[str, Any]
UNREADABLE = "can't be read"


def tree_problems(data: Data) -> tuple[str, ...]:
    """Kinds of problems in words, such as `missing parent`, as `Session.check` names them; empty for a sound tree."""
    if _is_plainly_sound(data):
        return ()
    try:
        session, _ = read_session(data)
    except CtxlabError:
        return (UNREADABLE,)
    kinds = (str(note.details.get("kind", "")) for note in session.check())
    return tuple(dict.fromkeys(kind.replace("-", " ") for kind in kinds if kind))


def _is_plainly_sound(data: Data) -> bool:
    """Whether all links fit together and need no second look; what is unusual is said not to be."""
    nodes = data.get("nodes")
    if not isinstance(nodes, dict) or data.get("history"):
        return False
    held = cast("dict[str, object]", nodes)
    root, leaf = data.get("rootNodeId"), data.get("activeLeafId")
    if not isinstance(root, str) or not isinstance(leaf, str) or leaf not in held:
        return False
    parents: dict[str, str | None] = {}
    for key, node in held.items():
        if not isinstance(node, dict):
            return False
        fields = cast("Data", node)
        parent = fields.get("parentId")
        if fields.get("id") != key or not (parent is None if key == root else isinstance(parent, str)):
            return False
        parents[key] = parent
    return _hangs_on(root, parents) and _lists_fit(cast("dict[str, Data]", held), parents)


def _hangs_on(root: str, parents: Mapping[str, str | None]) -> bool:
    """Whether the way up from every node ends at the root; each node is walked over once."""
    known = {root} & parents.keys()
    for start in parents:
        trail: set[str] = set()
        at: str | None = start
        while at not in known:
            if at is None or at in trail or at not in parents:
                return False
            trail.add(at)
            at = parents[at]
        known |= trail
    return bool(known)


def _lists_fit(nodes: Mapping[str, Data], parents: Mapping[str, str | None]) -> bool:
    """Whether the children that a node lists are all that it has, each once, and the remembered one is one of them."""
    counts = Counter(parents.values())
    for key, node in nodes.items():
        children, memory = node.get("childrenIds"), node.get("lastSelectedChildId")
        if memory is not None and not (isinstance(memory, str) and parents.get(memory) == key):
            return False
        if not children:
            continue
        if not isinstance(children, list):
            return False
        listed = cast("list[object]", children)
        if len(listed) != counts[key] or not all(isinstance(c, str) and parents.get(c) == key for c in listed):
            return False
        if len(listed) > 1 and len(set(cast("list[str]", listed))) != len(listed):
            return False
    return True
