"""Items that a summary must keep: texts and patterns, found in the originals and looked for in the summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.engines.compression.facts.fact import Fact, folded
from ctxlab.engines.compression.facts.find_facts import facts_of
from ctxlab.engines.compression.facts.names import KnownWords
from ctxlab.engines.compression.fate import Outcome
from ctxlab.engines.compression.loss_reason import lost
from ctxlab.engines.compression.sentences import sentences
from ctxlab.engines.compression.source_text import SourceText
from ctxlab.engines.compression.summary_index import SummaryIndex
from ctxlab.engines.compression.survival import of_statement, survival
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_limited_search import BadPython, within_limits
from ctxlab.engines.regexes.python_patterns import compiled
from ctxlab.engines.regexes.words_or_pattern import LIMITS, PATTERN
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

MOST_MATCHES = 10_000
"""Matches of one pattern in one text that are items."""
QUOTATION_MARKS = "\"'“”‘’„«»「」『』《》 "
_FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"), (re.VERBOSE, "x"), (re.ASCII, "a"))


@dataclass(frozen=True, slots=True)
class MustKeepItem:
    """Words that must be kept: where an original has them first, how often they are there, and what became of them."""

    text: str
    source: SourceText | None
    start: int | None
    end: int | None
    mentions: int
    outcome: Outcome


def must_keep_items(
    originals: Sequence[SourceText], wanted: Sequence[str | re.Pattern[str]], index: SummaryIndex
) -> Iterator[MustKeepItem]:
    """Each text, and each different match of each pattern, with what the summary keeps of it; raises WrongArgument."""
    for each in wanted:
        pattern = _pattern(each)
        if pattern is None:
            yield _text_item(str(each), originals, index)
        else:
            yield from _pattern_items(pattern, originals, index)


def _pattern(wanted: str | re.Pattern[str]) -> Pattern | None:
    """The pattern that is meant; None for a text."""
    given: Any = wanted
    if isinstance(given, str):
        if not given.removeprefix(PATTERN).strip():
            raise WrongArgument(f"must_keep: {given!r} is no text; write what the summary must hold")
        return Pattern(given.removeprefix(PATTERN), "", "python") if given.startswith(PATTERN) else None
    body, flags = getattr(given, "pattern", None), getattr(given, "flags", None)
    if not isinstance(body, str) or not isinstance(flags, int):
        kind = type(given).__name__
        raise WrongArgument(f"must_keep: takes texts and patterns of text, not {kind}; write 're:...' for a pattern")
    return Pattern(body, "".join(letter for flag, letter in _FLAGS if flags & flag), "python")


def _text_item(text: str, originals: Sequence[SourceText], index: SummaryIndex) -> MustKeepItem:
    places = [(each, start) for each in originals if (start := folded(each.text).find(folded(text))) >= 0]
    outcome = _outcome(text, index)
    if not places:
        if outcome.state == "lost":
            outcome = replace(outcome, reason=f"{outcome.reason}, and it is not in the originals as it is written")
        return MustKeepItem(text, None, None, None, 0, outcome)
    first, start = places[0]
    end = start + len(text)
    return MustKeepItem(first.text[start:end], first, start, end, len(places), outcome)


def _outcome(text: str, index: SummaryIndex, *, in_parts: bool = True) -> Outcome:
    """The part of a text that is kept: its words, its one fact in another spelling, or each of its sentences."""
    place = index.place_of(text) or index.place_of(text.strip(QUOTATION_MARKS) or text)
    if place is not None:
        return Outcome("kept", *place)
    fact = _only_fact(text)
    if fact is not None:
        return survival(fact, text, index)
    if not in_parts:
        return lost(text, index)
    parts = [of_statement(text[start:end], index) for start, end in sentences(text)] or [of_statement(text, index)]
    worst = [each for each in parts if each.state != "kept"]
    if not worst:
        return parts[0] if len(parts) > 1 else _of_single_word(text, parts[0])
    if len(parts) == 1 or all(each.state == "lost" for each in parts):
        return worst[0]
    first = next(each for each in parts if each.state != "lost")
    return Outcome("weakened", first.start, first.end, f"{len(worst)} of its {len(parts)} sentences are not kept whole")


def _of_single_word(text: str, kept: Outcome) -> Outcome:
    """The outcome of a text that isn't there as written: weakened where a single word made it count as kept."""
    counted = {word for _, word in words_as_written(text)}
    if len(counted) > 1 or len(text.split()) < 2:
        return kept
    return Outcome("weakened", kept.start, kept.end, f"only {counted.pop()} of it" if counted else "not as written")


def _only_fact(text: str) -> Fact | None:
    """The number, date, name or path that a text is, and nothing else."""
    known = KnownWords([f"the {text} is"])
    found = [each for each in facts_of(text, "user", known) if each.kind not in ("rule", "decision", "quote")]
    whole = (0, len(text.rstrip(" .!。！")))
    return found[0] if len(found) == 1 and (found[0].start, found[0].end) == whole else None


def _pattern_items(pattern: Pattern, originals: Sequence[SourceText], index: SummaryIndex) -> Iterator[MustKeepItem]:
    found: dict[str, tuple[SourceText, int, int, int]] = {}
    for each in originals:
        for start, end in _spans(pattern, each.text):
            key = folded(each.text[start:end])
            source, first, last, times = found.get(key, (each, start, end, 0))
            found[key] = source, first, last, times + 1
    for source, start, end, times in found.values():
        text = source.text[start:end]
        yield MustKeepItem(text, source, start, end, times, _outcome(text, index, in_parts=False))
    if not found:
        there = _spans(pattern, index.text)
        gone = Outcome("lost", reason="nothing in the summary matches it, and nothing in the originals")
        yield MustKeepItem(
            f"{PATTERN}{pattern.body}", None, None, None, 0, Outcome("kept", *there[0]) if there else gone
        )


def _spans(pattern: Pattern, text: str) -> list[tuple[int, int]]:
    """Places of all matches that aren't empty; raises WrongArgument."""

    def search(seconds: float) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for match in compiled(pattern).finditer(text, timeout=seconds):
            if match.end() > match.start():
                found.append(match.span())
            if len(found) >= MOST_MATCHES:
                break
        return found

    try:
        return within_limits(search, pattern, text, LIMITS)
    except BadPython as problem:
        raise WrongArgument(f"must_keep: pattern {plain(pattern.body, 80)!r}: {problem}") from None
