"""Cases for operations on trees that no recorded case has, in their form: what the reference does is written by hand.

All begin with one tree and its leaf b3, which `trees` changes for a case:

    root - u1 - a1 - u2 - b1
              - a2 - u3 - b2
                        - b3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data

CHILDREN = {
    "root": ["u1"],
    "u1": ["a1", "a2"],
    "a1": ["u2"],
    "u2": ["b1"],
    "b1": [],
    "a2": ["u3"],
    "u3": ["b2", "b3"],
    "b2": [],
    "b3": [],
}
ROLES = {"r": "system", "u": "user", "a": "assistant", "b": "assistant"}
WAY = {"u1": {"lastSelectedChildId": "a2"}, "u3": {"lastSelectedChildId": "b3"}}
"""What is remembered when the leaf b3 has been looked at."""

Changes = Mapping[str, Data | None]


def tree(changes: Changes | None = None) -> dict[str, Data]:
    """The nodes of the tree above; `changes` are other fields of them, new ones, and None for one that is gone."""
    parents = {child: key for key, children in CHILDREN.items() for child in children}
    nodes = {key: _node(key, parents.get(key), children) for key, children in CHILDREN.items()}
    for key, fields in (changes or {}).items():
        if fields is None:
            del nodes[key]
        else:
            nodes[key] = {**nodes.get(key, _node(key, None, [])), **fields}
    return deepcopy(nodes)


def _node(key: str, parent: str | None, children: list[str]) -> Data:
    content = "" if key == "root" else f"c-{key}"
    links = {"id": key, "parentId": parent, "childrenIds": list(children)}
    fields = {"role": ROLES.get(key[0], "user"), "content": content, "status": "complete", "isEnabled": True}
    return {**links, **fields, "metadata": {}}


def case(
    name: str,
    *steps: tuple[Sequence[Any] | Data, Any],
    before: Changes | None = None,
    after: Changes | None = None,
    start: str = "b3",
    leaf: str | None = None,
    tags: Sequence[str] = (),
    index: int | None = None,
    valid: bool = True,
) -> Case:
    """A case of these operations with what each returns; `after` and the rest say what the reference is left with."""
    given = {"nodes": tree(before), "rootNodeId": "root", "activeLeafId": start}
    changes = {key: fields and {**((before or {}).get(key) or {}), **fields} for key, fields in (after or {}).items()}
    nodes = tree({**(before or {}), **changes})
    entries = [{"actionTag": tag} for tag in ("INITIAL_STATE", *tags)]
    expected = {
        "results": [{"result": result} for _, result in steps],
        "tree": {"rootNodeId": "root", "activeLeafId": leaf or start, "nodes": nodes},
        "integrity": {"isValid": valid, "errors": [] if valid else ["..."]},
        "history": {"historyIndex": len(tags) if index is None else index, "entries": entries},
    }
    return Case("tree_ops", name, {**given, "operations": [operation for operation, _ in steps]}, expected)


NONE_DELETED = {"success": False, "deletedNodes": []}
CHINESE = {"content": "你好", "targetLang": "Chinese", "displayMode": "both", "visible": True}
PICTURE = {"id": "f", "type": "image", "name": "f.png", "mimeType": "image/png"}
THROWN = {"error": "..."}


def _switching() -> Iterator[Case]:
    off = {"isEnabled": False}
    yield case("soft delete of an inner message", (["N.softDeleteNode", "a1"], True), after={"a1": off})
    yield case("soft delete of the root", (["N.softDeleteNode", "root"], True), after={"root": off})
    yield case(
        "soft delete twice, and of what isn't there",
        (["N.softDeleteNode", "a1"], True),
        (["N.softDeleteNode", "a1"], True),
        (["N.softDeleteNode", "zz"], False),
        after={"a1": off},
    )
    yield case(
        "toggle, undo",
        (["toggleNodeEnabled", "a1"], None),
        (["toggleNodeEnabled", "a2"], None),
        (["undo"], None),
        after={"a1": off},
        tags=["NODE_TOGGLE_ENABLED"] * 2,
        index=1,
    )
    yield case(
        "toggle on and off again",
        (["toggle_node_enabled", "a1"], None),
        (["toggleEnabled", "a1"], None),
        tags=["NODE_TOGGLE_ENABLED"] * 2,
    )
    yield case("toggle of what isn't there throws", (["toggleNodeEnabled", "zz"], THROWN))
    yield case(
        "toggle below the actions",
        (["B.toggleNodeEnabled", "u2"], True),
        (["B.toggleNodeEnabled", "zz"], False),
        before={"u2": {"isEnabled": False}},
        after={"u2": {"isEnabled": True}},
    )
    yield case(
        "disable a tree, and one that isn't there",
        (["N.disableNodeTree", "a2"], None),
        (["N.disableNodeTree", "zz"], None),
        after=dict.fromkeys(["a2", "u3", "b2", "b3"], off),
    )
    yield case(
        "a soft delete before an edit that is undone",
        (["N.softDeleteNode", "a1"], True),
        (["editMessage", "u1", "x"], None),
        (["undo"], None),
        tags=["NODE_EDIT"],
        index=0,
    )


def _deleting() -> Iterator[Case]:
    yield case(
        "hard delete of the leaf goes to the sibling",
        (["N.hardDeleteNode", "b3"], {"success": True, "deletedNodes": ["b3"]}),
        after={
            "b3": None,
            "u3": {"childrenIds": ["b2"], "lastSelectedChildId": "b2"},
            "u1": {"lastSelectedChildId": "a2"},
        },
        leaf="b2",
    )
    yield case(
        "hard delete of another branch",
        (["B.deleteMessage", "a1"], {"success": True, "deletedNodes": ["a1", "u2", "b1"]}),
        after={"a1": None, "u2": None, "b1": None, "u1": {"childrenIds": ["a2"]}},
    )
    yield case(
        "hard delete of the root, and of what isn't there",
        (["N.hardDeleteNode", "root"], NONE_DELETED),
        (["N.hard_delete_node", "zz"], NONE_DELETED),
        (["deleteMessage", "zz"], None),
    )
    yield case(
        "hard delete of a summary",
        (["N.hardDeleteNode", "a2"], {"success": True, "deletedNodes": ["a2"]}),
        before={"a2": {"metadata": {"isCompressionNode": True}}},
        after={"a2": None, "u1": {"childrenIds": ["a1", "u3"]}, "u3": {"parentId": "u1"}},
    )


def _asking() -> Iterator[Case]:
    yield case(
        "siblings",
        (["B.getSiblings", "a2"], ["a1", "a2"]),
        (["B.getSiblings", "root"], ["root"]),
        (["B.getSiblings", "zz"], []),
        (["B.getSiblingIndex", "a2"], {"index": 1, "total": 2}),
        (["B.getSiblingIndex", "root"], {"index": 0, "total": 1}),
        (["B.getSiblingIndex", "zz"], {"index": 0, "total": 0}),
    )
    yield case(
        "siblings given as nodes", (["B.getSiblings", "b2"], [{"id": "b2", "role": "x"}, {"id": "b3", "role": "x"}])
    )
    yield case(
        "paths",
        (["N.getNodePath", "b3"], ["root", "u1", "u3", "b3"]),
        (["getActivePath"], ["u1", "a2", "u3", "b3"]),
        (["B.isNodeInActivePath", "a2"], True),
        (["B.isNodeInActivePath", "a1"], False),
        (["B.isNodeInActivePath", "zz"], False),
        (["N.getAllAncestors", "zz"], []),
        (["N.getAllDescendants", "zz"], []),
        before={"a2": {"isEnabled": False}},
    )
    yield case(
        "the leaf below, by memory or the first child",
        (["BranchNavigator.findLeafOfBranch", "u1"], "b3"),
        (["BranchNavigator.findLeafOfBranch", "a1"], "b1"),
        before=WAY,
    )
    yield case(
        "relations to oneself and to nobody",
        (["N.getNodeRelationship", "a1", "a1"], "sibling"),
        (["N.getNodeRelationship", "root", "root"], "other"),
        (["N.getNodeRelationship", "a1", "zz"], "other"),
    )
    yield case(
        "the last question, where a user spoke last",
        (["B.prepareRegenerateLastMessage"], {"shouldRegenerate": False}),
        start="u3",
    )
    yield case(
        "the last question, where the answer answers nobody",
        (["B.prepareRegenerateLastMessage"], {"shouldRegenerate": False}),
        before={"u3": {"role": "tool"}},
    )


def _checking() -> Iterator[Case]:
    sound, broken = {"isValid": True, "errors": []}, {"isValid": False, "errors": ["..."]}
    yield case("a sound tree", (["N.validateNodeIntegrity"], sound))
    yield case(
        "a parent that isn't there",
        (["N.validateNodeIntegrity"], broken),
        (["N.getNodePath", "b1"], ["b1"]),
        before={"b1": {"parentId": "gone"}, "u2": {"childrenIds": []}},
        valid=False,
    )
    yield case(
        "a child that isn't there",
        (["N.validate_node_integrity"], broken),
        (["N.getAllDescendants", "u2"], ["b1"]),
        before={"u2": {"childrenIds": ["b1", "ghost"]}},
        valid=False,
    )
    yield case("a leaf that isn't there", (["N.validateNodeIntegrity"], broken), start="gone", valid=False)
    yield case(
        "a child that is listed twice",
        (["N.validateNodeIntegrity"], sound),
        before={"u1": {"childrenIds": ["a1", "a2", "a2"]}},
    )
    yield case(
        "parents that run in a circle",
        (["N.validateNodeIntegrity"], sound),
        before={"u1": {"childrenIds": ["a2"]}, "a1": {"parentId": "b1"}, "b1": {"childrenIds": ["a1"]}},
    )


def _hanging() -> Iterator[Case]:
    grafted = {"a1": {"parentId": "b3"}, "b3": {"childrenIds": ["a1"]}, "u1": {"childrenIds": ["a2"]}}
    yield case("graft below the actions", (["N.reparentSubtree", "a1", "b3"], True), after=grafted)
    yield case(
        "graft with named arguments",
        (["n.graft_subtree", {"node_id": "a1", "new_parent_id": "b3"}], True),
        after=grafted,
    )
    yield case(
        "an operation as an object", ({"op": "N.reparentSubtree", "args": ["a1", "b3", "session"]}, True), after=grafted
    )
    yield case(
        "grafts that are refused",
        (["N.reparentSubtree", "root", "b3"], False),
        (["N.reparentSubtree", "a1", "a1"], False),
        (["N.reparentSubtree", "a1", "b1"], False),
        (["B.graftBranch", "zz", "b1"], False),
        (["B.graftBranch", "a1", "zz"], False),
        (["B.graftBranch", "a1", "u1"], True),
    )
    yield case(
        "moves that are refused",
        (["N.reparentNode", "root", "b3"], False),
        (["N.reparentNode", "a1", "b1"], THROWN),
        (["B.moveNode", "zz", "b1"], False),
        (["B.moveNode", "a1", "zz"], False),
    )
    yield case(
        "move of a message with a branch beside it",
        (["moveNode", "a1", "b3"], None),
        after={
            "u1": {"childrenIds": ["a2", "u2"]},
            "u2": {"parentId": "u1"},
            "a1": {"parentId": "b3", "childrenIds": []},
            "b3": {"childrenIds": ["a1"]},
        },
        tags=["NODE_MOVE"],
    )
    yield case("move to where it is", (["moveNode", "a1", "u1"], None), tags=["NODE_MOVE"])
    yield case(
        "children transferred to a message that has some",
        (["N.transferChildren", "a1", "u3"], None),
        (["N.transferChildren", "zz", "u3"], None),
        after={"a1": {"childrenIds": []}, "u2": {"parentId": "u3"}, "u3": {"childrenIds": ["u2"]}},
    )
    yield case(
        "children transferred to their parent",
        (["N.transferChildren", "a1", "a1"], None),
        after={"a1": {"childrenIds": []}},
    )


def _writing() -> Iterator[Case]:
    run = {"usage": {"totalTokens": 3}, "tokenCount": 3, "agentId": "ag"}
    yield case(
        "a translation, another, and of what isn't there",
        (["updateMessageTranslation", "a1", {"content": "x"}], None),
        (["updateMessageTranslation", "a1", CHINESE], None),
        (["updateMessageTranslation", "zz", CHINESE], None),
        before={"a1": {"metadata": {"agentId": "ag"}}},
        after={"a1": {"metadata": {"agentId": "ag", "translation": CHINESE}}},
    )
    yield case(
        "a translation between undo and redo",
        (["editMessage", "u1", "x"], None),
        (["update_translation", "a1", CHINESE], None),
        (["undo"], None),
        (["redo"], None),
        after={"u1": {"content": "x"}},
        tags=["NODE_EDIT"],
    )
    yield case("an edit to the same words", (["editMessage", "u1", "c-u1"], None), tags=["NODE_EDIT"])
    yield case(
        "files are put on, kept and taken off",
        (["editMessage", "u1", "x", [PICTURE]], None),
        (["editMessage", "u2", "x", [PICTURE], "session"], None),
        (["editMessage", "u2", "y", None, "session"], None),
        (["editMessage", "u1", "x", []], None),
        after={"u1": {"content": "x"}, "u2": {"content": "y", "attachments": [PICTURE]}},
        tags=["NODE_EDIT"] * 4,
    )
    yield case(
        "an edit below the actions",
        (["B.editMessage", "u1", "x"], True),
        (["B.editMessage", "root", "x"], False),
        (["B.editMessage", "zz", "x"], False),
        after={"u1": {"content": "x"}},
    )
    yield case(
        "an edit of what was counted",
        (["editMessage", "a1", "x"], None),
        before={"a1": {"metadata": run}, "b1": {"metadata": {"sessionVariableSnapshot": {}}}},
        after={"a1": {"content": "x"}},
        tags=["NODE_EDIT"],
    )
    yield case(
        "data of what can't be edited",
        (["updateNodeData", "zz", {"name": "x"}], None),
        (["updateNodeData", "preset-1", {"name": "x"}], None),
    )
    yield case(
        "data of its own, with the same values again",
        (["update_node_data", "u1", {"content": "x", "isEnabled": False}], None),
        (["updateNodeData", "u1", {"content": "x", "isEnabled": False}, "session"], None),
        after={"u1": {"content": "x", "isEnabled": False}},
        tags=["NODE_DATA_UPDATE"] * 2,
    )


def _growing() -> Iterator[Case]:
    new = {"id": "NEW1", "parentId": "a1", "role": "user", "content": "x"}
    run = {"usage": {"totalTokens": 3}, "toolCallsRequested": [{"requestId": "c"}], "agentId": "ag"}
    yield case(
        "a branch below the actions, of a message that was run",
        (["B.createBranch", "a2"], "NEW1"),
        (["B.createBranch", "zz"], None),
        before={"a2": {"metadata": run}},
        after={
            "NEW1": {"parentId": "u1", "role": "assistant", "content": "c-a2", "metadata": run},
            "u1": {"childrenIds": ["a1", "a2", "NEW1"], "lastSelectedChildId": "NEW1"},
        },
        leaf="NEW1",
    )
    yield case(
        "a branch from an edit has the files that it is given",
        (["createBranchFromEdit", "u2", "x"], None),
        (["createBranchFromEdit", "u2", "y", [PICTURE]], None),
        before={"u2": {"attachments": [PICTURE]}},
        after={
            "NEW1": {**new, "childrenIds": []},
            "NEW2": {**new, "id": "NEW2", "content": "y", "attachments": [PICTURE]},
            "a1": {"childrenIds": ["u2", "NEW1", "NEW2"], "lastSelectedChildId": "NEW2"},
            "u1": {"lastSelectedChildId": "a1"},
        },
        leaf="NEW2",
        tags=["BRANCH_CREATE_FROM_EDIT"] * 2,
    )
    yield case(
        "a branch from an edit below the actions",
        (["N.createBranchFromEdit", "u2", "x"], {"id": "NEW1", "role": "user"}),
        (["N.createBranchFromEdit", "zz", "x"], None),
        after={"NEW1": new, "a1": {"childrenIds": ["u2", "NEW1"]}},
    )
    yield case(
        "a branch beside the root",
        (["createBranchFromEdit", "root", "x"], None),
        after={"NEW1": {"parentId": None, "role": "system", "content": "x"}},
        leaf="NEW1",
        tags=["BRANCH_CREATE_FROM_EDIT"],
    )
    yield case(
        "a pair below what isn't there",
        (["N.createMessagePair", "hi", "zz"], {"userNode": "NEW1", "assistantNode": "NEW2"}),
        after={
            "NEW1": {"parentId": "zz", "childrenIds": ["NEW2"], "content": "hi"},
            "NEW2": {"parentId": "NEW1", "role": "assistant", "content": "", "status": "generating"},
        },
        valid=False,
    )
    yield case(
        "a node that is added, and one below what isn't there",
        (
            ["N.addNodeToSession", {"id": "n", "parentId": "b1", "role": "user", "content": "x", "childrenIds": []}],
            None,
        ),
        (["N.addNodeToSession", {"id": "m", "parentId": "zz", "role": "user", "content": "x"}], None),
        after={
            "n": {"parentId": "b1", "content": "x"},
            "m": {"parentId": "zz", "content": "x"},
            "b1": {"childrenIds": ["n"]},
        },
        valid=False,
    )
    yield case("a node that hangs nowhere", (["N.createNode", {"role": "user", "content": "x", "parentId": None}], new))
    yield case(
        "going on from a question",
        (["N.createContinuationBranch", "u3"], {"assistantNode": "NEW1", "userNode": "u3"}),
        (["N.createContinuationBranch", "zz"], None),
        (["N.createRegenerateBranch", "zz"], None),
        (["N.createRegenerateBranch", "root"], None),
        after={
            "NEW1": {
                "parentId": "u3",
                "role": "assistant",
                "content": "",
                "status": "generating",
                "metadata": {"isContinuation": True},
            },
            "u3": {"childrenIds": ["b2", "b3", "NEW1"]},
        },
    )
    yield case(
        "greetings settle",
        (["solidifyGreetings"], None),
        before={"u1": {"metadata": {"isGreeting": True, "greetingLive": True}}},
        after={"u1": {"metadata": {"isGreeting": True, "greetingLive": False}}},
    )


def _looking() -> Iterator[Case]:
    yield case(
        "an action to the sibling, which is no step",
        (["switchToSiblingBranch", "a2", "prev"], None),
        after={"u1": {"lastSelectedChildId": "a1"}},
        leaf="b1",
    )
    yield case(
        "the sibling of what isn't there", (["B.switchToSiblingBranch", "zz", "next"], "zz"), leaf="zz", valid=False
    )
    yield case("the sibling of the root", (["B.switchToSiblingBranch", "root", "next"], "root"), leaf="root")
    yield case(
        "looking below the actions",
        (["B.switchBranch", "b2"], True),
        (["B.switchBranch", "zz"], False),
        after={"u1": {"lastSelectedChildId": "a2"}, "u3": {"lastSelectedChildId": "b2"}},
        leaf="b2",
    )
    yield case(
        "what can be undone and redone",
        (["H.canUndo"], False),
        (["editMessage", "u1", "x"], None),
        (["canUndo"], True),
        (["canRedo"], False),
        (["undo"], None),
        (["H.can_redo"], True),
        (["jumpToState", 1], None),
        (["jumpToState", 7], None),
        (["clear_history"], None),
        after={"u1": {"content": "x"}},
        tags=[],
        index=0,
    )


CASES = (
    *_switching(),
    *_deleting(),
    *_asking(),
    *_checking(),
    *_hanging(),
    *_writing(),
    *_growing(),
    *_looking(),
)
