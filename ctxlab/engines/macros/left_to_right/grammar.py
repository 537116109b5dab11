"""Finds the macros of a text as SillyTavern's newer engine does, in one pass over its braces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import field

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

DEEPEST = 50
HEAD = lazy_pattern(
    r"\{\{\s*(?:(?P<end>(?:[!?~>#]\s*)*/\s*(?:[!?~>#]\s*)*)(?P<closed>//|[a-zA-Z][\w-]*)"
    r"|(?P<flags>(?:[!?~>#/]\s*)*?)(?:(?P<variable>[.$])|(?P<name>//|[a-zA-Z][\w-]*)))",
    re.ASCII,
)
"""The head that makes a brace pair a macro: marks, a name or the sign of a variable; `end` where it closes another."""
JUNK = lazy_pattern(r"(?:(?!\}\})[^\s:|}])*")
"""Characters behind a name that the program passes over, as in `{{user.name}}`."""
BLANKS = lazy_pattern(r"\s*")
TOKEN = lazy_pattern(r"\{\{|\}\}|::")
KEEPS_BLANKS = "#"


@dataclass(slots=True, eq=False)
class Part:
    """A stretch of the source with the macros in it."""

    start: int
    end: int
    calls: list[Call] = field(default_factory=list["Call"])


@dataclass(slots=True, eq=False)
class Call:
    """Something in double braces, from `start` up to `end`, with its arguments as they are written.

    `variable` is the sign of a variable, for `{{.x = 1}}`; `closes` says that it ends a macro of its name.
    `partner` is the number, among the calls beside it, of the one that ends it.
    """

    start: int
    end: int
    name: str
    flags: str = ""
    closes: bool = False
    variable: str = ""
    single: bool = False
    arguments: list[Part] = field(default_factory=list[Part])
    partner: int | None = None

    @property
    def keeps_blanks(self) -> bool:
        return KEEPS_BLANKS in self.flags


@dataclass(slots=True)
class _Open:
    """A macro that is being read; `lists` says that `::` begins another argument."""

    call: Call
    lists: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """The macros of a text. `too_deep` is the offset of one nested too deeply, `unclosed` those that no `}}` closes."""

    whole: Part
    too_deep: int | None = None
    unclosed: Sequence[int] = ()


def read(source: str, takes_more: Callable[[Call], bool]) -> Grammar:
    """The macros of a text. `takes_more` says whether a macro may have its last argument between it and its end."""
    whole = Part(0, len(source))
    opened: list[_Open] = []
    pairs = 0  # braces that are open; those of no macro count until the next `}}`, which ends the macro around them
    at = source.find("{{")
    while at >= 0:
        if source.startswith("{{", at):
            before = len(opened)
            at, empty = _begun(source, at, opened, whole, inside=pairs > 0)
            pairs += len(opened) - before + (empty and pairs > 0)
        elif source.startswith("}}", at):
            at += 2
            pairs -= 1
            if opened:
                _close(opened.pop(), at, opened, whole)
        else:
            if opened and opened[-1].lists:
                arguments = opened[-1].call.arguments
                arguments[-1].end = at
                arguments.append(Part(at + 2, at + 2))
            at += 2
        at = _next(source, at, inside=pairs > 0)
    unclosed = [each.call.start for each in opened]
    while opened:  # its own braces are text, what is in it isn't
        lost = opened.pop()
        target = opened[-1].call.arguments[-1] if opened and opened[-1].call.arguments else whole
        target.calls.extend(call for part in lost.call.arguments for call in part.calls)
    return Grammar(whole, _settled(whole, takes_more), unclosed)


def _next(source: str, at: int, *, inside: bool) -> int:
    if not inside:
        return source.find("{{", at)
    found = TOKEN.search(source, at)
    return found.start() if found is not None else -1


def _begun(source: str, at: int, opened: list[_Open], whole: Part, *, inside: bool) -> tuple[int, bool]:
    """A macro is opened, or passed over where the braces are text: where to go on, and whether nothing is in them."""
    if not inside and source.startswith("{", at + 2):
        return at + 1, False  # of more braces those next to the name count
    match = HEAD.match(source, at)
    if match is None:
        return at + 2, source.startswith("}}", _end(BLANKS, source, at + 2))
    after = match.end()
    if match["closed"]:
        close = source.find("}}", after)
        if close < 0:
            return after, False
        call = Call(at, close + 2, match["closed"], match["end"], closes=True)
        (opened[-1].call.arguments[-1] if opened else whole).calls.append(call)
        return close + 2, False
    call = Call(at, after, match["name"] or "", match["flags"] or "", variable=match["variable"] or "")
    if not call.variable:
        return _after_name(source, call, after, opened), False
    call.arguments.append(Part(after, after))
    opened.append(_Open(call, lists=False))
    return after, False


def _after_name(source: str, call: Call, after: int, opened: list[_Open]) -> int:
    if call.name != "//":
        after = _end(JUNK, source, after)
    start = _end(BLANKS, source, after)
    lists = source.startswith("::", start)
    if lists or (source.startswith(":", start) and call.name != "//"):
        start += 2 if lists else 1
        call.single = not lists
    elif source.startswith("}}", start):
        call.arguments.append(Part(start, -1))  # taken away again when it is closed: there is none
        opened.append(_Open(call, lists=False))
        return start
    else:
        call.single = True
    call.arguments.append(Part(start, start))
    opened.append(_Open(call, lists=lists))
    return start


def _end(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match is not None else at


def _close(done: _Open, end: int, opened: list[_Open], whole: Part) -> None:
    call = done.call
    call.end = end
    if call.arguments[-1].end < 0:
        call.arguments.clear()
    else:
        call.arguments[-1].end = end - 2
    (opened[-1].call.arguments[-1] if opened else whole).calls.append(call)


def _settled(whole: Part, takes_more: Callable[[Call], bool]) -> int | None:
    """Pair macros with their ends at every level, and take out those nested too deeply; gives where the first is."""
    too_deep: int | None = None
    level = [whole]
    for depth in range(DEEPEST + 1):
        following: list[Part] = []
        for part in level:
            if depth == DEEPEST and part.calls:
                too_deep = min(part.calls[0].start, too_deep if too_deep is not None else part.calls[0].start)
                part.calls.clear()
            _pair(part.calls, takes_more)
            following.extend(argument for call in part.calls for argument in call.arguments)
        level = following
    return too_deep


def _pair(calls: Sequence[Call], takes_more: Callable[[Call], bool]) -> None:
    """Each macro's end: the first behind it at which as many of its name are ended as were begun."""
    ended = {call.name.lower() for call in calls if call.closes}
    if not ended:
        return
    depth = dict.fromkeys(ended, 0)
    ends: dict[tuple[str, int], list[int]] = {}
    before: list[int] = []
    for number, call in enumerate(calls):
        name = call.name.lower()
        before.append(depth.get(name, 0))
        if name not in ended or call.variable:
            continue
        if call.closes:
            depth[name] -= 1
            ends.setdefault((name, depth[name]), []).append(number)
        elif takes_more(call):
            depth[name] += 1
    for number, call in enumerate(calls):
        name = call.name.lower()
        if call.closes or call.variable or name not in ended:
            continue
        found = ends.get((name, before[number] - (not takes_more(call))), ())
        i = bisect_right(found, number)
        call.partner = found[i] if i < len(found) else None
