"""The cases of tree_ops: operations on a tree and its history, and both as plain data in which they are compared.

A tree is compared by role, text, links, switch, status, metadata and files of each node, and by the child to which its
memory leads, which is the first one where it has none or one of a child that isn't there. Of a history count the
present state, the number of states and what led to each but the oldest; how a state is stored doesn't.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.documents import History, Session
from ctxlab.errors import Refused, UnknownNode
from tests.golden.cases import Case
from tests.golden.forms import Data

# What the stubbed store of user profiles gave to a copied message that names none.
PROFILE: Data = {"userProfileId": "up-1", "userProfileName": "Al", "userProfileIcon": "🙂"}


def run(data: Data) -> Data:
    """The operations of a case, one after another."""
    session = Session.model_validate({name: data[name] for name in ("nodes", "rootNodeId", "activeLeafId")})
    desk = Desk(session)
    results = [desk.result(*operation) for operation in data["operations"]]
    tree = desk.history.session
    return {
        "results": results,
        "tree": form_of_tree(tree.to_data()),
        "sound": tree.check() == (),
        "history": {
            "index": desk.history.index,
            "tags": [entry["actionTag"] for entry in desk.history.entries()[1:]],
        },
    }


def expected(case: Case) -> Data:
    data = case.expected
    entries = data["history"]["entries"]
    return {
        "results": [step["result"] for step in data["results"]],
        "tree": form_of_tree(data["tree"]),
        "sound": data["integrity"]["isValid"],
        "history": {"index": data["history"]["historyIndex"], "tags": [entry["actionTag"] for entry in entries[1:]]},
    }


def form_of_tree(data: Data) -> Data:
    """A session's JSON, as far as it is compared."""
    nodes = data.get("nodes") or {}
    return {
        "root": data["rootNodeId"],
        "leaf": data["activeLeafId"],
        "nodes": {key: _form_of_node(nodes[key], _children(key, nodes)) for key in sorted(nodes)},
    }


def _children(key: str, nodes: Mapping[str, Data]) -> list[str]:
    return nodes[key].get("childrenIds") or [other for other in nodes if nodes[other].get("parentId") == key]


def _form_of_node(node: Data, children: list[str]) -> Data:
    memory = node.get("lastSelectedChildId")
    return {
        "role": node["role"],
        "text": node.get("content") or "",
        "parent": node.get("parentId"),
        "children": children,
        "way": memory if memory in children else next(iter(children), None),
        "enabled": node.get("isEnabled") is not False,
        "status": node.get("status") or "complete",
        "metadata": node.get("metadata") or {},
        "files": node.get("attachments") or [],
    }


