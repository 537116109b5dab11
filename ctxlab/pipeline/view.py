"""A trace as one JSON value, for widgets, reports and tests alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft, Span

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


def view(trace: Trace) -> dict[str, Any]:
    """Tables of texts, causes, spans and drafts, each value once; a step lists indexes of drafts.

    `spans`: [text, kind, ref, cause or -1, [spans it replaced]]. `drafts[i].tokens` includes the message's overhead.
    """
    tables = _Tables(trace)
    start = {"id": "start", "drafts": [tables.draft(d) for d in trace.start.drafts]}
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
                "notes": [_plain(note.as_data()) for note in step.after.notes[len(step.before.notes) :]],
            }
        )
    return {
        "version": 1,
        "session": trace.start.request.session.id,
        "leaf": trace.start.request.leaf_id,
        "tokenizer": {"name": trace.services.tokenizer.name, "estimated": trace.services.tokenizer.estimated},
        "texts": tables.texts,
        "causes": tables.causes,
        "spans": tables.spans,
        "drafts": tables.drafts,
        "notes": [_plain(note.as_data()) for note in trace.start.notes],
        "start": start,
        "steps": steps,
        "pipeline": _plain(trace.pipeline.describe()),
    }


class _Tables:
    """Numbers every value once."""

    def __init__(self, trace: Trace) -> None:
        self._count = trace.services.tokenizer.count_draft
        self.texts: list[str] = []
        self.causes: list[dict[str, str]] = []
        self.spans: list[list[Any]] = []
        self.drafts: list[dict[str, Any]] = []
        self._text: dict[str, int] = {}
        self._cause: dict[Cause, int] = {}
        self._span: dict[int, int] = {}
        self._same_span: dict[tuple[Any, ...], int] = {}
        self._draft: dict[int, int] = {}
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
                    "assets": [asset.as_data() for asset in draft.assets],
                    "calls": [call.as_data() for call in draft.calls],
                    "result_of": draft.result_of,
                    "reasoning": draft.reasoning,
                    "name": draft.name,
                    "pinned": draft.pinned,
                    "merged": [{"key": part.key, **part.origin.as_data()} for part in draft.merged],
                    "placed": draft.meta.get("placed"),
                    "tokens": self._count(draft),
                }
            )
        return self._draft[id(draft)]


def _plain(value: Any) -> Any:
    """Tuples as lists and what JSON doesn't know as text, so that the value is equal to its JSON."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
