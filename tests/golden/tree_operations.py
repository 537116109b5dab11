"""The operations of the reference on trees, by the names under which cases give them.

A case writes an operation as a list, its name first: `["N.softDeleteNode", "a1"]`. Before the name may stand whose
operation it is: `N.` and `B.` work on the tree alone, what has no prefix is an action of the person at the tree, which
the reference records in its history and which returns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.golden.forms import Data

ACTIONS = ("", "g", "graph", "graphactions", "actions", "h", "history", "s", "store")
"""Whose operations are recorded."""

PARAMETERS: dict[str, tuple[str, ...]] = {
    "path": ("nodeId",),
    "active path": (),
    "descendants": ("nodeId",),
    "ancestors": ("nodeId",),
    "relation": ("nodeA", "nodeB"),
    "siblings": ("nodeId",),
    "sibling index": ("nodeId",),
    "is on active path": ("nodeId",),
    "leaf below": ("nodeId",),
    "check": (),
    "last question": (),
    "create": ("config",),
    "add": ("node",),
    "pair": ("userContent", "currentLeafId"),
    "regenerate": ("targetNodeId",),
    "continue": ("targetNodeId",),
    "branch": ("sourceNodeId",),
    "branch from edit": ("sourceNodeId", "newContent", "attachments"),
    "edit": ("nodeId", "newContent", "attachments"),
    "update": ("nodeId", "updates"),
    "translate": ("nodeId", "translation"),
    "soft delete": ("nodeId",),
    "toggle": ("nodeId",),
    "disable tree": ("nodeId",),
    "delete": ("nodeId",),
    "graft": ("nodeId", "newParentId"),
    "move": ("nodeId", "newParentId"),
    "transfer": ("fromNodeId", "toNodeId"),
    "switch": ("nodeId",),
    "switch to sibling": ("nodeId", "direction"),
    "settle greetings": (),
    "undo": (),
    "redo": (),
    "jump": ("index",),
    "clear history": (),
    "can undo": (),
    "can redo": (),
}
"""What each operation is given, in order; further arguments name the session and are left out."""

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("getNodePath", "getPath"),
    "active path": ("getActivePath",),
    "descendants": ("getAllDescendants", "getDescendants"),
    "ancestors": ("getAllAncestors", "getAncestors"),
    "relation": ("getNodeRelationship",),
    "siblings": ("getSiblings", "getSiblingNodes"),
    "sibling index": ("getSiblingIndex",),
    "is on active path": ("isNodeInActivePath",),
    "leaf below": ("findLeafOfBranch",),
    "check": ("validateNodeIntegrity", "validateIntegrity"),
    "last question": ("prepareRegenerateLastMessage",),
    "create": ("createNode",),
    "add": ("addNodeToSession", "addNode"),
    "pair": ("createMessagePair",),
    "regenerate": ("createRegenerateBranch",),
    "continue": ("createContinuationBranch",),
    "branch": ("createBranch",),
    "branch from edit": ("createBranchFromEdit",),
    "edit": ("editMessage",),
    "update": ("updateNodeData",),
    "translate": ("updateMessageTranslation", "updateTranslation"),
    "soft delete": ("softDeleteNode", "softDelete"),
    "toggle": ("toggleNodeEnabled", "toggleEnabled"),
    "disable tree": ("disableNodeTree",),
    "delete": ("deleteMessage", "hardDeleteNode", "hardDelete", "deleteNode"),
    "graft": ("graftBranch", "graftSubtree", "reparentSubtree"),
    "move": ("moveNode", "reparentNode"),
    "transfer": ("transferChildren",),
    "switch": ("switchBranch", "updateActiveLeaf"),
    "switch to sibling": ("switchToSiblingBranch", "switchToSibling"),
    "settle greetings": ("solidifyGreetings",),
    "undo": ("undo",),
    "redo": ("redo",),
    "jump": ("jump", "jumpTo", "jumpToState"),
    "clear history": ("clearHistory",),
    "can undo": ("canUndo",),
    "can redo": ("canRedo",),
}

NEVER_RECORDED = frozenset(
    (
        "create",
        "add",
        "pair",
        "regenerate",
        "continue",
        "translate",
        "disable tree",
        "transfer",
        "switch to sibling",
        "settle greetings",
    )
)
SILENT = frozenset(("clear history", "disable tree", "jump", "redo", "translate", "undo"))
"""What returns nothing, whoever does it."""


class UnknownOperation(AssertionError):
    """A case names an operation that nobody has told the adapter of."""


class Operation(NamedTuple):
    """One operation of a case: `is_action` if a person did it at the tree, so that it returns nothing."""

    name: str
    args: tuple[Any, ...]
    is_action: bool

    @property
    def is_recorded(self) -> bool:
        """Whether the reference makes a step of its history of it."""
        return self.is_action and self.name not in NEVER_RECORDED


def read_operation(written: Sequence[Any] | Data) -> Operation:
    """An operation as a case writes it: a list, or an object with its name and its arguments."""
    if isinstance(written, Mapping):
        name = next(str(written[key]) for key in ("op", "operation", "name", "type") if key in written)
        args = written.get("args", {key: value for key, value in written.items() if value is not name})
        args = [args] if isinstance(args, Mapping) else args
    else:
        name, *args = written
    owner, _, bare = name.rpartition(".")
    known = _KNOWN.get(_plain(bare))
    if known is None:
        raise UnknownOperation(f"no operation on trees is called {name!r}; add it to {__name__}: {sorted(_KNOWN)}")
    wanted = PARAMETERS[known]
    return Operation(known, _in_order(args, wanted)[: len(wanted)], _plain(owner) in ACTIONS)


def _in_order(args: Sequence[Any], wanted: Sequence[str]) -> tuple[Any, ...]:
    """The arguments by their place; a single object with their names is taken apart."""
    if len(args) == 1 and isinstance(args[0], Mapping) and len(wanted) > 1:
        by_name = {_plain(key): value for key, value in args[0].items()}
        return tuple(by_name[_plain(name)] for name in wanted if _plain(name) in by_name)
    return tuple(args)


def _plain(name: str) -> str:
    """The same in camel case, snake case and capitals."""
    return re.sub(r"[^a-z]", "", name.lower())


_KNOWN = {_plain(spelling): name for name, spellings in NAMES.items() for spelling in spellings}
