"""The pieces of a text that no translation may touch: tags, code, macros, variables, addresses and placeholders."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, Literal

from ctxlab.engines.macros.parser import parsed
from ctxlab.engines.variables.svar_tags import TAG as VARIABLE_TAG
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Kind = Literal[
    "code block", "formula block", "element", "tag", "link target", "format",
    "code", "formula", "macro", "variable", "address", "placeholder", "entity",
]  # fmt: skip
BLOCKS: Final = frozenset({"code block", "formula block", "element"})
"""Pieces that stand for themselves: the text around them is translated apart."""
IN_ORDER: Final = frozenset({*BLOCKS, "tag", "link target", "format"})
"""Pieces whose order says something; the others may move between two of these as the words around them do."""
OPEN_ENDED: Final = frozenset({"address", "format", "entity", "placeholder", "code", "formula", "macro", "variable"})
"""Pieces that a blank beside them leaves what they are."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters from `start` up to `end` that stay as they are."""

    start: int
    end: int
    kind: Kind
    text: str


_URL = r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]"
_LETTERS = r"(?<=[/=_#\-])[^\W\x00-\x7f]+"
"""Letters of other scripts in an address, such as `/wiki/沈砚`."""
_ADDRESS = lazy_pattern(
    rf"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.-]{{1,20}}://|www\.|mailto:)(?:{_URL}|{_LETTERS})+(?<![.,;:!?'\")\]*_])"
    rf"|(?<![A-Za-z0-9])data:[\w.+-]{{1,60}}/[\w.+-]{{1,60}}[;,](?:{_URL})*"
    r"|(?<![A-Za-z0-9_.+-])[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
)
_ADDRESS_IN_ANGLES = lazy_pattern(r"<[A-Za-z][A-Za-z0-9+.-]{1,20}:[^\s<>]*>")
_TAG = lazy_pattern(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<[!?][A-Za-z][^<>]*>"
    r"|</?[A-Za-z][\w:.-]*+(?:[\s/](?:[^<>\"']++|\"[^\"]{0,200}+\"|'[^']{0,200}+'){0,30}+)?/?>",
    re.DOTALL,
)
_LOOSE_TAG = lazy_pattern(r"</?[A-Za-z][^<>]*>")
"""A tag with an odd quotation mark in it, which is one for a browser all the same."""
_WHOLE = lazy_pattern(r"<(script|style|pre|code|svg|math|textarea)(?=[\s>/])", re.IGNORECASE)
_LINK_TARGET = lazy_pattern(r"\]\((?:[^()\s]|\([^()\s]*+\)){0,2000}(?:[ \t]+\"[^\"\n]*+\")?\)")
_FENCE = lazy_pattern(r"(?:[ \t>]*|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)(`{3,}|~{3,})([^\n]*)")
_TICKS = lazy_pattern(r"`+")
_FORMULA_BLOCK = lazy_pattern(r"\$\$(?:(?!\$\$).){1,4000}\$\$|\\\[(?:(?!\\[\[\]]).){1,2000}\\\]", re.DOTALL)
_FORMULA = lazy_pattern(
    r"\\\((?:(?!\\[()])[^\n]){1,1000}\\\)|(?<![\\$\w])\$(?![\s$\[{])[^$\n]{1,300}(?<![\s\\])\$(?![\d$])"
)
_VARIABLE = lazy_pattern(r"\$\[[^\[\]\n]{0,300}(?:\[[^\[\]\n]{0,100}\][^\[\]\n]{0,100}){0,5}\]")
_PLACEHOLDER = lazy_pattern(
    r"【[^【】\n]{0,300}::[^【】\n]{0,300}】|\$?\{[\w.\[\]]{1,80}(?:![rsa])?(?::[\w.<>=^+#,%-]{1,20})?\}"
)
_FORMAT = lazy_pattern(
    r"%%|%(?:\(\w{1,80}\)|\d{1,3}\$)?[-+#0]{0,4}\d{0,6}(?:\.\d{1,6})?(?:hh|h|ll|l|L|z|j|t)?"
    r"[sdifuxXoeEgGcpan@](?![A-Za-z])",
    re.ASCII,
)
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_SIMPLE: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("formula block", _FORMULA_BLOCK),
    ("tag", VARIABLE_TAG),
    ("address", _ADDRESS_IN_ANGLES),
    ("tag", _TAG),
    ("tag", _LOOSE_TAG),
    ("link target", _LINK_TARGET),
    ("formula", _FORMULA),
    ("variable", _VARIABLE),
    ("address", _ADDRESS),
    ("placeholder", _PLACEHOLDER),
    ("format", _FORMAT),
    ("entity", _ENTITY),
)
Found = tuple[int, int, Kind]


