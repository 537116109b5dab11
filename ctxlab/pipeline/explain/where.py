"""The occurrences of some words in a run: where they are or were, and what became of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from ctxlab.context import Cause, Draft, Span
from ctxlab.display.data_frame import frame_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.explain.provenance_text import done_by, provenance_lines, written_by
from ctxlab.pipeline.explain.text_versions import SupersededVersion, TextHistory, Version
from ctxlab.prompt.merged_parts import pieces
from ctxlab.secrets import masked_stretch

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.pipeline.trace import Trace

State = Literal["sent", "dropped", "replaced"]
AROUND = 24
"""Characters on each side of the words in a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """Characters `start` up to `end` of one text of a message, and what became of them.

    `version` is that text, and when the message had it: the last one in which these characters stand side by side.
    `step` is the one that dropped them or replaced some of them, `cause` what did it there; both are empty for what is
    sent. `key` is the message that it became in the end; `part` is the key of the part of a merged message that they
    belong to, the first one where they belong to several. Of any other message it is its own key.
    """

    key: str
    state: State
    start: int
    end: int
    version: Version
    cause: Cause | None = None
    part: str = ""
    step: str = ""

    def __repr__(self) -> str:
        return f"Occurrence({self.key!r}, {self.state}, {self.start}:{self.end})"

    def __str__(self) -> str:
        named = self.key if self.part in ("", self.key) else f"{self.part}, in the merged {self.key},"
        characters = f"characters {self.start}-{self.end}"
        characters += f" of {self.version}" if self.state == "replaced" else ""
        lines = [f"{named} {characters}: {self.state}{self.by}"]
        for span in self.spans:
            lines += ["  " + line for line in provenance_lines(span)]
        return "\n".join(lines)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans that cover them, with their writers and the text that they replaced."""
        return self.version.text.cut(self.start, self.end).spans

    @property
    def by(self) -> str:
        """The rule that dropped or replaced them, as the end of a sentence; empty for words that are sent."""
        if self.cause is not None:
            return f" by {done_by(self.cause)}"
        return f" in {self.step}, which does not say why" if self.step else ""

    def around(self) -> str:
        """The words with some of the text around them, masked, for a table."""
        text = str(self.version.text)
        start, end = max(0, self.start - AROUND), min(len(text), self.end + AROUND)
        return f"{'…' if start else ''}{masked_stretch(text, start, end)}{'…' if end < len(text) else ''}"

    def written_by(self) -> str:
        """The writers of the words, each once."""
        return ", ".join(dict.fromkeys(written_by(span).removeprefix("from ") for span in self.spans))

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import occurrences_html

        return occurrences_html((self,))

    def as_data(self) -> dict[str, Any]:
        """A row of the frame of occurrences."""
        return {
            "key": self.key,
            "state": self.state,
            "start": self.start,
            "end": self.end,
            "part": self.part or self.key,
            "step": self.step or None,
            "rule": self.cause.rule if self.cause else None,
            "reason": self.cause.reason if self.cause else None,
            "written_by": self.written_by(),
            "text": str(self.version.text)[self.start : self.end],
        }


COLUMNS = ("key", "state", "start", "end", "part", "step", "rule", "reason", "written_by", "text")


class Occurrences(tuple[Occurrence, ...]):
    """Occurrences in order: those that are sent, dropped ones, replaced ones. A notebook shows them as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        counts = [f"{n} {state}" for state in get_args(State) if (n := sum(each.state == state for each in self))]
        return f"Occurrences({', '.join(counts) or 'nowhere'})"

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "nowhere"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import occurrences_html

        return occurrences_html(self)

    def frame(self) -> pd.DataFrame:
        """One row a place: message, state, characters, who wrote them, and what dropped or replaced them."""
        return frame_of((each.as_data() for each in self), COLUMNS)


def occurrences(trace: Trace, words: str) -> Occurrences:
    """Every occurrence of the words: first those that are sent, then dropped ones, then replaced ones in order."""
    if not words:
        return Occurrences()
    history = TextHistory(trace)
    sent = [place for draft in trace.result.drafts for place in _in_draft(draft, words, "sent", history)]
    gone = list(_dropped(trace, words, history))
    holders = _holders(trace)
    older = [place for each in history.superseded for place in _older(each, words, holders)]
    gone += [place for place in older if place.state == "dropped"]
    return Occurrences((*sent, *gone, *(place for place in older if place.state == "replaced")))


def _dropped(trace: Trace, words: str, history: TextHistory) -> Iterator[Occurrence]:
    there = {part.key for draft in trace.result.drafts for part in draft.parts}
    kept = {id(group) for group in trace.result.dropped}
    for id_, (group, step) in history.dropped.items():
        for draft in group.drafts:
            if id_ in kept or draft.key not in there:  # a person may have put back what was forgotten
                yield from _in_draft(draft, words, "dropped", history, group.cause, step)


def _in_draft(
    draft: Draft, words: str, state: State, history: TextHistory, cause: Cause | None = None, step: str = ""
) -> Iterator[Occurrence]:
    whole = str(draft.text)
    at = whole.find(words)
    if at < 0:
        return
    version, part_at = history.version_of(draft), _part_at(draft)
    while at >= 0:
        end = at + len(words)
        yield Occurrence(draft.key, state, at, end, version, cause, part_at(at), step)
        at = whole.find(words, at + 1)


def _part_at(draft: Draft) -> Callable[[int], str]:
    """A function that gives the key of the part to which a character belongs; a seam belongs to the part before."""
    found = [piece for piece in pieces(draft) if piece.text]
    starts, keys = [piece.start for piece in found], [piece.part.key for piece in found]
    return lambda at: keys[max(0, bisect_right(starts, at) - 1)] if keys else draft.key


def _older(gone: SupersededVersion, words: str, holders: dict[str, str]) -> Iterator[Occurrence]:
    draft, part_at = gone.draft, None
    state: State = "dropped" if gone.is_dropped else "replaced"
    for start, end, cause in gone.broken(words):
        if draft.merged and part_at is None:
            part_at = _part_at(replace(draft, body=(gone.version.text,)))
        part = part_at(start) if part_at else draft.key
        yield Occurrence(holders.get(part, draft.key), state, start, end, gone.version, cause, part, gone.step)


def _holders(trace: Trace) -> dict[str, str]:
    """By key of a message or a part, the key of the message that holds it in the end, sent or dropped."""
    dropped = (draft for group in trace.result.dropped for draft in group.drafts)
    holders: dict[str, str] = {}
    for draft in (*trace.result.drafts, *dropped):
        for key in (draft.key, *(part.key for part in draft.merged)):
            holders.setdefault(key, draft.key)
    return holders
