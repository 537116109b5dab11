"""Evaluates macros in the reference program's order, with all its side effects.

Macros don't nest; the same macro text is evaluated once and its value put wherever that text stands, one macro after
the other, so that a value is looked at again by those that come later; `$&` and its like in a value are patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.engines.macros.call import CAUSE, BadCall, ExpansionState, MacroCall, NoRoom, cause_at
from ctxlab.engines.macros.lint import arguments_problem
from ctxlab.engines.macros.parser import WHITE
from ctxlab.engines.macros.registry import PHASES, Phase, find
from ctxlab.lazy_pattern import lazy_pattern

TRIM = "__TRIM__"
PATTERN = lazy_pattern(r"\$([$&`'])")
MOST_DIFFERENT = 2000
UNESCAPED = Cause(CAUSE, "escape", "a literal brace pair", words="macro {{escape}}")
TRIMMED = Cause(CAUSE, "trim", "a trim and the blanks around it", words="macro {{trim}}")

Transform = Callable[[str], str]


class MacroText(NamedTuple):
    start: int
    text: str


def expanded(text: Text, run: ExpansionState, transform: Transform | None) -> tuple[Text, tuple[str, ...], int]:
    """The text, what it was after each phase, and how many macros were evaluated."""
    texts: list[str] = []
    count = 0
    for phase in PHASES:
        text, evaluated = _phase(text, phase, run, transform)
        count += evaluated
        texts.append(str(text))
    return _unescaped(_trimmed(text)), tuple(texts), count


def matches(source: str) -> Iterator[MacroText]:
    """Macros as the reference finds them: from the first `{{` that isn't escaped to the next `}`, which must be two."""
    start = source.find("{{")
    while start >= 0:
        following = start + 1
        if not source.startswith("\\", start - 1) or start == 0:
            close = source.find("}", start + 2)
            if close < 0:
                return
            following = close + 1
            if close > start + 2 and source.startswith("}}", close):
                following = close + 2
                yield MacroText(start, source[start:following])
        start = source.find("{{", following)


def _phase(text: Text, phase: Phase, run: ExpansionState, transform: Transform | None) -> tuple[Text, int]:
    values: dict[str, tuple[str, Cause]] = {}
    for start, written in matches(str(text)):
        if written in values or len(values) >= MOST_DIFFERENT:
            continue
        name, *arguments = [part.strip(WHITE) for part in written[2:-2].split("::")]
        macro = find(name, None)
        if macro is None or macro.phase != phase:
            continue
        call = MacroCall(name, tuple(arguments), run.env, run, start, str(text))
        value = _value(call)
        if value is not None:
            cause = cause_at(name, start, phase)
            values[written] = (transform(value) if transform else value, cause)
    for written, (value, cause) in values.items():
        text = _replaced(text, written, value, cause, run)
    return text, len(values)


def _value(call: MacroCall) -> str | None:
    """The value of a macro, with errors as text in brackets; None where it stays."""
    macro = find(call.name, None)
    if macro is None:
        return None
    if macro.name == "trim":
        return TRIM
    try:
        if len(call.arguments) < macro.least:
            raise BadCall(f"{macro.name} {arguments_problem(macro, len(call.arguments))}")
        return str(macro(call))
    except NoRoom:
        return None
    except BadCall as problem:
        if problem.key:
            if call.run.is_new(problem.key):
                call.run.note(f"macro {call.name!r} stays: {problem}", name=call.name)
            return None
        return f"[error: {problem}]"


def _replaced(text: Text, written: str, value: str, cause: Cause, run: ExpansionState) -> Text:
    """The text with the value at every place of the macro's source that isn't escaped."""
    source = str(text)
    origin = Origin("macro", cause.rule)
    edits: list[Edit] = []
    at = source.find(written)
    while at >= 0:
        if source.startswith("\\", at - 1) and at > 0:
            at = source.find(written, at + 1)
            continue
        end = at + len(written)
        new = _with_patterns(value, source, at, end) if "$" in value else value
        run.room -= len(new)
        if run.room < 0:
            break
        edits.append(Edit(at, end, new, cause, origin))
        at = source.find(written, end)
    return text.splice(edits)


def _with_patterns(value: str, source: str, start: int, end: int) -> str:
    """`$$` is a dollar, `$&` the macro text, `` $` `` all before it and `$'` all after it."""

    def meant(match: re.Match[str]) -> str:
        sign = match.group(1)
        if sign == "$":
            return "$"
        return {"&": source[start:end], "`": source[:start], "'": source[end:]}[sign]

    return PATTERN.sub(meant, value)


def _trimmed(text: Text) -> Text:
    source = str(text)
    edits: list[Edit] = []
    edge = 0
    at = source.find(TRIM)
    while at >= 0:
        start, end = at, at + len(TRIM)
        while start > edge and source[start - 1] in WHITE:
            start -= 1
        while end < len(source) and source[end] in WHITE:
            end += 1
        edits.append(Edit(start, end, "", TRIMMED, Origin("macro", "trim")))
        edge = end
        at = source.find(TRIM, end)
    return text.splice(edits)


def _unescaped(text: Text) -> Text:
    edits = [Edit(m.start(), m.end(), "{{", UNESCAPED) for m in re.finditer(r"\\\{\{", str(text))]
    return text.splice(edits)
