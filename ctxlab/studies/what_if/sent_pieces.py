"""The messages of a result taken apart: what is sent of each message, whichever it was merged into."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ctxlab.context import Draft
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.merged_parts import pieces
from ctxlab.pipeline.services import TokenCounter


@dataclass(frozen=True, slots=True, eq=False)
class SentPiece:
    """A message as it is sent, alone or as a part of `whole`; `tokens` of a part are those of its words."""

    key: str
    whole: Draft
    text: str
    end: int
    is_first: bool = True

    @property
    def content(self) -> tuple[object, ...]:
        """All that a model gets of it; calls and files of a merged message are those of its first part."""
        whole = self.whole
        beside = (whole.calls, whole.assets) if self.is_first else ()
        return self.text, whole.role, whole.speaker, whole.reasoning, whole.result_of, beside

    def tokens(self, counter: TokenCounter) -> int:
        return counter.count(self.text) if self.whole.merged else counter.count_draft(self.whole)


def pieces_of(drafts: Sequence[Draft]) -> dict[str, SentPiece]:
    """What is sent of each message, by key, in the order in which it is sent."""
    found: dict[str, SentPiece] = {}
    for draft in drafts:
        if not draft.merged:
            text = str(draft.text)
            found[draft.key] = SentPiece(draft.key, draft, text, len(text))
            continue
        for n, piece in enumerate(pieces(draft)):
            found[piece.part.key] = SentPiece(piece.part.key, draft, str(piece.text), piece.end, n == 0)
    return found


def pieces_not_in(trace: Trace, shared: Collection[int]) -> dict[str, SentPiece]:
    """The pieces of the messages of a result that aren't among those of these identities."""
    return pieces_of([draft for draft in trace.result.drafts if id(draft) not in shared])


def is_sent_alike(a: Draft, b: Draft) -> bool:
    """Whether a model gets the same of both."""
    return a is b or (
        str(a.text) == str(b.text)
        and (a.role, a.speaker, a.reasoning, a.result_of, a.calls)
        == (b.role, b.speaker, b.reasoning, b.result_of, b.calls)
        and [file.as_data() for file in a.assets] == [file.as_data() for file in b.assets]
    )


def prefix_tokens(earlier: Sequence[Draft], later: Sequence[Draft], counter: TokenCounter) -> int:
    """Tokens with which an earlier prompt began too: those of equal messages, and of the words shared by the next."""
    total = 0
    for a, b in zip(earlier, later, strict=False):
        if not is_sent_alike(a, b):
            return total + (counter.count(_common_head(str(a.text), str(b.text))) if a.role == b.role else 0)
        total += counter.count_draft(b)
    return total


def _common_head(a: str, b: str) -> str:
    """The characters with which both texts begin, found by halving."""
    same, end = 0, min(len(a), len(b))
    while same < end:
        middle = (same + end + 1) // 2
        if a[same:middle] == b[same:middle]:
            same = middle
        else:
            end = middle - 1
    return a[:same]
