"""Lost rules that the user had to say again."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.display.one_line import plain
from ctxlab.documents import MessageNode
from ctxlab.engines.compression import CheckedFact, sentences
from ctxlab.engines.compression.facts.fact import folded
from ctxlab.engines.compression.facts.statements import NEGATION
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.compressions.forbidden import forbidden_in

SAME = 0.6
"""Share of a rule's words in a sentence from which the sentence says it again."""
LEAST = 2
"""Words that both must have."""


@dataclass(frozen=True, slots=True)
class RuleRepeat:
    """A later sentence of the user with the words of a lost rule: characters `start` up to `end` of the message."""

    rule: CheckedFact
    node: str
    text: str
    start: int
    end: int

    def __repr__(self) -> str:
        return f"RuleRepeat({plain(self.text, 100)!r} of {plain(self.node, 40)!r})"


def repeats(rules: Sequence[CheckedFact], later: Sequence[MessageNode]) -> tuple[RuleRepeat, ...]:
    """For each rule the first later sentence of the user that says it again."""
    left = {number: _Rule(rule) for number, rule in enumerate(rules)}
    found: dict[int, RuleRepeat] = {}
    for node in later:
        if node.role != "user" or not left:
            continue
        for start, end in sentences(node.content):
            sentence = node.content[start:end]
            words = frozenset(word for _, word in words_as_written(sentence))
            says_no = NEGATION.search(folded(sentence)) is not None
            for number in [
                number for number, rule in left.items() if rule.is_said_in(sentence, words, says_no=says_no)
            ]:
                found[number] = RuleRepeat(rules[number], node.id, sentence, start, end)
                del left[number]
    return tuple(found[number] for number in sorted(found))


class _Rule:
    """A rule as it is looked for: its words, its negation, and what it forbids by name."""

    def __init__(self, rule: CheckedFact) -> None:
        self.words = frozenset(word for _, word in words_as_written(rule.text))
        self.says_no = NEGATION.search(folded(rule.text)) is not None
        self.named = frozenset(folded(each.text).strip("/ ") for each in forbidden_in(rule.text))

    def is_said_in(self, sentence: str, words: frozenset[str], *, says_no: bool) -> bool:
        if self.says_no != says_no:
            return False
        shared = self.words & words
        if len(shared) >= LEAST and len(shared) >= SAME * len(self.words):
            return True
        return says_no and any(each in folded(sentence) for each in self.named if len(each) > 1)
