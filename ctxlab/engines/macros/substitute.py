"""Replaces macros in a Text by their values, keeping the provenance of nested macros."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.engines.macros.call import CAUSE, cause_at
from ctxlab.engines.macros.parser import NEWLINES, WHITE, Node
from ctxlab.engines.macros.registry import SILLYTAVERN
from ctxlab.lazy_dataclass import dataclass

ESCAPE = Cause(CAUSE, "escape", "a literal brace pair", words="macro {{escape}}")


@dataclass(frozen=True, slots=True)
class _Replaced:
    """A replaced range of the source, and the difference in length."""

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
    done: list[_Replaced] = []
    for height in sorted(levels):
        text, done = _level(text, levels[height], done, transform)
    return _trimmed(text, trims, done, NEWLINES if dialect == SILLYTAVERN else WHITE) if trims else text


def _mark(nodes: Sequence[Node]) -> dict[Node, None]:
    """Set each node's height in layers of replaced macros; gives the trims at the top level."""
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
    text: Text, nodes: Sequence[Node], done: Sequence[_Replaced], transform: Callable[[str], str] | None
) -> tuple[Text, list[_Replaced]]:
    """One layer replaced; `done` are the replacements of earlier layers, inside or beside it."""
    edits: list[Edit] = []
    after: list[_Replaced] = []
    for node, start, end in _places(nodes, done, after):
        new, cause, origin = _new(node, transform)
        edits.append(Edit(start, end, new, cause, origin))
        after.append(_Replaced(node.start, node.end, len(new) - (node.end - node.start)))
    return text.splice(edits), after


def _places(
    nodes: Iterable[Node], done: Sequence[_Replaced], beside: list[_Replaced]
) -> Iterator[tuple[Node, int, int]]:
    """Nodes of one layer with their present offsets; replacements outside of them are appended to `beside`."""
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


def _trimmed(text: Text, trims: Iterable[Node], done: Sequence[_Replaced], blanks: str) -> Text:
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
