from dataclasses import replace

import pytest

from ctxlab.context import BuildInput, Cause, Context, Draft, Dropped, Origin, Table, Text
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from tests.reports import all_left

WHY = Cause("test", "rule", "a reason")


def draft(id: str, said: str = "") -> Draft:
    origin = Origin("node", id)
    return Draft(f"node:{id}", "user", (Text.of(said or f"text of {id}", origin),), origin)


def context(*ids: str) -> Context:
    return Context(BuildInput(Session(id="s")), tuple(draft(id) for id in ids))


def keys(ctx: Context) -> list[str]:
    return [draft.key.removeprefix("node:") for draft in ctx.drafts]


def test_an_edit_that_changes_nothing_gives_the_same_context() -> None:
    ctx = context("a", "b")

    assert ctx.edit(lambda draft: draft) is ctx


def test_an_edit_keeps_the_drafts_that_it_does_not_change() -> None:
    ctx = context("a", "b")

    after = ctx.edit(lambda draft: replace(draft, role="system") if draft.key == "node:b" else draft)

    assert after.drafts[0] is ctx.drafts[0]
    assert [draft.role for draft in after.drafts] == ["user", "system"]
    assert [draft.role for draft in ctx.drafts] == ["user", "user"]


def test_drafts_are_inserted_before_a_position() -> None:
    ctx = context("a", "b")

    assert keys(ctx.insert(1, draft("x"), draft("y"))) == ["a", "x", "y", "b"]
    assert keys(ctx.insert(2, draft("x"))) == ["a", "b", "x"]
    assert ctx.insert(1) is ctx


def test_what_is_dropped_is_kept_with_its_cause() -> None:
    ctx = context("a", "b", "c")

    after = ctx.drop(["node:c", "node:a"], WHY, needed=9, left=4)

    assert keys(after) == ["b"]
    (group,) = after.dropped
    assert [draft.key for draft in group.drafts] == ["node:a", "node:c"]
    assert (group.cause, group.needed, group.left) == (WHY, 9, 4)
    assert ctx.drop([], WHY) is ctx


def test_dropping_or_merging_what_is_not_there_is_an_error() -> None:
    with pytest.raises(CtxlabError, match="test drops 'node:x', which is not there"):
        context("a").drop(["node:a", "node:x"], WHY)
    with pytest.raises(CtxlabError, match="test merges 'node:x', which is not there"):
        context("a").merge(["node:a", "node:x"], "", WHY)


def test_merging_joins_drafts_where_the_first_one_stands() -> None:
    after = context("a", "b", "c", "d").merge(["node:d", "node:b"], " + ", WHY)

    assert keys(after) == ["a", "b", "c"]
    whole = after.drafts[1]
    assert str(whole.text) == "text of b + text of d"
    assert [part.key for part in whole.merged] == ["node:b", "node:d"]
    assert [(span.origin.kind, span.cause) for span in whole.text.spans] == [
        ("node", None),
        ("separator", WHY),
        ("node", None),
    ]


def test_one_draft_needs_no_merging() -> None:
    ctx = context("a", "b")

    assert ctx.merge(["node:a"], "", WHY) is ctx


def test_merging_again_lists_all_parts() -> None:
    once = context("a", "b", "c").merge(["node:a", "node:b"], " ", WHY)

    twice = once.merge(["node:a", "node:c"], " ", WHY)

    assert [part.key for part in twice.drafts[0].merged] == ["node:a", "node:b", "node:c"]


def test_arranging_what_stands_as_it_stood_gives_the_same_context() -> None:
    ctx = context("a", "b")

    assert ctx.arrange(list(ctx.drafts)) is ctx
    assert keys(ctx.arrange(ctx.drafts[::-1])) == ["b", "a"]


def test_arranging_with_drops_keeps_the_drafts_that_stay() -> None:
    ctx = context("a", "b")

    after = ctx.arrange(ctx.drafts, dropped=[Dropped((draft("x"),), WHY)])

    assert after.drafts is ctx.drafts
    assert len(after.dropped) == 1


def test_shared_values_and_notes_pile_up() -> None:
    ctx = context("a").put(Table("lore", [1])).put(Table("lore", [2])).put(Table("other", 3))

    ctx = ctx.note("warning", "look here", processor="test", node="n1")

    assert all_left(ctx) == {"lore": [2], "other": 3}
    assert ctx.notes[0].as_data() == {
        "level": "warning",
        "text": "look here",
        "processor": "test",
        "details": {"node": "n1"},
    }
    assert ctx.noted([]) is ctx


def test_a_draft_is_found_by_its_key_or_by_that_of_a_part() -> None:
    ctx = context("a", "b", "c").merge(["node:a", "node:b"], " ", WHY)

    assert ctx.draft("node:b") is ctx.drafts[0]
    assert ctx.draft("node:c") is ctx.drafts[1]
    assert ctx.draft("node:x") is None


def test_one_line_shows_a_large_context() -> None:
    ctx = context(*map(str, range(100))).drop(["node:1", "node:2"], WHY)

    assert repr(ctx) == "Context('s', 98 drafts, 2 dropped)"
    assert repr(ctx.dropped[0]) == "Dropped(2 drafts, test / rule: a reason)"
    assert repr(ctx.drafts[0]) == "Draft('node:0', user, 'text of 0')"
    assert repr(ctx.input) == "BuildInput('s', leaf None, agent None)"
