"""Words, or a pattern behind `re:`, that are looked for in texts."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlab.display.one_line import plain
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_limited_search import BadPython
from ctxlab.engines.regexes.python_patterns import compiled, first_span
from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

PATTERN = "re:"
"""The beginning of a text that is a pattern, in the form of Python's `regex` module."""
LIMITS = Limits(timeout_seconds=5.0)


@dataclass(frozen=True, slots=True)
class WordsOrPattern:
    """Words that are found where a text has them as they are written, or `re:` and a pattern that matches in it.

    `flags` are those of a pattern, such as "i". Raises WrongArgument for a pattern that doesn't compile; a search that
    takes too much work raises it too.

    >>> WordsOrPattern("re:l.mp").is_in("the lamp"), WordsOrPattern("L").is_in("the lamp")
    (True, False)
    """

    source: str
    flags: str = ""

    def __post_init__(self) -> None:
        if self.is_pattern:
            try:
                compiled(self._pattern)
            except BadPython as problem:
                raise self._refused(problem) from None

    @property
    def is_pattern(self) -> bool:
        return self.source.startswith(PATTERN)

    def is_in(self, text: str) -> bool:
        """Whether a text has it."""
        if not self.is_pattern:
            return self.source in text
        try:
            return first_span(self._pattern, text, LIMITS) is not None
        except BadPython as problem:
            raise self._refused(problem) from None

    def is_in_any(self, texts: Iterable[str]) -> bool:
        """Whether one of these texts has it."""
        return any(self.is_in(text) for text in texts)

    @property
    def _pattern(self) -> Pattern:
        return Pattern(self.source.removeprefix(PATTERN), self.flags, "python")

    def _refused(self, problem: BadPython) -> WrongArgument:
        return WrongArgument(f"pattern {plain(self.source, 80)!r}: {problem}")
