"""The promises of comparing: nothing that is sent differs unseen, and either side may be called a."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Session, ToolCall
from ctxlab.pipeline import diff
from ctxlab.prompt.merged_parts import pieces

WHY = Cause("merge", "rule", "why")


@st.composite
def drafts(draw: st.DrawFn, id: str) -> Draft:
    origin = Origin("node", id)
    text = Text.of(draw(st.sampled_from(["", "one", "two"])), origin)
    calls = (ToolCall("c", "look"),) if draw(st.integers(0, 4)) == 0 else ()
    return Draft(id, "user", (text,), origin, calls)


@st.composite
def rows(draw: st.DrawFn) -> tuple[Draft, ...]:
    """Some of five messages in any order."""
    return tuple([draw(drafts(key)) for key in draw(st.lists(st.sampled_from("abcde"), unique=True))])


@st.composite
def contexts(draw: st.DrawFn, row: tuple[Draft, ...] | None = None) -> Context:
    """These messages, or any, with some neighbours merged, and merged again."""
    ctx = Context(BuildInput(Session(id="s")), draw(rows()) if row is None else row)
    for _ in range(draw(st.integers(0, 3))):
        count = len(ctx.drafts)
        start = draw(st.integers(0, count))
        some = [draft.key for draft in ctx.drafts[start : draw(st.integers(start, count))]]
        ctx = ctx.merge(some, draw(st.sampled_from(["", "|", "\n\n"])), WHY)
    return ctx


pairs = st.tuples(contexts(), contexts()) | rows().flatmap(lambda row: st.tuples(contexts(row), contexts(row)))


def sent(ctx: Context) -> list[tuple[str, object]]:
    return [(str(draft.text), draft.calls) for draft in ctx.drafts]


@settings(deadline=None, max_examples=400)
@given(pairs)
def test_what_does_not_differ_is_sent_alike(pair: tuple[Context, Context]) -> None:
    a, b = pair

    if not diff(a, b):
        assert sent(a) == sent(b)


@settings(deadline=None)
@given(contexts())
def test_a_merged_message_is_the_same_as_itself(ctx: Context) -> None:
    copy = ctx.edit(lambda draft: replace(draft))

    assert {row.kind for row in diff(ctx, copy)} <= {"same"}


@settings(deadline=None, max_examples=200)
@given(pairs)
def test_either_side_may_be_called_a(pair: tuple[Context, Context]) -> None:
    a, b = pair
    swapped = {"only in a": "only in b", "only in b": "only in a"}

    there, back = diff(a, b), diff(b, a)

    assert sorted((r.key, r.kind) for r in there) == sorted((r.key, swapped.get(r.kind, r.kind)) for r in back)


@settings(deadline=None)
@given(contexts())
def test_parts_and_seams_are_all_of_a_message(ctx: Context) -> None:
    for draft in ctx.drafts:
        found = pieces(draft)

        assert "".join(piece.seam + str(piece.text) for piece in found) == str(draft.text)
        assert [piece.part for piece in found] == list(draft.parts)
        assert all(str(draft.text)[piece.start : piece.end] == str(piece.text) for piece in found)


@settings(deadline=None)
@given(pairs)
def test_a_printed_difference_names_what_differs_and_its_places(pair: tuple[Context, Context]) -> None:
    found = diff(*pair)

    first, *lines = str(found).splitlines()

    assert first == repr(found) and len(lines) == len(found.changes)
    numbers = [{part.key: n for n, draft in enumerate(ctx.drafts, 1) for part in draft.parts} for ctx in pair]
    for line, row in zip(lines, found.changes, strict=True):
        assert line.startswith(f"  {row.kind}: {row.key}; ")
        assert (row.at_a, row.at_b) == tuple(by_key.get(row.key) for by_key in numbers)
        if row.kind == "moved":
            assert f"from message {row.at_a} to {row.at_b}" in line
