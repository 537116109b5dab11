"""Operations on a tree and its history: a second tree, slow and plain, that copies all of itself at every step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from copy import deepcopy
from itertools import pairwise
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.tree_operations import read_operation
from tests.golden.trees import form_of_tree

SPOKEN = ("user", "assistant")
ROLES = (*SPOKEN, "system", "tool")
STRUCTURE = {"id", "parentId", "childrenIds", "lastSelectedChildId"}
MOST_STATES = 50
CACHES = (
    *("sessionVariableSnapshot", "contentTokens", "lastCalcHash", "tokenCount", "tokenCountEstimated"),
    *("translation", "usage"),
)
"""What was computed from a text; the first is stale below an edit, too."""
RUN_STATE = (
    *CACHES,
    *("continuationPrefix", "emptyResponseDiagnostic", "error", "firstTokenTime", "isCancelled", "isContinuation"),
    *("isContinuationPrefix", "isQueued", "isTruncated", "reasoningArtifacts", "reasoningContent", "reasoningEndTime"),
    *("reasoningStartTime", "reasoningStateStatus", "reasoningStateWarning", "requestEndTime", "requestStartTime"),
    *("tokensPerSecond", "toolCalls", "toolCallsRequested"),
)
"""What a run left on a message; a copy has none of it."""


class Tree:
    """What the specification's [FIX] and the decisions make of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.nodes: dict[str, Data] = deepcopy(case.input["nodes"])
        self.leaf: str = case.input["activeLeafId"]
        self.made, self.index, self.stop = 0, 0, 0
        self.recording = self.amended = False
        self.events: set[str] = set()
        self.results: list[Any] = [KEPT] * len(case.input["operations"])
        self.states = [("", self.nodes, self.leaf)]
        self.restore(0)
        for self.at, written in enumerate(case.input["operations"]):
            operation = read_operation(written)
            self.recording = operation.is_recorded
            if operation.name in OPERATIONS:
                self.act(operation.name, operation.args)
        if not self.is_sound():
            self.events.add("broken tree")

    def act(self, name: str, args: tuple[Any, ...]) -> None:
        before = deepcopy((self.nodes, self.leaf))
        if all(arg in self.nodes for arg in self.named(name, args)):
            OPERATIONS[name](self, *args)
        elif name == "switch to sibling":
            self.answered(None, "no such node")
        if name not in TRAVELS and not self.recording and before != (self.nodes, self.leaf):
            self.amended = True
            self.states[self.index] = (self.states[self.index][0], deepcopy(self.nodes), self.leaf)

    def answered(self, result: Any, event: str) -> None:
        """What ours gives back where the reference gives something else, and what happened."""
        self.results[self.at] = result
        self.events.add(event)

    def result(self) -> Data:
        tree = {"rootNodeId": self.case.input["rootNodeId"], "activeLeafId": self.leaf, "nodes": self.nodes}
        history = {"index": self.index, "tags": [tag for tag, *_ in self.states[1:]]}
        given = zip(self.results, self.case.expected["results"], strict=True)
        return {
            "results": [theirs if ours is KEPT else ours for ours, theirs in given],
            "tree": form_of_tree(tree),
            "sound": self.is_sound(),
            "history": history,
        }

    @staticmethod
    def named(operation: str, args: tuple[Any, ...]) -> tuple[str, ...]:
        """The nodes that an operation names."""
        if operation in ("jump", "pair", "add"):
            return ()
        return args[:2] if operation in ("graft", "move", "transfer", "relation") else args[:1]

    def is_sound(self) -> bool:
        """Whether links fit together both ways, everything hangs on the one root, and so does the leaf."""
        root = self.case.input["rootNodeId"]
        for key, node in self.nodes.items():
            below, memory = node["childrenIds"], node.get("lastSelectedChildId")
            real = [child for child in self.nodes if self.nodes[child]["parentId"] == key]
            if (below and sorted(below) != sorted(real)) or memory not in (None, *real):
                return False
            if self.up(key)[-1] != root or (node["parentId"] is None) != (key == root):
                return False
        return root in self.nodes and self.leaf in self.nodes

    # --- what operations are made of

    def up(self, key: str | None) -> list[str]:
        """From a node to the root, or to where the way breaks off or comes round."""
        way: dict[str, None] = {}
        while key in self.nodes and key not in way:
            way[key] = None
            key = self.nodes[key]["parentId"]
        return list(way)

    def down(self, key: str) -> list[str]:
        """A node and all below it."""
        below = (child for child in self.children(key) if child in self.nodes and self.nodes[child]["parentId"] == key)
        return [key, *(name for child in below for name in self.down(child))]

    def children(self, key: str) -> list[str]:
        return self.nodes[key]["childrenIds"]

    def leaf_below(self, key: str) -> str:
        children, memory = self.children(key), self.nodes[key].get("lastSelectedChildId")
        return self.leaf_below(memory if memory in children else children[0]) if children else key

    def look(self, leaf: str) -> None:
        self.leaf = leaf
        for child, parent in pairwise(self.up(leaf)):
            self.nodes[parent]["lastSelectedChildId"] = child

    def grow(self, parent: str, *, key: str = "", stale: Collection[str] = ()) -> None:
        """One more message, which is looked at; what it says is left to the reference, but for what is `stale`."""
        self.made += not key
        key = key or f"NEW{self.made}"
        node = {"role": "user", **self.case.expected["tree"]["nodes"].get(key, {})}
        metadata = {name: value for name, value in (node.get("metadata") or {}).items() if name not in stale}
        if metadata != (node.get("metadata") or {}):
            self.events.add("stale metadata")
        form = {"role": node["role"], "status": node.get("status"), "attachments": node.get("files")}
        said = {"content": node.get("text", ""), "isEnabled": node.get("enabled", True), "metadata": metadata}
        self.nodes[key] = {**form, **said, "parentId": parent, "childrenIds": []}
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

    def forget(self, key: str, *, below: bool) -> None:
        """Drop what was computed from a text that is another one now."""
        for name in self.down(key) if below else (key,):
            metadata = self.nodes[name].get("metadata") or {}
            stale = CACHES if name == key else CACHES[:1]
            if set(stale) & metadata.keys():
                self.events.add("stale metadata")
                self.nodes[name]["metadata"] = {k: v for k, v in metadata.items() if k not in stale}

    def record(self, tag: str) -> None:
        if not self.recording:
            return
        kept = [*self.states[: self.index + 1], (tag, deepcopy(self.nodes), self.leaf)]
        self.stop -= max(0, len(kept) - MOST_STATES)
        self.states = kept[-MOST_STATES:]
        self.index = len(self.states) - 1

    def restore(self, index: int) -> None:
        if 0 <= index < len(self.states):
            if self.amended and index != self.index:
                self.events.add("unrecorded")
            _, nodes, self.leaf = self.states[index]
            self.nodes, self.index = deepcopy(nodes), index

    # --- questions

    def relation(self, key: str, other: str) -> None:
        if key == other:
            self.answered("same", "itself")

    def check(self) -> None:
        if not self.is_sound():
            self.answered({"isValid": False}, "broken tree")

    # --- operations

    def pair(self, _text: str, parent: str | None = None) -> None:
        if parent is not None and parent not in self.nodes:
            self.answered(None, "missing parent")
        else:
            self.grow(parent or self.leaf)
            self.grow(self.leaf)

    def add(self, node: Data) -> None:
        if node.get("parentId") not in self.nodes:
            self.answered(None, "missing parent")
        else:
            self.grow(node["parentId"], key=node.get("id", ""))

    def beside(self, key: str, stale: Collection[str]) -> bool:
        """A copy beside a message; a root has nothing beside it."""
        parent = self.nodes[key]["parentId"]
        if parent is None:
            self.answered(None, "second root")
            return False
        self.grow(parent, stale=stale)
        return True

    def answer(self, key: str) -> None:
        if self.nodes[key]["role"] == "user":
            self.grow(key)
        elif self.nodes[key]["role"] == "assistant":
            self.beside(key, [name for name in RUN_STATE if name not in ("continuationPrefix", "isContinuation")])

    def regenerate(self, key: str) -> None:
        if self.nodes[key]["role"] == "user" or self.nodes.get(self.nodes[key]["parentId"], {}).get("role") == "user":
            self.answer(key)

    def branch(self, key: str) -> None:
        if self.nodes[key]["role"] in SPOKEN and self.beside(key, RUN_STATE):
            self.record("BRANCH_CREATE")

    def branch_from_edit(self, key: str, *_: Any) -> None:
        if self.beside(key, RUN_STATE):
            self.record("BRANCH_CREATE_FROM_EDIT")

    def switch(self, key: str) -> None:
        leaf = self.leaf
        self.look(key)
        if key != leaf:
            self.record("ACTIVE_NODE_SWITCH")

    def sibling(self, key: str, to: str = "next") -> None:
        siblings = self.children(self.nodes[key]["parentId"]) if self.nodes[key]["parentId"] else [key]
        if len(siblings) > 1:
            place = siblings.index(key) + (1 if to == "next" else -1)
            self.look(self.leaf_below(siblings[place % len(siblings)]))
        elif key != self.leaf:
            self.events.add("only child")

    def transfer(self, key: str, parent: str) -> None:
        if self.children(parent) or parent in self.down(key):
            self.events.add("children of the heir")
        if parent not in self.down(key):
            self.hang(list(self.children(key)), parent)

    def turn(self, keys: Iterable[str], *, on: bool) -> None:
        for name in keys:
            self.nodes[name]["isEnabled"] = on

    def soft_delete(self, key: str) -> None:
        self.turn([key], on=False)

    def disable_tree(self, key: str) -> None:
        self.turn(self.down(key), on=False)

    def toggle(self, key: str) -> None:
        self.turn([key], on=self.nodes[key].get("isEnabled") is False)
        self.record("NODE_TOGGLE_ENABLED")

    def translate(self, key: str, translation: Data | None) -> None:
        metadata = {k: v for k, v in (self.nodes[key].get("metadata") or {}).items() if k != "translation"}
        self.nodes[key]["metadata"] = {**metadata, **({} if translation is None else {"translation": translation})}

    def edit(self, key: str, content: str, attachments: list[Data] | None = None) -> None:
        node = self.nodes[key]
        files = (node.get("attachments") or []) if attachments is None else attachments
        if node["role"] not in SPOKEN:
            return
        if (node["content"], node.get("attachments") or []) == (content, files):
            self.events.add("no change")
            return
        self.forget(key, below=True)
        self.nodes[key] |= {"content": content, "attachments": files}
        self.record("NODE_EDIT")

    def update(self, key: str, fields: Data) -> None:
        if STRUCTURE & fields.keys() or fields.get("role", "user") not in ROLES:
            return
        if all(self.nodes[key].get(name) == value for name, value in fields.items()):
            self.events.add("no change")
            return
        if any(self.nodes[key].get(name) != fields[name] for name in ("content", "attachments") if name in fields):
            self.forget(key, below=True)
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
        if self.nodes[key]["parentId"] == parent:
            self.events.add("no change")
        if self.may_hang(key, parent):
            if self.children(key) and self.children(self.nodes[key]["parentId"])[-1] != key:
                self.events.add("place of the moved")
            self.give_place_to_children(key)
            self.children(parent).append(key)
            self.nodes[key]["parentId"] = parent
            self.record("NODE_MOVE")

    def undo(self) -> None:
        if self.index > max(self.stop, 0):
            self.restore(self.index - 1)

    def redo(self) -> None:
        self.restore(self.index + 1)

    def halt(self) -> None:
        self.stop = self.index


KEPT = object()
"""In place of a result: as the reference's."""

TRAVELS = ("undo", "redo", "jump", "clear history")

OPERATIONS: dict[str, Callable[..., None]] = {
    "relation": Tree.relation,
    "check": Tree.check,
    "add": Tree.add,
    "pair": Tree.pair,
    "regenerate": Tree.regenerate,
    "continue": Tree.answer,
    "branch": Tree.branch,
    "branch from edit": Tree.branch_from_edit,
    "switch": Tree.switch,
    "switch to sibling": Tree.sibling,
    "transfer": Tree.transfer,
    "soft delete": Tree.soft_delete,
    "disable tree": Tree.disable_tree,
    "toggle": Tree.toggle,
    "translate": Tree.translate,
    "edit": Tree.edit,
    "update": Tree.update,
    "delete": Tree.delete,
    "graft": Tree.graft,
    "move": Tree.move,
    "undo": Tree.undo,
    "redo": Tree.redo,
    "jump": Tree.restore,
    "clear history": Tree.halt,
}
