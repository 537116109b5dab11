"""Two contexts side by side, by key."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ctxlab.context import Cause, Context, Draft
from ctxlab.pipeline.changes import moved_keys
from ctxlab.pipeline.trace import Trace

RowKind = Literal["same", "changed", "moved", "only in a", "only in b"]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One message in both: `cause` says why the other side doesn't have it, where that is known."""

    key: str
    kind: RowKind
    a: Draft | None
    b: Draft | None
    cause: Cause | None = None

    def __repr__(self) -> str:
        return f"Row({self.key!r}, {self.kind})"

    @property
    def text_change(self) -> tuple[int, str, str] | None:
        """Where the texts part, and the smallest stretch of each that differs; None when they don't."""
        if self.a is None or self.b is None:
            return None
        return smallest_change(str(self.a.text), str(self.b.text))


@dataclass(frozen=True, slots=True, eq=False)
class Diff:
    """All messages of two results, those of `a` in order and those only in `b` where they stand."""

    rows: tuple[Row, ...]

    def __bool__(self) -> bool:
        return any(row.kind != "same" for row in self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        counts = [f"{n} {kind}" for kind in KINDS if (n := sum(row.kind == kind for row in self.rows))]
        return f"Diff({', '.join(counts) or 'nothing'})"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.html import diff_html

        return diff_html(self)

    @property
    def changes(self) -> tuple[Row, ...]:
        """The rows that are not the same."""
        return tuple(row for row in self.rows if row.kind != "same")


KINDS: tuple[RowKind, ...] = ("same", "changed", "moved", "only in a", "only in b")


def diff(a: Trace | Context, b: Trace | Context) -> Diff:
    """What differs between two results, message by message; empty (falsy) when nothing does."""
    left, right = _result(a), _result(b)
    old = {draft.key: draft for draft in left.drafts}
    new = {draft.key: draft for draft in right.drafts}
    # Of several fewest sets of moved messages the same one whichever side is called a.
    moved = set(moved_keys(*sorted([[k for k in old if k in new], [k for k in new if k in old]])))
    why_gone_left, why_gone_right = _why_gone(left), _why_gone(right)
    rows: list[Row] = []
    waiting = deque(new)
    placed: set[str] = set()

    def only_in_b(before: str | None) -> None:
        while waiting and waiting[0] != before:
            key = waiting.popleft()
            if key not in old and key not in placed:
                placed.add(key)
                rows.append(Row(key, "only in b", None, new[key], why_gone_left.get(key)))

    for key, draft in old.items():
        other = new.get(key)
        if other is None:
            rows.append(Row(key, "only in a", draft, None, why_gone_right.get(key)))
            continue
        if key not in moved:
            only_in_b(key)
        kind: RowKind = "moved" if key in moved else "same" if _equal(draft, other) else "changed"
        rows.append(Row(key, kind, draft, other))
    only_in_b(None)
    return Diff(tuple(rows))


def smallest_change(a: str, b: str) -> tuple[int, str, str] | None:
    """Offset of the first difference and the two stretches that differ, shared ends cut off."""
    if a == b:
        return None
    start = 0
    shortest = min(len(a), len(b))
    while start < shortest and a[start] == b[start]:
        start += 1
    end = 0
    while end < shortest - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, a[start : len(a) - end], b[start : len(b) - end]


def _result(side: Trace | Context) -> Context:
    return side.result if isinstance(side, Trace) else side


def _equal(a: Draft, b: Draft) -> bool:
    return a is b or a.as_data() == b.as_data()


def _why_gone(ctx: Context) -> dict[str, Cause]:
    """Why messages are not there by their own key: the cause of the drop, or that they were merged."""
    gone = {part.key: _merged_into(draft) for draft in ctx.drafts for part in draft.merged}
    for group in ctx.dropped:
        gone.update((part.key, group.cause) for draft in group.drafts for part in draft.parts)
    return gone


def _merged_into(whole: Draft) -> Cause:
    seam = next((span.cause for span in whole.text.spans if span.cause and span.origin.kind == "separator"), None)
    return Cause(seam.processor if seam else "", seam.rule if seam else "merged", f"it is part of {whole.key}")