def pieces_in(text: str) -> tuple[Piece, ...]:
    """The pieces of a text, from front to back; those that overlap are one."""
    fences = list(_fences(text))
    found: list[Found] = [*fences, *_inline_code(text, fences), *_elements(text)]
    found.extend((node.start, node.end, "macro") for node in parsed(text).nodes if node.parent is None)
    for kind, pattern in _SIMPLE:
        found.extend((match.start(), match.end(), kind) for match in pattern.finditer(text))
    return tuple(Piece(start, end, kind, text[start:end]) for start, end, kind in _joined(found))


def _joined(found: list[Found]) -> Iterator[Found]:
    """Spans that don't overlap. One that holds others keeps its kind; of those that cross, the one in order counts."""
    last: Found | None = None
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if last is None or start >= last[1]:
            if last is not None:
                yield last
            last = (start, end, kind)
        elif end > last[1]:
            last = (last[0], end, kind if last[2] not in IN_ORDER else last[2])
    if last is not None:
        yield last


def _fences(text: str) -> Iterator[Found]:
    """Fenced code, from its first line to its last; one that isn't closed goes to the end."""
    opened: tuple[int, str] | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if found is not None and opened is None:
            if found[1][0] == "~" or "`" not in found[2]:
                opened = at, found[1]
        elif found is not None and opened is not None:
            start, fence = opened
            if found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
                yield start, at + len(line.rstrip("\r\n")), "code block"
                opened = None
        at += len(line)
    if opened is not None:
        yield opened[0], len(text), "code block"


def _inline_code(text: str, fences: list[Found]) -> Iterator[Found]:
    """Code between runs of backticks of one length, within a paragraph and outside of fences."""
    starts = [start for start, _, _ in fences]
    runs = [match.span() for match in _TICKS.finditer(text) if not _is_inside(match.start(), starts, fences)]
    places: dict[int, list[int]] = {}
    for start, end in runs:
        places.setdefault(end - start, []).append(start)
    done = -1
    for start, end in runs:
        length = end - start
        if start < done or (start > 0 and text[start - 1] == "\\"):
            continue
        same = places[length]
        following = bisect_left(same, end)
        if following < len(same) and "\n\n" not in text[end : same[following]]:
            done = same[following] + length
            yield start, done, "code"


def _is_inside(at: int, starts: list[int], spans: list[Found]) -> bool:
    before = bisect_left(starts, at + 1) - 1
    return before >= 0 and at < spans[before][1]


def _elements(text: str) -> Iterator[Found]:
    """Elements whose content is no words, such as `<script>` and `<pre>`, with everything in them."""
    closings: dict[str, list[tuple[int, int]]] = {}
    for opening in _WHOLE.finditer(text):
        name = opening[1].lower()
        if name not in closings:
            closing = re.compile(rf"</{name}\s*>", re.IGNORECASE)
            closings[name] = [match.span() for match in closing.finditer(text)]
        ends = closings[name]
        following = bisect_left(ends, (opening.end(), 0))
        if following < len(ends):
            yield opening.start(), ends[following][1], "code" if name == "code" else "element"
