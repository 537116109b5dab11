"""Extractive summaries: the sentences of messages that say most in the fewest tokens, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import log

from ctxlab.display.short_texts import counted
from ctxlab.engines.compression.sentences import sentences
from ctxlab.engines.ranking.words import term_counts

Count = Callable[[str], int]
Layout = Callable[[Sequence["SummarySentence"]], str]

FEWEST_TERMS = 3
"""A sentence with fewer different words is chosen only where no message has a longer one."""
REPEATED = 0.2
"""The weight that a term keeps each time that a sentence with it was chosen."""
LONGEST = 20_000
"""Characters of a sentence that are looked at; what is longer is data or code."""
OF_QUESTION = 8.0
"""The weight of a sentence with all terms of the question, beside that of one with none."""
MOST_TRIES = 12
"""Sentences that may not fit before no further one is looked at."""


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a message: characters `start` up to `end` of the one at position `message`.

    `score` is its rank among the sentences of one summary, higher is better: the weight of its terms when it was
    chosen.
    """

    message: int
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Sentences in the order of the messages, `text` as they are laid out, and its tokens, at most `budget`."""

    sentences: tuple[SummarySentence, ...]
    text: str
    tokens: int
    budget: int

    def __repr__(self) -> str:
        spent = f"{self.tokens:,} of {counted(self.budget, 'token')}"
        return f"Summary({counted(len(self.sentences), 'sentence')}, {spent})"

    def __str__(self) -> str:
        return self.text


def lines(chosen: Sequence[SummarySentence]) -> str:
    """The sentences, each on a line of its own."""
    return "\n".join(each.text for each in chosen)


def extractive_summary(
    messages: Sequence[str], budget: int, count: Count, query: str = "", *, layout: Layout = lines
) -> Summary:
    """The sentences of messages that say most of what they are about, within a budget that is held exactly.

    A word weighs by how many sentences have it and how few messages; it weighs less once a chosen sentence has it, so
    that nothing is repeated. With a `query` sentences that share its words weigh more. `count` gives the tokens of the
    whole text that `layout` makes of the sentences; where not even one sentence fits, there is none.

    >>> extractive_summary(["Hi! The old lighthouse keeper left.", "Well, ok."], 40, len).text
    'The old lighthouse keeper left.'
    """
    candidates = _candidates(messages)
    if not candidates or budget <= 0:
        return Summary((), "", 0, budget)
    chosen = _within(_best_first(candidates, query, len(messages)), budget, count, layout)
    text = layout(chosen) if chosen else ""
    return Summary(tuple(chosen), text, count(text) if chosen else 0, budget)


@dataclass(slots=True, eq=False)
class _Candidate:
    message: int
    start: int
    end: int
    text: str
    terms: tuple[str, ...]
    """Its different terms, in order: sums over them are the same in every process."""
    length: int

    def chosen(self, score: float) -> SummarySentence:
        return SummarySentence(self.message, self.start, self.end, self.text, score)


def _candidates(messages: Sequence[str]) -> list[_Candidate]:
    """Every sentence once, without those that are too short to say anything."""
    found: list[_Candidate] = []
    seen: set[str] = set()
    for i, text in enumerate(messages):
        for start, end in sentences(text):
            sentence = text[start:end]
            terms = term_counts(sentence[:LONGEST])
            if terms.counts and sentence not in seen:
                seen.add(sentence)
                found.append(_Candidate(i, start, end, sentence, tuple(terms.counts), terms.length))
    return [each for each in found if sum(map(_is_word, each.terms)) >= FEWEST_TERMS] or found


def _is_word(term: str) -> bool:
    """Whether a term is a word of its own; of Chinese words the single characters are terms too."""
    return len(term) > 1 or term < "\u2e80"


def _best_first(candidates: list[_Candidate], query: str, messages: int) -> Iterator[SummarySentence]:
    """Candidates by falling score; taking one lowers the weights of its terms, so that scores only fall."""
    weights = _weights(candidates, messages)
    bonus = _bonus(candidates, query)

    def score(each: _Candidate) -> float:
        return bonus(each) * sum(weights[term] for term in each.terms) / (each.length + 5) ** 0.9

    row = [(-score(each), place) for place, each in enumerate(candidates)]
    heapify(row)
    while row:
        was, place = heappop(row)
        each = candidates[place]
        now = -score(each)
        if row and (now, place) > row[0] and now != was:
            heappush(row, (now, place))
            continue
        yield each.chosen(-now)
        for term in each.terms:
            weights[term] *= REPEATED


def _weights(candidates: list[_Candidate], messages: int) -> dict[str, float]:
    """The weight of each term: how many sentences have it, and how few of all messages."""
    in_sentences = Counter(term for each in candidates for term in each.terms)
    pairs = {(term, each.message) for each in candidates for term in each.terms}
    in_messages = Counter(term for term, _ in pairs)
    return {
        term: (1 + 0.5 * log(times)) * log(1 + messages / in_messages[term]) for term, times in in_sentences.items()
    }


def _bonus(candidates: list[_Candidate], query: str) -> Callable[[_Candidate], float]:
    """A factor for what a sentence shares with the question, rare terms first; 1 where it shares nothing."""
    asked = term_counts(query[:LONGEST]).counts
    if not asked:
        return lambda each: 1.0
    times = Counter(term for each in candidates for term in each.terms if term in asked)
    rare = {term: log(1 + len(candidates) / (1 + times[term])) for term in asked}
    whole = sum(rare.values()) or 1.0
    return lambda each: 1 + OF_QUESTION * sum(rare[term] for term in each.terms if term in rare) / whole


def _within(best: Iterator[SummarySentence], budget: int, count: Count, layout: Layout) -> list[SummarySentence]:
    """As many of the best as fit, in the order of the messages.

    First by the sum of what each costs alone, then with the whole text counted, one off or on at a time.
    """
    base = count("")
    picked: list[SummarySentence] = []
    skipped: list[SummarySentence] = []
    spent = base
    for each in best:
        cost = max(1, count(each.text + "\n" * bool(picked)) - base)
        if spent + cost <= budget:
            spent += cost
            picked.append(each)
        else:
            skipped.append(each)
            if len(skipped) > MOST_TRIES:
                break
    while picked and count(layout(_in_order(picked))) > budget:
        skipped.insert(0, picked.pop())
    for each in skipped[: 2 * MOST_TRIES]:
        if count(layout(_in_order([*picked, each]))) <= budget:
            picked.append(each)
    return _in_order(picked)


def _in_order(chosen: Sequence[SummarySentence]) -> list[SummarySentence]:
    return sorted(chosen, key=lambda each: (each.message, each.start))
