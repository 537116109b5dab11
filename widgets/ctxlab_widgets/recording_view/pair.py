"""The difference of two requests in the order in which a vendor reads them: tools, system texts, messages."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal

from ctxlab.context.equal_stretch import equal_after
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt import PromptPart
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage

MOST_ROWS = 400
"""Rows of a whole difference; more are counted."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The common beginning of two requests, and the first part in which they differ, on both sides.

    A side that has come to its end has None there; both have where the requests are the same. `same` are parts in
    common; `at` is the number of code points that the two parts still share.
    """

    same: tuple[PromptPart, ...]
    before: PromptPart | None
    after: PromptPart | None
    at: int
    tokens: int
    characters: int

    @property
    def only_added(self) -> bool:
        """Whether the second request is the first one with something behind it, or the same."""
        return self.before is None


@dataclass(frozen=True, slots=True)
class Row:
    """Parts that both requests have, or one that only one of them has."""

    kind: Literal["=", "-", "+"]
    parts: tuple[PromptPart, ...]


def pair_of(parts: ContextParts, first: RecordedRequest, second: RecordedRequest) -> Pair:
    """The first difference of two requests; messages that both share are not compared word by word."""
    ours, theirs, shared = _differing(parts, first, second)
    same = [*shared]
    number = 0
    while number < min(len(ours), len(theirs)) and key_of(ours[number]) == key_of(theirs[number]):
        same.append(ours[number])
        number += 1
    before = ours[number] if number < len(ours) else None
    after = theirs[number] if number < len(theirs) else None
    at, tokens = 0, sum(part.tokens for part in same)
    if before is not None and after is not None and before.source == after.source:
        at = equal_after(before.text, after.text)
        tokens += parts.tokenizer.count(before.text[:at]) if at else 0
    return Pair(tuple(same), before, after, at, tokens, sum(len(part.text) for part in same) + at)


def rows_of(parts: ContextParts, first: RecordedRequest, second: RecordedRequest) -> list[Row]:
    """All that two requests have in common and apart, in order; equal parts that follow each other are one row."""
    ours, theirs, shared = _differing(parts, first, second)
    rows = [Row("=", shared)] if shared else []
    a, b = [key_of(part) for part in ours], [key_of(part) for part in theirs]
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            rows.append(Row("=", tuple(ours[i1:i2])))
            continue
        rows += [Row("-", (part,)) for part in ours[i1:i2]]
        rows += [Row("+", (part,)) for part in theirs[j1:j2]]
    return rows


def key_of(part: PromptPart) -> tuple[str, ...]:
    """A key that two parts share where they are the same to a reader, wherever they stand."""
    return (part.source, part.role, part.name, part.text)


def _differing(
    parts: ContextParts, first: RecordedRequest, second: RecordedRequest
) -> tuple[list[PromptPart], list[PromptPart], tuple[PromptPart, ...]]:
    """The parts of both without a beginning that they share for certain, and that beginning."""
    if first.head is not second.head or first.tree is not second.tree:
        return list(parts.of_request(first)), list(parts.of_request(second)), ()
    ours, theirs, common = _branches(first, second)
    shared = [*parts.of_head(first.head)]
    if common is not None:
        shared += [part for message in first.tree.way_to(common.id) for part in parts.of_message(message)]
    return (
        [part for message in ours for part in parts.of_message(message)],
        [part for message in theirs for part in parts.of_message(message)],
        tuple(shared),
    )


def _branches(
    first: RecordedRequest, second: RecordedRequest
) -> tuple[list[SentMessage], list[SentMessage], SentMessage | None]:
    """The messages of two requests below the last one that both have, and that one."""
    sent = first.tree.sent
    a, b = sent.get(first.leaf), sent.get(second.leaf)
    ours, theirs = list[SentMessage](), list[SentMessage]()
    while a is not b:
        if a is not None and (b is None or a.depth >= b.depth):
            ours.append(a)
            a = sent.get(a.parent)
        elif b is not None:
            theirs.append(b)
            b = sent.get(b.parent)
    return ours[::-1], theirs[::-1], a
