"""The rule on results that are carried along though nothing comes back to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import CheckedContext, quoted_name
from ctxlab.recordings.findings.finding_rule import Found, finding_rule

FEWEST_TOKENS: Final = 1_000
FEWEST_TIMES: Final = 4
"""Requests that must have carried a result: the one that answers it and three for nothing."""
FEWEST_WORDS: Final = 20
LEAST_SHARE: Final = 0.3
"""New words that a result must have, and their share of its words: else one could not tell what comes back to it."""
WORD: Final = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]{3,}|\d[\d.]{2,}|(?=([\u3400-\u9fff]{3}))")
"""A word of four letters, a number of three figures, or three Chinese characters in a row."""


@finding_rule(
    "unused-result",
    "A large result nothing refers to",
    "Speaks of a result of 1,000 tokens that four requests or more sent, and of whose new words, paths and numbers no "
    "later call, answer or message of the user has one.",
    "warning",
    example_real=True,
)
def unused_result(checked: CheckedContext) -> Iterator[Found]:
    """A word is new where nothing that was sent before has it; only such words show that a result was used."""
    first: dict[str, int] = {}
    last_own: dict[str, int] = {}
    new: dict[int, tuple[PromptPart, frozenset[str]]] = {}
    shares: dict[int, float] = {}
    for head, _ in checked.heads.values():
        for part in checked.parts.of_head(head):
            for word in _words(part.text):
                first.setdefault(word, -1)
    for number, id in enumerate(checked.nodes):
        for part in checked.parts_of(id):
            words = _words(part.text)
            if part.source in ("results", "files") and part.tokens >= FEWEST_TOKENS:
                new[number] = (part, frozenset(word for word in words if word not in first))
                shares[number] = len(new[number][1]) / max(1, len(words))
            for word in words:
                first.setdefault(word, number)
            if part.role != "tool" and part.source != "reminders":
                last_own |= dict.fromkeys(words, number)
    for number, (part, words) in new.items():
        times = checked.times(part.key)
        if times < FEWEST_TIMES or len(words) < FEWEST_WORDS or shares[number] < LEAST_SHARE or part.failed:
            continue
        if all(last_own.get(word, -1) <= number for word in words):
            about = quoted_name(part.file or part.name) or "a call"
            yield Found(
                f"The result of {about}, {counted(part.tokens, 'token')}, is sent {times} times, and none of the "
                f"{counted(len(words), 'word')} that were new in it is in a later call, answer or message of the user.",
                "Put a line in its place once it is answered, or ask for less of it.",
                (checked.place_of(part),),
                *checked.cost_after_first(part),
            )


def _words(text: str) -> frozenset[str]:
    return frozenset(found[1] or found[0] for found in WORD.finditer(text))
