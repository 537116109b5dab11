"""A session built from messages that a file lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ctxlab.documents import Session
from ctxlab.formats.results import Loss

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
    """Messages under an empty system root, as ctxlab's own JSON."""

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

    def nodes(self) -> Iterator[dict[str, Any]]:
        """The messages in the order in which they were added, each as a dict that may be changed."""
        return iter(self._nodes.values())

    @property
    def is_forked(self) -> bool:
        """Whether a message has several below it."""
        return any(len(node["childrenIds"]) > 1 for node in self._nodes.values())

    def prefer(self, parent: str, child: str) -> None:
        """Make `child` the branch that its parent remembers."""
        self._nodes[parent]["lastSelectedChildId"] = child

    def select(self, leaf: str) -> None:
        """Make every parent on the way to `leaf` remember it."""
        for child in self.way_to(leaf)[1:]:
            self.prefer(self._nodes[child]["parentId"], child)

    def way_to(self, node_id: str) -> list[str]:
        """Ids from the root to a node, both included."""
        way: list[str] = []
        above: str | None = node_id
        while above is not None:
            way.append(above)
            above = self._nodes[above]["parentId"]
        return way[::-1]

    def session(self, session_id: str, *, leaf: str, **fields: Any) -> Session:
        """The session; `fields` are further ones of its JSON, named as there."""
        texts = (node["content"] for node in self._nodes.values() if node["role"] == "user")
        data: dict[str, Any] = {
            "id": session_id,
            "name": title(next(texts, "")) or session_id,
            "rootNodeId": ROOT,
            "activeLeafId": leaf,
            "nodes": self._nodes,
        }
        return Session.model_validate({**data, **{key: value for key, value in fields.items() if value is not None}})


def unnamed_leaf(taken: str) -> Loss:
    """The loss of a file with several branches that names none of them; in a file with many chats they are counted."""
    text = f"the file doesn't say which branch is active; {taken} is taken"
    return Loss("active branch", text, "activeLeafId")


def parents_first(links: Mapping[str, str | None], losses: list[Loss]) -> Iterator[tuple[str, str | None]]:
    """Ids of messages with the ids of their parents: parents before children, siblings in the order of `links`.

    A parent that isn't there, or that is one's own descendant, becomes None with a loss.
    """
    children: dict[str | None, list[str]] = {}
    for key, parent in links.items():
        if parent is not None and parent not in links:
            losses.append(Loss(f"message {key!r}", f"its parent {parent!r} is not there; it hangs on the root now"))
            parent = None
        children.setdefault(parent, []).append(key)
    seen: set[str] = set()
    yield from _below(None, children, seen)
    for key in links:
        if key not in seen:
            top = _in_circle(links, key)
            losses.append(Loss(f"message {top!r}", "it is its own ancestor; it hangs on the root now"))
            seen.add(top)
            yield top, None
            yield from _below(top, children, seen)


def newest_end(links: Iterable[tuple[str, str | None]], times: Mapping[str, float | None]) -> str | None:
    """The id at which the newest branch ends; the last one where times say nothing, None where there are no messages.

    `links` are ids with those of their parents, parents first; `times` are seconds. A message without a time was
    written when the one above it was.
    """
    written: dict[str | None, float] = {None: 0.0}
    above: set[str | None] = set()
    for key, parent in links:
        time = times.get(key)
        written[key] = written[parent] if time is None else time
        above.add(parent)
    ends = [key for key in written if key is not None and key not in above]
    return max(enumerate(ends), key=lambda item: (written[item[1]], item[0]), default=(0, None))[1]


def _below(
    top: str | None, children: Mapping[str | None, list[str]], seen: set[str]
) -> Iterator[tuple[str, str | None]]:
    stack = [(key, top) for key in reversed(children.get(top, ()))]
    while stack:
        key, parent = stack.pop()
        if key not in seen:
            seen.add(key)
            yield key, parent
            stack.extend((child, key) for child in reversed(children.get(key, ())))


def _in_circle(links: Mapping[str, str | None], start: str) -> str:
    """The first id that comes again on the way up; the caller knows that one does."""
    seen: set[str | None] = set()
    key: str | None = start
    while key not in seen:
        seen.add(key)
        key = links[key] if key is not None else None
    return key or start


def title(text: str, *, longest: int = 60) -> str:
    """The first line that says something, shortened."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= longest else line[: longest - 3].rstrip() + "..."
