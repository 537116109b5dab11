"""Finds the macros of a text: one pass over its braces."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import field, replace

from ctxlab.context import Text
from ctxlab.engines.javascript.numbers import WHITE
from ctxlab.engines.macros.registry import SILLYTAVERN, Macro, Phase
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

NEWLINES = "\n\r"
DEEPEST = 50
BRACES = lazy_pattern(r"\\\{\{|\{+|\}+")
ANGLE = lazy_pattern(r"<(?:user|bot|char|charifnotgroup|group)>", re.IGNORECASE)
BRACES_AND_ANGLES = lazy_pattern(f"{BRACES.pattern}|{ANGLE.pattern}", re.IGNORECASE)
ANGLES = {"<user>": "user", "<bot>": "char", "<char>": "char", "<charifnotgroup>": "charIfNotGroup", "<group>": "group"}
SPELLED = lazy_pattern(r"[\s\ufeff]*(//|time_UTC(?=[+-])|[^\W\d]\w*)", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Node:
    """A macro in a text, from `start` up to `end`, or an escaped brace pair.

    `parts` are its name and its arguments, each made of text and of macros inside.
    """

    start: int
    end: int
    is_escape: bool = False
    angle: str = ""
    parent: Node | None = None
    children: list[Node] = field(default_factory=list["Node"])
    parts: list[list[str | Node]] = field(default_factory=list[list["str | Node"]])
    single: bool = False
    name: str | None = None
    macro: Macro | None = None
    order: tuple[int, ...] | None = None
    value: str | Text | None = None
    covered: bool = False
    height: int = 0
    phase: Phase = "post"

    @property
    def is_trim(self) -> bool:
        """Whether it was evaluated and takes the blanks around it along."""
        return self.macro is not None and self.macro.name == "trim" and self.value is not None


@dataclass(frozen=True, slots=True)
class Parsed:
    """The macros of a text, inner ones first; `too_deep` is the offset of one that is nested too deeply.

    `unclosed` are the offsets of brace pairs that no `}}` closes.
    """

    nodes: Sequence[Node]
    too_deep: int | None = None
    unclosed: Sequence[int] = ()


def parsed(source: str, dialect: str | None = None) -> Parsed:
    r"""The macros of a text: `{{` and the next `}}` that is not another's belong together.

    Of a run of braces, those next to the content count: `{{{user}}}` is a macro in single braces. Single braces inside
    a macro are its text, and where they are balanced they keep their partner: `{{setvar::k::{"a": 1}}}`. `\{{` is a
    brace pair and no macro, and takes the `}}` that closes it along.
    """
    nodes: list[Node] = []
    opened: list[int] = []  # where each open pair stands; -1 for an escaped one
    single: list[int] = []  # single braces that are open inside each
    for match in (BRACES_AND_ANGLES if dialect == SILLYTAVERN else BRACES).finditer(source):
        token, at = match.group(), match.start()
        if token[0] == "\\":
            nodes.append(Node(at, at + 3, is_escape=True))
            opened.append(-1)
            single.append(0)
        elif token[0] == "<":
            nodes.append(Node(at, match.end(), angle=ANGLES[token.lower()]))
        elif token[0] == "{":
            if len(token) % 2 and single:
                single[-1] += 1
            opened.extend(range(at + len(token) % 2, match.end(), 2))
            single.extend([0] * (len(token) // 2))
        else:
            _close(nodes, opened, single, at, match.end())
    return replace(_nested(source, nodes, dialect), unclosed=[at for at in opened if at >= 0])


def _close(nodes: list[Node], opened: list[int], single: list[int], at: int, end: int) -> None:
    while opened and end - at >= 2:
        if single[-1] and end - at >= 3:
            single[-1] -= 1
            at += 1
            continue
        start = opened.pop()
        single.pop()
        at += 2
        if start >= 0:
            nodes.append(Node(start, at))
    if opened and at < end and single[-1]:
        single[-1] -= 1


def _nested(source: str, found: list[Node], dialect: str | None) -> Parsed:
    """Nodes with their parents and children set. Macros that are nested too deeply are text."""
    nodes: list[Node] = []
    around: list[Node] = []
    too_deep: int | None = None
    for node in reversed(found):
        while around and around[-1].start >= node.end:
            around.pop()
        if len(around) > DEEPEST:
            continue
        if len(around) == DEEPEST and not node.is_escape:
            too_deep, node.name = node.start, ""
        if around:
            node.parent = around[-1]
            node.parent.children.append(node)
        if not node.is_escape:
            around.append(node)
        nodes.append(node)
    nodes.reverse()
    for node in nodes:
        node.children.reverse()
        if not node.is_escape and node.name is None:
            _read(node, source, dialect)
    return Parsed(nodes, too_deep)


def _read(node: Node, source: str, dialect: str | None) -> None:
    """Name and arguments of a macro."""
    if node.angle:
        node.name, node.parts = node.angle, [[node.angle]]
    elif dialect == SILLYTAVERN:
        _read_sillytavern(node, source)
    else:
        node.parts = split(pieces_of(node, source), "::")
        head = node.parts[0]
        if all(isinstance(piece, str) for piece in head):
            node.name = "".join([piece for piece in head if isinstance(piece, str)]).strip(WHITE)


def pieces_of(node: Node, source: str) -> list[str | Node]:
    """The content between the braces: text, and macros inside."""
    pieces: list[str | Node] = []
    done = node.start + 2
    for child in node.children:
        if child.start > done:
            pieces.append(source[done : child.start])
        pieces.append(child)
        done = child.end
    if done < node.end - 2:
        pieces.append(source[done : node.end - 2])
    return pieces


def split(pieces: Sequence[str | Node], separator: str) -> list[list[str | Node]]:
    """Pieces cut where the separator is written; what a macro inside will say is never cut."""
    parts: list[list[str | Node]] = [[]]
    for piece in pieces:
        if not isinstance(piece, str):
            parts[-1].append(piece)
            continue
        first, *more = piece.split(separator)
        if first:
            parts[-1].append(first)
        parts.extend([text] if text else [] for text in more)
    return parts


def stripped(part: Sequence[str | Node]) -> list[str | Node]:
    """A part without the blanks that are written at its ends."""
    pieces = list(part)
    if pieces and isinstance(first := pieces[0], str):
        pieces[0] = first.lstrip(WHITE)
    if pieces and isinstance(last := pieces[-1], str):
        pieces[-1] = last.rstrip(WHITE)
    return pieces


def _read_sillytavern(node: Node, source: str) -> None:
    """A name, then `::` and arguments, or a colon or a blank and all the rest as one."""
    pieces = pieces_of(node, source)
    if pieces and not isinstance(pieces[0], str):  # the name is made by a macro inside
        node.parts = split(pieces, "::")
        return
    first = pieces[0] if pieces and isinstance(pieces[0], str) else ""
    match = SPELLED.match(first)
    node.name, node.parts = "", [[first]]
    if match is None:
        return
    name, rest = match.group(1), first[match.end() :]
    after = rest.lstrip(WHITE)
    if after.startswith("::"):
        parts = split([after[2:], *pieces[1:]], "::")
    elif after.startswith(":") or name == "//":
        parts = [[after[1:] if name != "//" else after, *pieces[1:]]]
        node.single = True
    elif after or len(pieces) > 1:
        if after == rest and not name.lower().startswith("time_utc"):
            return  # `{{a-b}}` and `{{name{{x}}` are no names with arguments
        parts = [[after, *pieces[1:]]]
        node.single = True
    else:
        parts = []
    node.name, node.parts = name, [[name], *parts]


def inner_text(part: Sequence[str | Node], value: Callable[[Node], str], blanks: str) -> str:
    """A part with the values of its macros; a `{{trim}}` in it takes the blanks around it along."""
    out: list[str] = []
    trims = False
    for piece in part:
        if not isinstance(piece, str) and piece.is_trim:
            _drop(blanks, out)
            trims = True
            continue
        plain = piece if isinstance(piece, str) else value(piece)
        if trims:
            plain = plain.lstrip(blanks)
            trims = not plain
        out.append(plain)
    return "".join(out)


def _drop(blanks: str, out: list[str]) -> None:
    while out:
        out[-1] = out[-1].rstrip(blanks)
        if out[-1]:
            return
        out.pop()


class Lines:
    """Line and column of characters in a text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._breaks: list[int] | None = None

    @property
    def breaks(self) -> list[int]:
        """Offset of each line's end."""
        if self._breaks is None:
            self._breaks = [match.start() for match in re.finditer("\n", self._source)]
        return self._breaks

    def before(self, at: int) -> int:
        """The number of lines that end before a character."""
        return bisect_left(self.breaks, at)

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1."""
        line = self.before(at)
        return line + 1, at - (self.breaks[line - 1] if line else -1)
