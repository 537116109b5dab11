"""Values put where macros stood: the text remembers each macro, and what stood inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.engines.macros.call import CAUSE, cause_at
from ctxlab.engines.macros.parser import NEWLINES, WHITE, Node
from ctxlab.engines.macros.registry import SILLYTAVERN

ESCAPE = Cause(CAUSE, "escape", "a literal brace pair", words="macro {{escape}}")


@dataclass(frozen=True, slots=True)
class _Done:
    """Characters of the source that are replaced, and by how many more (or fewer)."""

    start: int
    end: int
    longer: int


def cause_of(node: Node) -> Cause:
    name = node.macro.name if node.macro else ""
    return cause_at(name, node.start, node.phase)


def spliced(
    text: Text, nodes: Sequence[Node], *, dialect: str | None, transform: Callable[[str], str] | None = None
) -> Text:
    """A text with the values of its macros, which are in order of where they end. Inner ones are put in place first.

    `transform` is done to what macros give, once, and not to what they take.
    """
    trims = _mark(nodes)
    levels: dict[int, list[Node]] = {}
    for node in nodes:
        if (node.value is not None or node.is_escape) and node not in trims:
            levels.setdefault(node.height, []).append(node)
    done: list[_Done] = []
    for height in sorted(levels):
        text, done = _level(text, levels[height], done, transform)
    return _trimmed(text, trims, done, NEWLINES if dialect == SILLYTAVERN else WHITE) if trims else text


def _mark(nodes: Sequence[Node]) -> dict[Node, None]:
    """Say of each how many layers of replaced macros are inside it; gives the trims that stand in the text itself."""
    for node in reversed(nodes):
        node.covered = node.parent is not None and (node.parent.covered or node.parent.value is not None)
    trims = {node: None for node in nodes if node.is_trim and not node.covered}
    for node in nodes:
        inside = node.height
        if node.parent is not None and node not in trims:
            replaced = node.value is not None or node.is_escape
            node.parent.height = max(node.parent.height, inside + replaced)
    return trims


def _level(
    text: Text, nodes: Sequence[Node], done: Sequence[_Done], transform: Callable[[str], str] | None
) -> tuple[Text, list[_Done]]:
    """One layer replaced; `done` are the replacements of those before, which lie inside or beside it."""
    edits: list[Edit] = []
    after: list[_Done] = []
    for node, start, end in _places(nodes, done, after):
        new, cause, origin = _new(node, transform)
        edits.append(Edit(start, end, new, cause, origin))
        after.append(_Done(node.start, node.end, len(new) - (node.end - node.start)))
    return text.splice(edits), after


def _places(nodes: Iterable[Node], done: Sequence[_Done], beside: list[_Done]) -> Iterator[tuple[Node, int, int]]:
    """Where nodes of one layer stand by now; what was replaced outside of them goes to `beside`."""
    shift = i = 0
    for node in nodes:
        while i < len(done) and done[i].end <= node.start:
            shift += done[i].longer
            beside.append(done[i])
            i += 1
        start = node.start + shift
        while i < len(done) and done[i].end <= node.end:
            shift += done[i].longer
            i += 1
        yield node, start, node.end + shift
    beside.extend(done[i:])


def _new(node: Node, transform: Callable[[str], str] | None) -> tuple[str | Text, Cause, Origin | None]:
    if node.is_escape:
        return "{{", ESCAPE, None
    value = node.value if node.value is not None else ""
    if transform is not None and not node.covered:
        value = transform(str(value))
    cause = cause_of(node)
    return value, cause, Origin("macro", cause.rule)


def _trimmed(text: Text, trims: Iterable[Node], done: Sequence[_Done], blanks: str) -> Text:
    """Without the trims and the blanks around each."""
    whole = str(text)
    edits: list[Edit] = []
    edge = 0
    for node, start, end in _places(trims, done, []):
        while start > edge and whole[start - 1] in blanks:
            start -= 1
        while end < len(whole) and whole[end] in blanks:
            end += 1
        edits.append(Edit(start, end, "", cause_of(node), Origin("macro", "trim")))
        edge = end
    return text.splice(edits)
