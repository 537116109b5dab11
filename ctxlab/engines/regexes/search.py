"""Does a pattern of unknown origin match? Compiled once, stopped when it takes too long."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import regex

TIMEOUT_SECONDS = 0.2


class BadPattern(CtxlabError):
    """The pattern doesn't compile, or takes too long."""


def found(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere, upper and lower case alike; raises BadPattern."""
    try:
        return _compiled(pattern).search(text, timeout=TIMEOUT_SECONDS) is not None
    except TimeoutError:
        raise BadPattern(f"pattern {pattern!r} takes longer than {TIMEOUT_SECONDS} s") from None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(pattern, regex.IGNORECASE | regex.VERSION1)
    except regex.error as problem:
        raise BadPattern(f"pattern {pattern!r} is not a regular expression: {problem}") from None
