"""A summary as a node of the tree: below the last message that it hides, above all that followed that one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctxlab.documents import MessageNode, Session
from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.documents.session.message import NodeId
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.documents.stored import read_stored
from ctxlab.errors import Refused

Data = Mapping[str, Any]


def with_summary_node(session: Session, fields: Data) -> Session:
    """The session with a summary's node, whose fields are in the file's names, below the node that it names as parent.

    All children of that one are its children then, in their order, and the branch that was remembered stays so. The
    active leaf moves only where it was the parent. A summary further down on another branch that stands for all that
    this one does stands for this one too, so that its branch is sent as before. `session.delete` of the node gives the
    messages and their branches back.
    """
    node, notes = read_stored(MessageNode, fields, place="the summary")
    parent = node.parent_id
    if notes:
        raise Refused(notes[0].text)
    if parent is None or parent not in session.nodes:
        raise Refused(f"summary {node.id!r} names {parent!r} as the last message that it hides, which isn't there")
    if not node.id or node.id in session.nodes:
        raise Refused(f"session {session.id!r} already has a node {node.id!r}: give the summary another id")
    revision = SessionBuilder(session)
    for other in _wider_summaries_below(session, parent, node.hides):
        metadata = {**(session.nodes[other].metadata or {})}
        revision.put(other, metadata=frozen({**metadata, "compressedNodeIds": [*session.nodes[other].hides, node.id]}))
    children, remembered = session.children(parent), session.nodes[parent].last_selected_child_id
    known = remembered in children
    new = node.model_copy(update={"children_ids": children})
    revision.changes[node.id] = new.model_copy(update={"last_selected_child_id": remembered}) if known else new
    revision.links[node.id] = children
    for child in children:
        revision.put(child, parent_id=node.id)
    revision.link(parent, (node.id,))
    if known:
        revision.put(parent, last_selected_child_id=node.id)
    if session.active_leaf_id == parent:
        revision.leaf = node.id
    return revision.session()


def _wider_summaries_below(session: Session, parent: str, hides: Iterable[str]) -> list[str]:
    """Ids of the summaries below a message that stand for all of these nodes."""
    wanted = set(hides)
    wider = [key for key, node in session.nodes.items() if node.is_summary and wanted and wanted <= set(node.hides)]
    return [key for key in wider if session.nodes[parent] in session.path(key)[:-1]]


def with_summary_nodes(session: Session, nodes: Iterable[Data]) -> Session:
    """The session with several summaries' nodes, one after the other."""
    for fields in nodes:
        session = with_summary_node(session, fields)
    return session


def with_metadata(fields: Data, more: Data) -> Data:
    """The fields of a node with more metadata."""
    return FrozenDict({**fields, "metadata": {**fields["metadata"], **more}})


def free_ids(session: Session, count: int) -> list[str]:
    """Ids that no node has, the next free ones in the order in which all nodes get theirs."""
    found: list[str] = []
    n = len(session.nodes)
    while len(found) < count:
        free = f"node-{n}"
        if free not in session.nodes and not session.children(free):
            found.append(free)
        n += 1
    return found


def last_on_path(whole: Sequence[MessageNode], ids: Iterable[str]) -> NodeId:
    """The node of a path that comes last of these."""
    wanted = set(ids)
    return next(node.id for node in reversed(whole) if node.id in wanted)


def originals_of(session: Session, ids: Iterable[str]) -> list[MessageNode]:
    """The messages that summaries stand for in the end: of each summary among these those that it hides."""
    found: dict[str, MessageNode] = {}
    waiting = list(dict.fromkeys(ids))[::-1]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        node = session.nodes.get(key)
        if node is None or key in seen:
            continue
        seen.add(key)
        if node.is_summary and node.hides:
            waiting.extend(reversed(node.hides))
        else:
            found[key] = node
    return list(found.values())


def fingerprints_of(session: Session, ids: Iterable[str]) -> dict[str, str]:
    """Fingerprints of messages as they were when they were summarised: those of earlier summaries stay."""
    found: dict[str, str] = {}
    for key in ids:
        node = session.nodes[key]
        found |= node.fingerprints_behind if node.is_summary else {}
        found[key] = node.fingerprint
    return found


def generation_of(node: MessageNode) -> int:
    """Number of times that messages behind this summary were summarised; 1 for a summary of messages alone."""
    value = node.meta("compressionGeneration")
    return value if type(value) is int and value > 0 else 1


def lineage_of(node: MessageNode) -> tuple[str, ...]:
    """Ids of the summaries that were folded into this one, oldest first."""
    value = node.meta("compressionLineage")
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


def node_fields(node_id: str, parent: str, role: str, content: str, metadata: Data) -> Data:
    """The fields of a summary's node as events and files have them."""
    links = {"id": node_id, "parentId": parent, "role": role, "content": content}
    return FrozenDict({**links, "status": "complete", "isEnabled": True, "metadata": {**metadata}})
