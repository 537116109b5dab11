"""A search for a pattern of unknown origin: compiled once, stopped when it needs too much work."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.search_time_limit import BadPython, within_limits
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import regex


class BadPattern(CtxlabError):
    """The pattern doesn't compile, or needs too much work."""


def found(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere, upper and lower case alike; raises BadPattern."""
    ready = _compiled(pattern)
    asked = Pattern(pattern, "i", "python")
    try:
        return within_limits(lambda seconds: ready.search(text, timeout=seconds), asked, text) is not None
    except BadPython as problem:
        raise BadPattern(f"pattern {pattern!r} is left out: {problem}") from None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(pattern, regex.IGNORECASE | regex.VERSION1)
    except regex.error as problem:
        raise BadPattern(f"pattern {pattern!r} is not a regular expression: {problem}") from None
