"""Extractive summaries: the sentences of messages that say most in the fewest tokens, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ctxlab.display.short_texts import counted
from ctxlab.engines.compression.sentence_terms import LONGEST, Sentences, sentences_of
from ctxlab.engines.ranking.words import term_counts
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.integer[Any]]

Count = Callable[[str], int]
Layout = Callable[[Sequence["SummarySentence"]], str]

REPEATED = 0.2
"""The weight that a term keeps each time that a sentence with it was chosen."""
MOST_LOWERED = 2
"""Times that a term is lowered so; what is left then matters no more."""
MOST_TURNS = 256
"""Sentences of which each lowers the terms of the next; after so many their order stays."""
OF_QUESTION = 8.0
"""The weight of a sentence with all terms of the question, beside that of one with none."""
FEWEST_COMPARED = 2_000
TOKENS_OF_COMPARED = 8
"""Sentences that are weighed against one another: so many at least, and one for each of so many tokens of the budget;
of more, those with the highest scores."""
MOST_TRIES = 12
"""Sentences that may not fit before no further one is looked at."""
ROUNDS = 2
"""Times that sentences are looked for to fill what is left, and the whole is counted."""


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
    found = sentences_of(messages) if budget > 0 else None
    if not found:
        return Summary((), "", 0, budget)
    chosen = _within(_best_first(found, query, len(messages), budget), budget, count, layout)
    text = layout(chosen) if chosen else ""
    return Summary(tuple(chosen), text, count(text) if chosen else 0, budget)


def _best_first(found: Sentences, query: str, messages: int, budget: int) -> Iterator[SummarySentence]:
    """Sentences by falling score; taking one lowers the weights of its terms in all others."""
    import numpy as np

    weights = _weights(found, messages)
    starts = np.cumsum(found.sizes) - found.sizes
    factors = _bonus(found, query, starts) / (found.lengths + 5.0) ** 0.9
    scores = factors * np.add.reduceat(weights[found.terms], starts)
    at = _compared(found, scores, max(FEWEST_COMPARED, budget // TOKENS_OF_COMPARED))
    scores, factors = scores[at], factors[at]
    rows, terms = _terms_of(found, at, starts)
    holders = _Holders(rows, terms, len(weights))
    ends = np.cumsum(found.sizes[at])
    times = np.zeros(len(weights), np.int64)
    for _ in range(min(MOST_TURNS, len(at))):
        best = int(scores.argmax())
        place = int(at[best])
        yield SummarySentence(*found.found(place), float(scores[best]))
        said = terms[ends[best] - found.sizes[place] : ends[best]]
        said = said[times[said] < MOST_LOWERED]
        if len(said):
            lower, sizes = holders.of(said)
            lost = np.bincount(lower, np.repeat(weights[said] * (1 - REPEATED), sizes), len(at))
            scores -= factors * lost
        scores[best], factors[best] = -np.inf, 0
        weights[said] *= REPEATED
        times[said] += 1
    for best in np.argsort(-scores, kind="stable").tolist()[: max(0, len(at) - MOST_TURNS)]:
        yield SummarySentence(*found.found(int(at[best])), float(scores[best]))


class _Holders:
    """The rows of the sentences that have each term."""

    def __init__(self, rows: Places, terms: Places, most: int) -> None:
        import numpy as np

        counts = np.bincount(terms, minlength=most)
        different = np.cumsum(counts > 0)
        short = np.uint16 if different[-1] < 2**16 else np.int64  # what has two bytes is sorted many times faster
        self.rows = rows[np.argsort(different[terms].astype(short), kind="stable")]
        self.ends = np.cumsum(counts)

    def of(self, terms: Places) -> tuple[Places, list[int]]:
        """The rows that have each of some terms, one term after another, and how many have each."""
        import numpy as np

        starts = np.where(terms > 0, self.ends[terms - 1], 0).tolist()
        found = [self.rows[start:end] for start, end in zip(starts, self.ends[terms].tolist(), strict=True)]
        return np.concatenate(found), list(map(len, found))


def _compared(found: Sentences, scores: Numbers, most: int) -> Places:
    """Places of the sentences that may be chosen, rising: each text once, and those that say much if there are any."""
    import numpy as np

    at = np.flatnonzero(found.says_much) if found.says_much.any() else np.arange(len(found))
    first: dict[str, int] = {}
    best = at[np.argsort(-scores[at], kind="stable")]
    for place, text in zip(best.tolist(), found.texts(best), strict=True):
        first.setdefault(text, place)
        if len(first) == most:
            break
    return np.sort(np.fromiter(first.values(), np.int64))


def _terms_of(found: Sentences, at: Places, starts: Places) -> tuple[Places, Places]:
    """The terms of the sentences at some places, one after another, each with the row of its sentence."""
    import numpy as np

    sizes = found.sizes[at]
    rows = np.repeat(np.arange(len(at)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows, found.terms[np.repeat(starts[at], sizes) + within]


def _weights(found: Sentences, messages: int) -> Numbers:
    """The weight of each term: how many sentences have it, and how few of all messages."""
    import numpy as np

    in_sentences = np.bincount(found.terms)
    return (1 + 0.5 * np.log(np.maximum(in_sentences, 1))) * np.log1p(messages / np.maximum(found.in_messages, 1))


def _bonus(found: Sentences, query: str, starts: Places) -> Numbers:
    """A factor for what a sentence shares with the question, rare terms first; 1 where it shares nothing."""
    import numpy as np

    asked = term_counts(query[:LONGEST]).counts
    times = np.bincount(found.terms)
    rare = np.zeros(len(times))
    whole = 0.0
    for term in asked:
        number = found.numbers.get(term, len(times))
        there = int(times[number]) if number < len(times) else 0
        weight = float(np.log1p(len(found) / (1 + there)))
        whole += weight
        if there:
            rare[number] = weight
    return 1 + OF_QUESTION * np.add.reduceat(rare[found.terms], starts) / (whole or 1.0)


def _within(best: Iterator[SummarySentence], budget: int, count: Count, layout: Layout) -> list[SummarySentence]:
    """As many of the best as fit, in the order of the messages.

    In rounds: by the sum of what each costs alone, then with the whole counted.
    """
    nothing = spent = count(layout(()))
    costs = ((each, max(1, count(layout((each,))) - nothing)) for each in best)
    picked: list[SummarySentence] = []
    passed: list[tuple[SummarySentence, int]] = []
    for _ in range(ROUNDS):
        row, passed, more, left = chain(passed, costs), [], [], budget - spent
        for each, cost in row:
            if cost <= left:
                left -= cost
                more.append(each)
            else:
                passed.append((each, cost))
                if len(passed) > MOST_TRIES:
                    break
        total = spent
        while more and (total := count(layout(_in_order([*picked, *more])))) > budget:
            del more[-1 - len(more) * (total - budget) // (2 * total) :]
        if not more:
            break
        picked, spent = [*picked, *more], total
    return _in_order(picked)


def _in_order(chosen: Sequence[SummarySentence]) -> list[SummarySentence]:
    return sorted(chosen, key=lambda each: (each.message, each.start))
