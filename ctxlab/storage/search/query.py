"""Queries: texts and words to be found, the expression that finds candidates in the index, and the check of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.folding import aligned, folded
from ctxlab.storage.search.tokens import (
    LONGEST,
    PAIRED,
    STRIDE,
    SYMBOL,
    WORD,
    Run,
    Side,
    alone,
    beginning,
    class_of,
    ending,
    junction,
    pairs,
    pieces,
    runs,
)
from ctxlab.storage.search.vocabulary import Place

Mode = Literal["exact", "and", "or"]
WordsWith = Callable[[str, Place, int], list[str] | None]
MOST_WORDS = 300
"""Words that a query inside a word may stand for in an expression; what stands for more is looked for in the texts."""
SOME_WORDS = 64
"""Words that a part at the edge of a query of one word may stand for; what stands for more is found by two letters."""
FEW_WORDS = 8
"""Words that a part at an edge may stand for in an expression; what stands for more is found by its junction."""
MOST_JUNCTIONS = 16
"""Junctions of which one is enough; where two parts of words meet in more ways, only one of them is taken as words."""
MOST_SPANS = 100
"""Places of a text that a hit names; the text is a hit through the first."""


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

    def knows(self) -> list[Known]:
        """The runs of the term, and which of their borders it knows."""
        found = runs(self.text)
        return [
            Known(
                run,
                begins=run.start > 0 or (self.is_word and run.kind == WORD),
                ends=run.start + len(run.text) < len(self.text) or (self.is_word and run.kind == WORD),
            )
            for run in found
        ]


@dataclass(frozen=True, slots=True)
class Known:
    """A run of a term; `begins` and `ends` where no text with the term has more of the run there."""

    run: Run
    begins: bool
    ends: bool

    @property
    def is_whole(self) -> bool:
        return (self.begins and self.ends) or self.run.kind == SYMBOL

    @property
    def place(self) -> Place:
        """The place in its word of what is known of it."""
        return "begins" if self.begins else "ends" if self.ends else "inside"

    @property
    def part(self) -> str:
        """The part of a word that the index can be asked for: of a long one its beginning or its end."""
        return self.run.text[-STRIDE:] if self.place == "ends" else self.run.text[:STRIDE]


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


def phrase_of(tokens: Sequence[str]) -> str:
    return f'"{" ".join(tokens)}"'


def all_of(expressions: Sequence[str]) -> str:
    """All of the expressions; nothing where there is none."""
    found = [each for each in expressions if each]
    return found[0] if len(found) == 1 else f"({' AND '.join(found)})" if found else ""


def any_of(expressions: Sequence[str]) -> str:
    """One of the expressions; nothing, which means each row, where one of them is nothing."""
    if not all(expressions):
        return ""
    return expressions[0] if len(expressions) == 1 else f"({' OR '.join(expressions)})" if expressions else ""


def term_expression(term: Term, words_with: WordsWith) -> str | None:
    """The expression that each text with the term fits; nothing if each text may, None if no text can.

    `words_with` gives the words of the index that have a part at a place, or None where they are more than a number.
    """
    known = term.knows()
    words: list[list[str] | None] = []
    for each in known:
        is_part = each.run.kind == WORD and not each.is_whole
        most = FEW_WORDS if len(known) > 1 else SOME_WORDS if each.place != "inside" else MOST_WORDS
        words.append(words_with(each.part, each.place, most) if is_part else None)
        if words[-1] == []:
            return None
    if len(known) == 1:
        return _alone(known[0], words[0])
    return _together(known, words)


def _alone(known: Known, words: Sequence[str] | None) -> str:
    """The expression for a run that is all of a term."""
    text, kind = known.run.text, known.run.kind
    if words is not None:
        return _one_of(words)
    if known.is_whole:
        return _whole(known.run)
    edges = [beginning(kind, text)] * known.begins + [ending(kind, text)] * known.ends
    if kind == WORD:  # of one letter no token tells
        return all_of([phrase_of([edge]) for edge in edges]) if len(text) > 1 else ""
    inner = _whole(known.run) if len(text) > 1 else "" if edges else phrase_of([alone(text)])
    return all_of([inner, *(phrase_of([edge]) for edge in edges)])


def _together(known: Sequence[Known], words: Sequence[Sequence[str] | None]) -> str:
    """The expression for runs side by side: their junctions, and what these don't say of the runs themselves."""
    sides = [_sides(each, some) for each, some in zip(known, words, strict=True)]
    needed: list[str] = []
    said: set[int] = set()
    for i, (left, right) in enumerate(pairwise(sides)):
        if len(left) * len(right) > MOST_JUNCTIONS:
            left = [Side(known[i].run.text, is_word=False)]
        needed.append(_one_of(dict.fromkeys(junction(a, b) for a in left for b in right)))
        if left[0].is_word and right[0].is_word:
            said |= {i, i + 1}
    for i, each in enumerate(known):
        if each.run.kind == PAIRED:
            needed.append(_whole(each.run) if each.is_whole or len(each.run.text) > 1 else "")
        elif i not in said and (each.is_whole or words[i] is not None):
            needed.append(_whole(each.run) if each.is_whole else _one_of(words[i] or ()))
    return all_of(needed)


def _sides(known: Known, words: Sequence[str] | None) -> list[Side]:
    """All that a run may be beside a junction: some words, where they are few and no pieces of longer ones."""
    if words is not None and max(map(len, words)) < LONGEST:
        return [Side(word, is_word=True) for word in words]
    return [Side(known.run.text, known.is_whole and known.run.kind != PAIRED)]


def _whole(run: Run) -> str:
    return phrase_of(pairs(run.text) if run.kind == PAIRED else pieces(run.text))


def _one_of(tokens: Iterable[str]) -> str:
    return any_of([phrase_of([token]) for token in tokens])
