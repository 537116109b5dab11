"""Time limits for the `regex` module, which can't count its work: long searches are counted in V8."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ctxlab.engines.regexes.limits import DEFAULT, LONGEST_TEXT, Limits
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_as_javascript import as_javascript
from ctxlab.errors import CtxlabError

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
    from ctxlab.engines.regexes.replace import replace_all
    from ctxlab.engines.regexes.replacement_template import Replacement, Segment
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
