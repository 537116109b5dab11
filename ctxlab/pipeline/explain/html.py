"""HTML tables of a trace and of a difference, for the notebook; all text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ctxlab.display.html_table import table
from ctxlab.display.short_texts import short
from ctxlab.pipeline.explain.affordable_counts import AffordableCounts, shown

if TYPE_CHECKING:
    from ctxlab.pipeline.explain.diff import Diff
    from ctxlab.pipeline.trace import Trace

ROWS = 60
CELL = 120
"""Characters of a cell."""


def trace_html(trace: Trace) -> str:
    """One row a step: what it did, and what the context holds after it; tokens that would take seconds are left out."""
    rows: list[Sequence[object]] = []
    counts = AffordableCounts(trace)
    for i, step in enumerate(trace.steps):
        done = trace.changes(i)
        note = step.error or (done.notes[0].text if done.notes else "")
        rows.append(
            (step.id, done.summary, len(step.after.drafts), shown(counts.context_tokens(step.after.drafts)), note)
        )
    head = f"<b>{escape(repr(trace))}</b>"
    return head + table(("step", "what it did", "messages", "tokens after", ""), rows)


def diff_html(diff: Diff) -> str:
    """One row a difference, the words cut to the stretch that differs."""
    rows: list[Sequence[object]] = []
    for row in diff.changes[:ROWS]:
        change = row.text_change
        side_a = change[1] if change else str(row.a.text) if row.a else ""
        side_b = change[2] if change else str(row.b.text) if row.b else ""
        why = "; ".join(part for part in (row.detail, str(row.cause) if row.cause else "") if part)
        rows.append((row.key, row.kind, short(side_a, CELL), short(side_b, CELL), short(why, 160)))
    more = len(diff.changes) - ROWS
    end = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<b>{escape(repr(diff))}</b>" + table(("message", "", "a", "b", "why"), rows) + end
