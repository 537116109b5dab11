"""One branch of a session as data: a session of its own, or a JSON with the messages in a list.

Every message of the path comes along, also those that a summary hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ctxlab.documents import MessageNode, Session
from ctxlab.formats.format import Format, Pick, always
from ctxlab.formats.markdown.visible_path import Span, visible_path
from ctxlab.formats.native.session import read_session
from ctxlab.formats.requests.blocks import others
from ctxlab.formats.results import Export, Import, Loss, unused_fields
from ctxlab.formats.session_tree_builder import ROOT, Names
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.values_to_export import (
    agents_left_out,
    files_left_out,
    files_named_by,
    other_branches_left_out,
)

Data = dict[str, Any]

LINKS = frozenset({"parentId", "childrenIds", "lastSelectedChildId"})
KEYS = ("session", "messages", "messageCount", "exportTime")
KEPT = ("id", "name", "createdAt", "updatedAt")


def branch_session(session: Session, leaf: str | None = None, *, span: Span | None = None) -> Session:
    """The messages from the root to `leaf` (default: the active leaf) as a session of their own, with sound links.

    `span` takes some of them, (first, last), counted from 1, both included.
    """
    path = visible_path(session, leaf, span=span, whole=True)
    chain = _rooted(session.root, path.nodes)
    ends = [None, *chain, None]
    linked = [
        node.model_copy(
            update={
                "parent_id": above.id if above else None,
                "children_ids": (below.id,) if below else (),
                "last_selected_child_id": below.id if below else None,
            }
        )
        for above, node, below in zip(ends, chain, ends[2:], strict=False)
    ]
    nodes = {node.id: node for node in linked}
    return session.model_copy(update={"nodes": nodes, "root_node_id": chain[0].id, "active_leaf_id": chain[-1].id})


def _rooted(root: MessageNode | None, nodes: Sequence[MessageNode]) -> list[MessageNode]:
    """The messages below the root; below an empty one where it has text that isn't among them."""
    if root is not None and not root.is_empty_root and nodes and nodes[0] is root:
        return list(nodes)
    if root is None or not root.is_empty_root:
        blank = {"id": root.id if root else ROOT, "parentId": None, "role": "system", "content": ""}
        root = MessageNode.model_validate(blank)
    return [root, *nodes]


def branch_data(
    session: Session, leaf: str | None = None, *, span: Span | None = None, exported_at: str | None = None
) -> Export[Data]:
    """The messages from the root to `leaf` (default: the active leaf) as JSON data.

    It has `session` (what it is called), `messageCount` and `messages`, each as it is stored but for its links.
    """
    path = visible_path(session, leaf, span=span, whole=True)
    data: Data = {"session": {key: value for key, value in session.to_data().items() if key in KEPT}}
    if exported_at:
        data["exportTime"] = exported_at
    messages = [{key: v for key, v in node.to_data().items() if key not in LINKS} for node in path.nodes]
    return Export({**data, "messageCount": len(messages), "messages": messages}, path.losses)


# --- and back


def sniff(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    fields = cast("Data", data)
    about, messages = fields.get("session"), fields.get("messages")
    named = isinstance(about, dict) and "id" in about and "messageCount" in fields
    return named and (messages == [] or mostly(messages, _is_message))


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and {"role", "content"} <= cast("Data", value).keys()


def read(source: Source) -> Import:
    data: Data = source.data
    losses = list(source.losses)
    names = Names()
    nodes: Data = {names.take(ROOT): {"id": ROOT, "parentId": None, "role": "system", "content": ""}}
    leaf = ROOT
    for index, message in enumerate(data["messages"]):
        if not isinstance(message, dict):
            losses.append(Loss(f"messages[{index}]", "no message; it is left out"))
            continue
        fields = cast("Data", message)
        wanted = str(fields.get("id") or f"m{index}")
        key = names.take(wanted)
        if key != wanted:
            losses.append(Loss(f"messages[{index}]", f"id {wanted!r} is there twice; this one is {key!r} now"))
        nodes[leaf]["childrenIds"] = [key]
        nodes[key] = {**fields, "id": key, "parentId": leaf}
        leaf = key
    losses += unused_fields("", others(data, *KEYS), "a branch")
    session, found = read_session({**data["session"], "rootNodeId": ROOT, "activeLeafId": leaf, "nodes": nodes})
    return Import((session,), losses=(*losses, *found))


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The active branch of the only session, or of the picked one."""
    session = found.pick(pick)
    files = files_left_out(files_named_by([session], found.files))
    losses = [*other_branches_left_out(session), *agents_left_out(session, found), *files]
    return branch_data(session).as_bytes().after(losses)


BRANCH = Format(
    "branch",
    "branch",
    (".branch.json",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("sessions",),
    only_conversations=always,
)
