"""Errors whose words a summary hasn't, but which it names: by what stands in them and in hardly another message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.display.one_line import plain
from ctxlab.engines.compression.facts.fact import Fact
from ctxlab.engines.compression.facts.references import identifiers, paths
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.compression.fate import Outcome
from ctxlab.engines.compression.summary_index import SummaryIndex

RARE = 3
"""Originals up to which a name that stands in them is an error's own."""
_CLASSES = """
    RuntimeError CompileError SyntaxError TypeError ValueError KeyError IndexError NameError AttributeError ImportError
    ModuleNotFoundError AssertionError ArgumentError FileNotFoundError OSError IOError PermissionError ReferenceError
    RangeError MatchError FunctionClauseError UndefinedFunctionError ArithmeticError TimeoutError ConnectionError
    NullPointerException IllegalArgumentException IllegalStateException RuntimeException
"""
_ANY_ERROR = frozenset(_CLASSES.lower().split())
"""Names of kinds of errors, which say nothing of a single one."""


class NamedErrors:
    """Looks in a summary for the names in errors that are lost by their words."""

    def __init__(self, index: SummaryIndex, originals: Sequence[str]) -> None:
        self._index, self._originals = index, originals

    def checked(self, fact: Fact, outcome: Outcome) -> Outcome:
        """The outcome of a fact; a lost error is weakened where the summary has a name that is its own."""
        if fact.kind != "error" or outcome.state != "lost":
            return outcome
        for name in _names_in(fact.text):
            place = self._index.place_of(name)
            if place is not None and self._is_rare(name):
                return Outcome("weakened", *place, f"{plain(name, 40)} is named, in other words than the error's")
        return outcome

    def _is_rare(self, name: str) -> bool:
        return sum(name in text for text in self._originals) <= RARE


def _names_in(error: str) -> Iterator[str]:
    """The names of code in an error that aren't a kind of error or a part of a path."""
    taken = Taken(len(error))
    for _ in paths(error, taken):
        pass
    for found in identifiers(error, taken):
        if found.text.lower() not in _ANY_ERROR:
            yield found.text
