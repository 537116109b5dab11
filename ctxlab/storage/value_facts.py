"""The facts of a stored value that a list shows, from its JSON data, which may be of any shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import Any, cast

from ctxlab.documents.moments import seconds_of
from ctxlab.documents.session.usage_counts import is_count
from ctxlab.documents.stored import as_json
from ctxlab.storage.kinds import Kind
from ctxlab.storage.revisions import content_of, revision_in
from ctxlab.storage.tree_problems import tree_problems

Data = dict[str, Any]
NAMES = ("displayName", "name", "profileName")
PARTS = ("entries", "rules", "actions", "presetMessages")
"""Fields whose length says how much is in a value, by the kind that has them."""
NAMING = frozenset({"id", "name", "metadata"})
"""Fields that a copy under another id has otherwise."""
MOST_TAGS = 50
MOST_LENGTHS = 26
"""Numbers that say how long the messages of a session are; of more messages each is the longest of a stretch."""


def facts_of(kind: Kind, data: Data, *, stem: str) -> Data:
    """The row of an index for a value's data; `stem` is its id where it names none."""
    facts: Data = {
        "id": _id(data, kind) or stem,
        "name": next(
            (text for name in NAMES if (text := _text(data.get(name)))), _text(_map(data, "metadata", "name"))
        ),
        "revision": str(revision_in(data)),
        "body": body_digest(data),
    }
    for field in ("createdAt", "updatedAt", "category"):
        if text := _text(data.get(field)):
            facts[field] = text
    if tags := [tag for tag in _list(data.get("tags")) if isinstance(tag, str)][:MOST_TAGS]:
        facts["tags"] = tags
    if kind.name == "sessions":
        return {**facts, **_session_facts(data)}
    parts = next((len(data[name]) for name in PARTS if isinstance(data.get(name), list | dict)), None)
    return facts if parts is None else {**facts, "parts": parts}


def body_digest(data: Data) -> str:
    """A hash of what a value holds besides its id and its name, by which a copy under another id is known."""
    body = {name: value for name, value in content_of(data).items() if name not in NAMING}
    return blake2b(as_json(body), digest_size=10).hexdigest()


def _session_facts(data: Data) -> Data:
    nodes = _nodes(data.get("nodes"))
    parents = Counter(parent for node in nodes.values() if isinstance(parent := node.get("parentId"), str))
    root = data.get("rootNodeId")
    messages = sum(1 for id, node in nodes.items() if id != root and not _is_live_greeting(node))
    found: Data = {"messages": messages, "branches": sum(1 for id in nodes if id not in parents)}
    if problems := tree_problems(data):
        found["problems"] = list(problems)
    if not _text(data.get("updatedAt")) and (newest := _newest_time(nodes)):
        found["updatedAt"] = newest
    path = _path(nodes, data.get("activeLeafId"))
    if agent := _agent(path):
        found["agent"] = agent
    if lengths := _lengths(path, root):
        found["lengths"] = lengths
    tokens = [count for node in nodes.values() if is_count(count := _map(node, "metadata", "contentTokens"))]
    if tokens:
        found["tokens"] = sum(tokens)
    return found


def _newest_time(nodes: Mapping[str, Data]) -> str:
    """The latest time that a message has; empty where none has one."""
    times = (time for node in nodes.values() if (time := _text(node.get("timestamp"))))
    return max(times, key=_moment, default="")


def _moment(time: str) -> float:
    """Seconds since 1970 of a time; below all others for what is none."""
    found = seconds_of(time)
    return float("-inf") if found is None else found


def _path(nodes: Mapping[str, Data], leaf: object) -> dict[str, Data]:
    """The messages from the leaf up to the root."""
    found: dict[str, Data] = {}
    while isinstance(leaf, str) and leaf in nodes and leaf not in found:
        found[leaf] = nodes[leaf]
        leaf = nodes[leaf].get("parentId")
    return found


def _agent(path: Mapping[str, Data]) -> str:
    """The agent of the newest reply on the way from the leaf to the root."""
    replies = (node for node in path.values() if node.get("role") == "assistant")
    return next((agent for node in replies if (agent := _text(_map(node, "metadata", "agentId")))), "")


def _lengths(path: Mapping[str, Data], root: object) -> list[int]:
    """Characters of the messages on the active path from the first on; of many the longest of each stretch."""
    found = [
        len(_text(node.get("content")))
        for id, node in reversed(list(path.items()))
        if id != root and not _is_live_greeting(node)
    ]
    count = min(len(found), MOST_LENGTHS)
    borders = [len(found) * i // count for i in range(count + 1)] if count else []
    return [max(found[start:end]) for start, end in pairwise(borders)]


def _nodes(value: object) -> dict[str, Data]:
    if isinstance(value, dict):
        found = cast("dict[str, object]", value)
    else:
        found = {_node_id(node): node for node in _list(value) if isinstance(node, dict)}
    return {id: cast("Data", node) for id, node in found.items() if isinstance(node, dict)}


def _is_live_greeting(node: Data) -> bool:
    return _map(node, "metadata", "isGreeting") is True and _map(node, "metadata", "greetingLive") is True


def _node_id(node: Mapping[str, Any]) -> str:
    return _text(node.get("id"))


def _id(data: Mapping[str, Any], kind: Kind) -> str:
    """The id of a value, as `id_of` gives it for the value itself."""
    if own := _text(data.get("id")):
        return own
    if kind.name == "knowledge_bases":
        return ""
    return _text(_map(data, "metadata", "id")) or (_text(data.get("name")) if "entries" in data else "")


def _map(data: Mapping[str, Any], name: str, key: str) -> object:
    held = data.get(name)
    return cast("Data", held).get(key) if isinstance(held, dict) else None


def _list(value: object) -> Iterable[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return (
        value
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int) and not isinstance(value, bool)
        else ""
    )
