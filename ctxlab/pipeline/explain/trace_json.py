"""A trace as one JSON value, for widgets, reports and tests alike."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft, Span, StepReport
from ctxlab.context.step_report import summary_of
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.pipeline.manual_edit import HAND
from ctxlab.prompt.merged_parts import is_seam

if TYPE_CHECKING:
    from ctxlab.pipeline.services import TokenCounter
    from ctxlab.pipeline.trace import Step, Trace


def view(trace: Trace) -> dict[str, Any]:
    """Tables of texts, causes, spans and drafts, each value once; a step lists indexes of drafts.

    `spans`: [text, kind, ref, cause or -1, [spans it replaced]]. `drafts[i].tokens` includes the message's overhead,
    `request_tokens` is what a request costs besides its messages: tool definitions and the wire format.
    `drafts[i].files_gone`, where there are some: files that went out of the message, each with the number of its cause.
    `drafts[i].seams` of a merged message: what each joining cost; with its parts' tokens, alone, they are its own.
    `rows`: the rows of step reports, such as decisions on lore; a step names the reports that it left: {"lore": index}.
    """
    return Tables(trace.services.tokenizer).view(trace)


MOST_PARTS = 24
"""Parts of a merged message for which what joining them costs is counted."""
TABLES = ("texts", "causes", "spans", "drafts", "rows")


class Tables:
    """Numbers every value once. Runs that share values, viewed one after another, share their numbers too."""

    def __init__(self, tokenizer: TokenCounter) -> None:
        self._counter = tokenizer
        self._alone: dict[str, int] = {}
        self.texts: list[str] = []
        self.causes: list[dict[str, Any]] = []
        self.spans: list[list[Any]] = []
        self.drafts: list[dict[str, Any]] = []
        self.rows: list[Any] = []
        self._text: dict[str, int] = {}
        self._cause: dict[Cause, int] = {}
        self._span: dict[int, int] = {}
        self._same_span: dict[tuple[Any, ...], int] = {}
        self._draft: dict[int, int] = {}
        self._known_rows: dict[str, int] = {}
        self._lists: dict[int, list[int]] = {}
        self._met: list[Span | Draft] = []  # kept alive: ids of values that are gone would be given to others

    def sizes(self) -> dict[str, int]:
        return {name: len(getattr(self, name)) for name in TABLES}

    def view(self, trace: Trace) -> dict[str, Any]:
        """The run as one JSON value. Its tables are these here, and grow with the next view."""
        with without_collection():
            return self._view(trace)

    def _view(self, trace: Trace) -> dict[str, Any]:
        self._lists.clear()
        start = {
            "id": "start",
            "drafts": self._numbers(trace.start.drafts),
            "reports": self.reports(trace.start.reports),
            "variables": plain(trace.start.input.variables.as_data()),
        }
        steps = [self._step(step) for step in trace.steps]
        return {
            "version": 1,
            "session": trace.start.input.session.id,
            "leaf": trace.start.input.leaf_id,
            "tokenizer": {"name": self._counter.name, "estimated": self._counter.estimated},
            "request_tokens": trace.request_tokens,
            **{name: getattr(self, name) for name in TABLES},
            "notes": [plain(note.as_data()) for note in trace.start.notes],
            "start": start,
            "steps": steps,
            "pipeline": plain(trace.pipeline.as_data()),
        }

    def _step(self, step: Step) -> dict[str, Any]:
        before, after = step.before, step.after
        return {
            "id": step.id,
            "edited": step.edited,
            "lost": step.is_lost,
            "skipped": step.skipped,
            "seconds": step.seconds,
            "error": step.error,
            "drafts": self._numbers(after.drafts),
            "dropped": [
                {
                    "drafts": self._numbers(group.drafts),
                    "cause": self.cause(group.cause),
                    "needed": group.needed,
                    "left": group.left,
                    "border": list(group.border),
                }
                for group in after.dropped[len(before.dropped) :]
            ],
            "notes": [plain(note.as_data()) for note in after.notes[len(before.notes) :]],
            "reports": self.reports(step.reports),
            "decided": summary_of(step.reports),
        }

    def _numbers(self, drafts: Sequence[Draft]) -> list[int]:
        """Numbers of a context's messages; contexts of one run that have the same tuple of them share the list."""
        if id(drafts) not in self._lists:
            self._lists[id(drafts)] = list(map(self.draft, drafts))
        return self._lists[id(drafts)]

    def text(self, text: str) -> int:
        if text not in self._text:
            self._text[text] = len(self.texts)
            self.texts.append(text)
        return self._text[text]

    def cause(self, cause: Cause | None) -> int:
        if cause is None:
            return -1
        if cause not in self._cause:
            self._cause[cause] = len(self.causes)
            self.causes.append({**cause.as_data(), **({"by_hand": True} if cause.processor == HAND else {})})
        return self._cause[cause]

    def span(self, span: Span) -> int:
        number = self._span.get(id(span))
        if number is None:
            self._met.append(span)
            was = [self.span(older) for older in span.was]
            row = (self.text(span.text), span.origin.kind, span.origin.ref, self.cause(span.cause))
            number = self._same_span.setdefault((*row, *was), len(self.spans))
            if number == len(self.spans):
                self.spans.append([*row, was])
            self._span[id(span)] = number
        return number

    def draft(self, draft: Draft) -> int:
        number = self._draft.get(id(draft))
        if number is None:
            number = self._draft[id(draft)] = len(self.drafts)
            self._met.append(draft)
            self.drafts.append(self._row(draft))
        if not draft.merged:
            self._alone[draft.key] = self.drafts[number]["tokens"]
        return number

    def _row(self, draft: Draft) -> dict[str, Any]:
        tokens = self._counter.count_draft(draft)
        row: dict[str, Any] = {
            "key": draft.key,
            "role": draft.role,
            "origin": draft.origin.as_data(),
            "spans": [self.span(span) for span in draft.text.spans],
            "assets": [plain(asset.as_data()) for asset in draft.assets],
            "calls": [plain(call.as_data()) for call in draft.calls],
            "result_of": draft.result_of,
            "reasoning": draft.reasoning,
            "speaker": draft.speaker,
            "pinned": draft.pinned,
            "merged": [{"key": part.key, **part.origin.as_data()} for part in draft.merged],
            "placed": str(draft.placement) if draft.placement else None,
            "tokens": tokens,
        }
        if self._counter.draft_is_estimated(draft):
            row["estimated"] = True
        if draft.changes:
            row |= self._files_gone(draft)
        if draft.merged:
            row["seams"] = self._seams(draft, tokens)
        return row

    def _files_gone(self, draft: Draft) -> dict[str, Any]:
        """Files that went out of the message, with the cause; they became words, or were taken out."""
        there = {asset.id for asset in draft.assets}
        changes = [change for change in draft.changes if change.field == "files"]
        gone = {asset.id: (asset, change.cause) for change in changes for asset in change.before}
        rows = [
            {**plain(asset.as_data()), "cause": self.cause(cause)}
            for id, (asset, cause) in gone.items()
            if id not in there
        ]
        return {"files_gone": rows} if rows else {}

    def _seams(self, draft: Draft, tokens: int) -> list[int]:
        """Tokens that joining each part costs; empty where the parts aren't known one by one, or are too many.

        The last has what is left, so that the sum holds also where parts were rewritten after they were joined.
        """
        alone = [self._alone.get(part.key) for part in draft.merged]
        spans, counter = draft.text.spans, self._counter
        at = [i for i, span in enumerate(spans) if is_seam(span)]
        if len(at) != len(alone) - 1 or not 1 < len(alone) <= MOST_PARTS or None in alone:
            return []
        ends = [*at[1:], len(spans)]
        words = [counter.count(_cause_words(spans[start + 1 : end])) for start, end in zip(at, ends, strict=True)]
        upto = [counter.count(_cause_words(spans[:end])) for end in (at[0], *ends)]
        each = counter.message_tokens
        seams = [after - before - own - each for before, after, own in zip(upto, upto[1:], words, strict=False)]
        return [*seams[:-1], tokens - sum(n for n in alone if n is not None) - sum(seams[:-1])]

    def reports(self, left: Sequence[StepReport]) -> dict[str, int]:
        """Rows that were left, by name and number; the same rows are not written again."""
        return {report.name: self._rows(report) for report in left}

    def _rows(self, report: StepReport) -> int:
        data = plain(report.rows())
        number = self._known_rows.setdefault(json.dumps(data), len(self.rows))
        if number == len(self.rows):
            self.rows.append(data)
        return number


def _cause_words(spans: Sequence[Span]) -> str:
    return "".join([span.text for span in spans])


def plain(value: Any) -> Any:
    """The value as plain JSON data: unknown types become lists, objects or text."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, AbstractSet):
        return sorted([plain(each) for each in value], key=str)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return str(value)
