"""A session's tree with its measures: tokens by message and path, what is active, how each message began a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from ctxlab.documents import MessageNode, Session
from ctxlab.documents.moments import seconds_of
from ctxlab.documents.tree.graph_and_frame import TreeShape, active_keys, shape_of
from ctxlab.lazy_dataclass import dataclass

NodeKind = Literal["root", "message", "regeneration", "edit", "branch"]
SHOWN = 200
"""First characters of a message that are kept for figures."""
LONGEST = 20_000
"""So many characters of a branch are kept to be compared."""


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """The facts of a message without its text, of which the first characters are in `content`."""

    id: str
    role: str
    content: str
    enabled: bool
    is_empty_root: bool
    edited: bool
    model: Any
    timestamp: str | None


def _measured_node(node: MessageNode) -> MeasuredNode:
    edited = bool(node.updated_at) and node.updated_at != node.timestamp
    facts = (node.content[:SHOWN], node.enabled, node.is_empty_root, edited, node.meta("modelId"), node.timestamp)
    return MeasuredNode(node.id, node.role, *facts)


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A branch by numbers of nodes: its own messages, from where it leaves another branch to its leaf."""

    own: tuple[int, ...]
    above: int
    """The last message that it shares with another branch; -1 where it shares none."""

    @property
    def leaf(self) -> int:
        return self.own[-1]


@dataclass(frozen=True, eq=False)
class MeasuredTree:
    """Every node by number, parents before children, with its measures; the texts are gone but for what is compared.

    `id` and `name` are the session's. `fork_texts` are by number the beginnings of messages behind a fork,
    `line_texts` those of what each branch says from its last fork on.

    `tokens` are those of a message's text and calls, without what a wire format adds; `path_tokens` those from the root
    to it. A message is counted once, however many branches share it.
    """

    id: str
    name: str
    shape: TreeShape
    nodes: tuple[MeasuredNode, ...]
    tokens: tuple[int, ...]
    path_tokens: tuple[int, ...]
    active: tuple[bool, ...]
    kinds: tuple[NodeKind, ...]
    seconds: tuple[float | None, ...]
    lines: tuple[BranchLine, ...]
    """The branches: a first child goes on with its parent's, every other begins one."""
    fork_texts: Mapping[int, str]
    line_texts: tuple[str, ...]

    @cached_property
    def messages(self) -> int:
        """Messages, without a root that only holds the tree together."""
        return sum(not node.is_empty_root for node in self.nodes)

    @cached_property
    def total(self) -> int:
        return sum(self.tokens)

    @cached_property
    def active_tokens(self) -> int:
        """Tokens on the active path, without messages that are switched off: a build leaves those out."""
        return self.total - self.abandoned_tokens - self.disabled_tokens

    @cached_property
    def disabled_tokens(self) -> int:
        """Tokens of messages on the active path that are switched off."""
        rows = zip(self.nodes, self.tokens, self.active, strict=True)
        return sum(n for node, n, active in rows if active and not node.enabled)

    @cached_property
    def abandoned_tokens(self) -> int:
        return sum(n for n, active in zip(self.tokens, self.active, strict=True) if not active)

    @cached_property
    def prompts(self) -> tuple[int, ...]:
        """By node, the tokens that were read to write it: those of the path above a reply, 0 for other messages.

        Messages that are switched off are not among what was read.
        """
        read: list[int] = []
        for node, n, parent in zip(self.nodes, self.tokens, self.shape.parents, strict=True):
            read.append((read[parent] if parent >= 0 else 0) + (n if node.enabled else 0))
        above = [read[parent] if parent >= 0 else 0 for parent in self.shape.parents]
        return tuple([n if node.role == "assistant" else 0 for n, node in zip(above, self.nodes, strict=True)])

    @cached_property
    def surviving_tokens(self) -> int:
        """Tokens of the replies on the active path that are switched on."""
        replies = zip(self.nodes, self.tokens, self.active, strict=True)
        return sum(n for node, n, active in replies if active and node.enabled and node.role == "assistant")

    def span(self, numbers: Sequence[int]) -> tuple[int, int] | None:
        """The numbers of the earliest and the latest of these messages; None where none has a time that can be read."""
        timed = [number for number in numbers if self.seconds[number] is not None]
        if not timed:
            return None

        def when(number: int) -> float:
            return self.seconds[number] or 0.0

        return min(timed, key=when), max(timed, key=when)


def measured_tree(session: Session, count: Callable[[str], int]) -> MeasuredTree:
    """The tree of a session with its measures; `count` gives the tokens of a text."""
    shape = shape_of(session)
    nodes = tuple([session.nodes[key] for key in shape.keys])
    tokens = tuple([_tokens(node, count) for node in nodes])
    path_tokens: list[int] = []
    for number, parent in enumerate(shape.parents):
        path_tokens.append(tokens[number] + (path_tokens[parent] if parent >= 0 else 0))
    active = active_keys(session)
    lines = _lines(shape)
    children = shape.children
    return MeasuredTree(
        session.id,
        session.name,
        shape,
        tuple(map(_measured_node, nodes)),
        tokens,
        tuple(path_tokens),
        tuple([key in active for key in shape.keys]),
        tuple([_kind(number, node, shape) for number, node in enumerate(nodes)]),
        tuple([seconds_of(node.timestamp) for node in nodes]),
        lines,
        {
            number: _compared(nodes[number].content)
            for number, parent in enumerate(shape.parents)
            if parent >= 0 and len(children[parent]) > 1
        },
        tuple([_compared("\n".join(_from_last_fork(line, nodes, children))) for line in lines]),
    )


def _lines(shape: TreeShape) -> tuple[BranchLine, ...]:
    own: dict[int, list[int]] = {}
    for number, branch in enumerate(shape.branches):
        own.setdefault(branch, []).append(number)
    return tuple([BranchLine(tuple(numbers), shape.parents[numbers[0]]) for numbers in own.values()])


def _from_last_fork(line: BranchLine, nodes: Sequence[MessageNode], children: list[list[int]]) -> Iterator[str]:
    """The texts of a branch from the last fork above its leaf on, as many as are compared."""
    start = len(line.own) - 1
    while start > 0 and len(children[line.own[start - 1]]) == 1:
        start -= 1
    length = 0
    for at in line.own[start:]:
        if length >= LONGEST:
            return
        length += len(nodes[at].content) + 1
        yield nodes[at].content


def _compared(words: str) -> str:
    return " ".join(words[:LONGEST].split())


def _tokens(node: MessageNode, count: Callable[[str], int]) -> int:
    calls = sum(count(call.name) + count(call.arguments) for call in node.tool_calls)
    return (count(node.content) if node.content else 0) + calls


def _kind(number: int, node: MessageNode, shape: TreeShape) -> NodeKind:
    """The kind of a message: a second answer in one place is a regeneration, a second question an edit."""
    parent = shape.parents[number]
    if parent < 0:
        return "root"
    if shape.branches[number] == shape.branches[parent]:
        return "message"
    return "regeneration" if node.role == "assistant" else "edit" if node.role == "user" else "branch"
