"""Operations on a tree and its history: a second tree, slow and plain, that copies itself before every change."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from golden.cases import Case
from golden.forms import Data
from golden.rules.rule import Rule
from golden.trees import TAGS, form_of_tree

CREATING = ("N.createMessagePair", "N.createRegenerateBranch", "N.createContinuationBranch")
BACK_AND_FORTH = ("undo", "redo", "jump")
MOST_STATES = 50


class Tree:
    """What the operations of a case make of its tree, as the specification's [FIX] and the decisions say."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.nodes: dict[str, Data] = deepcopy(case.input["nodes"])
        self.leaf: str = case.input["activeLeafId"]
        self.made = 0
        self.states: list[tuple[str, dict[str, Data], str]] = [("", deepcopy(self.nodes), self.leaf)]
        self.index, self.stop = 0, 0
        for operation, *args in case.input["operations"]:
            getattr(self, "_" + operation.split(".")[-1], lambda *_: None)(*args)

    def result(self) -> Data:
        tree = {"rootNodeId": self.case.input["rootNodeId"], "activeLeafId": self.leaf, "nodes": self.nodes}
        history = {"index": self.index, "tags": [tag for tag, *_ in self.states[1:]]}
        return {**self.case.expected, "tree": form_of_tree(tree), "sound": True, "history": history}

    # --- the tree

    def _way(self, key: str) -> list[str]:
        """From a node up to the root."""
        return [key, *self._way(self.nodes[key]["parentId"])] if key in self.nodes else []

    def _below(self, key: str) -> list[str]:
        return [key, *(name for child in self.nodes[key]["childrenIds"] for name in self._below(child))]

    def _leaf_below(self, key: str) -> str:
        children, memory = self.nodes[key]["childrenIds"], self.nodes[key].get("lastSelectedChildId")
        return self._leaf_below(memory if memory in children else children[0]) if children else key

    def _look(self, leaf: str) -> None:
        self.leaf = leaf
        way = self._way(leaf)
        for child, parent in zip(way, way[1:], strict=False):
            self.nodes[parent]["lastSelectedChildId"] = child

    def _grow(self, parent: str) -> None:
        """A new message, which is looked at; what it says is as in the reference."""
        self.made += 1
        key = f"NEW{self.made}"
        said = self.case.expected["tree"]["nodes"].get(key, {"role": "user", "text": ""})
        fields = {"content": said["text"], "isEnabled": said.get("enabled"), "attachments": said.get("files")}
        self.nodes[key] = {**said, **fields, "parentId": parent, "childrenIds": []}
        self.nodes[parent]["childrenIds"].append(key)
        self._look(key)

    def _record(self, tag: str) -> None:
        self.states[self.index + 1 :] = [(tag, deepcopy(self.nodes), self.leaf)]
        self.states = self.states[-MOST_STATES:]
        self.index = len(self.states) - 1
