"""Places in a typed text: its macros, and where characters of the text that steps see stood when it was typed."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.context import Span, Text
from ctxlab.engines.macros.lint import BEGUN, problems
from ctxlab.engines.macros.parser import Lines, parsed
from ctxlab.engines.macros.registry import find
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DraftMacro:
    """A macro of a typed text, from character `start` up to `end`; `problem` is a sentence where it isn't right."""

    start: int
    end: int
    name: str
    known: bool
    problem: str = ""


def macros_of(text: str, dialect: str | None = None) -> tuple[DraftMacro, ...]:
    """The macros of a text in the order in which they begin; escaped braces are none."""
    if "{{" not in text and "<" not in text:
        return ()
    lines = Lines(text)
    wrong = {(problem.line, problem.column): problem.text for problem in problems(text, dialect)}
    nodes = sorted(parsed(text, dialect).nodes, key=lambda node: (node.start, -node.end))
    return tuple(
        DraftMacro(
            node.start,
            node.end,
            name,
            find(name, dialect) is not None,
            wrong.get(lines.place(node.start), ""),
        )
        for node in nodes
        if not node.is_escape and (name := _name(text[node.start : node.end]))
    )


def _name(macro: str) -> str:
    """The name of a macro as it is written."""
    found = BEGUN.match(macro.strip("{}<>"))
    return found.group(1) if found is not None else ""


def typed_span(text: Text, typed: str, start: int, end: int) -> tuple[int, int] | None:
    """The characters of a typed text that stand from `start` up to `end` of the text that it became.

    None where they were not typed like that, such as the words that a macro gave.
    """
    for at, verbatim_end, was in _verbatim(text, typed):
        if at <= start and end <= verbatim_end:
            return start - at + was, end - at + was
    return None


def _verbatim(text: Text, typed: str) -> Iterator[tuple[int, int, int]]:
    """Stretches that are as they were typed: from, up to, and where they stood."""
    at = stood = 0
    begun: tuple[int, int] | None = None
    known: set[int] = set()
    for span in text.spans:
        if not span.was and span.cause is None:
            if typed[stood : stood + len(span.text)] != span.text:
                break
            begun = begun if begun is not None else (at, stood)
            stood += len(span.text)
        else:
            if begun is not None:
                yield begun[0], at, begun[1]
                begun = None
            stood += _typed_length(span, known)
        at += len(span.text)
    if begun is not None:
        yield begun[0], at, begun[1]


def _typed_length(span: Span, known: set[int]) -> int:
    """Characters of the typed text behind a span; those that several spans replaced count once."""
    length, stack = 0, [span]
    while stack:
        one = stack.pop()
        if not one.was:
            length += len(one.text) if one is not span else 0
        elif id(one.was) not in known:
            known.add(id(one.was))
            stack.extend(one.was)
    return length
