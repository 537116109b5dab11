"""The messages of two results matched by key, alone or as parts of merged ones, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from ctxlab.context import NOTHING, Draft, Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.explain.provenance_text import span_provenance
from ctxlab.prompt.merged_parts import Piece, pieces


@dataclass(frozen=True, slots=True, eq=False)
class MessageOrPart:
    """A message, or a part of a merged one with its own words; `seam` is the separator before that part."""

    draft: Draft
    whole: Draft | None = None
    seam: str = ""

    @property
    def is_first(self) -> bool:
        """Whether it is the first part of a merged message."""
        return self.whole is not None and self.whole.key == self.draft.key


def messages_and_parts(drafts: tuple[Draft, ...], alone: Mapping[str, Draft]) -> dict[str, MessageOrPart]:
    """Every message by key, merged ones as their parts; `alone` are the parts as they were before merging."""
    own = {draft.key for draft in drafts if not _is_taken_apart(draft)}
    found: dict[str, MessageOrPart] = {}
    for draft in drafts:
        if draft.key in own:
            found[draft.key] = MessageOrPart(draft)
            continue
        for piece in pieces(draft):
            if piece.part.key not in own:
                part = _part(piece, draft, alone.get(piece.part.key))
                found.setdefault(piece.part.key, MessageOrPart(part, draft, piece.seam))
    return found


def _is_taken_apart(draft: Draft) -> bool:
    """Whether a merged message is compared by its parts; one with a key of its own is a message by itself."""
    return bool(draft.merged) and draft.merged[0].key == draft.key


def _part(piece: Piece, whole: Draft, known: Draft | None) -> Draft:
    """A part as a message of its own, with the words and the role that it has in the merged one."""
    text, role = piece.text, whole.role
    if known is None:
        body = (text,)
        bare = replace(whole, key=piece.part.key, body=body, origin=piece.part.origin, calls=(), reasoning=None)
        return replace(bare, merged=(), meta=NOTHING, placement=None)
    if known.role == role and _are_the_same(known.text, text):
        return known
    return replace(known, role=role, body=(text, *known.assets))


def _are_the_same(a: Text, b: Text) -> bool:
    return len(a.spans) == len(b.spans) and all(x is y for x, y in zip(a.spans, b.spans, strict=True))


# --- two of them


class Joins:
    """Which messages are joined otherwise in one result than in the other.

    Two merged messages are the same when neither shares more parts with another one, whatever they begin with.
    """

    def __init__(self, old: Mapping[str, MessageOrPart], new: Mapping[str, MessageOrPart]) -> None:
        there = _most_shared(old, new)
        back = _most_shared(new, old)
        self._same = {(a, b) for a, b in there.items() if back.get(b) == a}

    def differ(self, a: MessageOrPart, b: MessageOrPart) -> bool:
        """Whether one is alone and the other a part, or both are parts, of different messages or behind other seams."""
        if a.whole is None or b.whole is None:
            return a.whole is not b.whole
        if (id(a.whole), id(b.whole)) not in self._same:
            return True
        return a.seam != b.seam and not a.is_first and not b.is_first

    def same_message(self, a: MessageOrPart, b: MessageOrPart) -> bool:
        return (id(a.whole), id(b.whole)) in self._same


def _most_shared(ours: Mapping[str, MessageOrPart], theirs: Mapping[str, MessageOrPart]) -> dict[int, int]:
    """For each of our merged messages the one of theirs that has most of its parts, the first of several."""
    shared: dict[int, dict[int, int]] = {}
    for key, other in theirs.items():
        own = ours.get(key)
        if own is not None and own.whole is not None and other.whole is not None:
            counts = shared.setdefault(id(own.whole), {})
            counts[id(other.whole)] = counts.get(id(other.whole), 0) + 1
    return {whole: max(counts, key=lambda each: counts[each]) for whole, counts in shared.items()}


def content_differs(a: MessageOrPart, b: MessageOrPart) -> bool:
    """Whether words or fields differ."""
    if a.draft is b.draft:
        return False
    in_parts = a.whole is not None or b.whole is not None
    return _content(a.draft, in_parts=in_parts) != _content(b.draft, in_parts=in_parts)


def _content(draft: Draft, *, in_parts: bool) -> tuple[Any, ...]:
    """All that is compared of a message; of a part, files come after the words, since their place is not known."""
    body = (draft.text, *draft.assets) if in_parts else draft.body
    return ([str(part) if isinstance(part, Text) else part.as_data() for part in body], *_fields(draft))


def _fields(draft: Draft) -> tuple[Any, ...]:
    called = (draft.role, draft.calls, draft.result_of, draft.reasoning, draft.speaker)
    return (*called, draft.pinned, draft.priority, dict(draft.meta), draft.placement)


def merged_messages_differ(a: Draft, b: Draft) -> bool:
    """Whether two merged messages have other files or fields; their words are those of their parts."""
    if a is b:
        return False
    files = [[asset.as_data() for asset in whole.assets] for whole in (a, b)]
    return files[0] != files[1] or _fields(a) != _fields(b)


def provenance_differs(a: Draft, b: Draft) -> bool:
    """Whether two messages with the same words have spans of other origins or causes."""
    if a is b:
        return False
    spans = zip_longest(a.text.spans, b.text.spans)
    return a.origin != b.origin or any(x is not y and (not x or not y or x.as_data() != y.as_data()) for x, y in spans)


def first_provenance_difference(a: Draft, b: Draft) -> tuple[str, str] | None:
    """The clauses that differ in the first span with another provenance, of both sides; None when all are equal."""
    for x, y in zip_longest(_provenance_lines(a), _provenance_lines(b), fillvalue=""):
        if x != y:
            differ_at = next((i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), 0)
            alike = x.rfind(", ", 0, differ_at) + 1  # clauses that say the same go unsaid
            return x[alike:].strip(), y[alike:].strip()
    return None


def _provenance_lines(draft: Draft) -> Iterator[str]:
    for span in draft.text.spans:
        for line in span_provenance(span):
            yield f"{line.lead} {line.words}".strip()
