"""Growing a session from messages."""

from __future__ import annotations

from typing import Any

from ctxlab.documents import Session

ROOT = "root"


class Names:
    """Gives out each name once; the next who wants it gets `<name>~2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._times: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        if wanted not in self._taken:
            self._taken.add(wanted)
            return wanted
        n = self._times.get(wanted, 1) + 1
        while (name := f"{wanted}~{n}") in self._taken:
            n += 1
        self._times[wanted] = n
        self._taken.add(name)
        return name


class Tree:
    """Messages under an empty system root, written down in the seeds' JSON."""

    def __init__(self, *, agent_id: str | None = None) -> None:
        self.names = Names()
        self._agent_id = agent_id
        self._nodes: dict[str, dict[str, Any]] = {}
        self.add(ROOT, None, {"role": "system", "content": ""})

    def add(self, wanted: str, parent: str | None, fields: dict[str, Any]) -> str:
        """Hang a message under `parent`; its id is `wanted`, or the next free one like it."""
        node_id = self.names.take(wanted)
        node: dict[str, Any] = {"id": node_id, "parentId": parent, "childrenIds": [], **fields, "status": "complete"}
        if self._agent_id is not None:
            node["metadata"] = {"agentId": self._agent_id, **(node.get("metadata") or {})}
        self._nodes[node_id] = node
        if parent is not None:
            self._nodes[parent]["childrenIds"].append(node_id)
        return node_id

    def prefer(self, parent: str, child: str) -> None:
        """Make `child` the branch that its parent remembers."""
        self._nodes[parent]["lastSelectedChildId"] = child

    def session(self, session_id: str, *, leaf: str, **fields: Any) -> Session:
        """The session; `fields` are further ones of its JSON, named as there."""
        said = (node["content"] for node in self._nodes.values() if node["role"] == "user")
        data: dict[str, Any] = {
            "id": session_id,
            "name": title(next(said, "")) or session_id,
            "rootNodeId": ROOT,
            "activeLeafId": leaf,
            "nodes": self._nodes,
        }
        return Session.model_validate({**data, **{key: value for key, value in fields.items() if value is not None}})


def title(text: str, *, longest: int = 60) -> str:
    """The first line that says something, shortened."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= longest else line[: longest - 3].rstrip() + "..."
