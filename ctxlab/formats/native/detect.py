"""Kind of a value in ctxlab's own JSON, by its keys."""

from __future__ import annotations

from typing import Any, Literal, cast

from ctxlab.formats.known_but_unread import is_helper_script
from ctxlab.formats.source import SAMPLE, mostly

Data = dict[str, Any]
Kind = Literal["session", "split", "nodes", "agent", "user", "wrapper"]

WRAPPERS = ("session", "sessions", "agent", "agents", "user", "users", "userProfile", "userProfiles")
NODE_KEYS = frozenset({"parentId", "role", "content", "childrenIds"})


def kind_of(data: Any, *, depth: int = 0) -> Kind | None:
    """The kind that a value is, by the keys that only this kind has; None for no kind."""
    if isinstance(data, list):
        return "nodes" if _is_tree(cast("list[Any]", data)) else None
    if not isinstance(data, dict):
        return None
    fields = cast("Data", data)
    if _has_nodes(fields):
        return "session"
    if isinstance(fields.get("detail"), dict) and _has_nodes(fields["detail"]):
        return "split"
    if _is_agent(fields):
        return "agent"
    if _is_user(fields):
        return "user"
    if (
        depth < 3
        and "messages" not in fields
        and any(_holds(fields[key], depth + 1) for key in WRAPPERS if key in fields)
    ):
        return "wrapper"
    return None


def _holds(value: Any, depth: int) -> bool:
    items = cast("list[Any]", value)[:SAMPLE] if isinstance(value, list) else [value]
    return any(kind_of(item, depth=depth) is not None for item in items)


def _has_nodes(data: Data) -> bool:
    nodes = data.get("nodes")
    if isinstance(nodes, list):
        return mostly(nodes, _is_linked_node) or (not nodes and "rootNodeId" in data)
    if not isinstance(nodes, dict):
        return False
    values = list(cast("Data", nodes).values())
    return not values or "rootNodeId" in data or mostly(values, is_node)


def is_node(value: Any) -> bool:
    return isinstance(value, dict) and not NODE_KEYS.isdisjoint(cast("Data", value))


def _is_tree(items: list[Any]) -> bool:
    """Whether a bare list is nodes, not presets, which have no parents."""
    return mostly(items, _is_linked_node) and any(item["parentId"] for item in items if _is_linked_node(item))


def _is_linked_node(value: Any) -> bool:
    return isinstance(value, dict) and "parentId" in value and not {"role", "content"}.isdisjoint(cast("Data", value))


def _is_agent(data: Data) -> bool:
    if isinstance(data.get("presetMessages"), list):
        return True
    named = isinstance(data.get("name"), str) and {"role", "content", "messages"}.isdisjoint(data)
    return named and ("modelId" in data or "profileId" in data)


def _is_user(data: Data) -> bool:
    has_texts = all(isinstance(data.get(key), str) for key in ("id", "name", "content"))
    return has_texts and "role" not in data and "presetMessages" not in data and not is_helper_script(data)
