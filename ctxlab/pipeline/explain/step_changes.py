"""The changes of a step: messages added, rewritten, merged, moved and dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Context, Draft, Dropped, Span
from ctxlab.context.step_report import summary_of
from ctxlab.display.data_frame import frame_of
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.services import TokenCounter
from ctxlab.pipeline.trace import Step

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("kind", "key", "role", "tokens", "rule", "reason", "text")


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """One message before and after; its words or other fields changed."""

    before: Draft
    after: Draft


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """Messages that became one."""

    parts: tuple[Draft, ...]
    whole: Draft


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The messages that one step added, rewrote, merged, moved and dropped, its decisions, and its notes."""

    id: str
    added: tuple[Draft, ...]
    rewritten: tuple[Rewritten, ...]
    merged: tuple[Merged, ...]
    moved: tuple[Draft, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[Note, ...]
    seconds: float
    error: str | None
    before: Context
    after: Context
    tokenizer: TokenCounter

    def __bool__(self) -> bool:
        return bool(self.added or self.rewritten or self.merged or self.moved or self.dropped)

    def __repr__(self) -> str:
        return f"Changes({self.id!r}, {self.summary})"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import changes_html

        return changes_html(self)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a message: what happened to it, its tokens, by which rule and why, and its text.

        Of a message that is gone the text and the tokens are those that it had.
        """
        for draft in self.added:
            yield self._row("added", draft, _cause_of(draft, ()))
        for change in self.rewritten:
            yield self._row("rewritten", change.after, _cause_of(change.after, change.before.text.spans))
        for merged in self.merged:
            made_of = ", ".join(part.key for part in merged.parts)
            yield self._row("merged", merged.whole, None) | {"reason": f"made of {made_of}"}
        for draft in self.moved:
            yield self._row(
                "moved", draft, next((c.cause for c in reversed(draft.changes) if c.field == "place"), None)
            )
        for group in self.dropped:
            for draft in group.drafts:
                yield self._row("dropped", draft, group.cause)

    def frame(self) -> pd.DataFrame:
        """The rows of `rows()` as a frame."""
        return frame_of(self.rows(), COLUMNS)

    def _row(self, kind: str, draft: Draft, cause: Cause | None) -> dict[str, Any]:
        return {
            "kind": kind,
            "key": draft.key,
            "role": draft.role,
            "tokens": self.tokenizer.count_draft(draft),
            "rule": cause.rule if cause else None,
            "reason": (cause.reason or cause.rule) if cause else None,
            "text": str(draft.text),
        }

    @property
    def summary(self) -> str:
        """Counts of the changes, then the decisions, in words.

        For example: 3 added, 12 dropped; sets mood.
        """
        gone = sum(len(group.drafts) for group in self.dropped)
        counts = (
            (len(self.added), "added"),
            (len(self.rewritten), "rewritten"),
            (sum(len(m.parts) for m in self.merged), f"merged into {len(self.merged)}"),
            (len(self.moved), "moved"),
            (gone, "dropped"),
        )
        happened = ", ".join(f"{n} {word}" for n, word in counts if n)
        return "; ".join(part for part in (happened, self.decided) if part) or "nothing"

    @property
    def decided(self) -> str:
        """Decisions that changed no message, in words; empty when there were none.

        For example: 5 of 16 entries fired.
        """
        return summary_of(self.after.reports[len(self.before.reports) :])

    @property
    def tokens_before(self) -> int:
        return sum(self.tokenizer.count_draft(draft) for draft in self.before.drafts)

    @property
    def tokens_after(self) -> int:
        return sum(self.tokenizer.count_draft(draft) for draft in self.after.drafts)


def _cause_of(draft: Draft, known: Sequence[Span]) -> Cause | None:
    """The first cause of the words that are new in a message, else of its last changed field."""
    old = set(map(id, known))
    words = next((span.cause for span in draft.text.spans if span.cause and id(span) not in old), None)
    return words or (draft.changes[-1].cause if draft.changes else None)


def changes(step: Step, tokenizer: TokenCounter) -> Changes:
    """The changes of a step. Drafts are compared by identity first, so that unchanged ones cost nothing."""
    before, after = step.before, step.after
    dropped = after.dropped[len(before.dropped) :]
    notes = after.notes[len(before.notes) :]
    if before.drafts is after.drafts:
        return Changes(step.id, (), (), (), (), dropped, notes, step.seconds, step.error, before, after, tokenizer)
    old = {draft.key: draft for draft in before.drafts}
    new = {draft.key: draft for draft in after.drafts}
    merged = tuple(
        Merged(tuple(old[part.key] for part in draft.merged if part.key in old), draft)
        for draft in after.drafts
        if draft.merged and (draft.key not in old or len(draft.merged) > len(old[draft.key].merged))
    )
    wholes = {id(m.whole) for m in merged}
    return Changes(
        id=step.id,
        added=tuple(draft for draft in after.drafts if draft.key not in old and id(draft) not in wholes),
        rewritten=tuple(
            Rewritten(old[draft.key], draft)
            for draft in after.drafts
            if draft.key in old and old[draft.key] is not draft and id(draft) not in wholes
        ),
        merged=merged,
        moved=tuple(new[key] for key in moved_keys([k for k in old if k in new], [k for k in new if k in old])),
        dropped=dropped,
        notes=notes,
        seconds=step.seconds,
        error=step.error,
        before=before,
        after=after,
        tokenizer=tokenizer,
    )
