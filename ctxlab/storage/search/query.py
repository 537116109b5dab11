"""Queries: texts and words to be found, the expression that finds candidates in the index, and the check of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ctxlab.storage.search.folding import aligned, folded
from ctxlab.storage.search.tokens import PAIRED, STRIDE, WORD, Run, beginning, class_of, ending, pairs, pieces, runs
from ctxlab.storage.search.vocabulary import Place

Mode = Literal["exact", "and", "or"]
MOST_WORDS = 300
"""Words that a query inside a word may stand for in an expression; what stands for more is looked for in the texts."""
FEW_WORDS = 8
"""Words that a part at an edge may stand for in an expression; what stands for more is found by its edge."""
MOST_SPANS = 100
"""Places of a text that a hit names; the text is a hit through the first."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a word at an edge of an exact query, and where in the word it must be."""

    text: str
    place: Place


@dataclass(slots=True)
class Needs:
    """Tokens of a term: neighbours, single characters at its edges, parts of words at its edges, edges of its runs."""

    phrase: list[str] = field(default_factory=list[str])
    characters: list[str] = field(default_factory=list[str])
    parts: list[Part] = field(default_factory=list[Part])
    edges: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Term:
    """A folded text to be found; with `is_word` only where no letter or digit continues it on either side."""

    text: str
    is_word: bool

    def spans(self, text: str, most: int = MOST_SPANS) -> Iterator[tuple[int, int]]:
        """The first places of a folded text at which the term is, none inside another."""
        at = text.find(self.text)
        while at >= 0 and most:
            end = at + len(self.text)
            if not self.is_word or (_is_border(text, at) and _is_border(text, end)):
                yield at, end
                most -= 1
                at = text.find(self.text, end)
            else:
                at = text.find(self.text, at + 1)

    def is_in(self, text: str) -> bool:
        return next(self.spans(text, 1), None) is not None

    def needs(self) -> Needs:
        """The tokens that each text with the term has."""
        found = runs(self.text)
        needs = Needs()
        for i, run in enumerate(found):
            at_start = i == 0 and run.start == 0
            at_end = i == len(found) - 1 and run.start + len(run.text) == len(self.text)
            if run.kind == PAIRED and len(run.text) == 1 and (at_start or at_end):
                needs.characters.append(run.text)
            elif run.kind == PAIRED:
                needs.phrase += pairs(run.text)
            elif run.kind == WORD and (at_start or at_end) and not self.is_word:
                needs.parts.append(_part(run, at_start=at_start, at_end=at_end))
            else:
                needs.phrase += pieces(run.text)
            is_short = run.kind == WORD and len(run.text) == 1
            begins = not at_start or (self.is_word and run.kind == WORD)
            ends = not at_end or (self.is_word and run.kind == WORD)
            if begins and (ends or not is_short):
                needs.edges.append(beginning(run.kind, run.text))
            if ends and (begins or not is_short):
                needs.edges.append(ending(run.kind, run.text))
        return needs


def _part(run: Run, *, at_start: bool, at_end: bool) -> Part:
    """The part of a word that the index can be asked for: of a long one its beginning or its end."""
    if at_start and at_end:
        return Part(run.text[:STRIDE], "inside")
    return Part(run.text[-STRIDE:], "ends") if at_start else Part(run.text[:STRIDE], "begins")


def _is_border(text: str, at: int) -> bool:
    """Whether no word goes on from the character before this place to the one after it."""
    return not (0 < at < len(text) and class_of(text[at - 1]) == WORD and class_of(text[at]) == WORD)


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a query; `needs_all` unless one of them is enough."""

    terms: tuple[Term, ...]
    needs_all: bool = True

    @classmethod
    def of(cls, text: str, mode: Mode) -> Query:
        """The whole text as one term, or its words, which blanks separate."""
        if mode == "exact":
            return cls((Term(folded(text), is_word=False),) if text else ())
        words = dict.fromkeys(folded(text).split())
        return cls(tuple(Term(word, is_word=True) for word in words), needs_all=mode == "and")

    def finds(self, texts: Sequence[str]) -> bool:
        """Whether texts of one message, not yet folded, have all terms between them, or one of them."""
        together = [folded(text) for text in texts]
        found = (any(term.is_in(text) for text in together) for term in self.terms)
        return bool(self.terms) and (all(found) if self.needs_all else any(found))

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """The places of a text, not yet folded, at which terms are: in order, those that overlap as one."""
        where = aligned(text)
        found = sorted(where.original(*span) for term in self.terms for span in term.spans(where.folded))
        merged: list[tuple[int, int]] = []
        for start, end in found:
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged[:MOST_SPANS])


# --- expressions of the full-text index: tokens are letters, digits and characters beyond ASCII, so quotes hold them


def phrase_of(tokens: Sequence[str], column: str = "tokens") -> str:
    return f'{column}:"{" ".join(tokens)}"'


def all_of(expressions: Sequence[str]) -> str:
    """All of the expressions; nothing where there is none."""
    found = [each for each in expressions if each]
    return found[0] if len(found) == 1 else f"({' AND '.join(found)})" if found else ""


def any_of(expressions: Sequence[str]) -> str:
    """One of the expressions; nothing, which means each row, where one of them is nothing."""
    if not all(expressions):
        return ""
    return expressions[0] if len(expressions) == 1 else f"({' OR '.join(expressions)})" if expressions else ""


def term_expression(term: Term, words_with: Callable[[str, Place, int], list[str] | None]) -> str | None:
    """The expression that each text with the term fits; nothing if each text may, None if no text can.

    `words_with` gives the words of the index that have a part at a place, or None where they are more than a number.
    """
    needs = term.needs()
    needed = [phrase_of([c], "characters") for c in needs.characters]
    if needs.phrase:
        needed.append(phrase_of(needs.phrase))
    if needs.edges and (needs.parts or needs.characters):
        needed.append(phrase_of(needs.edges, "edges"))
    for part in needs.parts:
        words = words_with(part.text, part.place, MOST_WORDS if part.place == "inside" else FEW_WORDS)
        if words == []:
            return None
        if words is not None:
            needed.append(any_of([phrase_of(_beside(part, word, needs.phrase)) for word in words]))
    return all_of(needed)


def _beside(part: Part, word: str, phrase: Sequence[str]) -> list[str]:
    """A word and the tokens that come after or before it in the query."""
    return [word, *phrase] if part.place == "ends" else [*phrase, word] if part.place == "begins" else [word]
