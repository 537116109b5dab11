"""The messages of a request as nodes, piece by piece; a piece that would get out of order begins a node of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, cast

from ctxlab.documents.session.replay_artifacts import ARTIFACTS
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import WireName

Data = dict[str, Any]
Stage = Literal["head", "text", "files", "after text", "calls", "after calls", "closed"]
PLACES = frozenset({"text", "calls", "end"})
"""Places of an artifact in its message; a call with such an id gets a node of its own."""


@dataclass(slots=True)
class _Node:
    """A node on its way. `waiting` are blocks whose place is known with the next piece."""

    role: str
    stage: Stage = "head"
    content: str = ""
    files: list[Data] = field(default_factory=list[Data])
    calls: list[Data] = field(default_factory=list[Data])
    artifacts: list[Data] = field(default_factory=list[Data])
    waiting: list[Data] = field(default_factory=list[Data])
    thoughts: list[str] = field(default_factory=list[str])
    rest: Data = field(default_factory=dict[str, Any])
    answered: Data | None = None

    @property
    def ids(self) -> set[str]:
        return {str(call["requestId"]) for call in self.calls}

    @property
    def signed(self) -> bool:
        """Whether there are fields that go on the text."""
        return any(one.get("on") == "text" for one in self.artifacts)

    def place(self, before: str) -> None:
        """Put the blocks that wait before something."""
        self.artifacts += [{**one, "before": before} for one in self.waiting]
        self.waiting.clear()

    def data(self, group: str) -> Data:
        self.place("end" if self.stage == "after calls" else "calls")
        metadata: Data = {}
        if self.calls:
            metadata["toolCallsRequested"] = self.calls
        if self.answered is not None:
            metadata["toolCall"] = self.answered
        if thoughts := [thought for thought in self.thoughts if thought]:
            metadata["reasoningContent"] = "\n\n".join(thoughts)
        if self.artifacts:
            metadata[ARTIFACTS] = self.artifacts
        if self.rest:
            metadata[group] = self.rest
        node: Data = {"role": self.role, "content": self.content}
        if self.files:
            node["attachments"] = self.files
        return {**node, "metadata": metadata} if metadata else node


class MessageNodes:
    """Nodes in the order of the pieces that are put in.

    `group` is where a node's metadata keeps what is not its own. Texts that follow on one another are one text: those
    of the assistant as they are, those of others line by line.
    """

    def __init__(self, wire: WireName, group: str) -> None:
        self.wire: WireName = wire
        self._group = group
        self._nodes: list[tuple[str, _Node]] = []
        self._role = "user"
        self._name = "m0"
        self._open = False

    def __iter__(self) -> Iterator[tuple[str, Data]]:
        """The wanted id and the fields of each node."""
        return iter([(name, node.data(self._group)) for name, node in self._nodes])

    def begin(self, name: str, role: str) -> None:
        """Begin a message: what comes next goes into a node of its own."""
        self._name, self._role, self._open = name, role, False

    def is_open(self, role: str) -> bool:
        """Whether the next piece would go on with a message of this role."""
        return self._open and self._role == role

    def empty(self) -> None:
        """Keep a message without any pieces."""
        self._current()

    def text(self, text: str, on: Data | None = None, rest: Data | None = None) -> bool:
        """Add a text; `on` are fields that the vendor wants back on it, `rest` others that are kept only.

        Gives whether it went on with a text that was there.
        """
        node = self._current()
        goes_on = node.stage == "text" and not on and not node.signed
        if goes_on:
            node.content += text if node.role == "assistant" else f"\n{text}"
        else:
            node = self._fresh() if node.stage != "head" else node
            node.content, node.stage = text, "text"
        if on:
            node.artifacts.append(self._artifact(on, on="text"))
        self._keep(node, rest)
        return goes_on

    def file(self, asset: Data) -> None:
        node = self._current()
        if node.stage not in ("head", "text", "files"):
            node = self._fresh()
        node.files.append(asset)
        node.stage = "files"

    def call(self, call: Data, on: Data | None = None) -> None:
        """Add a tool call; `on` are fields that the vendor wants back on it."""
        call_id = str(call["requestId"])
        node = self._current()
        alone = call_id in PLACES or not call_id
        if node.stage == "closed" or (alone and node.stage != "head") or call_id in node.ids:
            node = self._fresh()
        if call_id == "text":
            node.artifacts = [{**one, "before": "calls"} if "before" in one else one for one in node.artifacts]
        node.place(call_id if node.stage == "after calls" else "calls")
        node.calls.append(call)
        node.stage = "closed" if alone else "calls"
        if on and call_id:
            node.artifacts.append(self._artifact(on, on=call_id))
        elif on:
            self._keep(node, {"call": on})

    def result(self, answered: Data, content: str, files: Sequence[Data] = (), rest: Data | None = None) -> None:
        """Add the answer of a tool, a message of its own."""
        role, self._role, self._open = self._role, "tool", False
        node = self._current()
        node.content, node.answered, node.stage = content, answered, "closed"
        node.files += files
        self._keep(node, rest)
        self._role, self._open = role, False

    def artifact(self, item: Mapping[str, Any], thoughts: str = "") -> None:
        """Add a block that the vendor wants back as it is; `thoughts` are the words in it that people can read."""
        node = self._current()
        if node.stage == "closed":
            node = self._fresh()
        if node.stage == "head":
            node.artifacts.append({**self._artifact(item), "before": "text"})
        else:
            node.waiting.append(self._artifact(item))
            node.stage = "after calls" if node.stage in ("calls", "after calls") else "after text"
        node.thoughts.append(thoughts)

    def keep(self, **rest: Any) -> None:
        """Keep facts of the message in the metadata of its node."""
        self._keep(self._current(), rest)

    def _artifact(self, item: Mapping[str, Any], **place: str) -> Data:
        return {"wire": self.wire, "item": dict(item), **place, "replayPolicy": "always"}

    def _keep(self, node: _Node, rest: Mapping[str, Any] | None) -> None:
        keep_all(node.rest, rest or {})

    def _current(self) -> _Node:
        """The node that is open, or a new one."""
        if not self._open:
            self._nodes.append((self._name, _Node(self._role)))
            self._open = True
        return self._nodes[-1][1]

    def _fresh(self) -> _Node:
        """A new node of the message; blocks that wait go there."""
        waiting = self._nodes[-1][1].waiting
        node = _Node(self._role, artifacts=[{**one, "before": "text"} for one in waiting])
        waiting.clear()
        self._nodes.append((self._name, node))
        return node


def keep_all(known: Data, more: Mapping[str, Any]) -> None:
    """Put fields beside those that are kept: lists of one name are joined, another value gets a name of its own."""
    for key, value in more.items():
        there, name = known.get(key), key
        if isinstance(there, list) and isinstance(value, list):
            value = [*cast("list[Any]", there), *cast("list[Any]", value)]
        else:
            count = 1
            while name in known and known[name] != value:
                count += 1
                name = f"{key}~{count}"
        known[name] = value
