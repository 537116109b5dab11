"""A trace as one JSON value, for widgets, reports and tests alike."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft, Span
from ctxlab.pipeline.tallies import tally

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


def view(trace: Trace) -> dict[str, Any]:
    """Tables of texts, causes, spans and drafts, each value once; a step lists indexes of drafts.

    `spans`: [text, kind, ref, cause or -1, [spans it replaced]]. `drafts[i].tokens` includes the message's overhead,
    `request_tokens` is what a request costs besides its messages: tool definitions and the wire format.
    `shared`: what steps left for others, such as decisions on lore; a step names what it left anew: {"lore": index}.
    """
    tables = _Tables(trace)
    start = {
        "id": "start",
        "drafts": [tables.draft(d) for d in trace.start.drafts],
        "shared": tables.left({}, trace.start.shared),
        "variables": plain(trace.start.request.variables.as_data()),
    }
    steps: list[dict[str, Any]] = []
    for step in trace.steps:
        groups = step.after.dropped[len(step.before.dropped) :]
        steps.append(
            {
                "id": step.id,
                "edited": step.edited,
                "skipped": step.skipped,
                "seconds": step.seconds,
                "error": step.error,
                "drafts": [tables.draft(d) for d in step.after.drafts],
                "dropped": [
                    {
                        "drafts": [tables.draft(d) for d in group.drafts],
                        "cause": tables.cause(group.cause),
                        "needed": group.needed,
                        "left": group.left,
                    }
                    for group in groups
                ],
                "notes": [plain(note.as_data()) for note in step.after.notes[len(step.before.notes) :]],
                "shared": tables.left(step.before.shared, step.after.shared),
                "decided": tally(step.before, step.after),
            }
        )
    return {
        "version": 1,
        "session": trace.start.request.session.id,
        "leaf": trace.start.request.leaf_id,
        "tokenizer": {"name": trace.services.tokenizer.name, "estimated": trace.services.tokenizer.estimated},
        "request_tokens": trace.request_tokens,
        "texts": tables.texts,
        "causes": tables.causes,
        "spans": tables.spans,
        "drafts": tables.drafts,
        "shared": tables.shared,
        "notes": [plain(note.as_data()) for note in trace.start.notes],
        "start": start,
        "steps": steps,
        "pipeline": plain(trace.pipeline.describe()),
    }


class _Tables:
    """Numbers every value once."""

    def __init__(self, trace: Trace) -> None:
        self._count = trace.services.tokenizer.count_draft
        self.texts: list[str] = []
        self.causes: list[dict[str, str]] = []
        self.spans: list[list[Any]] = []
        self.drafts: list[dict[str, Any]] = []
        self.shared: list[Any] = []
        self._text: dict[str, int] = {}
        self._cause: dict[Cause, int] = {}
        self._span: dict[int, int] = {}
        self._same_span: dict[tuple[Any, ...], int] = {}
        self._draft: dict[int, int] = {}
        self._shared: dict[str, int] = {}
        self._met: list[Span] = []  # kept alive: ids of spans made for this view only would be given to others

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
            self.causes.append(cause.as_data())
        return self._cause[cause]

    def span(self, span: Span) -> int:
        if id(span) not in self._span:
            self._met.append(span)
            was = [self.span(older) for older in span.was]
            row = (self.text(span.text), span.origin.kind, span.origin.ref, self.cause(span.cause))
            number = self._same_span.setdefault((*row, *was), len(self.spans))
            if number == len(self.spans):
                self.spans.append([*row, was])
            self._span[id(span)] = number
        return self._span[id(span)]

    def draft(self, draft: Draft) -> int:
        if id(draft) not in self._draft:
            self._draft[id(draft)] = len(self.drafts)
            self.drafts.append(
                {
                    "key": draft.key,
                    "role": draft.role,
                    "origin": draft.origin.as_data(),
                    "spans": [self.span(span) for span in draft.text.spans],
                    "assets": [plain(asset.as_data()) for asset in draft.assets],
                    "calls": [plain(call.as_data()) for call in draft.calls],
                    "result_of": draft.result_of,
                    "reasoning": draft.reasoning,
                    "name": draft.name,
                    "pinned": draft.pinned,
                    "merged": [{"key": part.key, **part.origin.as_data()} for part in draft.merged],
                    "placed": plain(draft.meta.get("placed")),
                    "tokens": self._count(draft),
                }
            )
        return self._draft[id(draft)]

    def left(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, int]:
        """What was left anew, by number; a value that stays, or comes again, is not written again."""
        if after is before:
            return {}
        return {key: self._value(value) for key, value in after.items() if before.get(key) is not value}

    def _value(self, value: Any) -> int:
        data = plain(value)
        number = self._shared.setdefault(json.dumps(data), len(self.shared))
        if number == len(self.shared):
            self.shared.append(data)
        return number


def plain(value: Any) -> Any:
    """What JSON doesn't know as lists, objects or text, so that the value is equal to its JSON."""
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
