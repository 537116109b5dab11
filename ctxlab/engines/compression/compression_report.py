"""A report of a summary beside its originals: every rule, decision, number, name, date, path and quotation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.compression.facts.fact import KINDS, Fact, FactKind, Quantity
from ctxlab.engines.compression.facts.find_facts import facts_of
from ctxlab.engines.compression.facts.names import KnownWords
from ctxlab.engines.compression.facts.references import identifiers, paths
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.compression.fate import Outcome, State
from ctxlab.engines.compression.must_keep import MustKeepItem, must_keep_items
from ctxlab.engines.compression.source_text import SourceText
from ctxlab.engines.compression.summary_index import SummaryIndex
from ctxlab.engines.compression.survival import SMALL, survival
from ctxlab.errors import UnknownNode
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import pandas as pd


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


CEILING = "Words that survive are the most that a model can recall, not what it will."
"""The limit of every report of words."""
STATES: tuple[State, ...] = ("lost", "weakened", "kept")
_WRITERS = {"system": 0, "developer": 0, "user": 0, "assistant": 1, "tool": 2}
_NEXT_WORD = lazy_pattern(r"[ -]?([A-Za-z]{2,30})")
_COLUMNS = ("state", "kind", "text", "source", "role", "start", "end", "mentions")
_COLUMNS_OF_SUMMARY = ("summary_text", "summary_start", "summary_end", "reason")


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """A fact of the originals and what became of it.

    `text` is characters `start` up to `end` of the original `source`, where it stands first of its `mentions`; an item
    that must be kept and is in no original has neither source nor place. `summary_text` is characters `summary_start`
    up to `summary_end` of the summary, missing where nothing of the fact is there; `reason` says what is missing.
    """

    state: State
    kind: FactKind
    text: str
    source: str | None
    role: str
    start: int | None
    end: int | None
    mentions: int
    summary_text: str = ""
    summary_start: int | None = None
    summary_end: int | None = None
    reason: str = ""

    def __repr__(self) -> str:
        where = f" of {plain(self.source, 40)!r}" if self.source is not None else ""
        reason = f": {plain(self.reason, 80)}" if self.reason else ""
        return f"CheckedFact({self.state} {self.kind} {plain(self.text, 60)!r}{where}{reason})"


@dataclass(frozen=True, slots=True, eq=False)
class CompressionReport:
    """Facts of the originals, the worst first: lost ones, weakened ones, kept ones, by what the user demanded.

    A report is of words: what is kept can be read by a model, whether it will recall it is another question.
    """

    facts: tuple[CheckedFact, ...]
    originals: tuple[SourceText, ...]
    summary: str

    def __repr__(self) -> str:
        counts = ", ".join(f"{n:,} {state}" for state, n in reversed(self.totals().items()))
        return f"CompressionReport({counts} of {counted(len(self.facts), 'fact')})"

    def _repr_html_(self) -> str:
        rows = (
            (each.state, each.kind, each.source or "", each.text, each.summary_text, each.reason) for each in self.facts
        )
        table = html_table(("state", "kind", "message", "original", "summary", "what is missing"), rows, of="facts")
        kinds = ((kind, *by_state.values()) for kind, by_state in self.counts().items())
        return heading(self) + html_table(("kind", *STATES), kinds) + table + lines([CEILING])

    @property
    def lost(self) -> tuple[CheckedFact, ...]:
        """Facts of which the summary has nothing, or the contrary."""
        return self.of_state("lost")

    @property
    def weakened(self) -> tuple[CheckedFact, ...]:
        """Facts of which the summary has a part."""
        return self.of_state("weakened")

    @property
    def kept(self) -> tuple[CheckedFact, ...]:
        """Facts that are in the summary, in these or other words."""
        return self.of_state("kept")

    def text_of(self, source: str) -> str:
        """The text of an original, by the `source` of a fact: characters `start` up to `end` of it are the fact's.

        Of a message with tool calls it has the decoded values of their arguments, each behind its call and its field.
        Raises UnknownNode for an id that no original has.
        """
        for each in self.originals:
            if each.id == source:
                return each.text
        raise UnknownNode(f"no original of this report has the id {source!r}")

    def of_state(self, state: State) -> tuple[CheckedFact, ...]:
        """Facts of one state, in the report's order."""
        return tuple(each for each in self.facts if each.state == state)

    def totals(self) -> dict[State, int]:
        """Number of facts of each state."""
        found = Counter(each.state for each in self.facts)
        return {state: found[state] for state in STATES}

    def counts(self) -> dict[FactKind, dict[State, int]]:
        """Number of facts of each state, by kind; kinds of which there are none are left out."""
        found = Counter((each.kind, each.state) for each in self.facts)
        kinds = {each.kind for each in self.facts}
        counts: dict[FactKind, dict[State, int]] = {}
        for kind in KINDS:
            if kind in kinds:
                counts[kind] = {state: found[kind, state] for state in STATES}
        return counts

    def frame(self) -> pd.DataFrame:
        """One row a fact, worst first, with its places on both sides."""
        columns = (*_COLUMNS, *_COLUMNS_OF_SUMMARY)
        return frame_of(({name: getattr(each, name) for name in columns} for each in self.facts), columns)