class Desk:
    """A session and its history, worked on by the reference's operations; new messages are called NEW1, NEW2, ..."""

    def __init__(self, session: Session) -> None:
        self.history = History(session)
        self.names: set[str] = set()

    @property
    def session(self) -> Session:
        return self.history.session

    def result(self, operation: str, *args: Any) -> Any:
        """What the operation gives; a refusal gives what the reference gives when it does nothing."""
        act, refusal = OPERATIONS[operation]
        try:
            return act(self, *args)
        except (Refused, UnknownNode):
            return refusal
        finally:
            self.names.update(self.session.nodes)

    def new_ids(self) -> list[str]:
        """Two names that no message has or had."""
        return [name for n in range(1, len(self.names) + 3) if (name := f"NEW{n}") not in self.names][:2]

    def do(self, verb: Callable[..., Session], *args: Any, **fields: Any) -> None:
        self.history.do(verb, *args, **fields)

    def look(self, session: Session) -> None:
        """What the reference doesn't record becomes part of the oldest state, as long as that is the only one."""
        if self.history.labels == ("start",):
            self.history = History(session)
        else:
            self.history.record(session, "switched")

    # --- questions

    def path(self, node_id: str) -> list[str]:
        return [node.id for node in self.session.path(node_id) if node.enabled]

    def last_question(self) -> Data:
        asked = self.session.regenerate(self.session.active_leaf_id or "").path()[-2]
        return {"shouldRegenerate": True, "userContent": asked.content, "newActiveLeafId": asked.id}

    # --- what the reference doesn't record

    def pair(self, text: str, parent: str) -> Data:
        user, assistant = self.new_ids()
        self.look(self.session.append_pair(text, parent=parent, ids=(user, assistant)))
        return {"userNode": user, "assistantNode": assistant}

    def answer(self, verb: Callable[..., Session], node_id: str) -> Data:
        self.look(verb(self.session, node_id, id=self.new_ids()[0]))
        return {"userNode": self.session.path()[-2].id, "assistantNode": self.session.path()[-1].id}

    def switch(self, node_id: str) -> bool:
        self.look(self.session.switched(node_id))
        return True

    def switch_to_sibling(self, node_id: str, to: str) -> str | None:
        alone = len(self.session.children(self.session[node_id].parent_id or "")) < 2
        self.look(self.session.switched_to_sibling(node_id, "next" if to == "next" else "previous"))
        return node_id if alone else self.session.active_leaf_id

    # --- what it records

    def branch(self, node_id: str) -> None:
        node = self.session[node_id]
        unnamed = node.role == "user" and not (node.meta("userProfileId") or node.meta("isGreeting"))
        self.do(Session.branch, node_id, id=self.new_ids()[0], **({"metadata": PROFILE} if unnamed else {}))

    def toggle(self, node_id: str) -> None:
        self.do(Session.disable if self.session[node_id].enabled else Session.enable, node_id)

    def jump(self, index: int) -> None:
        self.history.jump(index)


def _recorded(verb: Callable[..., Session]) -> Callable[..., None]:
    return lambda desk, *args: desk.do(verb, *args)


OPERATIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "N.getNodePath": (Desk.path, []),
    "N.getAllDescendants": (lambda desk, node_id: list(desk.session.descendants(node_id)), []),
    "N.getAllAncestors": (lambda desk, node_id: list(desk.session.ancestors(node_id)), []),
    "N.getNodeRelationship": (lambda desk, *ids: desk.session.relation(*ids), "other"),
    "N.createMessagePair": (Desk.pair, None),
    "N.createRegenerateBranch": (lambda desk, node_id: desk.answer(Session.regenerate, node_id), None),
    "N.createContinuationBranch": (lambda desk, node_id: desk.answer(Session.continue_from, node_id), None),
    "N.updateActiveLeaf": (Desk.switch, False),
    "N.transferChildren": (lambda desk, *ids: desk.look(desk.session.transfer_children(*ids)), None),
    "N.disableNodeTree": (lambda desk, node_id: desk.look(desk.session.disable(node_id, below=True)), None),
    "B.switchToSiblingBranch": (Desk.switch_to_sibling, None),
    "B.prepareRegenerateLastMessage": (Desk.last_question, None),
    "editMessage": (lambda desk, *args: desk.do(Session.edit, *args[:2], attachments=(*args, None)[2]), None),
    "deleteMessage": (_recorded(Session.delete), None),
    "graftBranch": (_recorded(Session.graft), None),
    "moveNode": (_recorded(Session.move), None),
    "createBranch": (Desk.branch, None),
    "createBranchFromEdit": (
        lambda desk, *args: desk.do(Session.branch_from_edit, *args, id=desk.new_ids()[0]),
        None,
    ),
    "updateNodeData": (lambda desk, node_id, fields: desk.do(Session.update, node_id, **fields), None),
    "toggleEnabled": (Desk.toggle, None),
    "switchBranch": (_recorded(Session.switched), None),
    "undo": (lambda desk: desk.jump(desk.history.index - 1) if desk.history.can_undo else None, None),
    "redo": (lambda desk: desk.jump(desk.history.index + 1), None),
    "jump": (Desk.jump, None),
    "clearHistory": (lambda desk: desk.history.breakpoint(), None),
}
