"""Small conversations that branch, for the tests of the tree."""

from __future__ import annotations

from typing import Any

from ctxlab import Session


def session_of(parents: dict[str, str | None], leaf: str, **nodes: dict[str, Any]) -> Session:
    made = {
        key: {
            "id": key,
            "parentId": parent,
            "role": "system" if parent is None else "user" if key.startswith("u") else "assistant",
            "content": "" if parent is None else f"words of {key}",
            **nodes.get(key, {}),
        }
        for key, parent in parents.items()
    }
    return Session.model_validate({"id": "s", "name": "Pier", "rootNodeId": "r", "activeLeafId": leaf, "nodes": made})


def small(**nodes: dict[str, Any]) -> Session:
    """r - u1 - a1 - u2 - a2, and beside a1 the branch b1 - u3, beside a2 the leaf c2."""
    parents = {"r": None, "u1": "r", "a1": "u1", "b1": "u1", "u2": "a1", "a2": "u2", "c2": "u2", "u3": "b1"}
    return session_of(parents, "a2", **nodes)


def long(n: int = 40, **nodes: dict[str, Any]) -> Session:
    """A straight line of n messages below the root, m0 to the active leaf."""
    parents = {"r": None} | {f"m{i}": f"m{i - 1}" if i else "r" for i in range(n)}
    return session_of(parents, f"m{n - 1}", **nodes)
