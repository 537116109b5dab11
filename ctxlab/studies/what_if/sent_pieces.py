"""The messages of a result taken apart: what is sent of each message, whichever it was merged into."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.prompt import TokenCounter
from ctxlab.prompt.merged_parts import pieces


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
    """Words that are sent of each message, by key, in the order in which it is sent."""
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
