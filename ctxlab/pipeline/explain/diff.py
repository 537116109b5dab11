"""Two contexts side by side, by key."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal, TypeVar

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Cause, Context, Draft
from ctxlab.context.file_words import files_otherwise
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import moved_keys
from ctxlab.pipeline.explain.match_messages import (
    Joins,
    MessageOrPart,
    content_differs,
    first_provenance_difference,
    merged_messages_differ,
    messages_and_parts,
    provenance_differs,
)
from ctxlab.pipeline.explain.prompt_of_trace import parts_alone
from ctxlab.pipeline.explain.row_keys import row_keys
from ctxlab.pipeline.trace import Trace
from ctxlab.prompt.merged_parts import seam_cause
from ctxlab.secrets import masked_stretch

V = TypeVar("V")
RowKind = Literal["same", "other reason", "changed", "joined", "moved", "only in a", "only in b"]
KINDS: tuple[RowKind, ...] = ("same", "other reason", "changed", "joined", "moved", "only in a", "only in b")


@dataclass(frozen=True, slots=True, eq=False)
class DiffRow:
    """One message in both; a part of a merged message has a row of its own, with its own words.

    `whole_a` and `whole_b` are the merged messages that it is a part of. `cause` says why the other side doesn't have
    it, or why it is merged, where that is known; `detail` is anything else, in words. `at_a` and `at_b` are the numbers
    of the messages that it is in, from 1; None where it isn't.
    """

    key: str
    kind: RowKind
    a: Draft | None
    b: Draft | None
    cause: Cause | None = None
    whole_a: Draft | None = None
    whole_b: Draft | None = None
    detail: str = ""
    at_a: int | None = None
    at_b: int | None = None

    def __repr__(self) -> str:
        return f"DiffRow({self.key!r}, {self.kind})"

    @property
    def text_change(self) -> tuple[int, str, str] | None:
        """The offset at which the texts begin to differ, and the smallest stretch of each; None when they are equal.

        A secret in a stretch, or one that reaches into it, is masked.
        """
        if self.a is None or self.b is None:
            return None
        return shown_change(str(self.a.text), str(self.b.text))


@dataclass(frozen=True, slots=True, eq=False)
class Diff:
    """All messages of two results, those of `a` in order and those only in `b` where they stand.

    Messages of one conversation are matched by their ids, and where these are others, as in requests of a recording or
    in a file whose messages are numbered, by what they say. `fell_out`, `moved` and `new` are the rows of each kind.

    Two results of different conversations share no messages but presets of one agent, lore and knowledge: the id of the
    session goes before the keys of the others, as in `airline-2/node:m1`.

    *Changed* ones have other words or fields. *Joined* ones have the same, but one side sends them alone, or as a part
    of another message, or behind another separator. Of *other reason* are those that differ in nothing that is sent,
    only in why their words are there.
    """

    rows: tuple[DiffRow, ...]

    def __bool__(self) -> bool:
        return any(row.kind != "same" for row in self.rows)

    def __iter__(self) -> Iterator[DiffRow]:
        return iter(self.rows)

    def __repr__(self) -> str:
        counts = [f"{n} {kind}" for kind in KINDS if (n := sum(row.kind == kind for row in self.rows))]
        return f"Diff({', '.join(counts) or 'nothing'})"

    def __str__(self) -> str:
        from ctxlab.pipeline.explain.diff_text import diff_text

        return diff_text(self)

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import diff_html

        return diff_html(self)

    @property
    def fell_out(self) -> tuple[DiffRow, ...]:
        """The messages that `b` no longer has."""
        return tuple(row for row in self.rows if row.kind == "only in a")

    @property
    def new(self) -> tuple[DiffRow, ...]:
        """The messages that only `b` has."""
        return tuple(row for row in self.rows if row.kind == "only in b")

    @property
    def moved(self) -> tuple[DiffRow, ...]:
        """The messages that stand elsewhere in `b`: the fewest whose removal leaves the others in one order."""
        return tuple(row for row in self.rows if row.kind == "moved")

    @property
    def changes(self) -> tuple[DiffRow, ...]:
        """The rows that are not the same."""
        return tuple(row for row in self.rows if row.kind != "same")


@checked_arguments
def diff(a: Trace | Context, b: Trace | Context) -> Diff:
    """The differences of two results, message by message; empty (falsy) when there are none.

    Merged messages are compared by their parts.
    """
    return _diff_of(_Pair(a, b))


def diff_by_content(a: Trace | Context, b: Trace | Context) -> Diff:
    """The differences of two results, matched by what their messages say also where they are of two conversations."""
    return _diff_of(_Pair(a, b, by_content=True))


def _diff_of(pair: _Pair) -> Diff:
    return Diff(tuple(map(pair.placed, _with_other_fields(pair.rows()))))


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


def shown_change(a: str, b: str) -> tuple[int, str, str] | None:
    """`smallest_change` with secrets masked that the stretches hold, or hold a piece of."""
    change = smallest_change(a, b)
    if change is None:
        return None
    start, old, new = change
    return start, masked_stretch(a, start, start + len(old)), masked_stretch(b, start, start + len(new))


class _Pair:
    """Both results with merged messages taken apart, and their rows in order."""

    def __init__(self, a: Trace | Context, b: Trace | Context, *, by_content: bool = False) -> None:
        left, right = _result(a), _result(b)
        here, there = row_keys([left.input, right.input], by_content=by_content)
        alone_a, alone_b = _alone(a), _alone(b)
        lent_a = {key: draft for key, draft in alone_a.items() if here(key) == there(key)}
        lent_b = {key: draft for key, draft in alone_b.items() if here(key) == there(key)}
        self.old = _renamed(messages_and_parts(left.drafts, {**lent_b, **alone_a}), here)
        self.new = _renamed(messages_and_parts(right.drafts, {**lent_a, **alone_b}), there)
        self.at_a, self.at_b = _renamed(_numbers(left), here), _renamed(_numbers(right), there)
        self.why_gone_left, self.why_gone_right = _renamed(_why_gone(left), here), _renamed(_why_gone(right), there)
        shared = [[key for key in self.old if key in self.new], [key for key in self.new if key in self.old]]
        # Of several fewest sets of moved messages the same one whichever side is called a.
        shared.sort()
        self.joins = Joins(self.old, self.new)
        self.rejoined = {key for key in shared[0] if self.joins.differ(self.old[key], self.new[key])}
        self.lifted = set(moved_keys(*shared))
        self.moved = set(moved_keys(*([key for key in keys if key not in self.rejoined] for keys in shared)))

    def rows(self) -> Iterator[DiffRow]:
        unmatched = deque(self.new)
        for key, old_message in self.old.items():
            other = self.new.get(key)
            if other is not None and key not in self.lifted:
                yield from self._only_in_b(unmatched, key)
            yield self._only_in_a(key, old_message) if other is None else self._in_both(key, old_message, other)
        yield from self._only_in_b(unmatched, None)

    def placed(self, row: DiffRow) -> DiffRow:
        """The row with the numbers of its messages."""
        return replace(row, at_a=self.at_a.get(row.key), at_b=self.at_b.get(row.key))

    def _only_in_a(self, key: str, a: MessageOrPart) -> DiffRow:
        return DiffRow(key, "only in a", a.draft, None, self.why_gone_right.get(key), a.whole, detail=_part_of(a))

    def _only_in_b(self, unmatched: deque[str], before: str | None) -> Iterator[DiffRow]:
        while unmatched and unmatched[0] != before:
            key = unmatched.popleft()
            if key not in self.old:
                b = self.new[key]
                cause, detail = self.why_gone_left.get(key), _part_of(b)
                yield DiffRow(key, "only in b", None, b.draft, cause, whole_b=b.whole, detail=detail)

    def _in_both(self, key: str, a: MessageOrPart, b: MessageOrPart) -> DiffRow:
        row = DiffRow(key, self._kind(key, a, b), a.draft, b.draft, None, a.whole, b.whole)
        if row.kind == "other reason":
            return replace(row, detail=_other_reason(a.draft, b.draft))
        if key in self.rejoined:
            apart = not self.joins.same_message(a, b)
            words = _joined_words(a, b, apart=apart)
            return replace(row, cause=_why_joined(a, b) if apart else None, detail=_with_files(words, row))
        return row if row.kind == "same" else replace(row, detail=_with_files(_part_of(b), row))

    def _kind(self, key: str, a: MessageOrPart, b: MessageOrPart) -> RowKind:
        if key in self.moved:
            return "moved"
        if content_differs(a, b):
            return "changed"
        if key in self.rejoined:
            return "joined"
        if a.draft.key != b.draft.key:  # matched by what it says, so that its words are from another message's id
            return "same"
        return "other reason" if provenance_differs(a.draft, b.draft) else "same"


def _renamed(by_key: dict[str, V], row_key: Callable[[str], str]) -> dict[str, V]:
    return {row_key(key): value for key, value in by_key.items()}


def _numbers(ctx: Context) -> dict[str, int]:
    """The numbers of the messages, from 1, by the keys of their parts."""
    return {part.key: number for number, draft in enumerate(ctx.drafts, 1) for part in draft.parts}


def _result(side: Trace | Context) -> Context:
    return side.result if isinstance(side, Trace) else side


def _alone(side: Trace | Context) -> dict[str, Draft]:
    """Messages that are not merged; of a run also the parts, as they were before merging."""
    old_message = {draft.key: draft for draft in _result(side).drafts if not draft.merged}
    return old_message | parts_alone(side) if isinstance(side, Trace) else old_message


def _with_other_fields(rows: Iterator[DiffRow]) -> list[DiffRow]:
    """Merged messages of the same parts may differ in files that a later step gave them: the first part says so."""
    found = list(rows)
    groups: dict[tuple[int, int], list[int]] = {}
    for i, row in enumerate(found):
        if row.whole_a is not None and row.whole_b is not None:
            groups.setdefault((id(row.whole_a), id(row.whole_b)), []).append(i)
    for at in groups.values():
        first = found[at[0]]
        a, b = first.whole_a, first.whole_b
        assert a is not None and b is not None
        shown = any(found[i].kind == "changed" for i in at)
        if not shown and len(at) == len(a.merged) == len(b.merged) and merged_messages_differ(a, b):
            found[at[0]] = replace(first, kind="changed", detail="other files or fields of the merged message")
    return found


def _why_gone(ctx: Context) -> dict[str, Cause]:
    """Why messages are not there by their own key: the cause of the drop, or that they were merged."""
    gone = {part.key: _merged_into(draft) for draft in ctx.drafts for part in draft.merged}
    for group in ctx.dropped:
        gone.update((part.key, group.cause) for draft in group.drafts for part in draft.parts)
    return gone


def _merged_into(whole: Draft) -> Cause:
    cause = seam_cause(whole)
    return Cause(cause.processor if cause else "", cause.rule if cause else "merged", f"it is part of {whole.key}")


# --- in words


def _part_of(old_message: MessageOrPart) -> str:
    whole = old_message.whole
    if whole is None:
        return ""
    return f"first of {len(whole.merged)} parts" if old_message.is_first else f"part of {whole.key}"


def _with_files(words: str, row: DiffRow) -> str:
    """These words, and the files of the message that go otherwise."""
    files = files_otherwise(row.a, row.b) if row.a is not None and row.b is not None else ""
    return "; ".join(part for part in (words, files) if part)


def _other_reason(a: Draft, b: Draft) -> str:
    found = first_provenance_difference(a, b)
    if found is None:
        return "same words, other origin"
    return f"same words, other reason: {found[0] or 'none'} → {found[1] or 'none'}"


def _why_joined(a: MessageOrPart, b: MessageOrPart) -> Cause | None:
    old_message = b if b.whole is not None else a
    if old_message.whole is None:
        return None
    return seam_cause(old_message.whole) if old_message.is_first else _merged_into(old_message.whole)


def _joined_words(a: MessageOrPart, b: MessageOrPart, *, apart: bool) -> str:
    if a.whole is None or b.whole is None:
        return f"sent alone in {'a' if a.whole is None else 'b'}"
    if not apart:
        return f"joined by {a.seam!r} in a, by {b.seam!r} in b"
    return f"{_part_of(a)} in a, {_part_of(b)} in b"
