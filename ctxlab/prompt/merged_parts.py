"""The parts of merged messages: which characters belong to which part."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import field

from ctxlab.context import Cause, Draft, Part, Span, Text
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The words of one part at their place in a merged message; `seam` is the separator before them."""

    part: Part
    start: int
    text: Text
    seam: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def pieces(draft: Draft) -> tuple[Piece, ...]:
    """The parts of a message in order; with their seams they are all of its text. One that isn't merged is one piece.

    A seam ends a part. Where seams are empty or were rewritten, the origins of the words tell whose they are.
    """
    parts, text = draft.parts, draft.text
    if len(parts) == 1:
        return (Piece(parts[0], 0, text),)
    walk = _PartSplitter(parts, some_seams_are_gone=sum(map(is_seam, text.spans)) < len(parts) - 1)
    for span in text.spans:
        walk.take(span)
    return walk.pieces()


def is_seam(span: Span) -> bool:
    """Whether merging put it between two messages; a separator inside one message names the message, not a rule."""
    return span.origin.kind == "separator" and span.cause is not None and span.origin.ref == span.cause.rule


def seam_cause(whole: Draft) -> Cause | None:
    """Why a message was merged, as its first seam says it."""
    return next((span.cause for span in whole.text.spans if is_seam(span)), None)


@dataclass(slots=True)
class _PartText:
    """The words of a part that were found so far."""

    start: int = 0
    seam: str = ""
    spans: list[Span] = field(default_factory=list[Span])


class _PartSplitter:
    """Splits the spans of a merged text into its parts, in one pass."""

    def __init__(self, parts: Sequence[Part], *, some_seams_are_gone: bool) -> None:
        self.parts = parts
        self.some_seams_are_gone = some_seams_are_gone
        self.words = [_PartText() for _ in parts]
        self.places: dict[object, list[int]] = {}
        for i, part in enumerate(parts):
            self.places.setdefault(part.origin, []).append(i)
        self.at = self.offset = 0
        self.seam: list[Span] = []

    def take(self, span: Span) -> None:
        if is_seam(span):
            self.seam.append(span)
        else:
            if self.seam or self.some_seams_are_gone:
                self._next_part(self._owner(span, self.at + 1 if self.seam else self.at))
            self.words[self.at].spans.append(span)
        self.offset += len(span.text)

    def pieces(self) -> tuple[Piece, ...]:
        if self.seam:
            self._next_part(self.at + 1)
        for passed in self.words[self.at + 1 :]:
            passed.start = self.offset
        return tuple(
            [
                Piece(part, words.start, Text(words.spans), words.seam)
                for part, words in zip(self.parts, self.words, strict=True)
            ]
        )

    def _owner(self, span: Span, after: int) -> int:
        """The first part from `after` on that had a hand in a span; `after` itself when none had."""
        found: list[int] = []
        for origin in span.origins():
            places = self.places.get(origin, ())
            i = bisect_left(places, after)
            found += places[i : i + 1]
        return min(found, default=after)

    def _next_part(self, to: int) -> None:
        """Go on to another part; those that are passed over have no words."""
        to = min(to, len(self.parts) - 1)
        seam = "".join([span.text for span in self.seam])
        if to == self.at:
            self.words[to].spans += self.seam  # more seams than parts: it is one of its own words
        else:
            for passed in self.words[self.at + 1 : to]:
                passed.start = self.offset - len(seam)
            self.words[to].start, self.words[to].seam = self.offset, seam
        self.at, self.seam = to, []
