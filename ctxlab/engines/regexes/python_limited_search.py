"""Searches with a time limit for the `regex` module, which can't count its work: long ones are counted in V8.

A Python pattern is translated to JavaScript for that, near enough to count its backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.work_limits import DEFAULT, LONGEST_TEXT, Limits
from ctxlab.errors import CtxlabError
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import regex

_TOKEN = lazy_pattern(r"\\.|\(\?P<|\(\?P=(?P<back>\w+)\)|\(\?#[^)]*\)|\{,(?=\d+\})|[\[\]]|.", re.DOTALL)
_LEADING_FLAGS = lazy_pattern(r"\(\?([aimsu]+)\)")
_WRITTEN = {"(?P<": "(?<", r"\A": "(?<![^])", r"\Z": "(?![^])", r"\z": "(?![^])", "{,": "{0,"}
_BACKTRACKS = "(?=[^]|(?![^]))"
"""True everywhere; V8's engine of linear time, which has no backtracks to count, takes no lookahead."""
_BEYOND_ASCII = r"\u0080-\uffff"


def as_javascript(pattern: Pattern) -> Pattern | None:
    r"""The pattern for V8; None with the flag x, where blanks and comments say nothing.

    A pattern that V8 doesn't know is refused there.

    >>> as_javascript(Pattern(r"\A(?P<x>\w+)(?P=x)", "i", "python")).body
    '(?=[^]|(?![^]))(?:(?<![^])(?<x>[\\w\\u0080-\\uffff]+)\\k<x>)'
    """
    leading = _LEADING_FLAGS.match(pattern.body)
    given_flags = pattern.flags + (leading[1] if leading else "")
    if "x" in given_flags:
        return None
    body = pattern.body[leading.end() :] if leading else pattern.body
    in_class, parts = False, list[str]()
    for match in _TOKEN.finditer(body):
        token = match.group()
        if token == r"\w":
            token = rf"\w{_BEYOND_ASCII}" if in_class else rf"[\w{_BEYOND_ASCII}]"
        elif in_class:
            in_class = token != "]"
        elif match["back"] is not None:
            token = rf"\k<{match['back']}>"
        elif token.startswith("(?#"):
            token = ""
        else:
            in_class = token == "["
            token = _WRITTEN.get(token, token)
        parts.append(token)
    flags = "".join(flag for flag in "gims" if flag in given_flags)
    return Pattern(f"{_BACKTRACKS}(?:{''.join(parts)})", flags)


T = TypeVar("T")

UNCOUNTED_SECONDS = 0.5
"""CPU seconds after which the work is counted. The module needs several for as many backtracks as are allowed."""


class BadPython(CtxlabError):
    """The pattern or its replacement doesn't compile, or needs too much work."""


def within_limits(search: Callable[[float], T], pattern: Pattern, text: str, limits: Limits = DEFAULT) -> T:
    """The result of `search`, called with the CPU seconds that it may take; raises BadPython.

    The module stops by the CPU time of this process. What isn't done soon is left out when V8 needs more backtracks
    for it than are allowed, and goes on to the last resort otherwise.
    """
    if len(text) > LONGEST_TEXT:
        raise BadPython(f"a text of {len(text):,} characters is too long for it; {LONGEST_TEXT:,} are allowed")
    try:
        return search(min(UNCOUNTED_SECONDS, limits.timeout_seconds))
    except TimeoutError:
        refuse_when_endless(pattern, text, limits)
    try:
        return search(limits.timeout_seconds)
    except TimeoutError:
        raise BadPython(limits.timed_out) from None


def refuse_when_endless(pattern: Pattern, text: str, limits: Limits) -> None:
    """Raises BadPython where V8 needs more backtracks than are allowed; silent where V8 can't say."""
    from ctxlab.engines.regexes.parse_replacement import Replacement, Segment
    from ctxlab.engines.regexes.replace import replace_all
    from ctxlab.engines.regexes.v8 import RegexEngineUnavailable

    translated = as_javascript(pattern)
    if translated is None:
        return
    try:
        counted = replace_all([text], [(0,)], [Replacement(translated, (Segment("match"),))], limits=limits)
    except RegexEngineUnavailable:
        return
    why = counted.problems.get(0, "")
    if "backtracks" in why:
        raise BadPython(why)


class BadPattern(CtxlabError):
    """The pattern doesn't compile, or needs too much work."""


def found(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere, upper and lower case alike; raises BadPattern."""
    ready = _compiled(pattern)
    wanted = Pattern(pattern, "i", "python")
    try:
        return within_limits(lambda seconds: ready.search(text, timeout=seconds), wanted, text) is not None
    except BadPython as problem:
        raise BadPattern(f"pattern {pattern!r} is left out: {problem}") from None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(pattern, regex.IGNORECASE | regex.VERSION1)
    except regex.error as problem:
        raise BadPattern(f"pattern {pattern!r} is not a regular expression: {problem}") from None
