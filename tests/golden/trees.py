"""The cases of tree_ops: operations on a tree and its history, and both as plain data in which they are compared.

A tree is compared by role, text, links, switch, status, metadata and files of each node, and by the child to which its
memory leads, which is the first one where it has none or one of a child that isn't there. Of a history count the
present state, the number of states and what led to each but the oldest; how a state is stored doesn't. Of what an
operation returns count ids, not whole nodes, and of a check whether the tree is sound, not what is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.documents import History, Session
from ctxlab.errors import Refused, UnknownNode
from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.tree_operations import SILENT, read_operation

# What the stubbed store of user profiles gave to a copied message that names none.
PROFILE: Data = {"userProfileId": "up-1", "userProfileName": "Al", "userProfileIcon": "🙂"}
NOTHING_DELETED: Data = {"success": False, "deletedNodes": []}


def run(data: Data) -> Data:
    """The operations of a case, one after another."""
    session = Session.model_validate({name: data[name] for name in ("nodes", "rootNodeId", "activeLeafId")})
    desk = Desk(session)
    results = [form_of_result(desk.result(operation)) for operation in data["operations"]]
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
        "results": [form_of_result(step.get("result")) for step in data["results"]],
        "tree": form_of_tree(data["tree"]),
        "sound": data["integrity"]["isValid"],
        "history": {"index": data["history"]["historyIndex"], "tags": [entry["actionTag"] for entry in entries[1:]]},
    }


def form_of_result(result: Any) -> Any:
    """Ids in place of nodes; None for what was refused, be it by false or by an error that was thrown."""
    match result:
        case False | {"error": _} | {"threw": _} | {"throws": _}:
            return None
        case {"isValid": is_valid}:
            return {"isValid": is_valid}
        case {"id": node_id, "role": _}:
            return node_id
        case dict():
            return {name: form_of_result(value) for name, value in result.items() if name != "error"}
        case list() | tuple():
            return [form_of_result(value) for value in result]
        case _:
            return result


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
        self.recording = False

    @property
    def session(self) -> Session:
        return self.history.session

    def result(self, written: Any) -> Any:
        """What the operation gives; a refusal gives what the reference gives when it does nothing."""
        operation = read_operation(written)
        act, refusal = OPERATIONS[operation.name]
        self.recording = operation.is_recorded
        try:
            result = act(self, *operation.args)
        except (Refused, UnknownNode):
            result = refusal
        finally:
            self.names.update(self.session.nodes)
        changes = operation.name in CHANGES and (operation.is_action or operation.name in SILENT)
        return None if changes else result

    def new_ids(self) -> list[str]:
        """Two names that no message has or had."""
        return [name for n in range(1, len(self.names) + 3) if (name := f"NEW{n}") not in self.names][:2]

    def do(self, verb: Callable[..., Session], *args: Any, **fields: Any) -> bool:
        """A verb as a step of the history, or, where the reference makes none, as part of the present state."""
        if self.recording:
            self.history.do(verb, *args, **fields)
        else:
            self.history = amended(self.history, verb(self.session, *args, **fields))
        return True

    # --- questions

    def path(self, node_id: str) -> list[str]:
        return [node.id for node in self.session.path(node_id) if node.enabled]

    def sibling_index(self, node_id: str) -> Data:
        siblings = self.session.siblings(node_id)
        return {"index": siblings.index(node_id), "total": len(siblings)}

    def last_question(self) -> Data:
        leaf = self.session.leaf_node
        if leaf is None or leaf.role != "assistant":
            return {"shouldRegenerate": False}
        asked = self.session.regenerate(leaf.id).path()[-2]
        return {"shouldRegenerate": True, "userContent": asked.content, "newActiveLeafId": asked.id}

    def create(self, _config: Data) -> str:
        """The reference makes a node that hangs nowhere; ours comes with its place, so only the name is taken."""
        self.names.add(new := self.new_ids()[0])
        return new

    # --- new messages

    def add(self, node: Data) -> None:
        fields = {name: value for name, value in node.items() if name not in ("id", "parentId", "childrenIds")}
        parent = node.get("parentId")
        if parent is None:
            raise Refused("a tree has one root")
        self.do(Session.append, fields.pop("content", ""), parent=parent, id=node.get("id"), **fields)

    def pair(self, text: str, parent: str | None = None) -> Data:
        user, assistant = self.new_ids()
        self.do(Session.append_pair, text, parent=parent, ids=(user, assistant))
        return {"userNode": user, "assistantNode": assistant}

    def answer(self, verb: Callable[..., Session], node_id: str) -> Data:
        self.do(verb, node_id, id=self.new_ids()[0])
        return {"userNode": self.session.path()[-2].id, "assistantNode": self.session.path()[-1].id}

    def branch(self, node_id: str) -> str:
        node, new = self.session[node_id], self.new_ids()[0]
        unnamed = node.role == "user" and not (node.meta("userProfileId") or node.meta("isGreeting"))
        self.do(Session.branch, node_id, id=new, **({"metadata": PROFILE} if unnamed else {}))
        return new

    def branch_from_edit(self, node_id: str, content: str, attachments: Any = None) -> str:
        """The reference hangs no files on the copy but those that it is given."""
        new = self.new_ids()[0]
        self.do(Session.branch_from_edit, node_id, content, attachments=attachments or (), id=new)
        return new

    # --- changes

    def delete(self, node_id: str) -> Data:
        before = self.session
        self.do(Session.delete, node_id)
        below = (node_id, *before.descendants(node_id))
        return {"success": True, "deletedNodes": [key for key in below if key not in self.session.nodes]}

    def toggle(self, node_id: str) -> bool:
        return self.do(Session.disable if self.session[node_id].enabled else Session.enable, node_id)

    def switch_to_sibling(self, node_id: str, to: str = "next") -> str | None:
        alone = len(self.session.siblings(node_id)) < 2
        self.do(Session.switched_to_sibling, node_id, "next" if to == "next" else "previous")
        return node_id if alone else self.session.active_leaf_id


def amended(history: History, session: Session) -> History:
    """The same history with another present state: what the reference does without recording it is no step."""
    index, labels = history.index, history.labels
    stops = [at for at, step in enumerate(history.to_data()["steps"], start=1) if step.get("breakpoint")]
    states = [history.jump(at) for at in range(len(labels))]
    states[index] = session
    same = History(states[0])
    for at, (state, label) in enumerate(zip(states, labels, strict=True)):
        same.record(state, label)
        if at in stops:
            same.breakpoint()
    same.jump(index)
    return same


def _verb(verb: Callable[..., Session]) -> Callable[..., bool]:
    return lambda desk, *args: desk.do(verb, *args)


OPERATIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "path": (Desk.path, []),
    "active path": (lambda desk: [node.id for node in desk.session.path() if node.parent_id is not None], []),
    "descendants": (lambda desk, node_id: list(desk.session.descendants(node_id)), []),
    "ancestors": (lambda desk, node_id: list(desk.session.ancestors(node_id)), []),
    "relation": (lambda desk, *ids: desk.session.relation(*ids), "other"),
    "siblings": (lambda desk, node_id: list(desk.session.siblings(node_id)), []),
    "sibling index": (Desk.sibling_index, {"index": 0, "total": 0}),
    "is on active path": (lambda desk, node_id: node_id in [node.id for node in desk.session.path()], False),
    "leaf below": (lambda desk, node_id: desk.session.leaf_below(node_id), None),
    "check": (lambda desk: {"isValid": desk.session.check() == ()}, None),
    "last question": (Desk.last_question, {"shouldRegenerate": False}),
    "create": (Desk.create, None),
    "add": (Desk.add, None),
    "pair": (Desk.pair, None),
    "regenerate": (lambda desk, node_id: desk.answer(Session.regenerate, node_id), None),
    "continue": (lambda desk, node_id: desk.answer(Session.continue_from, node_id), None),
    "branch": (Desk.branch, None),
    "branch from edit": (Desk.branch_from_edit, None),
    "edit": (lambda desk, *args: desk.do(Session.edit, *args[:2], attachments=(*args, None)[2]), False),
    "update": (lambda desk, node_id, fields: desk.do(Session.update, node_id, **fields), None),
    "translate": (_verb(Session.update_translation), None),
    "soft delete": (_verb(Session.disable), False),
    "toggle": (Desk.toggle, False),
    "disable tree": (lambda desk, node_id: desk.do(Session.disable, node_id, below=True), None),
    "delete": (Desk.delete, NOTHING_DELETED),
    "graft": (_verb(Session.graft), False),
    "move": (_verb(Session.move), False),
    "transfer": (lambda desk, *ids: desk.do(Session.transfer_children, *ids) and None, None),
    "switch": (_verb(Session.switched), False),
    "switch to sibling": (Desk.switch_to_sibling, None),
    "settle greetings": (_verb(Session.settle_greetings), None),
    "undo": (lambda desk: desk.history.can_undo and desk.history.undo(), None),
    "redo": (lambda desk: desk.history.can_redo and desk.history.redo(), None),
    "jump": (lambda desk, index: desk.history.jump(index), None),
    "clear history": (lambda desk: desk.history.breakpoint(), None),
    "can undo": (lambda desk: desk.history.can_undo, None),
    "can redo": (lambda desk: desk.history.can_redo, None),
}
CHANGES = frozenset(OPERATIONS) - {
    *("path", "active path", "descendants", "ancestors", "relation", "siblings", "sibling index", "leaf below"),
    *("is on active path", "check", "last question", "create", "can undo", "can redo"),
}
