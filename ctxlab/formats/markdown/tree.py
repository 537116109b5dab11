"""A whole session as a nested Markdown list, every branch point with the number of its ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Unpack

from ctxlab.documents import MessageNode, Session
from ctxlab.formats.markdown.branch import document, name_of
from ctxlab.formats.markdown.message import How, Style
from ctxlab.formats.results import Export, Loss, losses_of

STEP = "  "
NOTHING: frozenset[str] = frozenset()


def tree_markdown(
    session: Session,
    *,
    indent: Literal["branches", "messages"] = "branches",
    exported_at: str | None = None,
    **how: Unpack[How],
) -> Export[str]:
    """Every message of the tree; a message is left out when on each way below it a summary hides it.

    The list nests at branch points, which keeps long chains readable, or with every message, which makes a text that
    grows with the square of their length. `how` it looks: labels, zone, show and people, as `How` says.
    """
    style = Style(**how)
    sound, notes = session.repaired() if session.nodes else (session, ())
    losses = losses_of(notes)
    hidden = _hidden(sound)
    if hidden:
        losses.append(Loss("the tree", f"messages for which summaries stand are left out: {len(hidden)}"))
    times = (("exported", exported_at), ("created", session.created_at), ("updated", session.updated_at))
    head = [style.say(label, time=style.time(time)) for label, time in times if time]
    head += [style.say("zone", zone=style.zone), style.say("count", n=session.message_count)]
    parts = _Writer(sound, style, hidden, deepen=indent == "messages").lines()
    return document(style.say("tree", name=name_of(session)), head, parts, losses)


class _Writer:
    """Walks the tree with a stack of its own: chains are deeper than Python's."""

    def __init__(self, session: Session, style: Style, hidden: frozenset[str], *, deepen: bool) -> None:
        self._session = session
        self._style = style
        self._hidden = hidden
        self._deepen = deepen

    def lines(self) -> Iterator[str]:
        """The blocks of the list, from the top."""
        stack = list(reversed(self._ways(self._tops(), 0)))
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
                continue
            key, depth = item
            yield self._item(self._session.nodes[key], depth)
            stack.extend(reversed(self._ways(self._below([key]), depth + 1, nest=self._deepen)))

    def _tops(self) -> list[str]:
        """The root, if it is a message that is shown; else the messages below it."""
        root = self._session.root
        if root is None:
            return []
        return self._below([root.id]) if root.is_empty_root or root.id in self._hidden else [root.id]

    def _below(self, keys: Sequence[str]) -> list[str]:
        """The shown messages next below; hidden ones are replaced by theirs."""
        found: list[str] = []
        stack = [child for key in reversed(keys) for child in reversed(self._session.children(key))]
        while stack:
            key = stack.pop()
            if key in self._hidden:
                stack.extend(reversed(self._session.children(key)))
            else:
                found.append(key)
        return found

    def _ways(self, keys: Sequence[str], depth: int, *, nest: bool = True) -> list[tuple[str, int] | str]:
        """The next lines: one message, or the branch point's mark and each branch under its number."""
        if len(keys) <= 1:
            return [(key, depth if nest else depth - 1) for key in keys]
        pad = STEP * depth
        found: list[tuple[str, int] | str] = [f"{pad}*[{self._style.say('ways', n=len(keys))}]*"]
        for number, key in enumerate(keys, start=1):
            found += [f"{pad}**{self._style.say('way', n=number)}**", (key, depth)]
        return found

    def _item(self, node: MessageNode, depth: int) -> str:
        hides = sum(key in self._hidden for key in node.hides) if node.enabled and node.is_summary else 0
        entry = self._style.entry(node, hidden=hides)
        pad = STEP * depth
        body = "\n\n".join(entry.blocks)
        lines = [f"{pad}- **{entry.title}**{entry.remarks}"]
        return "\n".join([*lines, *(f"{pad}{STEP}{line}".rstrip() for line in body.split("\n"))]) if body else lines[0]


def _hidden(session: Session) -> frozenset[str]:
    """Ids of the messages that, on every way below them, an enabled summary hides."""
    covered: dict[str, frozenset[str]] = {}
    hidden: set[str] = set()
    for node in reversed(list(session.in_order())):  # children before parents
        below = [covered.pop(child, NOTHING) for child in session.children(node.id)]
        ids = below[0].intersection(*below[1:]) if len(below) > 1 else below[0] if below else NOTHING
        if node.id in ids:
            hidden.add(node.id)
        own = node.hides if node.enabled and node.is_summary else ()
        covered[node.id] = ids.union(own) if own else ids
    return frozenset(hidden)