def compression_report(
    originals: Sequence[SourceText],
    summary: str,
    *,
    must_keep: str | re.Pattern[str] | Sequence[str | re.Pattern[str]] = (),
) -> CompressionReport:
    """A report of the facts of the originals that a summary keeps, weakens and loses, one by one.

    `must_keep` is one text or several, or patterns as `re:...` or compiled ones, each of whose matches in the originals
    is an item. A fact is kept where the summary has it in any spelling that is known: 1,000 is 1000 and 一千, 2 hours
    are 120 minutes, 3 May is 5月3日. It is weakened where a part of it is there: a number without its unit, a date
    without its year, one word of a name, of an error a name in it that hardly another original has. A rule whose
    negation is gone is lost: what is left may say the contrary.

    >>> report = compression_report([SourceText("u1", "user", "Never name Ada Lovelace before 5 pm.")], "Ada, 17:00.")
    >>> [(each.kind, each.state) for each in report.facts]
    [('rule', 'lost'), ('name', 'weakened'), ('date', 'kept')]
    """
    items = (must_keep,) if isinstance(must_keep, str | re.Pattern) else tuple(must_keep)
    known = KnownWords(each.text for each in originals)
    index = SummaryIndex(summary, known.small)
    demanded = [_of_item(item, summary) for item in must_keep_items(originals, items, index)]
    firsts: dict[Hashable, tuple[SourceText, Fact]] = {}
    mentions: Counter[Hashable] = Counter()
    for original in originals:
        for fact in facts_of(original.text, original.role, known):
            key = _key(fact, original.text)
            firsts.setdefault(key, (original, fact))
            mentions[key] += 1
    named = NamedErrors(index, [each.text for each in originals])
    found = [
        _of_fact(fact, original, mentions[key], named.checked(fact, survival(fact, original.text, index)), summary)
        for key, (original, fact) in firsts.items()
    ]
    return CompressionReport(tuple(sorted([*demanded, *found], key=_badness)), tuple(originals), summary)


def _key(fact: Fact, text: str) -> Hashable:
    """The key by which two facts are one: their value, and of small numbers of things also the word behind them."""
    if isinstance(fact.value, Quantity) and not fact.value.unit and fact.value.low <= SMALL:
        behind = _NEXT_WORD.match(text, fact.end)
        return fact.kind, fact.value, behind[1].lower() if behind else ""
    return fact.kind, fact.value


def _of_item(item: MustKeepItem, summary: str) -> CheckedFact:
    source, role = (item.source.id, item.source.role) if item.source else (None, "")
    place = (source, role, item.start, item.end, item.mentions)
    return CheckedFact(item.outcome.state, "must-keep", item.text, *place, *_found(item.outcome, summary))


def _of_fact(fact: Fact, original: SourceText, mentions: int, outcome: Outcome, summary: str) -> CheckedFact:
    place = (original.id, original.role, fact.start, fact.end, mentions)
    return CheckedFact(outcome.state, fact.kind, fact.text, *place, *_found(outcome, summary))


def _found(outcome: Outcome, summary: str) -> tuple[str, int | None, int | None, str]:
    start, end = outcome.start, outcome.end
    return summary[start:end] if start is not None else "", start, end, outcome.reason


def _badness(fact: CheckedFact) -> tuple[int, int, int, int]:
    """Lost before weakened before kept; then by kind, by who wrote it, and what is mentioned most."""
    writer = _WRITERS.get(fact.role, 1)
    return STATES.index(fact.state), KINDS.index(fact.kind), writer, -fact.mentions
