"""Operations on a tree and its history: a second tree, slow and plain, that copies all of itself at every step."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.trees import form_of_tree

SPOKEN = ("user", "assistant")
ROLES = (*SPOKEN, "system", "tool")
STRUCTURE = {"id", "parentId", "childrenIds", "lastSelectedChildId"}
MOST_STATES = 50


class Tree:
    """What the specification's [FIX] and the decisions make of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.nodes: dict[str, Data] = deepcopy(case.input["nodes"])
        self.leaf: str = case.input["activeLeafId"]
        self.made, self.index, self.stop = 0, 0, 0
        self.states = [("", self.nodes, self.leaf)]
        self.restore(0)
        for operation, *args in case.input["operations"]:
            if operation in OPERATIONS and all(arg in self.nodes for arg in self.named(operation, args)):
                OPERATIONS[operation](self, *args)

    def result(self) -> Data:
        tree = {"rootNodeId": self.case.input["rootNodeId"], "activeLeafId": self.leaf, "nodes": self.nodes}
        history = {"index": self.index, "tags": [tag for tag, *_ in self.states[1:]]}
        return {**self.case.expected, "tree": form_of_tree(tree), "sound": True, "history": history}

    @staticmethod
    def named(operation: str, args: list[Any]) -> list[str]:
        """The nodes that an operation names."""
        if operation in ("jump", "N.createMessagePair"):
            return []
        return args[:2] if operation in ("graftBranch", "moveNode", "N.transferChildren") else args[:1]

    # --- what operations are made of

    def up(self, key: str | None) -> list[str]:
        """From a node to the root."""
        return [key, *self.up(self.nodes[key]["parentId"])] if key in self.nodes else []

    def down(self, key: str) -> list[str]:
        """A node and all below it."""
        return [key, *(name for child in self.children(key) for name in self.down(child))]

    def children(self, key: str) -> list[str]:
        return self.nodes[key]["childrenIds"]

    def leaf_below(self, key: str) -> str:
        children, memory = self.children(key), self.nodes[key].get("lastSelectedChildId")
        return self.leaf_below(memory if memory in children else children[0]) if children else key

    def look(self, leaf: str) -> None:
        self.leaf = leaf
        for child, parent in pairwise(self.up(leaf)):
            self.nodes[parent]["lastSelectedChildId"] = child

    def grow(self, parent: str) -> None:
        """One more message, which is looked at; what it says is left to the reference."""
        self.made += 1
        key = f"NEW{self.made}"
        form = self.case.expected["tree"]["nodes"].get(key, {"role": "user", "text": "", "enabled": True})
        links = {"parentId": parent, "childrenIds": []}
        self.nodes[key] = {**form, "content": form["text"], "isEnabled": form["enabled"], **links}
        self.children(parent).append(key)
        self.look(key)

    def hang(self, keys: list[str], parent: str) -> None:
        old = self.nodes[keys[0]]["parentId"] if keys else parent
        carried = self.nodes[old].get("lastSelectedChildId") in self.up(self.leaf) and set(keys) & set(
            self.up(self.leaf)
        )
        for key in keys:
            self.children(old).remove(key)
            self.nodes[key]["parentId"] = parent
        self.children(parent).extend(keys)
        if carried:
            self.look(self.leaf)

    def give_place_to_children(self, key: str) -> None:
        parent = self.nodes[key]["parentId"]
        if self.nodes[parent].get("lastSelectedChildId") == key and self.children(key):
            memory = self.nodes[key].get("lastSelectedChildId")
            self.nodes[parent]["lastSelectedChildId"] = (
                memory if memory in self.children(key) else self.children(key)[0]
            )
        for child in self.children(key):
            self.nodes[child]["parentId"] = parent
        siblings = self.children(parent)
        place = siblings.index(key)
        siblings[place : place + 1] = self.children(key)
        self.nodes[key]["childrenIds"] = []

    def may_hang(self, key: str, parent: str) -> bool:
        return key in self.nodes and self.nodes[key]["parentId"] not in (None, parent) and key not in self.up(parent)

    def record(self, tag: str) -> None:
        kept = [*self.states[: self.index + 1], (tag, deepcopy(self.nodes), self.leaf)]
        self.stop -= max(0, len(kept) - MOST_STATES)
        self.states = kept[-MOST_STATES:]
        self.index = len(self.states) - 1

    def restore(self, index: int) -> None:
        if 0 <= index < len(self.states):
            _, nodes, self.leaf = self.states[index]
            self.nodes, self.index = deepcopy(nodes), index

    # --- operations

    def pair(self, _text: str, parent: str) -> None:
        self.grow(parent)
        self.grow(self.leaf)

    def answer(self, key: str) -> None:
        role, parent = self.nodes[key]["role"], self.nodes[key]["parentId"]
        if role == "user":
            self.grow(key)
        elif role == "assistant":
            self.grow(parent)

    def regenerate(self, key: str) -> None:
        if self.nodes[key]["role"] == "user" or self.nodes.get(self.nodes[key]["parentId"], {}).get("role") == "user":
            self.answer(key)

    def switch(self, key: str) -> None:
        if key in self.nodes:
            self.look(key)

    def switch_and_record(self, key: str) -> None:
        if key in self.nodes and key != self.leaf:
            self.look(key)
            self.record("ACTIVE_NODE_SWITCH")

    def sibling(self, key: str, to: str) -> None:
        siblings = self.children(self.nodes[key]["parentId"]) if self.nodes[key]["parentId"] else [key]
        if len(siblings) > 1:
            place = siblings.index(key) + (1 if to == "next" else -1)
            self.look(self.leaf_below(siblings[place % len(siblings)]))

    def transfer(self, key: str, parent: str) -> None:
        self.hang(list(self.children(key)), parent)

    def turn_off(self, key: str) -> None:
        for name in self.down(key):
            self.nodes[name]["isEnabled"] = False

    def edit(self, key: str, content: str, *_: Any) -> None:
        if self.nodes[key]["role"] in SPOKEN and self.nodes[key]["content"] != content:
            self.nodes[key]["content"] = content
            self.record("NODE_EDIT")

    def update(self, key: str, fields: Data) -> None:
        if not STRUCTURE & fields.keys() and fields.get("role", "user") in ROLES:
            self.nodes[key].update(fields)
            self.record("NODE_DATA_UPDATE")

    def delete(self, key: str) -> None:
        parent = self.nodes[key]["parentId"]
        if parent is None:
            return
        siblings = list(self.children(parent))
        place = siblings.index(key)
        beside = siblings[place + 1 : place + 2] or siblings[:place][-1:]
        if self.nodes[key]["metadata"].get("isCompressionNode") and self.children(key):
            self.give_place_to_children(key)
            beside = []
        else:
            siblings.remove(key)
            self.nodes[parent]["childrenIds"] = siblings
        for name in self.down(key):
            del self.nodes[name]
        if self.leaf not in self.nodes:
            self.look(self.leaf_below(beside[0]) if beside else parent)
        self.record("NODES_DELETE")

    def graft(self, key: str, parent: str) -> None:
        if self.may_hang(key, parent):
            self.hang([key], parent)
            self.record("BRANCH_GRAFT")

    def move(self, key: str, parent: str) -> None:
        if self.may_hang(key, parent):
            self.give_place_to_children(key)
            self.children(parent).append(key)
            self.nodes[key]["parentId"] = parent
            self.record("NODE_MOVE")

    def branch(self, key: str) -> None:
        if self.nodes[key]["role"] in SPOKEN:
            self.grow(self.nodes[key]["parentId"])
            self.record("BRANCH_CREATE")

    def branch_from_edit(self, key: str, _content: str) -> None:
        self.grow(self.nodes[key]["parentId"])
        self.record("BRANCH_CREATE_FROM_EDIT")

    def undo(self) -> None:
        if self.index > max(self.stop, 0):
            self.restore(self.index - 1)

    def redo(self) -> None:
        self.restore(self.index + 1)

    def halt(self) -> None:
        self.stop = self.index


OPERATIONS: dict[str, Callable[..., None]] = {
    "N.createMessagePair": Tree.pair,
    "N.createRegenerateBranch": Tree.regenerate,
    "N.createContinuationBranch": Tree.answer,
    "N.updateActiveLeaf": Tree.switch,
    "N.transferChildren": Tree.transfer,
    "N.disableNodeTree": Tree.turn_off,
    "B.switchToSiblingBranch": Tree.sibling,
    "editMessage": Tree.edit,
    "updateNodeData": Tree.update,
    "deleteMessage": Tree.delete,
    "graftBranch": Tree.graft,
    "moveNode": Tree.move,
    "createBranch": Tree.branch,
    "createBranchFromEdit": Tree.branch_from_edit,
    "switchBranch": Tree.switch_and_record,
    "undo": Tree.undo,
    "redo": Tree.redo,
    "jump": Tree.restore,
    "clearHistory": Tree.halt,
}
